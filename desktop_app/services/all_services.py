"""All services of one data folder, as the front ends use them."""

from __future__ import annotations

from dataclasses import dataclass

from desktop_app.core.ports import ConversationStore
from desktop_app.services.chat import ChatService
from desktop_app.services.context_view import ContextView
from desktop_app.services.endpoint_access import EndpointAccess
from desktop_app.services.import_file import ImportService
from desktop_app.services.settings import SettingsService


@dataclass(frozen=True, slots=True)
class Services:
    """Made by the composition; `close` ends everything."""

    settings: SettingsService
    store: ConversationStore
    access: EndpointAccess
    chat: ChatService
    context: ContextView
    importing: ImportService

    async def close(self) -> None:
        """Closes connections, the simulated assistant and the store."""
        await self.access.close()
        await self.store.close()
