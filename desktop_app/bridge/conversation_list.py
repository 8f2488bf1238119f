"""The conversations of a profile as a list model, last used first."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from desktop_app.core.conversation import Conversation

_NO_PARENT = QModelIndex()


class ConversationListModel(QAbstractListModel):
    """Roles: id, title (also for display), excerpt, last use, simulated, busy, and the day group's catalogue id."""

    IdRole = Qt.ItemDataRole.UserRole + 1
    TitleRole = Qt.ItemDataRole.UserRole + 2
    ExcerptRole = Qt.ItemDataRole.UserRole + 3
    UpdatedRole = Qt.ItemDataRole.UserRole + 4
    SimulatedRole = Qt.ItemDataRole.UserRole + 5
    BusyRole = Qt.ItemDataRole.UserRole + 6
    DayRole = Qt.ItemDataRole.UserRole + 7

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[Conversation] = []
        self._busy: set[str] = set()

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = _NO_PARENT) -> int:
        """The number of conversations."""
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The value of a role."""
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        row = self._rows[index.row()]
        values = {
            Qt.ItemDataRole.DisplayRole: row.title,
            self.IdRole: row.id,
            self.TitleRole: row.title,
            self.ExcerptRole: row.excerpt,
            self.UpdatedRole: row.updated_at,
            self.SimulatedRole: row.simulated,
            self.BusyRole: row.id in self._busy,
        }
        return day_group(row.updated_at, datetime.now().astimezone()) if role == self.DayRole else values.get(role)

    def row_of(self, conversation_id: str) -> int:
        """The row of a conversation, -1 when it is not listed."""
        return next((row for row, item in enumerate(self._rows) if item.id == conversation_id), -1)

    def title_of(self, conversation_id: str) -> str:
        """The title of a conversation, empty when it is not listed."""
        return next((item.title for item in self._rows if item.id == conversation_id), "")

    def ids(self) -> list[str]:
        """All ids in order."""
        return [row.id for row in self._rows]

    def show(self, conversations: list[Conversation]) -> None:
        """Shows other conversations; in place where only their content changed."""
        if [row.id for row in conversations] == self.ids():
            for place, row in enumerate(conversations):
                if row != self._rows[place]:
                    self._rows[place] = row
                    self.dataChanged.emit(self.index(place), self.index(place))
            return
        self.beginResetModel()
        self._rows = list(conversations)
        self.endResetModel()

    def set_busy(self, conversation_id: str, busy: bool) -> None:
        """Marks a conversation in which an answer is arriving."""
        (self._busy.add if busy else self._busy.discard)(conversation_id)
        place = self.row_of(conversation_id)
        if place >= 0:
            self.dataChanged.emit(self.index(place), self.index(place), [self.BusyRole])


def day_group(moment: datetime | None, now: datetime) -> str:
    """The catalogue id of the group a conversation stands in, by days in the zone of `now`; None is unknown."""
    if moment is None:
        return "sidebar.unknown"
    days = (now.date() - _day(moment, now)).days
    if days <= 0:
        return "sidebar.today"
    if days == 1:
        return "sidebar.yesterday"
    if days < 7:
        return "sidebar.week"
    return "sidebar.month" if days < 30 else "sidebar.older"


def _day(moment: datetime, now: datetime) -> date:
    return moment.astimezone(now.tzinfo).date()
