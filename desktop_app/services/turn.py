"""One turn from the stored user message to its last reply: rounds, attempts, tools, stop and failure."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field, replace
from typing import Protocol

from desktop_app.core import errors, turn_events
from desktop_app.core.compaction.compaction import Compaction, CompactionCause, Strategy
from desktop_app.core.context import CUT_REASONS
from desktop_app.core.context_editing import compact_at
from desktop_app.core.conversation import (
    Block,
    Message,
    MessageState,
    Origin,
    Role,
    new_id,
    tool_calls,
)
from desktop_app.core.partial_reply import PartialReply
from desktop_app.core.ports import ConversationStore, ModelEndpoint
from desktop_app.core.request_log import RequestRecord, RequestState, rows_of
from desktop_app.core.stream import BlockOpened, CompactionArrived, StreamEvent
from desktop_app.core.tool_call import ToolCall
from desktop_app.core.usage import Known as HowKnown
from desktop_app.services.endpoint_access import EndpointAccess
from desktop_app.services.patience import Patience
from desktop_app.services.reply_writing import Emit, ReplyWriting
from desktop_app.services.sending import Outgoing, Sending
from desktop_app.services.toolbox import Toolbox
from desktop_app.services.turn_context import Prepared, TurnContext, TurnSetting

MOST_ROUNDS = 16
"""Requests of one turn; a model that keeps calling tools beyond this is stopped with a choice to go on."""


class PastCompaction(Protocol):
    """What a turn may do to the past it stands on, once."""

    async def look(self) -> None:
        """Finds out, at the beginning of the turn, whether the API is to compact."""

    @property
    def threshold(self) -> int | None:
        """Tokens at which the API is to compact by itself before the first answer; None where it is not to."""

    async def adopt(
        self, path: list[Message], setting: TurnSetting, block: Block, record: RequestRecord
    ) -> Compaction | None:
        """Puts to use what the API compacted before it answered the last message of a path."""

    async def broke_off(self, path: list[Message], setting: TurnSetting, record: RequestRecord, word: str) -> None:
        """Keeps in the log that the API's compaction did not come to its end: `stopped`, or the word of an error."""

    async def make_room(self, path: list[Message]) -> bool:
        """Compacts the closed turns of a path because its next request does not fit; whether anything came of it."""


@dataclass(slots=True)
class TurnControl:
    """What the outside may do to a running turn besides cancelling its task."""

    hurry: asyncio.Event = field(default_factory=asyncio.Event)
    """Set to make the next attempt at once."""
    closing: bool = False
    """The program is ending: what is cut is marked interrupted, not stopped by the person."""


