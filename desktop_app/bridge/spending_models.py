"""The table of the Spending page: groups, each with what it was spent on below it while it is open."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QDate, QModelIndex, QObject, QPersistentModelIndex, Qt

from desktop_app.bridge.figures import day_text, locale_of, number
from desktop_app.bridge.visible_text import visible_line
from desktop_app.core.money.monthly_budget import BudgetState
from desktop_app.core.money.price_sources import sources_words
from desktop_app.core.money.spending import SpendingBy, SpendingGroup, SpendingLine, SpendingReport, SpentOn
from desktop_app.core.money.spending_words import amount, budget_spent, group_name, with_unpriced
from desktop_app.core.words import Words

AnyIndex = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_TITLE = 120


@dataclass(frozen=True, slots=True)
class SpendingRow:
    """A row of the table: a group, or with `on` one of its lines. `unknown` where none of it has a known price."""

    group: SpendingGroup
    line: SpendingLine
    on: SpentOn | None = None

    @property
    def unknown(self) -> bool:
        """Whether its money is told by a word."""
        return self.line.usd is None


class SpendingModel(QAbstractTableModel):
    """Name, requests, input and output tokens, money. `RowRole` gives the SpendingRow, `OpenRole` whether a group is
    open. `profile` writes the name of one."""

    NAME, REQUESTS, INPUT, OUTPUT, COST = range(5)
    HEADERS = ("requests", "input", "output", "cost")
    RowRole = Qt.ItemDataRole.UserRole + 1
    OpenRole = Qt.ItemDataRole.UserRole + 2

    def __init__(self, words: Words, profile: Callable[[str], str] = str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._words, self._profile = words, profile
        self._open: set[tuple[str, ...]] = set()
        self.report: SpendingReport | None = None
        self.rows: list[SpendingRow] = []

    def show(self, report: SpendingReport | None) -> None:
        """Shows a report; groups that were open stay so while the same is added up."""
        if report == self.report:
            return
        if report is None or self.report is None or report.by is not self.report.by:
            self._open.clear()
        self.beginResetModel()
        self.report = report
        groups = report.groups if report else ()
        self.rows = [row for group in groups for row in self._rows_of(group)]
        self.endResetModel()

    def set_words(self, words: Words) -> None:
        """Changes the language."""
        self.beginResetModel()
        self._words = words
        self.endResetModel()

    def toggle(self, place: int) -> None:
        """Opens or closes the group a row belongs to."""
        group = self.rows[place].group
        first = next(at for at, row in enumerate(self.rows) if row.group is group)
        lines = [SpendingRow(group, line, on) for on, line in group.lines.items()]
        if group.key in self._open:
            self._open.remove(group.key)
            self.beginRemoveRows(_NOWHERE, first + 1, first + len(lines))
            del self.rows[first + 1 : first + 1 + len(lines)]
            self.endRemoveRows()
        else:
            self._open.add(group.key)
            self.beginInsertRows(_NOWHERE, first + 1, first + len(lines))
            self.rows[first + 1 : first + 1] = lines
            self.endInsertRows()
        self.dataChanged.emit(self.index(first, self.NAME), self.index(first, self.COST))

    def rowCount(self, parent: AnyIndex = _NOWHERE) -> int:
        """Groups and the lines of open ones."""
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: AnyIndex = _NOWHERE) -> int:
        """Five."""
        return 0 if parent.isValid() else 1 + len(self.HEADERS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> Any:
        """Column names; the first is what is added up by."""
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            if section == self.NAME:
                return self._words.say(f"money.by_{self.report.by}") if self.report else ""
            return self._words.say(f"money.column.{self.HEADERS[section - 1]}")
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _LEFT if section == self.NAME else _RIGHT
        return None

    def data(self, index: AnyIndex, role: int = 0) -> Any:
        """Texts for the cells, the whole row for screen readers."""
        if not index.isValid():
            return None
        row = self.rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(row, index.column())
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _LEFT if index.column() == self.NAME else _RIGHT
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self._sentence(row)
        if role == self.OpenRole:
            return row.group.key in self._open
        return row if role == self.RowRole else None

    def _rows_of(self, group: SpendingGroup) -> list[SpendingRow]:
        lines = group.lines.items() if group.key in self._open else ()
        return [SpendingRow(group, group.total), *(SpendingRow(group, line, on) for on, line in lines)]

    def _text(self, row: SpendingRow, column: int) -> str:
        line, free = row.line, row.on is SpentOn.COUNTING
        if column == self.NAME:
            return self._name(row)
        if column == self.REQUESTS:
            return number(self._words, line.requests)
        if column == self.COST:
            return self._words.say("money.free") if free else amount(self._words, line)
        return "" if free else number(self._words, line.input if column == self.INPUT else line.output)

    def _name(self, row: SpendingRow) -> str:
        if row.on is not None:
            return self._words.say(f"money.on.{row.on}")
        by = self.report.by if self.report else SpendingBy.DAY
        name = group_name(self._words, row.group, by, day=self._day, profile=self._profile)
        return visible_line(name, _TITLE)

    def _day(self, day: date) -> str:
        return day_text(self._words, day)

    def _sentence(self, row: SpendingRow) -> str:
        texts = [self._text(row, column) for column in range(1, self.columnCount())]
        names = [self._words.say(f"money.column.{name}") for name in self.HEADERS]
        return ", ".join(
            [self._name(row), *(f"{name} {text}" for name, text in zip(names, texts, strict=True) if text)]
        )


def today_text(words: Words, report: SpendingReport) -> str:
    """`$0.84`, with a word of its own where only the simulated assistant answered."""
    if report.simulated and not report.total.requests:
        return words.say("money.free_only")
    return amount(words, report.total)


def today_hint(words: Words, report: SpendingReport) -> str:
    """What the sum of today is, and what it leaves out."""
    return with_unpriced(words, words.say("status.today_hint"), report.total)


def budget_text(words: Words, state: BudgetState) -> str:
    """What is spent this month, of the budget where there is one."""
    month = locale_of(words).toString(QDate(state.month.year, state.month.month, 1), words.say("money.month_pattern"))
    return budget_spent(words, state, month)


def report_notes(words: Words, report: SpendingReport) -> list[str]:
    """What the sums leave out or guess, and where the prices are from."""
    notes = []
    if report.total.unpriced:
        notes.append(words.say("money.unpriced", n=report.total.unpriced))
    if report.total.estimated:
        notes.append(words.say("money.estimated_hint"))
    if report.simulated:
        notes.append(words.say("money.simulated", n=report.simulated))
    if prices := sources_words(words, report.sources, day_text(words, report.dated)):
        notes.append(prices)
    return notes
