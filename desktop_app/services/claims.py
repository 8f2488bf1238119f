"""Who may change a conversation: one at a time, over all processes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from desktop_app.core import errors
from desktop_app.core.ports import ConversationStore
from desktop_app.services.settings import SettingsService


class Claims:
    """Gives conversations of the profile in use to one turn, folding or rebuild at a time."""

    def __init__(self, store: ConversationStore, settings: SettingsService) -> None:
        self._store = store
        self._settings = settings
        self._running: set[str] = set()

    @asynccontextmanager
    async def alone(self, conversation_id: str) -> AsyncIterator[None]:
        """Lets one turn at a time into a conversation, over all processes; raises Busy for a second.

        A conversation of another profile is not there: its settings are not those in use.
        """
        if conversation_id in self._running:
            raise errors.Busy()
        self._running.add(conversation_id)
        try:
            conversation = await self._store.conversation(conversation_id)
            if conversation.profile != self._settings.settings.profile:
                raise errors.NotFound(what="conversation")
            await self._store.claim(conversation_id)
            try:
                yield
            finally:
                await asyncio.shield(self._store.release(conversation_id))
        finally:
            self._running.discard(conversation_id)
