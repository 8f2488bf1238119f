"""The history over turns as stacked areas, one colour per segment; a turn can be chosen by click or arrow keys."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from desktop_app.bridge.context_models import HistoryModel
from desktop_app.bridge.figures import number
from desktop_app.core.request_log import RequestRecord
from desktop_app.core.segment import Segment
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.turn_chart import INSET, TurnChart

_PLOT = 118
_LABELS = 18


def stacked(records: list[RequestRecord]) -> list[tuple[Segment, list[tuple[int, int]]]]:
    """Per segment that occurs, from the bottom up, the (lower, upper) tokens at every turn."""
    below = [0] * len(records)
    layers: list[tuple[Segment, list[tuple[int, int]]]] = []
    for segment in Segment:
        heights = [sum(figure.tokens for part, figure in record.rows if part is segment) for record in records]
        if any(heights):
            layers.append((segment, [(low, low + high) for low, high in zip(below, heights, strict=True)]))
            below = [low + high for low, high in zip(below, heights, strict=True)]
    return layers


class HistoryChart(TurnChart):
    """Paints a HistoryModel; `chosen` gives the id of the request of a turn.

    Signals:
        stepped(int): -1 or 1, the request before or after within the turn is wanted.
        pointed(str): a line about the turn under the pointer, empty for none.
    """

    stepped = Signal(int)
    pointed = Signal(str)

    def __init__(self, model: HistoryModel, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(theme, _PLOT + _LABELS + 4, parent)
        self._model, self._language = model, language
        self._layers: list[tuple[Segment, list[tuple[int, int]]]] = []
        self._top = 1
        self.placePointed.connect(self._tell)
        model.modelReset.connect(self._reset)
        self._reset()

    def select(self, turn: int | None) -> None:
        """Marks a turn by its number, or none."""
        place = next((at for at, one in enumerate(self._model.records) if one.turn == turn), None)
        if place != self._selected:
            self._selected = place
            self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Left, Right, Home and End choose a turn, Up and Down one of its requests."""
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()))
        if step is not None:
            self.stepped.emit(step)
            return
        super().keyPressEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Areas, base line, the height of the highest turn, the turns' numbers, what is chosen."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        records = self._model.records
        if records:
            self._paint_areas(painter)
            self._paint_labels(painter, records)
            self._paint_marks(painter, records)
        self._paint_focus(painter)

    def _paint_areas(self, painter: QPainter) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        for segment, heights in self._layers:
            painter.setBrush(self._theme.tokens.segment(segment))
            painter.drawPolygon(self._polygon(heights, self._top))

    def _polygon(self, heights: list[tuple[int, int]], top: int) -> QPolygonF:
        points = [(self.turn_x(place), low, high) for place, (low, high) in enumerate(heights)]
        if len(points) == 1:
            x, low, high = points[0]
            points = [(x - 16, low, high), (x + 16, low, high)]
        upper = [QPointF(x, self._y(high, top)) for x, _, high in points]
        lower = [QPointF(x, self._y(low, top)) for x, low, _ in reversed(points)]
        return QPolygonF(upper + lower)

    @staticmethod
    def _y(tokens: int, top: int) -> float:
        return _PLOT - tokens / top * (_PLOT - 18)

    def _paint_labels(self, painter: QPainter, records: list[RequestRecord]) -> None:
        tokens, words = self._theme.tokens, self._language.words
        painter.setPen(QPen(tokens.color("line"), 1))
        painter.drawLine(QPointF(0, _PLOT + 0.5), QPointF(self.width(), _PLOT + 0.5))
        painter.drawLine(QPointF(0, 17.5), QPointF(self.width(), 17.5))
        font = self.font()
        font.setPixelSize(11)
        painter.setFont(font)
        painter.setPen(tokens.color("muted"))
        line = QRectF(INSET, 0, self.width() - 2 * INSET, 15)
        painter.drawText(line, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom, number(words, self._top))
        below = QRectF(INSET, _PLOT + 7, self.width() - 2 * INSET, 15)
        first = words.say("context.history.turn", turn=records[0].turn)
        alone = len(records) == 1
        painter.drawText(below, Qt.AlignmentFlag.AlignHCenter if alone else Qt.AlignmentFlag.AlignLeft, first)
        if len(records) > 1:
            last = words.say("context.history.turn", turn=records[-1].turn)
            painter.drawText(below, Qt.AlignmentFlag.AlignRight, last)

    def _paint_marks(self, painter: QPainter, records: list[RequestRecord]) -> None:
        tokens = self._theme.tokens
        if self._hovered is not None and self._hovered < len(records):
            painter.setPen(QPen(tokens.color("muted"), 1, Qt.PenStyle.DashLine))
            x = self.turn_x(self._hovered)
            painter.drawLine(QPointF(x, 18), QPointF(x, _PLOT))
        if self._selected is None or self._selected >= len(records):
            return
        x = self.turn_x(self._selected)
        for colour, width in (("window", 5), ("accent", 2)):
            painter.setPen(QPen(tokens.color(colour), width))
            painter.drawLine(QPointF(x, 18), QPointF(x, _PLOT))
        painter.setPen(QPen(tokens.color("window"), 2))
        painter.setBrush(tokens.color("accent"))
        painter.drawEllipse(QPointF(x, _PLOT), 6, 6)
        if 0 < self._selected < len(records) - 1:
            self._paint_number(painter, records[self._selected].turn, x)

    def _paint_number(self, painter: QPainter, turn: int, x: float) -> None:
        """The chosen turn's number, where it does not touch the first and last."""
        if 70 < x < self.width() - 70:
            painter.setPen(self._theme.tokens.color("accent"))
            painter.drawText(QRectF(x - 30, _PLOT + 7, 60, 15), Qt.AlignmentFlag.AlignHCenter, str(turn))

    def _tell(self, place: int | None) -> None:
        text = "" if place is None else self._model.line(self._model.records[place])
        self.setAccessibleDescription(text)
        self.pointed.emit(text)

    def _reset(self) -> None:
        self._hovered = None
        self._layers = stacked(self._model.records)
        self._top = max((high for _, heights in self._layers for _, high in heights), default=0) or 1
        self._set_turns([record.id for record in self._model.records])
