"""Brings another path of a conversation into use: another version, the end of a past turn, and back again."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any

from PySide6.QtCore import QObject, Signal

from desktop_app.bridge.background import Background
from desktop_app.bridge.session_state import Level, Notice
from desktop_app.core.branching import Branching
from desktop_app.services.chat import ChatService


class PathBranching(QObject):
    """Signals: `moved()`: the path may be another; `noticed(Notice)`, `failed(AppError)`."""

    moved = Signal()
    noticed = Signal(object)
    failed = Signal(object)

    def __init__(self, chat: ChatService, background: Background, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._chat, self._background = chat, background

    def choose(self, message_id: str, step: int) -> None:
        """Another version of a message and what followed it."""
        self._run(self._chat.choose_branch(message_id, step))

    def branch_at(self, conversation_id: str, message_id: str) -> None:
        """On from the end of the turn that holds a message; a notice offers to take it back."""
        branched = self._chat.branch_at(conversation_id, message_id)
        self._background.run(branched, self._on_branched, self.failed.emit)

    def undo(self, branching: Branching) -> None:
        """Takes a branching back; a notice tells where something was written since."""
        self._background.run(self._chat.undo_branch(branching), self._on_undone, self.failed.emit)

    def resume(self, conversation_id: str) -> None:
        """The messages kept behind the end of the path again."""
        self._run(self._chat.resume(conversation_id))

    def _run(self, change: Coroutine[Any, Any, object]) -> None:
        self._background.run(change, lambda _: self.moved.emit(), self.failed.emit)

    def _on_branched(self, branching: Branching | None) -> None:
        self.moved.emit()
        if branching is not None:
            params: dict[str, str | int] = {"turn": branching.turn, "n": branching.left}
            self.noticed.emit(Notice("notices.branched", params, undo=branching))

    def _on_undone(self, undone: bool) -> None:
        self.moved.emit()
        if not undone:
            self.noticed.emit(Notice("notices.branch_stays", level=Level.WARNING))
