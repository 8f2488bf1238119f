"""What a score is made of as a thin bar: a stretch for each part, hatched where something is taken away."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop_app.bridge.recall_models import FindRow
from desktop_app.ui.recall.kind_look import kind_colour
from desktop_app.ui.theme import Theme

_HEIGHT = 6
_GAP = 1.5
_FAINT = 0.4
"""How much of its colour the last of many parts keeps."""


class ScoreBar(QWidget):
    """The parts stand in the order of the line of words below it; the full width is `most`, the best of its kind."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._row: FindRow | None = None
        self._most = 1.0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def show_row(self, row: FindRow, most: float) -> None:
        """Another score."""
        self._row, self._most = row, max(most, row.positive)
        self.setAccessibleName(row.parts_line)
        self.update()

    def sizeHint(self) -> QSize:
        """As wide as the card."""
        return QSize(200, _HEIGHT)

    def stretches(self) -> list[tuple[float, float]]:
        """Where each part begins and ends in pixels; one that takes away ends where the parts before it ended."""
        if self._row is None or self._most <= 0:
            return []
        scale = self.width() / self._most
        ends, at = [], 0.0
        for part in self._row.parts:
            wide = abs(part.value) * scale
            at, start = (at + wide, at) if part.value > 0 else (max(at - wide, 0.0), at)
            ends.append((min(start, at), max(start, at)))
        return ends

    def paintEvent(self, _event: QPaintEvent) -> None:
        """The track and the parts, each fainter than the one before."""
        row, tokens = self._row, self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        shape = QPainterPath()
        shape.addRoundedRect(QRectF(self.rect()), 3, 3)
        painter.setClipPath(shape)
        painter.fillRect(self.rect(), tokens.color("track"))
        if row is not None:
            colour, ground = kind_colour(self._theme, row.kind), tokens.color("track")
            shades = max(len(row.parts) - 1, 1)
            for place, (part, (left, right)) in enumerate(zip(row.parts, self.stretches(), strict=True)):
                box = QRectF(left, 0, max(right - left - _GAP, 1.0), self.height())
                if part.value > 0:
                    painter.fillRect(box, _mixed(colour, ground, 1 - (1 - _FAINT) * place / shades))
                else:
                    painter.fillRect(box, ground)
                    painter.fillRect(box, QBrush(tokens.color("muted"), Qt.BrushStyle.BDiagPattern))
        painter.end()


def _mixed(colour: QColor, ground: QColor, share: float) -> QColor:
    both = ((colour.red(), ground.red()), (colour.green(), ground.green()), (colour.blue(), ground.blue()))
    red, green, blue = (round(one * share + other * (1 - share)) for one, other in both)
    return QColor(red, green, blue)
