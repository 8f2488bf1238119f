"""The prices in use and the person's own ones, changed off the GUI thread, and the table they stand in.

Signals of a PriceSession:
    changed(): other rows hold.
    kept(PriceRow): a price of one's own was written. taken(list[PriceRow]): those of a model were taken back.
    refused(AppError): nothing was changed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from datetime import date
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from desktop_app.bridge.background import Background
from desktop_app.bridge.figures import day_text, number
from desktop_app.bridge.visible_text import visible_line
from desktop_app.core.money.price_rows import ANY_PROMPT, KINDS, PRICED_HOST, PriceRow, plain
from desktop_app.core.words import Words
from desktop_app.services.prices import PriceService

AnyIndex = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_LETTERS = 80


class PriceSession(QObject):
    """What the price dialog works with. A change is told in the order it was asked for."""

    changed = Signal()
    kept = Signal(object)
    taken = Signal(object)
    refused = Signal(object)

    def __init__(self, service: PriceService, background: Background, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._service, self._background = service, background

    @property
    def rows(self) -> list[PriceRow]:
        """What holds, row by row."""
        return self._service.rows()

    @property
    def dated(self) -> date:
        """The day of the built-in prices."""
        return self._service.prices.dated

    def built_in(self, model: str, host: str = PRICED_HOST) -> int:
        """How many built-in prices a model has there; 0 where it has no known price without one's own."""
        return len(self._service.prices.with_own(()).standing(model, host))

    def own(self, model: str, host: str = PRICED_HOST) -> bool:
        """Whether a model has a price of one's own there under exactly this id."""
        return (host, model) in self._service.prices.own

    def put(self, row: PriceRow, instead_of: PriceRow | None = None) -> None:
        """Writes a price of one's own, in place of a row or as another one."""
        self._run(asyncio.to_thread(self._service.put, row, instead_of), lambda _: self.kept.emit(row))

    def reset(self, row: PriceRow) -> None:
        """Takes all of one's own prices of the model of a row back."""
        self._run(asyncio.to_thread(self._service.reset, row.model, row.host), self.taken.emit)

    def restore(self, rows: Sequence[PriceRow]) -> None:
        """Brings back what was taken."""
        self._run(asyncio.to_thread(self._service.restore, rows), lambda _: self.kept.emit(rows[0]))

    def _run(self, work: Coroutine[Any, Any, Any], done: Callable[[Any], object]) -> None:
        def tell(result: Any) -> None:
            self.changed.emit()
            done(result)

        self._background.run(work, tell, self.refused.emit)


class PriceTableModel(QAbstractTableModel):
    """One row per price: model, for what it holds, USD per million tokens by kind. `RowRole` gives the PriceRow."""

    MODEL, HOLDS = range(2)
    FIRST_AMOUNT = 2
    RowRole = Qt.ItemDataRole.UserRole + 1

    def __init__(self, words: Words, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._words = words
        self.rows: list[PriceRow] = []

    def show(self, rows: Sequence[PriceRow]) -> None:
        """Shows these rows."""
        self.beginResetModel()
        self.rows = list(rows)
        self.endResetModel()

    def set_words(self, words: Words) -> None:
        """Changes the language."""
        self.beginResetModel()
        self._words = words
        self.endResetModel()

    def place_of(self, row: PriceRow) -> int | None:
        """Where the row of the same place stands now."""
        return next((place for place, one in enumerate(self.rows) if one.place == row.place), None)

    def rowCount(self, parent: AnyIndex = _NOWHERE) -> int:
        """Number of rows."""
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: AnyIndex = _NOWHERE) -> int:
        """Model, for what it holds, and five amounts."""
        return 0 if parent.isValid() else self.FIRST_AMOUNT + len(KINDS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> Any:
        """Column names."""
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._words.say(f"price_list.column.{('model', 'holds', *KINDS)[section]}")
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _LEFT if section < self.FIRST_AMOUNT else _RIGHT
        return None

    def data(self, index: AnyIndex, role: int = 0) -> Any:
        """Texts for the cells, the whole row for screen readers."""
        if not index.isValid():
            return None
        row = self.rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(row, index.column())
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _LEFT if index.column() < self.FIRST_AMOUNT else _RIGHT
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self._sentence(row)
        return row if role == self.RowRole else None

    def _text(self, row: PriceRow, column: int) -> str:
        if column == self.MODEL:
            return visible_line(row.model, _LETTERS)
        if column == self.HOLDS:
            return " · ".join(self._holds(row))
        return plain(getattr(row.rates, KINDS[column - self.FIRST_AMOUNT]))

    def _holds(self, row: PriceRow) -> list[str]:
        say, rates = self._words.say, row.rates
        said = [say("price_list.own")] if row.own else []
        if rates.since != date.min:
            said.append(say("price_list.from", date=day_text(self._words, rates.since)))
        if rates.above != ANY_PROMPT:
            said.append(say("price_list.above", tokens=number(self._words, rates.above)))
        if row.host != PRICED_HOST:
            said.append(visible_line(row.host, _LETTERS))
        return said

    def _sentence(self, row: PriceRow) -> str:
        amounts = (
            f"{self.headerData(place, Qt.Orientation.Horizontal, Qt.ItemDataRole.DisplayRole)} {self._text(row, place)}"
            for place in range(self.FIRST_AMOUNT, self.columnCount())
        )
        return ", ".join([self._text(row, self.MODEL), *self._holds(row), *amounts])
