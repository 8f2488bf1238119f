"""A bar of the tokens in use with a tick where folding is due."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop_app.ui.theme import Theme

HEIGHT = 26
_INSET = 3
_ROOM = 1.12
"""How far the bar goes on behind the threshold, so that the tick does not stand at its end."""


class DueBar(QWidget):
    """`used` and `threshold` in tokens."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.used, self.threshold = 0, 1
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def show_figures(self, used: int, threshold: int) -> None:
        """Shows other figures."""
        self.used, self.threshold = used, max(threshold, 1)
        self.update()

    @property
    def filled(self) -> float:
        """The share of the bar that is filled."""
        return min(1.0, self.used / self._whole())

    @property
    def tick(self) -> float:
        """Where the tick stands, as a share of the bar."""
        return self.threshold / self._whole()

    def sizeHint(self) -> QSize:
        """A line."""
        return QSize(320, HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Track, stretch and tick."""
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect()).adjusted(0, _INSET, 0, -_INSET)
        shape = QPainterPath()
        shape.addRoundedRect(box, 5, 5)
        painter.setClipPath(shape)
        painter.fillRect(box, tokens.color("track"))
        painter.fillRect(QRectF(0, box.top(), self.filled * self.width(), box.height()), tokens.color("accent"))
        painter.setClipping(False)
        middle = round(self.tick * self.width())
        painter.fillRect(QRectF(middle - 2, 0, 4, self.height()), tokens.color("window"))
        painter.fillRect(QRectF(middle - 1, 0, 2, self.height()), tokens.color("warning_mark"))
        painter.end()

    def _whole(self) -> float:
        return max(self.threshold * _ROOM, float(self.used))
