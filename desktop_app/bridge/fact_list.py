"""The facts of a profile as a table model: key, value, category, origin, last used, pinned."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from desktop_app.bridge.fact_words import day_word, origin_word
from desktop_app.bridge.visible_text import visible_line
from desktop_app.core.facts import Fact
from desktop_app.core.words import Words

AnyIndex = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_MOST = 200
"""Letters of a cell: more than any column shows."""


class FactListModel(QAbstractTableModel):
    """One row for each fact, in the order given. `FactRole` gives the Fact."""

    PIN, KEY, VALUE, CATEGORY, ORIGIN, USED = range(6)
    HEADERS = (
        "",
        "memory.column.key",
        "memory.column.value",
        "memory.column.category",
        "memory.column.origin",
        "memory.column.used",
    )
    FactRole = Qt.ItemDataRole.UserRole + 1

    def __init__(self, words: Words, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._words = words
        self._rows: list[Fact] = []

    @property
    def facts(self) -> list[Fact]:
        """The facts shown."""
        return self._rows

    def show(self, facts: list[Fact]) -> None:
        """Shows other facts; in place where only their content changed."""
        if [fact.id for fact in facts] == [fact.id for fact in self._rows]:
            changed = [place for place, fact in enumerate(facts) if fact != self._rows[place]]
            self._rows = list(facts)
            for place in changed:
                self.dataChanged.emit(self.index(place, 0), self.index(place, self.USED))
            return
        self.beginResetModel()
        self._rows = list(facts)
        self.endResetModel()

    def set_words(self, words: Words) -> None:
        """Changes the language; the rows stay."""
        self._words = words
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, self.USED)
        if self._rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._rows) - 1, self.USED))

    def place_of(self, fact_id: str | None) -> int | None:
        """Where a fact stands, if it is shown."""
        return next((place for place, fact in enumerate(self._rows) if fact.id == fact_id), None)

    def rowCount(self, parent: AnyIndex = _NOWHERE) -> int:
        """Number of facts."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: AnyIndex = _NOWHERE) -> int:
        """Six."""
        return 0 if parent.isValid() else len(self.HEADERS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> Any:
        """Column names."""
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._words.say(self.HEADERS[section]) if self.HEADERS[section] else ""
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if section == self.USED else _LEFT
        return None

    def data(self, index: AnyIndex, role: int = 0) -> Any:
        """Texts for the cells, the whole row in one sentence for screen readers."""
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        fact = self._rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(fact, index.column())
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if index.column() == self.USED else _LEFT
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self._sentence(fact)
        return fact if role == self.FactRole else None

    def _text(self, fact: Fact, column: int) -> str:
        if column == self.PIN:
            return ""
        if column == self.ORIGIN:
            return origin_word(self._words, fact.origin)
        if column == self.USED:
            return day_word(self._words, fact.last_used_at)
        return visible_line((fact.key, fact.value, fact.category)[column - self.KEY], _MOST)

    def _sentence(self, fact: Fact) -> str:
        say = self._words.say
        parts = [
            say("memory.row", key=self._text(fact, self.KEY), value=self._text(fact, self.VALUE)),
            self._text(fact, self.CATEGORY),
            say("memory.row_origin", who=self._text(fact, self.ORIGIN)),
            say("memory.row_used", day=self._text(fact, self.USED)),
            say("memory.row_pinned") if fact.pinned else "",
        ]
        return ", ".join(part for part in parts if part)
