"""Folding the beginning of a conversation into a memo: what would be folded, doing it, and taking it back."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import takewhile

from desktop_app.core import errors, turn_events
from desktop_app.core.compaction.boundary import Boundary
from desktop_app.core.compaction.compaction import Compaction, CompactionCause, CompactionState
from desktop_app.core.compaction.memo import ParsedMemo, Section, memo_text, parse_memo
from desktop_app.core.compaction.memo_request import language_of, memo_request, names_of
from desktop_app.core.context import CUT_REASONS, memo_in_use
from desktop_app.core.conversation import Epoch, Message, new_id, now, text_of, tool_calls
from desktop_app.core.ports import ConversationStore, ModelEndpoint
from desktop_app.core.request_log import RequestPurpose, RequestRecord
from desktop_app.core.usage import Figure, Known
from desktop_app.services.context_fill import ContextFill, FillGauge
from desktop_app.services.endpoint_access import EndpointAccess
from desktop_app.services.memo_writing import Answer, Fork, MemoWriting
from desktop_app.services.patience import Patience
from desktop_app.services.reply_writing import Emit
from desktop_app.services.sending import Sending
from desktop_app.services.settings import SettingsService
from desktop_app.services.turn_context import TurnContext, TurnSetting

_ATTEMPTS = 2
"""Memos asked for before the history stays as it is."""
_USUAL_MEMO = 1_000
"""Tokens a memo is taken to have before it is written."""
_REST = 10
"""Percent a context grows until it is folded by itself again, when that came to nothing or was taken back."""


@dataclass(frozen=True, slots=True)
class FoldPlan:
    """What folding would do now, in tokens: messages that would be folded, what stays word for word behind them.

    `before` and `after` are of the whole context, the latter by our estimate.
    """

    message_ids: tuple[str, ...]
    folded_tokens: int
    kept_tokens: int
    before: Figure
    after: Figure


@dataclass(frozen=True, slots=True)
class FoldState:
    """`threshold` in tokens; `used` by the context so far, None in an empty conversation; the compaction in use.

    `due`: the threshold is reached, there is enough to fold, and it was not just tried in vain or taken back.
    """

    threshold: int
    used: Figure | None
    due: bool
    current: Compaction | None


class CompactionService:
    """Folds and unfolds conversations; whoever calls `fold` or `undo` holds the conversation meanwhile."""

    def __init__(
        self,
        store: ConversationStore,
        access: EndpointAccess,
        context: TurnContext,
        sending: Sending,
        settings: SettingsService,
    ) -> None:
        self._store = store
        self._access = access
        self._context = context
        self._sending = sending
        self._gauge = FillGauge(store, context, settings)
        self._unsent: dict[str, datetime] = {}
        """When a memo could not even be asked for: of that nothing is stored."""

    async def plan(self, conversation_id: str) -> FoldPlan:
        """What would be folded now, without asking a model for anything; raises NothingToFold."""
        fill = await self._gauge.preview(conversation_id)
        boundary = fill.cut()
        after = await self._gauge.after(fill, _Folding(fill, boundary).blank())
        after += min(_USUAL_MEMO, boundary.folded_tokens)
        tokens = (boundary.folded_tokens, boundary.kept_tokens)
        return FoldPlan(boundary.folded, *tokens, fill.used, Figure(after, Known.ESTIMATED))

    async def state(self, conversation_id: str) -> FoldState:
        """How full the context is, and whether folding by itself is due."""
        fill = await self._gauge.preview(conversation_id)
        due = fill.over and not await self._rests(conversation_id, fill)
        return FoldState(fill.threshold, fill.used if fill.path else None, due, fill.setting.compaction)

    async def is_due(self, conversation_id: str) -> bool:
        """Whether the conversation is to be folded by itself now."""
        return (await self.state(conversation_id)).due

    async def current(self, conversation_id: str) -> Compaction | None:
        """The compaction in use."""
        path = await self._store.path(conversation_id)
        return memo_in_use(path, await self._store.compactions(conversation_id))

    async def undo(self, conversation_id: str) -> Compaction | None:
        """Takes the compaction in use out of use, so that what it folded is sent again; None without one."""
        compaction = await self.current(conversation_id)
        if compaction is None:
            return None
        undone = replace(compaction, state=CompactionState.UNDONE)
        await self._store.update_compaction(undone)
        return undone

    async def fold(
        self,
        conversation_id: str,
        focus: str,
        cause: CompactionCause,
        emit: Emit,
        hurry: asyncio.Event | None = None,
    ) -> Compaction:
        """Has a memo written, checks it and keeps it: from the next request on it stands in place of what it folds.

        Raises NothingToFold, MemoUnusable, ContextTooLarge, RequestRefused, StoreUnavailable or EndpointError, and
        CancelledError after a stop; then everything is as it was. One event tells the end: done, stopped or failed.
        `hurry` ends a wait between two attempts.
        """
        path = await self._store.path(conversation_id)
        ids = (conversation_id, _last_turn(path))
        made: Compaction | None = None
        try:
            made = await self._written(path, ids, focus, cause, emit, Patience(emit, ids, hurry))
            keeping = asyncio.ensure_future(self._store.add_compaction(made))
            await asyncio.shield(keeping)
        except asyncio.CancelledError:
            if made is None:
                emit(turn_events.FoldingStopped(*ids))
            else:  # too late: it is being kept
                await keeping
                emit(turn_events.FoldingDone(*ids, made))
            raise
        except errors.AppError as error:
            if isinstance(error, errors.ContextTooLarge | errors.RequestRefused):
                self._unsent[conversation_id] = now()
            emit(turn_events.FoldingFailed(*ids, error))
            raise
        except Exception as error:
            emit(turn_events.FoldingFailed(*ids, errors.Unexpected(f"{type(error).__name__}: {error}")))
            raise
        emit(turn_events.FoldingDone(*ids, made))
        return made

    async def _written(
        self,
        path: list[Message],
        ids: tuple[str, str],
        focus: str,
        cause: CompactionCause,
        emit: Emit,
        patience: Patience,
    ) -> Compaction:
        """The checked memo as it will be kept; raises MemoUnusable when the second is no better than the first."""
        setting, client = await patience.until_done(lambda: self._open(ids[0], path))
        fill = await self._gauge.of(path, setting)
        folding = _Folding(fill, fill.cut(), cause, focus)
        began = time.monotonic()
        fork = Fork(client, setting, path[: folding.boundary.place], folding.turn, ids)
        writing = MemoWriting(self._store, self._context, self._sending, fork, emit, patience)
        language = language_of(path)
        unusable: Collection[Section] = ()
        for number in range(1, _ATTEMPTS + 1):
            emit(turn_events.FoldingStarted(*ids, folding.boundary.folded, fill.used, cause, number))
            answer = await writing.ask(memo_request(language, focus, unusable), number)
            parsed = parse_memo("\n\n".join(text_of(answer.blocks)))
            unusable = _unusable(answer, parsed)
            if not unusable:
                made = folding.made(memo_text(parsed.sections, language), answer, time.monotonic() - began)
                return replace(made, after=await self._gauge.after(fill, made))
        raise errors.MemoUnusable(missing=names_of(unusable, language))

    async def _open(self, conversation_id: str, path: list[Message]) -> tuple[TurnSetting, ModelEndpoint]:
        """What the memo is asked with; read again when the endpoint is changed in between."""
        while True:
            setting = await self._context.setting(conversation_id, path, store_epoch=False)
            client = await self._access.client()
            if client.endpoint == setting.endpoint:
                return setting, client

    async def _rests(self, conversation_id: str, fill: ContextFill) -> bool:
        """Whether the context has hardly grown since a folding came to nothing or was taken back.

        It is not done, and paid for, again after every turn; read from what is stored, for another process or an
        earlier run may have tried.
        """
        compactions = await self._store.compactions(conversation_id)
        epochs = await self._store.epochs(conversation_id)
        records = await self._store.requests(conversation_id)
        moments = [*_last_uses_of_undone(fill.path, compactions, epochs), *_vain_memo(fill.path, compactions, records)]
        if conversation_id in self._unsent:
            moments.append(self._unsent[conversation_id])
        return any(fill.used.tokens * 100 < fill.at(moment) * (100 + _REST) for moment in moments)


@dataclass(frozen=True, slots=True)
class _Folding:
    """One folding: the context it finds, where it cuts, and what it was asked for with."""

    fill: ContextFill
    boundary: Boundary
    cause: CompactionCause = CompactionCause.BY_HAND
    focus: str = ""

    @property
    def turn(self) -> int:
        """The number of the last turn, from 1."""
        return sum(1 for message in self.fill.path if message.opens_turn)

    def blank(self) -> Compaction:
        """The compaction without its memo."""
        return Compaction(
            id=new_id(),
            conversation_id=self.fill.path[0].conversation_id,
            until_message_id=self.boundary.until_message_id,
            memo="",
            folded=self.boundary.place,
            before=self.fill.used.tokens,
            after=0,
            created_at=now(),
            model=self.fill.setting.model.id,
            seconds=0.0,
            request_id="",
            cause=self.cause,
            focus=self.focus,
        )

    def made(self, memo: str, answer: Answer, seconds: float) -> Compaction:
        """The compaction with the memo of an answer; the context after it is still open."""
        record, blank = answer.record, self.blank()
        model = record.answered_by or blank.model
        return replace(blank, memo=memo, request_id=record.id, model=model, seconds=round(seconds, 3))


def _last_uses_of_undone(
    path: Sequence[Message], compactions: Sequence[Compaction], epochs: Sequence[Epoch]
) -> Iterator[datetime]:
    """When the newest compactions of a path, as far as they were taken back, were made and last sent."""
    ids = {message.id for message in path}
    memo_of = {epoch.number: epoch.compaction_id for epoch in epochs}
    of_path = [compaction for compaction in compactions if compaction.until_message_id in ids]
    for undone in takewhile(lambda one: one.state is CompactionState.UNDONE, reversed(of_path)):
        yield undone.created_at
        for message in path:
            sent_with = None if message.epoch is None else memo_of.get(message.epoch)
            if sent_with == undone.id and message.created_at is not None:
                yield message.created_at


def _vain_memo(
    path: Sequence[Message], compactions: Sequence[Compaction], records: Sequence[RequestRecord]
) -> Iterator[datetime]:
    """When a memo was last asked for on a path, if no compaction came of it."""
    memos = [record for record in records if record.purpose is RequestPurpose.MEMO]
    kept = {compaction.request_id for compaction in compactions}
    if memos and memos[-1].id not in kept and any(message.id == memos[-1].turn_id for message in path):
        yield memos[-1].sent_at


def _last_turn(path: list[Message]) -> str:
    """The message that opened the last turn; empty on an empty path."""
    return next((message.id for message in reversed(path) if message.opens_turn), path[-1].id if path else "")


def _unusable(answer: Answer, parsed: ParsedMemo) -> Collection[Section]:
    """The sections that cannot be used; all of them where the answer was no memo at all."""
    reason = answer.record.stop_reason
    if tool_calls(answer.blocks) or reason in ("refusal", "pause_turn"):
        return tuple(Section)
    cut = list(parsed.sections)[-1:] if reason in CUT_REASONS else []
    return {*parsed.missing, *parsed.repeated, *cut}
