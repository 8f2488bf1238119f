"""What the next message would cost: tokens with how they are known, their cached share and the price of the input."""

from __future__ import annotations

from datetime import date

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from desktop_app.bridge.cache_models import Forecast, money
from desktop_app.bridge.figures import clock
from desktop_app.core.context_budget import Budget
from desktop_app.core.usage import Known
from desktop_app.ui.fonts import SMALL
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.plain_label import PlainLabel, set_tooltip


class ForecastLine(QWidget):
    """One muted line; a warning where the request does not fit the window.

    The share of the window stands there only while nothing is known of the cache.
    """

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._language = theme, language
        self._budget: Budget | None = None
        self._forecast: Forecast | None = None
        self.tokens = PlainLabel(tone="muted")
        self.cached = PlainLabel(tone="muted")
        self.price = PlainLabel(tone="muted")
        self.share = PlainLabel(tone="muted")
        self.over = PlainLabel(tone="warning")
        self._labels = (self.tokens, self.cached, self.price, self.share, self.over)
        line = QHBoxLayout(self)
        line.setSizeConstraint(QHBoxLayout.SizeConstraint.SetNoConstraint)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(12)
        for label in self._labels:
            label.setAlignment(Qt.AlignmentFlag.AlignVCenter)
            line.addWidget(label)
        line.addStretch(1)
        theme.changed.connect(self._refont)
        language.changed.connect(self._retranslate)
        self._refont()
        self._retranslate()

    def set_budget(self, budget: Budget | None) -> None:
        """The next request, or nothing while it is unknown; a forecast about another request is dropped."""
        if budget != self._budget:
            self._budget = budget
            if self._forecast is not None and self._forecast.budget != budget:
                self._forecast = None
            self._retranslate()

    def set_forecast(self, forecast: Forecast | None) -> None:
        """The next request with what the cache is expected to do for it; without one the budget stays."""
        self._forecast = forecast
        if forecast is not None:
            self._budget = forecast.budget
        self._retranslate()

    def minimumSizeHint(self) -> QSize:
        """Room for a part; what does not fit is left away, the warning last."""
        return QSize(60, super().sizeHint().height())

    def resizeEvent(self, _event: QResizeEvent) -> None:
        """Fits the parts to the room."""
        self._choose()

    def _choose(self) -> None:
        room = self.width()
        for label in (self.over, self.tokens, self.cached, self.price, self.share):
            wanted = self._budget is not None and bool(label.text())
            label.setVisible(wanted and label.sizeHint().width() <= room)
            room -= label.sizeHint().width() + 12 if wanted else 0

    def _retranslate(self) -> None:
        if self._budget is not None:
            self._say_budget(self._budget)
            self._say_cached(self._forecast)
        self._choose()

    def _say_budget(self, budget: Budget) -> None:
        say, number = self._language.say, self._language.number
        exact = budget.total.known is not Known.ESTIMATED
        words = "composer.next_exact" if exact else "composer.next"
        self.tokens.setText(
            say(words, tokens=number(budget.total.tokens) if exact else self._language.marked(budget.total))
        )
        if budget.window:
            share = self._language.percent(budget.total.tokens / budget.window)
            self.share.setText(say("composer.share", share=share, window=number(budget.window)))
        else:
            self.share.setText(say("composer.window_unknown"))
        short = -budget.free if budget.free is not None and budget.free < 0 else 0
        self.over.setText(say("composer.over", count=number(short)) if short else "")

    def _say_cached(self, forecast: Forecast | None) -> None:
        say, share = self._language.say, forecast.cached_share if forecast is not None else None
        if forecast is None or share is None:
            self.cached.setText("")
            self.price.setText("")
            return
        self.share.setText("")
        # Never rounded up: all of it is cached only where nothing is new.
        self.cached.setText(say("composer.cached", share=f"{int(share * 100)} %"))
        until = forecast.cache.warm_until
        if until is None:
            hint = say("composer.cached_cold_hint")
        else:
            read = self._language.number(forecast.cache.read or 0)
            hint = say("composer.cached_warm_hint", read=read, time=clock(until))
        set_tooltip(self.cached, hint)
        priced = forecast.usd is not None and forecast.dated is not None
        self.price.setText(money(self._language.words, forecast.usd, estimated=True) if priced else "")
        if priced and forecast.dated is not None:
            set_tooltip(self.price, self._price_hint(forecast, forecast.dated))

    def _price_hint(self, forecast: Forecast, dated: date) -> str:
        """What the price is of, and what it would be if nothing were cached."""
        say = self._language.say
        hint = say("composer.price_hint", date=self._language.day(dated, date.min))
        if forecast.cold_usd is None or not forecast.cache.warm:
            return hint
        cold = money(self._language.words, forecast.cold_usd, estimated=True)
        return f"{hint} {say('composer.price_hint_cold', usd=cold)}"

    def _refont(self) -> None:
        for label in self._labels:
            label.setFont(self._theme.panel_font(size=SMALL))
