"""The list of stored conversations in step with the store, also where another process writes into it.

Signals:
    deleted(str, str): id and title. restored(str), renamed(str): id. Not told where the profile has changed since.
    writtenElsewhere(): another process changed something. failed(AppError).
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from desktop_app.bridge.background import Background
from desktop_app.bridge.conversation_list import ConversationListModel
from desktop_app.core.conversation import Conversation, clean_title
from desktop_app.core.ports import ConversationStore

_POLL_MS = 500


class StoredConversations(QObject):
    """Shows the conversations of the profile in use in `model`; each change is followed by a new reading."""

    deleted = Signal(str, str)
    restored = Signal(str)
    renamed = Signal(str)
    writtenElsewhere = Signal()
    failed = Signal(object)

    def __init__(
        self,
        store: ConversationStore,
        model: ConversationListModel,
        profile: Callable[[], str],
        background: Background,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._store = store
        self._model = model
        self._profile = profile
        self._background = background
        self._version: int | None = None
        self._poll = QTimer(self)
        self._poll.setInterval(_POLL_MS)
        self._poll.timeout.connect(self._ask_version)

    def start(self) -> None:
        """Reads the list and looks for changes of other processes from now on."""
        self._ask_version()
        self._poll.start()

    def stop(self) -> None:
        """Looks no more."""
        self._poll.stop()

    def read(self) -> None:
        """Reads the list again."""
        profile = self._profile()
        self._background.run(
            self._store.conversations(profile), lambda found: self._show(profile, found), self.failed.emit
        )

    def rename(self, conversation_id: str, title: str) -> None:
        """Gives a conversation a title; a blank one changes nothing."""
        if clean := clean_title(title):
            self._change(self._store.rename(conversation_id, clean), lambda: self.renamed.emit(conversation_id))

    def delete(self, conversation_id: str) -> None:
        """Takes a conversation out of the list."""
        title = self._model.title_of(conversation_id)
        self._change(self._store.delete(conversation_id), lambda: self.deleted.emit(conversation_id, title))

    def restore(self, conversation_id: str) -> None:
        """Undoes a deletion."""
        self._change(self._store.restore(conversation_id), lambda: self.restored.emit(conversation_id))

    def _change(self, change: Coroutine[Any, Any, None], tell: Callable[[], None]) -> None:
        profile = self._profile()

        def changed(_: None) -> None:
            if profile == self._profile():
                tell()
            self.read()

        self._background.run(change, changed, self.failed.emit)

    def _show(self, profile: str, found: list[Conversation]) -> None:
        if profile == self._profile():
            self._model.show(found)

    def _ask_version(self) -> None:
        self._background.run(self._store.data_version(), self._take_version)

    def _take_version(self, version: int) -> None:
        before, self._version = self._version, version
        if version != before:
            # Also with the first number: what another process wrote before it was read would be missed.
            self.read()
            self.writtenElsewhere.emit()
