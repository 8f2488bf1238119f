"""Asks the model for a memo beside the conversation: the same prefix with our prompt at its end, kept in the log."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from desktop_app.core import errors, turn_events
from desktop_app.core.conversation import (
    Block,
    Message,
    Origin,
    Role,
    new_id,
    text_block,
)
from desktop_app.core.fact_notes import MessageNotes
from desktop_app.core.partial_reply import PartialReply
from desktop_app.core.ports import ConversationStore, ModelEndpoint
from desktop_app.core.request_log import RequestPurpose, RequestRecord, RequestState
from desktop_app.core.stream import StreamEvent, TextDelta
from desktop_app.services.patience import Patience
from desktop_app.services.reply_writing import Emit
from desktop_app.services.sending import Sending
from desktop_app.services.turn_context import Prepared, TurnContext, TurnSetting

MOST_MEMO = 8_000
"""Most tokens of a memo, thinking included."""
_LEAST_MEMO = 1_000
"""With less room than this no memo comes to its end."""


@dataclass(frozen=True, slots=True)
class Fork:
    """Where a conversation is left to ask for a memo: the path down to the boundary, and what it is sent with.

    `turn` numbers the turns of the whole path, `ids` are those of conversation and last turn.
    """

    client: ModelEndpoint
    setting: TurnSetting
    path: Sequence[Message]
    turn: int
    ids: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back: its blocks, and the record of its request."""

    blocks: tuple[Block, ...]
    record: RequestRecord


class MemoWriting:
    """Sends the requests of one folding. Only they are stored: their answers are no messages of the conversation."""

    def __init__(
        self,
        store: ConversationStore,
        context: TurnContext,
        sending: Sending,
        fork: Fork,
        emit: Emit,
        patience: Patience,
    ) -> None:
        self._store = store
        self._context = context
        self._sending = sending
        self._client = fork.client
        self._setting = _with_room(fork.setting)
        self._fork = fork
        self._ids = fork.ids
        self._emit = emit
        self._patience = patience

    async def ask(self, prompt: str, number: int) -> Answer:
        """The answer to `prompt` behind the path; its text is told piece by piece.

        `number` counts the prompts of this folding from 1. Raises ContextTooLarge, RequestRefused, EndpointError.
        """
        try:
            return await self._answered(prompt, number)
        except errors.ThinkingUnfit as error:
            self._emit(turn_events.RetryScheduled(*self._ids, 0.0, 2, 2, error))
            # Thinking of another epoch is not sent, and no epoch of the conversation has this number yet.
            epoch = replace(self._setting.epoch, number=self._setting.epoch.number + 1)
            self._setting = replace(self._setting, epoch=epoch)
            return await self._answered(prompt, number)

    async def _answered(self, prompt: str, number: int) -> Answer:
        """Sends until an answer is whole; every attempt is a request of its own in the log."""
        prepared = await self._ready(prompt)
        partial = PartialReply()

        async def attempt() -> Answer:
            nonlocal partial, prepared
            partial, leaving = PartialReply(), prepared
            prepared = replace(prepared, counted=None)  # it was counted once, however often it is sent
            return await self._attempt(leaving, partial, number)

        return await self._patience.until_done(attempt, lambda: partial.anything)

    async def _ready(self, prompt: str) -> Prepared:
        """The request, planned, fitted to the window and checked."""
        setting = self._setting
        path = [*self._fork.path, _question(self._fork.path[-1], prompt, setting.epoch.number)]
        prepared = await self._context.prepare(self._ids[0], path, setting)
        if prepared.near_limit and setting.features.counting:
            prepared = await self._sending.counted(prepared, setting, self._client) or prepared
        least = min(_LEAST_MEMO, setting.choices.max_tokens)
        return await self._sending.ready(prepared, setting, self._ids[0], RequestPurpose.MEMO, least=least)

    async def _attempt(self, prepared: Prepared, partial: PartialReply, number: int) -> Answer:
        """One request: streams it and records what came of it, also after a stop, a failure or a fault."""
        setting = self._setting
        out = await self._sending.leave(prepared, setting, self._ids, self._fork.turn, number, RequestPurpose.MEMO)
        began = time.monotonic()

        async def close(state: RequestState, error: str | None = None) -> RequestRecord:
            ended = await self._sending.ended(out, partial, setting, state, time.monotonic() - began, error)
            await self._store.update_request(ended.record)
            return ended.record

        try:
            async with self._client.stream(out.prepared.request) as events:
                async for event in events:
                    partial.take(event)
                    self._tell(event)
            if partial.closed is None or partial.closed.stop_reason is None:
                raise errors.StreamBroken("the stream ended without its last event")
        except asyncio.CancelledError:
            await asyncio.shield(close(RequestState.STOPPED))
            raise
        except Exception as error:
            await close(RequestState.FAILED, error.word if isinstance(error, errors.AppError) else "unexpected")
            raise
        return Answer(partial.blocks(), await close(RequestState.ANSWERED))

    def _tell(self, event: StreamEvent) -> None:
        if isinstance(event, TextDelta):
            self._emit(turn_events.MemoArrived(*self._ids, event.text))


def _with_room(setting: TurnSetting) -> TurnSetting:
    """The same with the output limit of a memo; nothing that counts for the cache is changed.

    Our prompt at the end is never sent again, so it is not kept.
    """
    most = min(MOST_MEMO, setting.model.output_limit or MOST_MEMO)
    return replace(setting, choices=replace(setting.choices, max_tokens=most, continues=False))


def _question(last: Message, prompt: str, epoch: int) -> Message:
    """The prompt as a message behind the boundary; it is sent but never stored."""
    return Message(
        id=new_id(),
        conversation_id=last.conversation_id,
        parent_id=last.id,
        role=Role.USER,
        blocks=(text_block(prompt),),
        origin=Origin.TYPED,
        notes=MessageNotes(epoch),
    )
