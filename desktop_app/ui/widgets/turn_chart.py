"""A chart over turns: one of them is under the pointer, one is chosen by click or arrow keys."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop_app.ui.theme import Theme

INSET = 6.0
"""Pixels from the edge to the first and the last turn."""
_WIDTH = 388


class TurnChart(QWidget):
    """Knows the turns by their ids, oldest first; what is painted at their places is the subclass's.

    Signals:
        chosen(str): the id of a turn that was clicked or reached by a key.
        placePointed(object): the place of the turn under the pointer or the keys, None for none.
    """

    chosen = Signal(str)
    placePointed = Signal(object)

    def __init__(self, theme: Theme, height: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._ids: list[str] = []
        self._selected: int | None = None
        self._hovered: int | None = None
        self.setFixedHeight(height)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        """As wide as the panel."""
        return QSize(_WIDTH, self.height())

    def turn_x(self, place: int) -> float:
        """Where a turn stands, in pixels from the left."""
        last = len(self._ids) - 1
        span = self.width() - 2 * INSET
        return INSET + (span / 2 if last <= 0 else span * place / last)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Names the turn below the pointer."""
        self._point(self._place_at(event.position().x()))

    def leaveEvent(self, event: QEvent) -> None:
        """Nothing is pointed at any more."""
        self._point(None)
        super().leaveEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Chooses the turn below the pointer."""
        if event.button() is Qt.MouseButton.LeftButton:
            self._choose(self._place_at(event.position().x()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Left, Right, Home and End choose a turn."""
        last = len(self._ids) - 1
        here = last + 1 if self._selected is None else self._selected
        target = {
            Qt.Key.Key_Left: max(here - 1, 0),
            Qt.Key.Key_Right: min(here + 1, last),
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: last,
        }.get(Qt.Key(event.key()))
        if target is None or last < 0:
            super().keyPressEvent(event)
            return
        self._choose(target)
        self._point(target)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Shows the focus ring."""
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Hides the focus ring."""
        super().focusOutEvent(event)
        self._point(None)
        self.update()

    def _set_turns(self, ids: list[str]) -> None:
        """Shows other turns; a mark beyond their end goes."""
        self._ids = ids
        if self._hovered is not None and self._hovered >= len(ids):
            self._hovered = None
        if self._selected is not None and self._selected >= len(ids):
            self._selected = None
        self.update()

    def _paint_focus(self, painter: QPainter) -> None:
        if self.hasFocus():
            painter.setPen(QPen(self._theme.tokens.color("accent"), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 5, 5)

    def _place_at(self, x: float) -> int | None:
        count = len(self._ids)
        if count < 2:
            return 0 if count else None
        return min(max(round((x - INSET) / (self.width() - 2 * INSET) * (count - 1)), 0), count - 1)

    def _choose(self, place: int | None) -> None:
        if place is not None:
            self._selected = place
            self.update()
            self.chosen.emit(self._ids[place])

    def _point(self, place: int | None) -> None:
        if place != self._hovered:
            self._hovered = place
            self.placePointed.emit(place)
            self.update()
