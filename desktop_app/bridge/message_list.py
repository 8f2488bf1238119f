"""The messages of one conversation as a list model, one row an Entry."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from desktop_app.bridge.entries import Entry, TextPart

_NO_PARENT = QModelIndex()


class MessageListModel(QAbstractListModel):
    """Rows are root first; `show` changes as little as the new entries ask for."""

    EntryRole = Qt.ItemDataRole.UserRole + 1

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._entries: list[Entry] = []

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = _NO_PARENT) -> int:
        """The number of entries."""
        return 0 if parent.isValid() else len(self._entries)

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The Entry, or its text for display."""
        if not index.isValid() or index.row() >= len(self._entries):
            return None
        entry = self._entries[index.row()]
        if role == self.EntryRole:
            return entry
        if role == Qt.ItemDataRole.DisplayRole:
            return "\n\n".join(part.text for part in entry.parts if isinstance(part, TextPart))
        return None

    def entry(self, row: int) -> Entry:
        """The entry of a row."""
        return self._entries[row]

    def row_of(self, message_id: str) -> int:
        """The row of a message, -1 when it is not here."""
        rows = range(len(self._entries) - 1, -1, -1)  # what is asked for mostly stands at the end
        return next((row for row in rows if self._entries[row].id == message_id), -1)

    def hold(self, entry: Entry) -> None:
        """Keeps how far a streaming message has come, without a signal: its pieces were told already."""
        row = self.row_of(entry.id)
        if row >= 0:
            self._entries[row] = entry

    def show(self, entries: list[Entry]) -> None:
        """Shows other entries: rows whose id stays are changed in place, the rest is replaced."""
        same = 0
        while same < min(len(entries), len(self._entries)) and entries[same].id == self._entries[same].id:
            same += 1
        if same == 0 and self._entries and entries:
            before = len(entries) - len(self._entries)
            if before <= 0 or [entry.id for entry in entries[before:]] != [entry.id for entry in self._entries]:
                self.beginResetModel()
                self._entries = list(entries)
                self.endResetModel()
                return
            # Earlier messages became known: they come in front, nothing else moves.
            self.beginInsertRows(_NO_PARENT, 0, before - 1)
            self._entries = [*entries[:before], *self._entries]
            self.endInsertRows()
            same = len(entries)
        if same < len(self._entries):
            self.beginRemoveRows(_NO_PARENT, same, len(self._entries) - 1)
            del self._entries[same:]
            self.endRemoveRows()
        changed = [row for row in range(same) if entries[row] != self._entries[row]]
        for row in changed:
            self._entries[row] = entries[row]
        for first, last in _runs(changed):  # folding changes thousands of rows at once
            self.dataChanged.emit(self.index(first), self.index(last), [self.EntryRole])
        if same < len(entries):
            self.beginInsertRows(_NO_PARENT, same, len(entries) - 1)
            self._entries += entries[same:]
            self.endInsertRows()


def _runs(rows: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Rows that follow one another, as (first, last)."""
    first = last = -1
    for row in rows:
        if row != last + 1 or first < 0:
            if first >= 0:
                yield first, last
            first = row
        last = row
    if first >= 0:
        yield first, last