class Turn:
    """Runs one turn; `emit` is called on the event loop for everything that happens."""

    def __init__(
        self,
        store: ConversationStore,
        access: EndpointAccess,
        context: TurnContext,
        toolbox: Toolbox,
        sending: Sending,
        question: Message,
        emit: Emit,
        control: TurnControl,
        past: PastCompaction,
    ) -> None:
        self._store = store
        self._access = access
        self._context = context
        self._toolbox = toolbox
        self._sending = sending
        self._question = question
        self._emit = emit
        self._control = control
        self._past = past
        self._compacts = self._compacting = False
        self._made_room = False
        self.ids = (question.conversation_id, question.id)
        """Conversation and turn, as its events name them."""
        self._earlier_head: str | None = None
        self._replied = False
        self._counting: asyncio.Task[None] | None = None
        self._out: Outgoing | None = None
        self._counted = False
        self._thinking_left = False

    async def run(self) -> None:
        """Runs to the end; raises CancelledError after a stop, AppError after a failure, both with all kept."""
        try:
            await self._rounds()
        finally:
            if self._counting is not None:
                self._counting.cancel()
            if self._out is not None and self._out.record.state is RequestState.SENT:
                # Saved but cut before anything could come of it.
                stopped = replace(self._out.record, state=RequestState.STOPPED)
                await asyncio.shield(self._store.update_request(stopped))
            if self._earlier_head is not None and not self._replied:
                # Nothing came of the other version: the answer there was stays in use.
                await asyncio.shield(self._store.move_head(self.ids[0], self._earlier_head))

    async def _rounds(self) -> None:
        setting, client = await self._patience().until_done(self._open)
        await self._past.look()
        self._compacts = self._past.threshold is not None
        await self._tell_facts(setting)
        tip, paused = self._question.id, False
        for number in range(1, MOST_ROUNDS + 1):
            path = await self._store.path_to(tip)
            reply, setting = await self._round(path, setting, client, number, paused=paused)
            if self._compacts:
                self._compacts = False
                setting = await self._compacted(path, reply, setting)
                if reply.stop_reason == "compaction":
                    continue
            tip, paused = reply.id, reply.stop_reason == "pause_turn"
            if paused:
                continue
            reason = reply.stop_reason or "end_turn"
            if reason in CUT_REASONS or reason == "refusal" or not tool_calls(reply.blocks):
                self._emit(turn_events.TurnFinished(*self.ids, reason, reason in CUT_REASONS))
                return
            tip = await self._run_tools(reply, path, setting)
        self._emit(turn_events.TurnFinished(*self.ids, "tool_rounds", True))

    async def _compacted(self, path: list[Message], reply: Message, setting: TurnSetting) -> TurnSetting:
        """Takes over what the API compacted before it answered, and what holds for the turn from then on."""
        block = next((block for block in reply.blocks if block.get("type") == "compaction"), None)
        if block is None:
            return setting
        assert self._out is not None
        self._compacting = False
        if await self._past.adopt(path, setting, block, self._out.record) is None:
            return setting
        return await self._context.setting(self._question.conversation_id, path, store_epoch=True)

    async def _open(self) -> tuple[TurnSetting, ModelEndpoint]:
        """What holds for the whole turn; read again when the endpoint is changed in between."""
        while True:
            path = await self._store.path_to(self._question.id)
            setting = await self._context.setting(self._question.conversation_id, path, store_epoch=True)
            client = await self._access.client()
            if client.endpoint == setting.endpoint:
                return setting, client

    async def _tell_facts(self, setting: TurnSetting) -> None:
        """Keeps what is told beside the question; one that was told other things before is asked as another version.

        What stood beside a message stays as it was sent: replies are bound to it.
        """
        path = await self._store.path_to(self._question.id)
        notes = await self._context.with_notes(path, setting)
        if notes is None:
            return
        answered = await self._store.tip_below(self._question.id) != self._question.id
        if self._question.notes is not None or (answered and notes.notes):
            self._earlier_head = (await self._store.conversation(self.ids[0])).head_id
            again = replace(self._question, id=new_id(), created_at=None, notes=None)
            self._question = await asyncio.shield(self._store.add_message(again))
            self.ids = (again.conversation_id, again.id)
            self._emit(turn_events.TurnOpened(*self.ids, self._question))
            await self._tell_facts(setting)
            return
        await asyncio.shield(self._context.keep_notes(self._question.id, notes, setting))
        self._question = replace(self._question, notes=notes)
        self._emit(turn_events.NotesTold(*self.ids, notes))

    async def _round(
        self, path: list[Message], setting: TurnSetting, client: ModelEndpoint, number: int, *, paused: bool
    ) -> tuple[Message, TurnSetting]:
        """One answered request. Thinking that the endpoint no longer takes is left behind, once and in the open.

        What no longer fits is given room by compacting the closed turns, once a turn.
        """
        try:
            prepared = await self._ready(path, setting, client, paused=paused)
            if prepared.left_out and number == 1:
                self._emit(turn_events.MediaLeftOut(*self.ids, prepared.left_out))
            return await self._answered(path, prepared, setting, client, number)
        except (errors.ContextTooLarge, errors.WindowExceeded):
            # Inside the tool loop only where the API leaves out the thinking that was bound to what is folded.
            can = number == 1 or setting.features.block_binding or not setting.features.thinking
            if self._made_room or not can or not await self._past.make_room(path):
                raise
            self._made_room = True
            setting = await self._context.setting(self._question.conversation_id, path, store_epoch=True)
            if number > 1:
                choices = replace(setting.choices, drop_thinking=True)
                setting = replace(setting, choices=choices, open_turn=self._question.id)
            return await self._round(path, setting, client, number, paused=paused)
        except errors.ThinkingUnfit as error:
            if self._thinking_left:
                raise
            self._thinking_left = True
            self._emit(turn_events.RetryScheduled(*self.ids, 0.0, 2, 2, error))
            setting = await self._context.without_thinking(self._question.conversation_id, setting)
            prepared = await self._ready(path, setting, client, paused=paused)
            return await self._answered(path, prepared, setting, client, number)

    async def _ready(
        self, path: list[Message], setting: TurnSetting, client: ModelEndpoint, *, paused: bool
    ) -> Prepared:
        """Plans and checks the request; waits for an exact count only where the estimate is near the window."""
        conversation_id = self._question.conversation_id
        threshold = self._past.threshold
        if self._compacts and threshold is not None:
            choices = replace(setting.choices, edits=(*setting.choices.edits, compact_at(threshold)))
            setting = replace(setting, choices=choices)
        prepared = await self._context.prepare(conversation_id, path, setting)
        if prepared.near_limit and setting.features.counting:
            self._counted = True
            prepared = await self._sending.counted(prepared, setting, client) or prepared
        return await self._sending.ready(prepared, setting, conversation_id, paused=paused)

    def _count_beside(self, setting: TurnSetting, client: ModelEndpoint) -> None:
        """Counts the turn's first request while it is being answered."""
        if self._counted or not setting.features.counting:
            return
        self._counted = True

        async def count(first: Outgoing) -> None:
            exact = await self._sending.counted(first.prepared, setting, client)
            out = self._out
            if exact is None or out is None:
                return
            if out.record.digest != first.record.digest:
                # The turn has gone on to another request.
                ended, _ = await self._store.request(first.record.id)
                await self._store.update_request(replace(ended, counted=exact.counted))
                return
            self._out = _counted(out, exact)
            if self._out.prepared is exact:
                self._emit(turn_events.BudgetChanged(*self.ids, out.record.id, exact.budget))
            await self._store.update_request(self._out.record)

        assert self._out is not None
        self._counting = asyncio.create_task(count(self._out))

    async def _answered(
        self,
        path: list[Message],
        prepared: Prepared,
        setting: TurnSetting,
        client: ModelEndpoint,
        number: int,
    ) -> tuple[Message, TurnSetting]:
        """Sends until an answer is whole; every attempt is a request of its own in the log.

        A fact that is deleted during a wait is not sent again: the turn then goes on in a new epoch. Inside its tool
        loop it cannot, for thinking is bound to the prefix.
        """
        partial, waited = PartialReply(), False

        async def attempt() -> Message:
            nonlocal partial, waited, setting, prepared
            partial = PartialReply()
            if waited and number == 1 and await self._context.is_stale(path, setting):
                setting = await self._context.setting(self._question.conversation_id, path, store_epoch=True)
                prepared = await self._ready(path, setting, client, paused=False)
            waited = True
            await self._save_request(path, prepared, setting, number)
            prepared = replace(prepared, counted=None)  # it was counted once, however often it is sent
            return await self._attempt(path[-1], partial, setting, client)

        return await self._patience().until_done(attempt, lambda: partial.anything), setting

    def _patience(self) -> Patience:
        return Patience(self._emit, self.ids, self._control.hurry)

    async def _save_request(self, path: list[Message], prepared: Prepared, setting: TurnSetting, number: int) -> None:
        turn = sum(1 for message in path if message.opens_turn)
        self._out = await self._sending.leave(prepared, setting, self.ids, turn, number)
        self._emit(turn_events.ContextPrepared(*self.ids, self._out.record.id, prepared.budget))

    async def _attempt(
        self, parent: Message, partial: PartialReply, setting: TurnSetting, client: ModelEndpoint
    ) -> Message:
        """One request: streams, flushes, and stores what came of it, also after a stop, a failure or a fault."""
        assert self._out is not None
        began = time.monotonic()
        writing = ReplyWriting(
            self._store, self._new_reply(parent, setting), self._emit, self.ids, after_compaction=self._compacts
        )
        self._emit(turn_events.Waiting(*self.ids, setting.endpoint.host))
        self._count_beside(setting, client)
        try:
            async with client.stream(self._out.prepared.request) as events:
                async for event in events:
                    partial.take(event)
                    self._tell_compaction(event)
                    await writing.take(event, partial)
            if partial.closed is None or partial.closed.stop_reason is None:
                raise errors.StreamBroken("the stream ended without its last event")
        except asyncio.CancelledError:
            state = MessageState.INTERRUPTED if self._control.closing else MessageState.STOPPED
            await asyncio.shield(self._close(writing, partial, setting, began, state, RequestState.STOPPED))
            raise
        except Exception as error:
            word = error.word if isinstance(error, errors.AppError) else errors.Unexpected.word
            await self._close(writing, partial, setting, began, MessageState.INTERRUPTED, RequestState.FAILED, word)
            raise
        return await self._close(writing, partial, setting, began, MessageState.COMPLETE, RequestState.ANSWERED)

    def _tell_compaction(self, event: StreamEvent) -> None:
        """The API's own summary as it comes, before the answer."""
        match event:
            case BlockOpened(_, "compaction"):
                assert self._out is not None
                self._compacting = True
                before = self._out.prepared.budget.total
                cause, strategy = CompactionCause.AUTOMATIC, Strategy.SERVER
                self._emit(turn_events.FoldingStarted(*self.ids, (), before, cause, strategy=strategy))
            case CompactionArrived(_, text):
                self._emit(turn_events.MemoArrived(*self.ids, text))

    def _new_reply(self, parent: Message, setting: TurnSetting) -> Message:
        assert self._out is not None
        return Message(
            id=new_id(),
            conversation_id=parent.conversation_id,
            parent_id=parent.id,
            role=Role.ASSISTANT,
            blocks=(),
            origin=Origin.REPLY,
            state=MessageState.STREAMING,
            model=setting.model.id,
            epoch=setting.epoch.number,
            request_id=self._out.record.id,
        )

    async def _close(
        self,
        writing: ReplyWriting,
        partial: PartialReply,
        setting: TurnSetting,
        began: float,
        state: MessageState,
        outcome: RequestState,
        error: str | None = None,
    ) -> Message:
        """Stores the reply as far as it came, its usage and what became of the request, in one transaction."""
        assert self._out is not None
        seconds = time.monotonic() - began
        sent = self._out
        ended = await self._sending.ended(sent, partial, setting, outcome, seconds, error)
        # The count beside the stream may come in wherever this waits: what it told is kept.
        self._out = ended if self._out is sent else _counted(ended, self._out.prepared)
        record = ended.record
        message = replace(
            writing.message,
            blocks=partial.blocks(),
            state=state,
            model=partial.model or setting.model.id,
            stop_reason=record.stop_reason,
            seconds=record.seconds,
        )
        if self._compacting and not writing.stored:
            # The API's summary alone: a compaction, no message. What one cost that broke off nobody told.
            if outcome is not RequestState.ANSWERED:
                self._out = replace(self._out, record=replace(record, usage=None))
            await self._store.update_request(self._out.record)
            if outcome is not RequestState.ANSWERED:
                path = await self._store.path_to(self._question.id)
                await self._past.broke_off(path, setting, self._out.record, error or "stopped")
            return message
        if not writing.stored and not (partial.anything and (message.blocks or outcome is RequestState.ANSWERED)):
            await self._store.update_request(self._out.record)
            return message
        await writing.store_first(message)
        await self._store.finish(message, self._out.record)
        self._replied = True
        if partial.closed is not None and partial.closed.dropped_thinking:
            self._emit(turn_events.ThinkingDropped(*self.ids, len(partial.closed.dropped_thinking)))
        self._emit(turn_events.BudgetChanged(*self.ids, record.id, self._out.prepared.budget))
        self._emit(turn_events.MessageSaved(*self.ids, message, record.usage, record.refusal))
        return message

    async def _run_tools(self, reply: Message, path: list[Message], setting: TurnSetting) -> str:
        """Runs the calls of a reply and stores their results; the id of that message."""
        outcomes = await self._toolbox.run_all(tool_calls(reply.blocks), self._call(path, setting.profile.name))
        results = Message(
            id=new_id(),
            conversation_id=reply.conversation_id,
            parent_id=reply.id,
            role=Role.USER,
            blocks=tuple(outcome.as_block() for outcome in outcomes),
            origin=Origin.TOOL_RESULTS,
        )
        stored = await asyncio.shield(self._store.add_message(results))
        for outcome in outcomes:
            self._emit(
                turn_events.ToolFinished(*self.ids, outcome.call_id, outcome.name, outcome.text, outcome.is_error)
            )
        self._emit(turn_events.MessageSaved(*self.ids, stored))
        return stored.id

    def _call(self, path: list[Message], profile: str) -> ToolCall:
        """What every call of this turn has in common; `path` ends in the message that was answered."""
        question = self._question
        start = next(place for place, message in enumerate(path) if message.id == question.id)
        others = [block for message in path[start + 1 :] if message.role is Role.USER for block in message.blocks]
        attached = [block for block in question.blocks if block.get("type") != "text"]
        typed = question.text if question.origin is Origin.TYPED else ""
        return ToolCall(profile, *self.ids, "", typed, foreign_text=bool(others or attached))


def _counted(out: Outgoing, exact: Prepared) -> Outgoing:
    """A request with what count_tokens told of it; what a reply measured is better known."""
    record = replace(out.record, counted=exact.counted)
    if record.total.known is HowKnown.MEASURED:
        return replace(out, record=record)
    return Outgoing(exact, replace(record, rows=rows_of(exact.budget)))
