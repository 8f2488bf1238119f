"""A slider over the turns of a conversation; its right end is the present."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QSlider, QWidget

from desktop_app.ui.theme import Theme

_HEIGHT = 24
_KNOB = 7.0
_PAGE = 10


class TurnSlider(QSlider):
    """Places 0 to n-1 are turns, place n is the present. A click or a pull leads to the place under the pointer."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._theme = theme
        self.setPageStep(_PAGE)
        self.setFixedHeight(_HEIGHT)
        self.setMinimumWidth(80)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        theme.changed.connect(self.update)

    def show_place(self, place: int, turns: int) -> None:
        """Stands at a place of so many turns, without a signal."""
        self.blockSignals(True)
        self.setRange(0, turns)
        self.setValue(place)
        self.blockSignals(False)
        self.update()

    def place_x(self, place: int) -> float:
        """Where a place lies, in pixels from the left."""
        span = self.width() - 2 * _KNOB - 2
        return _KNOB + 1 + span * place / max(1, self.maximum())

    def sizeHint(self) -> QSize:
        """As wide as there is room."""
        return QSize(160, _HEIGHT)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Leads to the place under the pointer."""
        if event.button() is Qt.MouseButton.LeftButton:
            self.setSliderDown(True)
            self._pull(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Follows the pointer while the button is held."""
        if self.isSliderDown():
            self._pull(event)

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        """Lets go."""
        self.setSliderDown(False)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """The groove, the stretch up to the knob, and the knob."""
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        middle, x = self.height() / 2, self.place_x(self.value())
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(tokens.color("line"))
        painter.drawRoundedRect(QRectF(2, middle - 2, self.width() - 4, 4), 2, 2)
        painter.setBrush(tokens.color("accent"))
        painter.drawRoundedRect(QRectF(2, middle - 2, x - 2, 4), 2, 2)
        painter.setPen(QPen(tokens.color("raised"), 2))
        painter.drawEllipse(QRectF(x - _KNOB, middle - _KNOB, 2 * _KNOB, 2 * _KNOB))
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(tokens.color("accent"), 2))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 5, 5)

    def _pull(self, event: QMouseEvent) -> None:
        span = self.width() - 2 * _KNOB - 2
        share = (event.position().x() - _KNOB - 1) / max(1.0, span)
        self.setValue(round(min(max(share, 0.0), 1.0) * self.maximum()))
