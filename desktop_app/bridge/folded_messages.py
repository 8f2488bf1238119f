"""The messages a memo stands for as a table: who wrote each, and how it begins."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from desktop_app.bridge.block_labels import first_words
from desktop_app.bridge.visible_text import visible_line
from desktop_app.core.conversation import Message, Origin, Role
from desktop_app.core.words import Words

AnyIndex = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()
_WORDS = 160


class FoldedMessagesModel(QAbstractTableModel):
    """Oldest first. `MessageRole` gives the id of the message to show: results of tools stand with their call."""

    WHO, WORDS = range(2)
    MessageRole = Qt.ItemDataRole.UserRole + 1

    def __init__(self, words: Words, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._words = words
        self._messages: list[Message] = []

    def show(self, path: Sequence[Message], message_ids: Collection[str]) -> None:
        """Shows these messages of a path."""
        messages = [message for message in path if message.id in message_ids]
        if [one.id for one in messages] != [one.id for one in self._messages]:
            self.beginResetModel()
            self._messages = messages
            self.endResetModel()

    def set_words(self, words: Words) -> None:
        """Changes the language."""
        self.beginResetModel()
        self._words = words
        self.endResetModel()

    def rowCount(self, parent: AnyIndex = _NOWHERE) -> int:
        """Number of messages."""
        return 0 if parent.isValid() else len(self._messages)

    def columnCount(self, parent: AnyIndex = _NOWHERE) -> int:
        """Two."""
        return 0 if parent.isValid() else 2

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Texts for the cells; a row is read out whole."""
        if not index.isValid():
            return None
        message = self._messages[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return self._who(message) if index.column() == self.WHO else _beginning(message)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{self._who(message)}: {_beginning(message)}"
        if role == self.MessageRole:
            return message.parent_id if message.origin is Origin.TOOL_RESULTS else message.id
        return None

    def _who(self, message: Message) -> str:
        if message.origin is Origin.TOOL_RESULTS:
            return self._words.say("compaction.list.tools")
        return self._words.say("chat.you" if message.role is Role.USER else "chat.assistant")


def _beginning(message: Message) -> str:
    """The first line that can be seen, else what the first block says."""
    line = next((line for line in message.text.splitlines() if not line.isspace() and line), "")
    if line:
        return visible_line(line, _WORDS)
    return next(filter(None, (first_words(block, _WORDS) for block in message.blocks)), "")
