"""The input of a turn as one bar: what was read, written and neither, each in its colour."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QHelpEvent, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from desktop_app.bridge.cache_models import CachePart, CacheRow
from desktop_app.core.segment import Segment
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme

_HEIGHT = 22
_LEAST = 2.0
_HUES = {
    CachePart.READ: Segment.FACTS,
    CachePart.WRITE_5M: Segment.SUMMARY,
    CachePart.WRITE_1H: Segment.SYSTEM,
    CachePart.UNCACHED: Segment.CURRENT,
}


def part_colour(theme: Theme, part: CachePart) -> QColor | None:
    """The colour of a part of the input; None for the output, which no bar shows."""
    return theme.tokens.segment(_HUES[part]) if part in _HUES else None


class PartsBar(QWidget):
    """Paints the rows of a turn; the same figures stand in the table below."""

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._language = theme, language
        self._rows: list[CacheRow] = []
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def show_rows(self, rows: list[CacheRow]) -> None:
        """Shows the parts that are input and known."""
        self._rows = [row for row in rows if row.part in _HUES and row.tokens]
        self.setAccessibleName(", ".join(map(self._words, self._rows)) or self._language.say("cache.unknown"))
        self.update()

    def sizeHint(self) -> QSize:
        """As wide as the panel."""
        return QSize(320, _HEIGHT)

    def stretches(self) -> list[tuple[CacheRow, float, float]]:
        """Each part with where it begins and ends in pixels; a small one stays visible at the cost of the largest."""
        total = sum(row.tokens or 0 for row in self._rows)
        if not total:
            return []
        widths = [max((row.tokens or 0) / total * self.width(), _LEAST) for row in self._rows]
        widths[widths.index(max(widths))] -= sum(widths) - self.width()
        ends = [sum(widths[: place + 1]) for place in range(len(widths))]
        return [(row, end - width, end) for row, width, end in zip(self._rows, widths, ends, strict=True)]

    def paintEvent(self, _event: QPaintEvent) -> None:
        """The track, the parts, a gap between them."""
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        shape = QPainterPath()
        shape.addRoundedRect(QRectF(self.rect()), 4, 4)
        painter.setClipPath(shape)
        painter.fillRect(self.rect(), tokens.color("track"))
        stretches = self.stretches()
        for row, left, right in stretches:
            colour = part_colour(self._theme, row.part)
            if colour is not None:
                painter.fillRect(QRectF(left, 0, right - left, self.height()), colour)
        for _, left, _ in stretches[1:]:
            painter.fillRect(QRectF(left - 0.5, 0, 1, self.height()), tokens.color("window"))

    def event(self, event: QEvent) -> bool:
        """Names the part below the pointer."""
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            here = event.pos().x()
            words = next((self._words(row) for row, left, right in self.stretches() if left <= here <= right), "")
            QToolTip.showText(event.globalPos(), f"<span>{escape(words)}</span>" if words else "", self)
            return True
        return super().event(event)

    def _words(self, row: CacheRow) -> str:
        say = self._language.say
        return say("cache.bar_part", name=say(f"cache.part.{row.part}"), tokens=self._language.number(row.tokens or 0))


def paint_swatch(painter: QPainter, theme: Theme, part: CachePart, box: QRectF) -> None:
    """The little square of a part; an empty one for the output."""
    colour = part_colour(theme, part)
    if colour is None:
        painter.setPen(theme.tokens.color("muted"))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 1.5, 1.5)
        return
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    painter.drawRoundedRect(box, 2, 2)
