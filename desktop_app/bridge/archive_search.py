"""Searching the originals of one conversation, folded or not, and the facts that go with what is found.

Signals:
    changed(): another search, or what it found.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, QTimer, Signal

from desktop_app.bridge.background import Background
from desktop_app.core.archive import ArchiveHit, Standing
from desktop_app.core.conversation import Message, Origin
from desktop_app.core.errors import AppError
from desktop_app.services.all_services import Services
from desktop_app.services.archive import ArchiveAnswer

_TYPING_MS = 180
_MOST = 30


class ArchiveSearch(QObject):
    """`found` answers `query`; None before a search was over. `error` says why there is no answer."""

    changed = Signal()

    def __init__(
        self,
        services: Services,
        background: Background,
        conversation_id: Callable[[], str | None],
        path: Callable[[], Sequence[Message]],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._services, self._background = services, background
        self._conversation_id, self._path = conversation_id, path
        self.query = ""
        self.found: ArchiveAnswer | None = None
        self.error: AppError | None = None
        self._searches = 0
        self._typing = QTimer(self)
        self._typing.setSingleShot(True)
        self._typing.setInterval(_TYPING_MS)
        self._typing.timeout.connect(self._search)

    def search(self, text: str) -> None:
        """Searches soon; a blank text ends the search."""
        self.query = text.strip()
        self._searches += 1
        if self.query:
            self._typing.start()
            return
        self._typing.stop()
        self._show(self._searches, None)

    def shown_id(self, hit: ArchiveHit) -> str | None:
        """The message of the chat a hit stands in: results of tools stand with their call; None in another version."""
        if hit.standing is Standing.BRANCH:
            return None
        message = next((one for one in self._path() if one.id == hit.message_id), None)
        return message.parent_id if message is not None and message.origin is Origin.TOOL_RESULTS else hit.message_id

    def stop(self) -> None:
        """Ends its timer."""
        self._typing.stop()

    def _search(self) -> None:
        conversation_id = self._conversation_id()
        if conversation_id is None or not self.query:
            return
        number, profile = self._searches, self._services.settings.settings.profile
        search = self._services.archive.search(profile, self.query, conversation_id, _MOST)
        self._background.run(
            search, lambda found: self._show(number, found), lambda error: self._show(number, None, error)
        )

    def _show(self, number: int, found: ArchiveAnswer | None, error: AppError | None = None) -> None:
        if number == self._searches:
            self.found, self.error = found, error
            self.changed.emit()
