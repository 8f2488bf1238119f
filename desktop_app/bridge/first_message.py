"""Sends the first message of a new conversation: the two are stored together, or neither stays."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress

from desktop_app.core.attachments import AttachedFile
from desktop_app.core.conversation import Conversation, Origin
from desktop_app.core.errors import AppError
from desktop_app.core.turn_events import TurnEvent
from desktop_app.services.all_services import Services
from desktop_app.services.turn import TurnControl


async def send_first(
    services: Services,
    text: str,
    origin: Origin,
    put: Callable[[TurnEvent | Conversation], None],
    control: TurnControl,
    files: Sequence[AttachedFile] = (),
) -> None:
    """Runs the turn. `put` gets the conversation just before the turn's first event, which says that all is stored.

    Raises what `ChatService` raises; a conversation whose message was not stored leaves no empty row in the list.
    """
    making = asyncio.ensure_future(services.chat.new_conversation(text, files))
    opened = False

    def emit(event: TurnEvent) -> None:
        nonlocal opened
        if not opened:
            opened = True
            put(making.result())
        put(event)

    try:
        conversation = await asyncio.shield(making)
        await services.chat.send(conversation.id, text, emit, control, origin, files)
    finally:
        if not opened:
            await asyncio.shield(_forget(services, making))


async def _forget(services: Services, making: asyncio.Future[Conversation]) -> None:
    with suppress(AppError):
        await services.store.delete((await making).id)
