"""Item models of the Context panel: rows that sum, the blocks inside one, the history over turns."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
)

from desktop_app.bridge.block_labels import block_kind, first_words
from desktop_app.bridge.figures import clock, marked, number, percent, sign
from desktop_app.bridge.heat_words import block_sentence, block_words, row_sentence, row_words
from desktop_app.core.cache.heat import BlockHeat, Heat, HeatMap
from desktop_app.core.context_budget import Budget, BudgetRow
from desktop_app.core.conversation import Block
from desktop_app.core.request_log import RequestRecord
from desktop_app.core.segment import Segment
from desktop_app.core.usage import Figure, Known
from desktop_app.core.words import Words

AnyIndex = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class Rest(StrEnum):
    """What of the window is not input."""

    RESERVE = "reserve"
    FREE = "free"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class ContextRow:
    """One line of the table: an input segment with its row, or a part of the rest (`row` None). Tokens."""

    part: Segment | Rest
    tokens: int
    share: float | None = None
    row: BudgetRow | None = None

    @property
    def known(self) -> Known | None:
        """How the figure is known; None for the rest, which follows from settings."""
        return self.row.figure.known if self.row else None


def context_rows(budget: Budget | None) -> list[ContextRow]:
    """The rows of a budget that exist, then the output reserve and what is free (or over)."""
    if budget is None:
        return []
    total = budget.total.tokens
    rows = [
        ContextRow(row.segment, row.figure.tokens, row.figure.tokens / total if total else 0.0, row)
        for row in budget.rows
    ]
    rows.append(ContextRow(Rest.RESERVE, budget.reserve))
    if budget.free is not None:
        rows.append(ContextRow(Rest.FREE, budget.free) if budget.free >= 0 else ContextRow(Rest.OVER, -budget.free))
    return rows


class BudgetRowsModel(QAbstractTableModel):
    """The table of a budget: segment, sign, tokens, share, cache. `RowRole` gives the ContextRow, `HeatRole` its Heat.

    `compact`: of the cache only what no sign can say has words.
    """

    SEGMENT, SIGN, TOKENS, SHARE, CACHE = range(5)
    HEADERS = ("context.column.segment", "", "context.column.tokens", "context.column.share", "context.column.cache")
    RowRole = Qt.ItemDataRole.UserRole + 1
    HeatRole = Qt.ItemDataRole.UserRole + 2

    def __init__(self, words: Words, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._words = words
        self._rows: list[ContextRow] = []
        self._compact = False
        self.heat: HeatMap | None = None

    def show(self, budget: Budget | None, heat: HeatMap | None = None) -> None:
        """Shows a budget and what of it the cache holds; the selection stays while the same segments are there."""
        rows, self.heat = context_rows(budget), heat
        if [row.part for row in rows] == [row.part for row in self._rows]:
            self._rows = rows
            self._tell_cells()
            return
        self.beginResetModel()
        self._rows = rows
        self.endResetModel()

    def set_words(self, words: Words) -> None:
        """Changes the language."""
        self.beginResetModel()
        self._words = words
        self.endResetModel()

    def set_compact(self, compact: bool) -> None:
        """Fewer words of the cache, or all of them."""
        if compact != self._compact:
            self._compact = compact
            self._tell_cells()

    def _tell_cells(self) -> None:
        if self._rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._rows) - 1, self.CACHE))

    def row(self, place: int) -> ContextRow:
        """The row at a place."""
        return self._rows[place]

    def place_of(self, part: Segment | Rest) -> int | None:
        """Where a segment stands, if it has a row."""
        return next((place for place, row in enumerate(self._rows) if row.part is part), None)

    def rowCount(self, parent: AnyIndex = _NOWHERE) -> int:
        """Number of rows."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: AnyIndex = _NOWHERE) -> int:
        """Five."""
        return 0 if parent.isValid() else len(self.HEADERS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> Any:
        """Column names."""
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._words.say(self.HEADERS[section]) if self.HEADERS[section] else ""
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if section in (self.TOKENS, self.SHARE) else _LEFT
        return None

    def data(self, index: AnyIndex, role: int = 0) -> Any:
        """Texts for the cells, the whole row in one sentence for screen readers."""
        if not index.isValid():
            return None
        row = self._rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(row, index.column())
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _LEFT if index.column() in (self.SEGMENT, self.CACHE) else _RIGHT
        if role == Qt.ItemDataRole.AccessibleTextRole:
            cells = [self._text(row, column) for column in range(self.CACHE)]
            return " ".join(filter(None, (*cells, self._sentence(row))))
        if role == Qt.ItemDataRole.ToolTipRole and index.column() == self.CACHE:
            return self._sentence(row) or None
        if role == self.HeatRole:
            return self.heat.heat(row.part) if self.heat is not None and isinstance(row.part, Segment) else None
        return row if role == self.RowRole else None

    def _text(self, row: ContextRow, column: int) -> str:
        if column == self.SEGMENT:
            return self._words.say(f"context.segment.{row.part}")
        if column == self.SIGN:
            return sign(row.known)
        if column == self.TOKENS:
            return number(self._words, row.tokens)
        if column == self.CACHE:
            return self._cache(row)
        return "" if row.share is None else percent(self._words, row.share)

    def _cache(self, row: ContextRow) -> str:
        if self.heat is None or not isinstance(row.part, Segment):
            return ""
        if self._compact and self.heat.heat(row.part) is not Heat.PART:
            return ""
        return row_words(self._words, self.heat, row.part)

    def _sentence(self, row: ContextRow) -> str:
        if self.heat is None or not isinstance(row.part, Segment):
            return ""
        return row_sentence(self._words, self.heat, row.part)


class BlocksModel(QAbstractTableModel):
    """The blocks of one row: kind, first words, sign, tokens, cache.

    `MessageRole` gives the message's id or None, `HeatRole` the Heat or None.
    """

    KIND, WORDS, SIGN, TOKENS, CACHE = range(5)
    MessageRole = Qt.ItemDataRole.UserRole + 1
    HeatRole = Qt.ItemDataRole.UserRole + 2

    def __init__(self, words: Words, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._words = words
        self._row: BudgetRow | None = None
        self._heat: tuple[BlockHeat, ...] = ()

    def show(self, row: BudgetRow | None, heat: HeatMap | None = None) -> None:
        """Shows the blocks of a row; kept in place when only figures changed."""
        old, self._row = self._row, row
        self._heat = heat.rows.get(row.segment, ()) if heat is not None and row is not None else ()
        if old and row and len(old.blocks) == len(row.blocks) and old.segment is row.segment:
            if row.blocks:
                self.dataChanged.emit(self.index(0, 0), self.index(len(row.blocks) - 1, self.CACHE))
            return
        self.beginResetModel()
        self.endResetModel()

    def set_words(self, words: Words) -> None:
        """Changes the language."""
        self.beginResetModel()
        self._words = words
        self.endResetModel()

    def place_of_message(self, message_id: str) -> int | None:
        """The first block of a message in this row."""
        blocks = self._row.blocks if self._row else ()
        return next((place for place, one in enumerate(blocks) if one.block.message_id == message_id), None)

    def rowCount(self, parent: AnyIndex = _NOWHERE) -> int:
        """Number of blocks."""
        return 0 if parent.isValid() or self._row is None else len(self._row.blocks)

    def columnCount(self, parent: AnyIndex = _NOWHERE) -> int:
        """Five."""
        return 0 if parent.isValid() else 5

    def data(self, index: AnyIndex, role: int = 0) -> Any:
        """Texts for the cells."""
        if not index.isValid() or self._row is None:
            return None
        item = self._row.blocks[index.row()]
        heat = self._heat[index.row()] if index.row() < len(self._heat) else None
        if role == Qt.ItemDataRole.DisplayRole:
            if index.column() == self.CACHE:
                return block_words(self._words, heat) if heat is not None else ""
            return self._text(item.block.block, item.figure, index.column())
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if index.column() in (self.SIGN, self.TOKENS) else _LEFT
        if role == Qt.ItemDataRole.AccessibleTextRole:
            cells = [self._text(item.block.block, item.figure, column) for column in range(self.CACHE)]
            return " ".join((*cells, block_sentence(self._words, heat)) if heat is not None else cells)
        if role == Qt.ItemDataRole.ToolTipRole and index.column() == self.CACHE and heat is not None:
            return block_sentence(self._words, heat)
        if role == self.HeatRole:
            return heat.heat if heat is not None else None
        return item.block.message_id if role == self.MessageRole else None

    def _text(self, block: Block, figure: Figure, column: int) -> str:
        if column == self.KIND:
            return self._words.say(block_kind(block, self._row.segment if self._row else None))
        if column == self.WORDS:
            return first_words(block)
        if column == self.SIGN:
            return sign(figure.known)
        return number(self._words, figure.tokens)


class HistoryModel(QAbstractListModel):
    """One row per turn, oldest first: the last request of that turn. `RecordRole` gives its RequestRecord."""

    RecordRole = Qt.ItemDataRole.UserRole + 1

    def __init__(self, words: Words, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._words = words
        self._records: list[RequestRecord] = []
        self.history: list[RequestRecord] = []
        """All requests behind the path, oldest first."""

    def show(self, history: list[RequestRecord]) -> None:
        """Shows a history; of a turn answered anew only the latest requests count."""
        latest = {record.turn: record for record in history}
        self.beginResetModel()
        self.history = history
        self._records = [latest[turn] for turn in sorted(latest)]
        self.endResetModel()

    def set_words(self, words: Words) -> None:
        """Changes the language."""
        self.beginResetModel()
        self._words = words
        self.endResetModel()

    @property
    def records(self) -> list[RequestRecord]:
        """The requests shown, one per turn."""
        return self._records

    def place_of(self, request_id: str | None) -> int | None:
        """Where a request stands."""
        return next((place for place, one in enumerate(self._records) if one.id == request_id), None)

    def rowCount(self, parent: AnyIndex = _NOWHERE) -> int:
        """Number of turns."""
        return 0 if parent.isValid() else len(self._records)

    def data(self, index: AnyIndex, role: int = 0) -> Any:
        """A line per turn: number, time, tokens."""
        if not index.isValid():
            return None
        record = self._records[index.row()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return self.line(record)
        return record if role == self.RecordRole else None

    def line(self, record: RequestRecord) -> str:
        """`turn 37 · 13:41 · 61,204 tokens`."""
        return self._words.say(
            "context.history.line",
            turn=record.turn,
            time=clock(record.sent_at),
            tokens=marked(self._words, record.total),
        )
