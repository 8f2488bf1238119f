"""The hit rate over turns as a line from 0 to 100 %; a turn can be chosen by click or arrow keys."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop_app.core.cache_figures import CacheTurn
from desktop_app.core.segment import Segment
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme

_TOP = 18.0
_BOTTOM = 92.0
_HEIGHT = 114
_INSET = 6.0


class HitRateChart(QWidget):
    """Paints the turns of the chat; a turn without a known rate leaves a gap, the first after a memo has a dot.

    Signals:
        chosen(str): the id of a turn that was clicked or reached by a key.
        pointed(object): the CacheTurn under the pointer or the keys, None for none.
    """

    chosen = Signal(str)
    pointed = Signal(object)

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._language = theme, language
        self._turns: list[CacheTurn] = []
        self._selected: int | None = None
        self._hovered: int | None = None
        self.setFixedHeight(_HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        """As wide as the panel."""
        return QSize(388, _HEIGHT)

    def show_turns(self, turns: list[CacheTurn], chosen: str | None) -> None:
        """Shows turns, oldest first, and marks the chosen one."""
        self._turns = turns
        self._selected = next((place for place, turn in enumerate(turns) if turn.id == chosen), None)
        if self._hovered is not None and self._hovered >= len(turns):
            self._hovered = None
        self.update()

    def place_of(self, turn: int) -> QPointF:
        """Where the point of a turn stands, by its place in the list; one without a rate on the base line."""
        last = len(self._turns) - 1
        span = self.width() - 2 * _INSET
        x = _INSET + (span / 2 if last <= 0 else span * turn / last)
        return QPointF(x, _BOTTOM - (self._turns[turn].figures.hit_rate or 0.0) * (_BOTTOM - _TOP))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Names the turn below the pointer."""
        self._point(self._at(event.position().x()))

    def leaveEvent(self, event: QEvent) -> None:
        """Nothing is pointed at any more."""
        self._point(None)
        super().leaveEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Chooses the turn below the pointer."""
        if event.button() is Qt.MouseButton.LeftButton:
            self._choose(self._at(event.position().x()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Left, Right, Home and End choose a turn."""
        last = len(self._turns) - 1
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

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Scale, line, dots, and what is pointed at or chosen."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._turns:
            self._paint_scale(painter)
            self._paint_marks(painter)
            self._paint_line(painter)
        if self.hasFocus():
            painter.setPen(QPen(self._theme.tokens.color("accent"), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 5, 5)

    def _paint_scale(self, painter: QPainter) -> None:
        tokens, say = self._theme.tokens, self._language.say
        painter.setPen(QPen(tokens.color("line"), 1, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(0, _TOP), QPointF(self.width(), _TOP))
        painter.setPen(QPen(tokens.color("line"), 1))
        painter.drawLine(QPointF(0, _BOTTOM + 0.5), QPointF(self.width(), _BOTTOM + 0.5))
        painter.setFont(self._theme.panel_font(size=11))
        painter.setPen(tokens.color("muted"))
        above = QRectF(_INSET, 0, self.width() - 2 * _INSET, 16)
        below = QRectF(_INSET, _BOTTOM + 5, self.width() - 2 * _INSET, 16)
        painter.drawText(above, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, "100 %")
        first, last = self._turns[0].turn, self._turns[-1].turn
        alone = len(self._turns) == 1
        side = Qt.AlignmentFlag.AlignHCenter if alone else Qt.AlignmentFlag.AlignLeft
        painter.drawText(below, side, say("context.history.turn", turn=first))
        if not alone:
            painter.drawText(below, Qt.AlignmentFlag.AlignRight, say("context.history.turn", turn=last))

    def _paint_line(self, painter: QPainter) -> None:
        tokens = self._theme.tokens
        colour = tokens.segment(Segment.FACTS)
        known = [turn.figures.hit_rate is not None for turn in self._turns]
        painter.setPen(QPen(colour, 2, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin))
        for place in range(1, len(known)):
            if known[place - 1] and known[place]:
                painter.drawLine(self.place_of(place - 1), self.place_of(place))
        for place, turn in enumerate(self._turns):
            if not known[place]:
                continue
            alone = not any(known[max(place - 1, 0) : place] + known[place + 1 : place + 2])
            if turn.after_memo or place == self._selected or alone:
                painter.setPen(QPen(tokens.color("window"), 1.5))
                painter.setBrush(tokens.color("warning_mark") if turn.after_memo else colour)
                painter.drawEllipse(self.place_of(place), 4.5, 4.5)

    def _paint_marks(self, painter: QPainter) -> None:
        for place, colour, style in (
            (self._hovered, "muted", Qt.PenStyle.DashLine),
            (self._selected, "accent", Qt.PenStyle.SolidLine),
        ):
            if place is not None:
                painter.setPen(QPen(self._theme.tokens.color(colour), 1, style))
                x = self.place_of(place).x()
                painter.drawLine(QPointF(x, _TOP), QPointF(x, _BOTTOM))

    def _at(self, x: float) -> int | None:
        count = len(self._turns)
        if count < 2:
            return 0 if count else None
        return min(max(round((x - _INSET) / (self.width() - 2 * _INSET) * (count - 1)), 0), count - 1)

    def _choose(self, place: int | None) -> None:
        if place is not None:
            self._selected = place
            self.update()
            self.chosen.emit(self._turns[place].id)

    def _point(self, place: int | None) -> None:
        if place != self._hovered:
            self._hovered = place
            self.pointed.emit(None if place is None else self._turns[place])
            self.update()
