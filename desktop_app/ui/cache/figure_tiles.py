"""The three figures at the top of the Cache panel: hit rate, money saved, and what the last turn read."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from desktop_app.bridge.cache_models import cost_text, money
from desktop_app.core.cache_figures import CacheReport
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.kept_font import keep_font
from desktop_app.ui.widgets.plain_label import ElidedLabel, set_tooltip

_SIZES = (20.0, 18.0, 16.0, 14.0, 12.5, 11.0)


class BigFigure(QWidget):
    """One figure, as big as the room for it allows; it is never cut."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.text = ""
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def set_text(self, text: str) -> None:
        """Shows another figure."""
        self.text = text
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
        painter.setPen(self._theme.tokens.color("text"))
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
        self.below = ElidedLabel(tone="muted")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 9, 8, 9)
        layout.setSpacing(2)
        for label in (self.name, self.big, self.below):
            layout.addWidget(label)
        keep_font(self.below, theme, 11.5)

    def show_figure(self, name: str, figure: str, below: str, hint: str) -> None:
        """What it says; `hint` is its tool tip."""
        self.name.set_whole(name)
        self.big.set_text(figure)
        self.below.set_whole(below)
        self.setAccessibleName(f"{name}: {figure}, {below}" if below else f"{name}: {figure}")
        set_tooltip(self, hint)


class FigureTiles(QWidget):
    """Three tiles side by side."""

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self.rate, self.saved, self.last = FigureTile(theme), FigureTile(theme), FigureTile(theme)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        for tile in (self.rate, self.saved, self.last):
            layout.addWidget(tile, 1)

    def show_report(self, report: CacheReport) -> None:
        """The sums of a conversation and its last turn."""
        self._show_rate(report)
        self._show_saved(report)
        self._show_last(report)

    def _show_rate(self, report: CacheReport) -> None:
        say, number = self._language.say, self._language.number
        total = report.total
        if total.hit_rate is None or total.input_total is None:
            self.rate.show_figure(say("cache.hit_rate"), say("cache.unknown"), "", say("cache.unknown_hint"))
            return
        whole = number(total.input_total)
        hint = say("cache.hit_rate_hint", read=number(total.read or 0), total=whole)
        below = say("cache.hit_rate_of", tokens=whole)
        self.rate.show_figure(say("cache.hit_rate"), self._language.percent(total.hit_rate), below, hint)

    def _show_saved(self, report: CacheReport) -> None:
        say, words, total = self._language.say, self._language.words, report.total
        name = say("cache.saved")
        if report.simulated:
            self.saved.show_figure(name, "–", say("cache.saved_simulated"), say("cache.simulated"))
        elif total.saved is None:
            self.saved.show_figure(name, say("cache.unknown"), say("cache.saved_none"), say("cache.saved_none_hint"))
        else:
            below = say("cache.saved_spent", usd=cost_text(words, total.cost))
            figure = money(words, total.saved, estimated=not total.split_known)
            self.saved.show_figure(name, figure, below, say("cache.saved_hint"))

    def _show_last(self, report: CacheReport) -> None:
        say, number = self._language.say, self._language.number
        figures = report.last.figures if report.last else None
        if figures is None or figures.read is None:
            self.last.show_figure(say("cache.last"), say("cache.unknown"), "", say("cache.unknown_hint"))
            return
        read, written = number(figures.read), number(figures.written or 0)
        hint = say("cache.last_hint", read=read, written=written)
        self.last.show_figure(say("cache.last"), read, say("cache.last_written", tokens=written), hint)
