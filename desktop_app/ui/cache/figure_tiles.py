"""The three figures at the top of the Cache panel: hit rate, money saved, and how long the cache stays warm."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from desktop_app.bridge.cache_models import Forecast, cost_text, money
from desktop_app.bridge.figures import clock
from desktop_app.bridge.truth_models import left_text
from desktop_app.core.cache.figures import CacheFigures
from desktop_app.core.money.pricing import dollars
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.fitting_label import FittingLabel
from desktop_app.ui.widgets.kept_font import keep_font
from desktop_app.ui.widgets.plain_label import ElidedLabel, set_tooltip

_SIZES = (20.0, 18.0, 16.0, 14.0, 12.5, 11.0)


class BigFigure(QWidget):
    """One figure, as big as the room for it allows; it is never cut."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.text, self.tone = "", "text"
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def set_text(self, text: str, tone: str = "text") -> None:
        """Shows another figure in the colour of that name."""
        self.text, self.tone = text, tone
        self.update()

    def sizeHint(self) -> QSize:
        """The height of the biggest letters."""
        return QSize(60, QFontMetrics(self._font(_SIZES[0])).height())

    def fitting_size(self) -> float:
        """The size in pixels the figure is drawn with."""
        fitting = (
            size for size in _SIZES if QFontMetrics(self._font(size)).horizontalAdvance(self.text) <= self.width()
        )
        return next(fitting, _SIZES[-1])

    def paintEvent(self, _event: QPaintEvent) -> None:
        """The figure at the left."""
        painter = QPainter(self)
        painter.setFont(self._font(self.fitting_size()))
        painter.setPen(self._theme.tokens.color(self.tone))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, self.text)

    def _font(self, size: float) -> QFont:
        return self._theme.panel_font(QFont.Weight.DemiBold, size)


class FigureTile(QFrame):
    """A card with a name, one big figure, and what it is measured by."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self.name = ElidedLabel(tone="muted")
        self.big = BigFigure(theme)
        self.below = FittingLabel(tone="muted")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 9, 8, 9)
        layout.setSpacing(2)
        for label in (self.name, self.big, self.below):
            layout.addWidget(label)
        keep_font(self.below, theme, 11.5)

    def show_figure(
        self, name: str, figure: str, below: str, hint: str, *shorter: str, tone: str = "text", spoken: str = ""
    ) -> None:
        """What it says; `hint` is its tool tip, `shorter` may stand for `below` where there is little room, `tone` is
        the colour of the figure, `spoken` what is read in its place."""
        self.name.set_whole(name)
        self.big.set_text(figure, tone)
        self.below.choose_from(below, *shorter)
        said = f"{name}: {spoken or figure}, {below}" if below else f"{name}: {spoken or figure}"
        if said != self.accessibleName():
            self.setAccessibleName(said)
        set_tooltip(self, hint)


class FigureTiles(QWidget):
    """Three tiles side by side."""

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self._told = False
        self.rate, self.saved, self.warm = FigureTile(theme), FigureTile(theme), FigureTile(theme)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        for tile in (self.rate, self.saved, self.warm):
            layout.addWidget(tile, 1)

    def show_total(self, total: CacheFigures, *, simulated: bool) -> None:
        """The sums of a conversation."""
        self._told = total.input_total is not None
        self._show_rate(total)
        self._show_saved(total, simulated=simulated)

    def _show_rate(self, total: CacheFigures) -> None:
        say, number = self._language.say, self._language.number
        if total.input_total is None:
            self.rate.show_figure(say("cache.hit_rate"), say("cache.unknown"), "", say("cache.unknown_hint"))
            return
        whole = number(total.input_total)
        below = say("cache.hit_rate_of", tokens=whole)
        if total.hit_rate is None:
            self.rate.show_figure(say("cache.hit_rate"), "–", below, say("cache.unmarked_hint"))
            return
        hint = say("cache.hit_rate_hint", read=number(total.read or 0), total=whole)
        self.rate.show_figure(say("cache.hit_rate"), self._language.percent(total.hit_rate), below, hint)

    def _show_saved(self, total: CacheFigures, *, simulated: bool) -> None:
        say, words = self._language.say, self._language.words
        name = say("cache.saved")
        if simulated:
            self.saved.show_figure(name, "–", say("cache.saved_simulated"), say("cache.simulated"))
        elif total.saved is None:
            self.saved.show_figure(name, say("cache.unknown"), say("cache.saved_none"), say("cache.saved_none_hint"))
        else:
            below = say("cache.saved_spent", usd=cost_text(words, total.cost))
            cents = [say("cache.saved_spent", usd=_in_cents(total.cost.total))] if total.cost is not None else []
            figure = money(words, abs(total.saved), estimated=not total.split_known)
            if total.saved < 0:
                self.saved.show_figure(say("cache.lost"), figure, below, say("cache.lost_hint"), *cents, tone="warning")
            else:
                self.saved.show_figure(name, figure, below, say("cache.saved_hint"), *cents)

    def show_warmth(self, forecast: Forecast | None, until: datetime | None, now: datetime) -> None:
        """How long what the next request begins with is still kept, and what it costs while it is and afterwards.

        Said anew every second; a screen reader is told the moment instead, which stays.
        """
        say, name = self._language.say, self._language.say("cache.warm")
        if not self._told:
            self.warm.show_figure(name, say("cache.unknown"), "", say("cache.unknown_hint"))
        elif until is None or until <= now:
            # About the next message alone: something else may lie in the cache all the same.
            below, shorter_below = say("cache.next_nothing"), say("cache.next_nothing_short")
            self.warm.show_figure(
                say("cache.next"), say("cache.warm_cold"), below, self._cold_hint(forecast), shorter_below
            )
        else:
            below, hint, *shorter = self._kept(forecast, until)
            self.warm.show_figure(name, left_text(until - now), below, hint, *shorter, spoken=clock(until))

    def _kept(self, forecast: Forecast | None, until: datetime) -> tuple[str, ...]:
        """What a warm cache is worth: below the figure, in the tool tip, and shorter and shorter below the figure."""
        say, words = self._language.say, self._language.words
        if forecast is None or not forecast.cache.read:
            return "", ""
        tokens = self._language.number(forecast.cache.read)
        hint = say("cache.warm_hint", tokens=tokens, time=clock(until))
        kept = say("cache.warm_read", tokens=tokens)
        if forecast.usd is None or forecast.cold_usd is None:
            return kept, hint
        usd, cold = (money(words, one, estimated=True) for one in (forecast.usd, forecast.cold_usd))
        hint = f"{hint} {say('cache.warm_costs', usd=usd, cold=cold)}"
        cents = say("cache.warm_cost", usd=f"≈ {_in_cents(forecast.cold_usd)}")
        return say("cache.warm_cost", usd=cold), hint, cents, kept

    def _cold_hint(self, forecast: Forecast | None) -> str:
        say = self._language.say
        if forecast is None or forecast.cold_usd is None:
            return say("cache.cold_hint")
        cold = money(self._language.words, forecast.cold_usd, estimated=True)
        return f"{say('cache.cold_hint')} {say('cache.cold_cost', cold=cold)}"


def _in_cents(usd: Decimal) -> str:
    """Money for where there is little room; below ten cents every digit counts."""
    return f"${usd:.2f}" if Decimal("0.1") <= usd < 1 else dollars(usd)
