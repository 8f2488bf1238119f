"""What a search of the originals found as a table: messages with who said them, then the facts that go with them."""

from __future__ import annotations

from html import escape
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from desktop_app.bridge.visible_text import visible_line
from desktop_app.core.archive import ArchiveHit
from desktop_app.core.conversation import Role
from desktop_app.core.recall.values import FactHit
from desktop_app.core.words import Words
from desktop_app.services.archive import ArchiveAnswer

AnyIndex = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()
_WORDS = 240
_BEFORE = 12
_NOTHING = ArchiveAnswer()


class ArchiveModel(QAbstractTableModel):
    """Best first. `HitRole` gives the ArchiveHit of a row; `FactRole` the id of the fact; None for the other kind."""

    WHO, WORDS = range(2)
    HitRole = Qt.ItemDataRole.UserRole + 1
    FactRole = HitRole + 1

    def __init__(self, words: Words, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._words = words
        self._rows: list[ArchiveHit | FactHit] = []

    def show(self, answer: ArchiveAnswer | None) -> None:
        """Shows another answer, or nothing."""
        rows: list[ArchiveHit | FactHit] = [*(answer or _NOTHING).messages, *(answer or _NOTHING).facts]
        if rows != self._rows:
            self.beginResetModel()
            self._rows = rows
            self.endResetModel()

    def set_words(self, words: Words) -> None:
        """Changes the language."""
        self.beginResetModel()
        self._words = words
        self.endResetModel()

    def rowCount(self, parent: AnyIndex = _NOWHERE) -> int:
        """Number of rows."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: AnyIndex = _NOWHERE) -> int:
        """Two."""
        return 0 if parent.isValid() else 2

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Texts for the cells; a row is read out whole."""
        if not index.isValid():
            return None
        row = self._rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return self._who(row) if index.column() == self.WHO else visible_line(_said(row), _WORDS)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{self._who(row)}: {visible_line(_said(row), _WORDS)}"
        if role == Qt.ItemDataRole.ToolTipRole:
            whole = row.excerpt if isinstance(row, ArchiveHit) else _said(row)
            return f"<span>{escape(visible_line(whole, 1_000))}</span>"
        if role == self.FactRole:
            return row.fact.id if isinstance(row, FactHit) else None
        return row if role == self.HitRole and isinstance(row, ArchiveHit) else None

    def _who(self, row: ArchiveHit | FactHit) -> str:
        say = self._words.say
        if isinstance(row, FactHit):
            return say("compaction.archive.fact")
        who = "tool" if row.tool else "you" if row.role is Role.USER else "assistant"
        return say(f"compaction.archive.{row.standing}", who=say(f"compaction.archive.{who}"), turn=row.turn)


def _said(row: ArchiveHit | FactHit) -> str:
    """What was found, with a few words before it: a cell shows the beginning."""
    if isinstance(row, FactHit):
        return f"{row.fact.key}: {row.fact.value}"
    start = row.excerpt.rfind(" ", 0, max(0, row.found[0] - _BEFORE)) + 1
    return f"…{row.excerpt[start:]}" if start else row.excerpt
