"""The hit rate over turns as a line from 0 to 100 %; a turn can be chosen by click or arrow keys."""

from __future__ import annotations

from collections.abc import Set

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from desktop_app.core.cache.figures import CacheTurn
from desktop_app.core.segment import Segment
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.turn_chart import INSET, TurnChart

_TOP = 18.0
_BOTTOM = 92.0
_HEIGHT = 114


class HitRateChart(TurnChart):
    """Paints the turns of the chat; one without a known rate leaves a gap, one that missed has a dot, the first after a
    memo a ring.

    Signals:
        pointed(object): the CacheTurn under the pointer or the keys, None for none.
    """

    pointed = Signal(object)

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(theme, _HEIGHT, parent)
        self._language = language
        self._turns: list[CacheTurn] = []
        self._missed: Set[str] = frozenset()
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.placePointed.connect(self._tell)

    def show_turns(self, turns: list[CacheTurn], chosen: str | None) -> None:
        """Shows turns, oldest first, and marks the chosen one."""
        self._turns = turns
        self._selected = next((place for place, turn in enumerate(turns) if turn.id == chosen), None)
        self._set_turns([turn.id for turn in turns])

    def show_missed(self, missed: Set[str]) -> None:
        """Marks the turns, by their ids, that read less than was kept."""
        if missed != self._missed:
            self._missed = frozenset(missed)
            self.update()

    def place_of(self, turn: int) -> QPointF:
        """Where the point of a turn stands, by its place in the list; one without a rate on the base line."""
        return QPointF(self.turn_x(turn), _BOTTOM - (self._turns[turn].figures.hit_rate or 0.0) * (_BOTTOM - _TOP))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Scale, line, dots, and what is pointed at or chosen."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._turns:
            self._paint_scale(painter)
            self._paint_marks(painter)
            self._paint_line(painter)
        self._paint_focus(painter)

    def _paint_scale(self, painter: QPainter) -> None:
        tokens, say = self._theme.tokens, self._language.say
        painter.setPen(QPen(tokens.color("line"), 1, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(0, _TOP), QPointF(self.width(), _TOP))
        painter.setPen(QPen(tokens.color("line"), 1))
        painter.drawLine(QPointF(0, _BOTTOM + 0.5), QPointF(self.width(), _BOTTOM + 0.5))
        painter.setFont(self._theme.panel_font(size=11))
        painter.setPen(tokens.color("muted"))
        above = QRectF(INSET, 0, self.width() - 2 * INSET, 16)
        below = QRectF(INSET, _BOTTOM + 5, self.width() - 2 * INSET, 16)
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
            missed = turn.id in self._missed
            if turn.after_memo and not missed:
                painter.setPen(QPen(tokens.color("warning_mark"), 2))
                painter.setBrush(tokens.color("window"))
                painter.drawEllipse(self.place_of(place), 4.0, 4.0)
            elif missed or place == self._selected or alone:
                painter.setPen(QPen(tokens.color("window"), 1.5))
                painter.setBrush(tokens.color("warning_mark") if missed else colour)
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

    def _tell(self, place: int | None) -> None:
        self.pointed.emit(None if place is None else self._turns[place])
