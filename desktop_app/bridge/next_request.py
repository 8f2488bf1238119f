"""The request that would leave now, computed again soon after the text or the settings changed.

Signals:
    changed(Budget | None): its budget; None when there is nothing to send.
    prepared(Prepared | None, TurnSetting | None): the whole of it, and what it was prepared under.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from desktop_app.bridge.background import Background
from desktop_app.core.attachments import AttachedFile
from desktop_app.core.context_budget import Budget
from desktop_app.core.conversation import Message
from desktop_app.services.context_view import ContextView
from desktop_app.services.turn_context import Prepared, TurnSetting

_PREVIEW_MS = 150


class NextRequest(QObject):
    """Computes off the GUI thread; an answer to an earlier question is dropped."""

    changed = Signal(object)
    prepared = Signal(object, object)

    def __init__(self, view: ContextView, background: Background, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._view = view
        self._background = background
        self._setting: TurnSetting | None = None
        self._age = 0
        self._asked = 0
        self._conversation_id: str | None = None
        self._path: list[Message] = []
        self.draft = ""
        self._files: tuple[AttachedFile, ...] = ()
        self.budget: Budget | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_PREVIEW_MS)
        self._timer.timeout.connect(self._start)

    def look(
        self, conversation_id: str | None, path: list[Message], draft: str, files: tuple[AttachedFile, ...] = ()
    ) -> None:
        """Something changed: the path, the text or what is attached."""
        self._asked += 1
        self._conversation_id, self._path, self.draft, self._files = conversation_id, path, draft, files
        self._timer.start()

    def forget_setting(self) -> None:
        """Model, endpoint or instructions may be others now; they are read again the next time."""
        self._age += 1
        self._setting = None

    def stop(self) -> None:
        """Computes nothing any more."""
        self._timer.stop()

    def _start(self) -> None:
        asked, path = self._asked, list(self._path)
        self._background.run(
            self._compute(self._conversation_id, path, self.draft, self._files),
            lambda prepared: self._show(asked, prepared),
            _ignore,
        )

    async def _compute(
        self, conversation_id: str | None, path: list[Message], draft: str, files: tuple[AttachedFile, ...]
    ) -> Prepared | None:
        setting, age = self._setting, self._age
        if setting is None:
            setting = await self._view.setting(conversation_id, path)
            if age == self._age:  # else it was forgotten while it was read
                self._setting = setting
        return await self._view.with_draft(conversation_id, path, draft, setting, files)

    def _show(self, asked: int, prepared: Prepared | None) -> None:
        if asked == self._asked:
            self.budget = prepared.budget if prepared else None
            self.changed.emit(self.budget)
            self.prepared.emit(prepared, self._setting)


def _ignore(_: object) -> None:
    """A look ahead that fails is no news: sending will tell."""
