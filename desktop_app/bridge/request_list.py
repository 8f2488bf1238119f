"""The requests of a conversation to choose from: each is named only where it is seen."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from desktop_app.bridge.request_names import request_name
from desktop_app.core.request_log import RequestRecord
from desktop_app.core.words import Words

AnyIndex = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()
_NAMED = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole)


class RequestListModel(QAbstractListModel):
    """One row per request, oldest first; `turns` are the messages of the path in use."""

    def __init__(
        self, words: Words, records: Sequence[RequestRecord], turns: Set[str], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._words, self._records, self._turns = words, records, turns
        self._places = {record.id: place for place, record in enumerate(records)}

    def set_words(self, words: Words) -> None:
        """Changes the language; the same requests stay in their places."""
        self._words = words
        if self._records:
            self.dataChanged.emit(self.index(0), self.index(len(self._records) - 1))

    def place_of(self, request_id: str) -> int:
        """Where a request stands, -1 where it does not."""
        return self._places.get(request_id, -1)

    def request_id(self, place: int) -> str:
        """The id of the request at a place, empty where there is none."""
        return self._records[place].id if 0 <= place < len(self._records) else ""

    def rowCount(self, parent: AnyIndex = _NOWHERE) -> int:
        """Number of requests."""
        return 0 if parent.isValid() else len(self._records)

    def data(self, index: AnyIndex, role: int = 0) -> Any:
        """The name of a request."""
        if role not in _NAMED or not index.isValid():
            return None
        return request_name(self._words, self._records[index.row()], self._turns)
