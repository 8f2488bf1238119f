"""The row of a reply while it streams: created with the first event, flushed every second, told piece by piece."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from desktop_app.core import turn_events
from desktop_app.core.conversation import Message, MessageState
from desktop_app.core.errors import StoreUnavailable
from desktop_app.core.partial_reply import PartialReply
from desktop_app.core.ports import ConversationStore
from desktop_app.core.stream import BlockOpened, StreamEvent, TextDelta, ThinkingDelta

Emit = Callable[[turn_events.TurnEvent], None]
_FLUSH_SECONDS = 1.0


class ReplyWriting:
    """The reply's row while it streams: created with the first event, flushed every second.

    `after_compaction`: the API may compact first, and what it writes then is no message: the row waits for more.
    """

    def __init__(
        self,
        store: ConversationStore,
        message: Message,
        emit: Emit,
        ids: tuple[str, str],
        *,
        after_compaction: bool = False,
    ) -> None:
        self._store = store
        self.message = message
        self._creating: asyncio.Future[Message] | None = None
        self._emit = emit
        self._ids = ids
        self._flushed = time.monotonic()
        self._waits = after_compaction

    @property
    def stored(self) -> bool:
        """Whether the row exists or is about to."""
        return self._creating is not None

    async def take(self, event: StreamEvent, partial: PartialReply) -> None:
        """Passes an event on and keeps the row fresh."""
        if self._waits and not (isinstance(event, BlockOpened) and event.kind != "compaction"):
            return
        self._waits = False
        if not self.stored:
            await self.store_first(replace(self.message, model=partial.model or self.message.model))
            self._emit(turn_events.ReplyStarted(*self._ids, self.message.id, partial.model))
        match event:
            case TextDelta(index, text):
                self._emit(turn_events.TextArrived(*self._ids, self.message.id, index, text))
            case ThinkingDelta(index, text):
                self._emit(turn_events.ThinkingArrived(*self._ids, self.message.id, index, text))
            case BlockOpened(index, "tool_use", name, call_id):
                self._emit(turn_events.ToolCallStarted(*self._ids, self.message.id, index, call_id, name))
        if time.monotonic() - self._flushed >= _FLUSH_SECONDS:
            self._flushed = time.monotonic()
            # A disk that refuses now may take it a second later; the end is written in any case.
            with suppress(StoreUnavailable):
                await self._store.flush_partial(replace(self.message, blocks=partial.blocks()))

    async def store_first(self, message: Message) -> None:
        """Creates the row if it is not there yet; a stop in the middle of that does not create it twice."""
        if self._creating is None:
            row = replace(message, state=MessageState.STREAMING)
            self._creating = asyncio.ensure_future(self._store.add_message(row))
        self.message = await asyncio.shield(self._creating)
