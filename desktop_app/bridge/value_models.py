"""The exact values of the folded turns as a list: the lost first, of the kept a few until more are wanted."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from desktop_app.bridge.visible_text import visible_line
from desktop_app.core.compaction.value_check import CheckedValue, Fate
from desktop_app.core.words import Words

AnyIndex = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()
ORDER = (Fate.LOST, Fate.REWORDED, Fate.INVENTED, Fate.KEPT)
SIGNS = {Fate.LOST: "✗", Fate.REWORDED: "≈", Fate.INVENTED: "+", Fate.KEPT: "✓"}
_LETTERS = 44
_KEPT_FIRST = 6
_MOST = 120
"""Values of any other fate that are listed at first."""
_STEP = 200
"""Values that are listed more at a time: thousands of chips at once would make the window stand still."""


class ValueListModel(QAbstractListModel):
    """`ValueRole` gives the CheckedValue. `hidden` values are not listed until more are wanted."""

    ValueRole = Qt.ItemDataRole.UserRole + 1

    def __init__(self, words: Words, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._words = words
        self._all: tuple[CheckedValue, ...] = ()
        self._shown: list[CheckedValue] = []
        self._extra = 0

    @property
    def hidden(self) -> int:
        """How many are not listed."""
        return len(self._all) - len(self._shown)

    @property
    def grown(self) -> bool:
        """Whether more than the first are listed."""
        return self._extra > 0

    def show(self, values: Sequence[CheckedValue]) -> None:
        """Other values."""
        if tuple(values) != self._all:
            self._all = tuple(values)
            self._list()

    def show_more(self) -> None:
        """Lists the next few hundred."""
        self._extra += _STEP
        self._list()

    def show_fewer(self) -> None:
        """Lists the first ones only."""
        if self._extra:
            self._extra = 0
            self._list()

    def set_words(self, words: Words) -> None:
        """Changes the language."""
        self._words = words
        self._list()

    def value(self, row: int) -> CheckedValue:
        """The value of a row."""
        return self._shown[row]

    def rows_of(self, fate: Fate) -> list[int]:
        """The rows of one fate."""
        return [row for row, value in enumerate(self._shown) if value.fate is fate]

    def rowCount(self, parent: AnyIndex = _NOWHERE) -> int:
        """Number of listed values."""
        return 0 if parent.isValid() else len(self._shown)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The text with its sign; what became of it, and the sentence it stood in, for readers and tool tips."""
        if not index.isValid() or index.row() >= len(self._shown):
            return None
        value = self._shown[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return f"{SIGNS[value.fate]} {visible_line(value.text, _LETTERS)}"
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{self._fate(value)}: {visible_line(value.text, 200)}"
        if role == Qt.ItemDataRole.ToolTipRole:
            lines = (self._fate(value), *self._about(value))
            return "<br>".join(f"<span>{escape(line)}</span>" for line in lines)
        if role == Qt.ItemDataRole.AccessibleDescriptionRole:
            return " ".join(self._about(value))
        return value if role == self.ValueRole else None

    def _fate(self, value: CheckedValue) -> str:
        say = self._words.say
        return f"{say(f'compaction.fate.{value.fate}')} · {say(f'compaction.kind.{value.kind}')}"

    def _about(self, value: CheckedValue) -> tuple[str, ...]:
        say = self._words.say
        found = visible_line(value.found, 160)
        lines = (
            visible_line(value.text, 400) if len(value.text) > _LETTERS else "",
            visible_line(value.sentence, 200),
            say("compaction.values.reads", text=found) if value.fate is Fate.REWORDED and found else "",
        )
        return tuple(filter(None, lines))

    def _list(self) -> None:
        self.beginResetModel()
        self._shown = []
        extra = self._extra
        for fate in ORDER:
            values = [value for value in self._all if value.fate is fate]
            first = min(len(values), _KEPT_FIRST if fate is Fate.KEPT else _MOST)
            further = min(len(values) - first, extra)
            extra -= further
            self._shown += values[: first + further]
        self.endResetModel()
