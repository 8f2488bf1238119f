"""The Cache panel's models of what stands behind the figures: clocks of marks, expected against got; and its words."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal
from math import ceil
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from desktop_app.bridge.figures import number, percent
from desktop_app.core.cache.mark_clock import MarkClock
from desktop_app.core.cache.reconciliation import Compared, FigureName, Reconciled
from desktop_app.core.money.pricing import dollars
from desktop_app.core.words import Words

AnyIndex = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


def left_text(left: timedelta) -> str:
    """A time left as `3:41`; a second that has begun counts."""
    minutes, seconds = divmod(ceil(left.total_seconds()), 60)
    return f"{minutes}:{seconds:02d}"


def drift_text(words: Words, drift: float | None) -> str:
    """`+0.3 %`, `−2.1 %`, `0 %`; a word where it is unknown."""
    if drift is None:
        return words.say("cache.unknown")
    if abs(drift) < 0.0005:
        return "0 %"
    return f"{'+' if drift > 0 else '−'}{percent(words, abs(drift))}"


class _Table(QAbstractTableModel):
    """Rows of words: the first column at the left, the others at the right."""

    COLUMNS: tuple[str, ...] = ()

    def __init__(self, words: Words, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._words = words

    def set_words(self, words: Words) -> None:
        """Changes the language."""
        self.beginResetModel()
        self._words = words
        self.endResetModel()

    def columnCount(self, parent: AnyIndex = _NOWHERE) -> int:
        """As many as `COLUMNS`."""
        return 0 if parent.isValid() else len(self.COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> Any:
        """Column names."""
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            name = self.COLUMNS[section]
            return self._words.say(name) if name else ""
        return (_RIGHT if section else _LEFT) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def data(self, index: AnyIndex, role: int = 0) -> Any:
        """Texts for the cells, the whole line for screen readers."""
        if not index.isValid():
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.text(index.row(), index.column())
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if index.column() else _LEFT
        return self.sentence(index.row()) if role == Qt.ItemDataRole.AccessibleTextRole else None

    def text(self, _row: int, _column: int) -> str:
        """The words of a cell; nothing here."""
        return ""

    def sentence(self, row: int) -> str:
        """A row for screen readers."""
        return " ".join(self.text(row, column) for column in range(len(self.COLUMNS)))


class MarkClocksModel(_Table):
    """One row per mark of the last request: what it holds, tokens, lifetime, time left."""

    HOLDS, TOKENS, LIFETIME, LEFT = range(4)
    COLUMNS = ("cache.clock.holds", "cache.clock.tokens", "cache.clock.lifetime", "cache.clock.left")

    def __init__(self, words: Words, parent: QObject | None = None) -> None:
        super().__init__(words, parent)
        self._clocks: tuple[MarkClock, ...] = ()
        self._now: datetime | None = None

    def show(self, clocks: tuple[MarkClock, ...], now: datetime) -> None:
        """Shows the marks of a request as they stand now."""
        self.beginResetModel()
        self._clocks, self._now = clocks, now
        self.endResetModel()

    def tick(self, now: datetime) -> None:
        """Time went on."""
        self._now = now
        if self._clocks:
            self.dataChanged.emit(self.index(0, self.LEFT), self.index(len(self._clocks) - 1, self.LEFT))

    def is_warm(self, row: int) -> bool:
        """Whether a mark is still held."""
        return self._left(row) is not None

    def rowCount(self, parent: AnyIndex = _NOWHERE) -> int:
        """Number of marks."""
        return 0 if parent.isValid() else len(self._clocks)

    def text(self, row: int, column: int) -> str:
        """The words of a cell."""
        clock, say = self._clocks[row], self._words.say
        if column == self.HOLDS:
            return say(f"cache.holds.{clock.holds}", n=clock.point.place)
        if column == self.TOKENS:
            figure = number(self._words, clock.tokens)
            return figure if clock.measured else f"≈ {figure}"
        if column == self.LIFETIME:
            return say(f"cache.lifetime.{clock.point.lifetime}")
        left = self._left(row)
        if left is not None:
            return left_text(left)
        return say("cache.clock.gone" if clock.until is not None else "cache.clock.never")

    def _left(self, row: int) -> timedelta | None:
        return self._clocks[row].left(self._now) if self._now is not None else None


class ReconciledModel(_Table):
    """One row per figure of a turn: name, expected, got, drift."""

    NAME, EXPECTED, GOT, DRIFT = range(4)
    COLUMNS = ("", "cache.expected.expected", "cache.expected.got", "cache.expected.drift")

    def __init__(self, words: Words, parent: QObject | None = None) -> None:
        super().__init__(words, parent)
        self._request: Reconciled | None = None

    def show(self, request: Reconciled | None) -> None:
        """Shows a request, or the requests of a turn together."""
        self.beginResetModel()
        self._request = request
        self.endResetModel()

    def rowCount(self, parent: AnyIndex = _NOWHERE) -> int:
        """Number of figures."""
        return 0 if parent.isValid() or self._request is None else len(self._request.figures)

    def text(self, row: int, column: int) -> str:
        """The words of a cell."""
        if self._request is None:
            return ""
        figure = self._request.figures[row]
        if column == self.NAME:
            return self._words.say(f"cache.figure.{figure.name}")
        if column == self.DRIFT:
            return drift_text(self._words, self._request.drift(figure.name))
        value = figure.expected if column == self.EXPECTED else figure.got
        return self._value(figure, value, estimated=column == self.EXPECTED)

    def _value(self, figure: Compared, value: Decimal | None, *, estimated: bool) -> str:
        if value is None:
            return self._words.say("cache.unknown")
        text = dollars(value) if figure.name is FigureName.USD else number(self._words, int(value))
        return f"≈ {text}" if estimated else text
