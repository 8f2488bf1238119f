"""A switch for yes and no."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QCheckBox, QWidget

from desktop_app.ui.theme import Theme


class Switch(QCheckBox):
    """A check box painted as a switch; its words, where it has some, stand to the right."""

    def __init__(self, theme: Theme, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self._theme = theme
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        """The switch, a gap and the words."""
        words = self.fontMetrics().horizontalAdvance(self.text())
        return QSize(44 + (words + 8 if words else 0), 26)

    def minimumSizeHint(self) -> QSize:
        """All of it."""
        return self.sizeHint()

    def hitButton(self, pos: QPoint) -> bool:
        """The whole of it can be clicked."""
        return self.rect().contains(pos)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Trough, knob, focus ring, words."""
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        trough = QRectF(4, (self.height() - 18) / 2, 32, 18)
        on = self.isChecked()
        painter.setPen(QPen(tokens.color("accent" if on else "muted"), 1))
        painter.setBrush(tokens.color("accent" if on else "track"))
        if not self.isEnabled():
            painter.setPen(QPen(tokens.color("line"), 1))
            painter.setBrush(tokens.color("track"))
        painter.drawRoundedRect(trough.adjusted(0.5, 0.5, -0.5, -0.5), 8.5, 8.5)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(tokens.color("on_accent" if on and self.isEnabled() else "muted"))
        painter.drawEllipse(QPointF(trough.right() - 9 if on else trough.left() + 9, trough.center().y()), 5.5, 5.5)
        if self.hasFocus():
            painter.setPen(QPen(tokens.color("accent"), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(trough.adjusted(-3, -3, 3, 3), 11, 11)
        painter.setPen(tokens.color("text" if self.isEnabled() else "muted"))
        painter.drawText(self.rect().adjusted(48, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, self.text())
