"""Compaction of conversations: whether it is due, what it would do now, and doing it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from desktop_app.core import errors, turn_events
from desktop_app.core.compaction import trigger
from desktop_app.core.compaction.compaction import (
    SERVER_STRATEGIES,
    Compaction,
    CompactionCause,
    CompactionState,
    Strategy,
    WrittenBy,
    failure_of,
)
from desktop_app.core.compaction.plan import FoldOrder, FoldPlan, FoldState, Way
from desktop_app.core.context import memo_in_use
from desktop_app.core.conversation import Block, Message, is_blank, new_id, now
from desktop_app.core.ports import ConversationStore, ModelEndpoint
from desktop_app.core.request_log import RequestRecord
from desktop_app.core.token_estimate import TokenEstimator
from desktop_app.core.usage import Figure, Known
from desktop_app.services.compaction.asking import Asking
from desktop_app.services.compaction.cutting import Cut, Cutting, fixed_tokens
from desktop_app.services.compaction.fill import ContextFill, FillGauge, shares_of
from desktop_app.services.compaction.leaving import Leaving
from desktop_app.services.compaction.resting import rest_of
from desktop_app.services.compaction.reviewing import CompactionReview
from desktop_app.services.compaction.strategies import CompactionStrategy, Draft, Work
from desktop_app.services.compaction.summing_up import checked, summed_up, with_values
from desktop_app.services.compaction.ways import Ways
from desktop_app.services.endpoint_access import EndpointAccess
from desktop_app.services.patience import Patience
from desktop_app.services.prices import PriceService
from desktop_app.services.reply_writing import Emit
from desktop_app.services.sending import Sending
from desktop_app.services.settings import SettingsService
from desktop_app.services.turn_context import LEAST_RESERVE, TurnContext, TurnSetting


class CompactionService:
    """Compacts conversations; whoever calls what changes one holds the conversation meanwhile."""

    def __init__(
        self,
        store: ConversationStore,
        access: EndpointAccess,
        context: TurnContext,
        sending: Sending,
        settings: SettingsService,
        prices: PriceService,
        strategies: Mapping[Strategy, CompactionStrategy],
        reviewing: CompactionReview,
    ) -> None:
        self._store = store
        self._access = access
        self._context = context
        self._sending = sending
        self._settings = settings
        self._strategies = strategies
        self._reviewing = reviewing
        self._gauge = FillGauge(store, context, settings)
        self._cutting = Cutting(self._gauge)
        self._ways = Ways(store, access, context, settings, prices)

    # -- looking ahead

    async def plan(self, conversation_id: str, strategy: Strategy | None = None) -> FoldPlan:
        """What would be compacted now, without asking a model for anything; raises NothingToFold."""
        fill = await self._gauge.preview(conversation_id, await self._possible(strategy))
        cut = await self._cutting.cut(fill)
        ways = await self._ways.of(fill, cut.boundary)
        place, folded = cut.boundary.place, len(cut.boundary.folded)
        opened = [sum(1 for message in fill.path[:end] if message.opens_turn) for end in (place - folded, place)]
        return FoldPlan(
            fill.strategy,
            cut.boundary.folded,
            (min(opened[0] + 1, opened[1]), opened[1]),
            cut.boundary.folded_tokens,
            cut.boundary.kept_tokens,
            fill.used,
            Figure(cut.after, Known.ESTIMATED),
            ways,
            shares_of(fill.budget, fill.used.tokens),
            cut.rows_after,
        )

    async def state(self, conversation_id: str) -> FoldState:
        """How full the context is, and whether compaction by itself is due."""
        fill = await self._gauge.preview(conversation_id, await self._possible(None))
        compactions = await self._store.compactions(conversation_id)
        proposal = _proposal(fill.path, compactions)
        used = fill.used if fill.path else None
        state = FoldState(fill.threshold, used, False, fill.setting.compaction, proposal)
        if not fill.over:
            return state
        epochs = await self._store.epochs(conversation_id)
        rest = rest_of(fill, compactions, epochs)
        stuck = rest.stuck
        cut: Cut | None = None
        try:
            cut = await self._cutting.cut(fill)
            stuck = cut.stuck or stuck
        except errors.NothingToFold:
            fixed = trigger.due(fixed_tokens(shares_of(fill.budget)), fill.threshold)
            stuck = stuck or ("compaction.stuck.fixed" if fixed else "compaction.stuck.nothing")
        due = proposal is None and not stuck and rest.until is None and cut is not None and cut.enough
        return replace(state, due=due, rests_until=rest.until, stuck=stuck)

    async def is_due(self, conversation_id: str) -> bool:
        """Whether the conversation is to be compacted by itself now, and not by the API while it answers."""
        state = await self.state(conversation_id)
        return state.due and not await self._left_to_api(state)

    async def threshold_of_api(self, conversation_id: str) -> int | None:
        """Tokens at which the API is to compact by itself in the next turn; None where it is not to."""
        if self._settings.profile.fold_strategy != Strategy.SERVER:
            return None
        try:
            state = await self.state(conversation_id)
        except errors.AppError:
            return None
        if state.proposal or state.rests_until or state.stuck or not await self._left_to_api(state):
            return None
        return state.threshold

    async def _left_to_api(self, state: FoldState) -> bool:
        """Whether the API compacts by itself while it answers: not where the person wants to see it first, nor beside a
        block it made on demand."""
        profile = self._settings.profile
        wanted = profile.fold_strategy == Strategy.SERVER and not profile.fold_review
        on_demand = state.current is not None and state.current.strategy is Strategy.SERVER_NOW
        return wanted and not on_demand and await self._offered(Strategy.SERVER)

    async def current(self, conversation_id: str) -> Compaction | None:
        """The compaction in use."""
        path = await self._store.path(conversation_id)
        return memo_in_use(path, await self._store.compactions(conversation_id))

    async def strategies(self) -> list[tuple[Strategy, str]]:
        """Every strategy; why the endpoint cannot do it as a catalogue id, empty where it can."""
        profile = self._settings.profile
        try:
            features = await self._access.features(await self._access.model(profile.model))
        except errors.AppError:
            return [(one, "compaction.not_offered" if one in SERVER_STRATEGIES else "") for one in Strategy]
        offered = {Strategy.SERVER: features.server_compaction, Strategy.SERVER_NOW: features.server_compaction_now}
        return [(one, "" if offered.get(one, True) else "compaction.not_offered") for one in Strategy]

    async def _offered(self, strategy: Strategy) -> bool:
        return not dict(await self.strategies())[strategy]

    async def _possible(self, wanted: Strategy | None) -> Strategy:
        """The strategy to take when we compact: the API's on demand for the one at a threshold, which only comes with
        an answer; a handover memo for what it cannot do. Raises StrategyNotOffered for one asked for by name."""
        strategy = wanted or Strategy(self._settings.profile.fold_strategy)
        if strategy not in SERVER_STRATEGIES or await self._offered(Strategy.SERVER_NOW):
            return Strategy.SERVER_NOW if strategy is Strategy.SERVER else strategy
        if wanted is not None:
            raise errors.StrategyNotOffered(strategy=wanted.value)
        return Strategy.MEMO

    # -- doing it

    async def makes_room(self, path: list[Message]) -> bool:
        """Whether the next request of a path would fit its window when its closed turns were compacted."""
        try:
            setting = await self._context.setting_for_preview(path[-1].conversation_id, path)
            fill = await self._gauge.of(path, setting, await self._possible(None))
            cut = await self._cutting.cut(fill, by_api=True)
        except errors.AppError:
            return False
        window = setting.model.window
        if window is None:
            return trigger.real_gain(fill.used.tokens, cut.after)
        return cut.after + LEAST_RESERVE <= window

    async def fold(
        self,
        conversation_id: str,
        order: FoldOrder,
        emit: Emit,
        hurry: asyncio.Event | None = None,
        *,
        path: list[Message] | None = None,
    ) -> Compaction:
        """Compacts by a strategy, checks and repairs the result and keeps it, for use at once or as a proposal.

        Raises NothingToFold, StrategyNotOffered, MemoUnusable, SummaryUnusable, ContextTooLarge, RequestRefused,
        StoreUnavailable or EndpointError, and CancelledError after a stop; then the context is as it was, and what was
        spent stands in the log. One event tells the end: done, stopped or failed. `hurry` ends a wait between attempts.
        Without a `path` the one in use is taken.
        """
        return await self._run(conversation_id, order, (), emit, hurry, path)

    async def again(self, compaction_id: str, emit: Emit, hurry: asyncio.Event | None = None) -> Compaction:
        """Another proposal in place of one, for which the model is told what the first lost; raises as `fold` does."""
        first = await self._store.compaction(compaction_id)
        if first.state is not CompactionState.PROPOSED:
            raise errors.ProposalOutdated()
        check = await self._reviewing.check(compaction_id)
        missing = tuple(value.text for value in (*check.lost, *check.reworded))
        order = FoldOrder(first.cause, first.focus, first.strategy, review=True, by=_way_of(first))
        return await self._run(first.conversation_id, order, missing, emit, hurry)

    async def _run(
        self,
        conversation_id: str,
        order: FoldOrder,
        missing: tuple[str, ...],
        emit: Emit,
        hurry: asyncio.Event | None,
        path: list[Message] | None = None,
    ) -> Compaction:
        path = path or await self._store.path(conversation_id)
        ids = (conversation_id, _last_turn(path))
        run = _Run(ids, path, order, missing, emit, Patience(emit, ids, hurry))
        made: Compaction | None = None
        try:
            made = await self._made(run)
            keeping = asyncio.ensure_future(self._keep(made))
            await asyncio.shield(keeping)
        except asyncio.CancelledError:
            if made is None:
                with suppress(errors.StoreUnavailable):
                    await asyncio.shield(self._keep_failure(run, "stopped"))
                emit(turn_events.FoldingStopped(*ids))
                raise
            try:  # too late: it is being kept
                await keeping
            except errors.StoreUnavailable as error:
                emit(turn_events.FoldingFailed(*ids, error))
            else:
                emit(turn_events.FoldingDone(*ids, made))
            raise
        except errors.AppError as error:
            await self._fail(run, error, failure_of(error.word, error.params))
            raise
        except Exception as error:
            unexpected = errors.Unexpected(f"{type(error).__name__}: {error}")
            await self._fail(run, unexpected, unexpected.word)
            raise
        emit(turn_events.FoldingDone(*ids, made))
        return made

    async def _fail(self, run: _Run, error: errors.AppError, failure: str) -> None:
        """Keeps and tells that nothing came of it; a disk that refuses silences nobody."""
        with suppress(errors.StoreUnavailable):
            await self._keep_failure(run, failure)
        run.emit(turn_events.FoldingFailed(*run.ids, error))

    async def _made(self, run: _Run) -> Compaction:
        """The checked compaction as it will be kept."""
        strategy = await self._possible(run.order.strategy)
        setting, client = await run.patience.until_done(lambda: self._open(run.ids[0], run.path))
        fill = await self._gauge.of(run.path, setting, strategy)
        cut = await self._cutting.cut(fill)
        run.blank = blank = self._blank(run, fill, cut)
        run.began = time.monotonic()
        work = await self._work(run, fill, cut, client, strategy)
        run.records = work.asking.records
        done = await summed_up(self._strategies[strategy], work)
        made = replace(
            blank,
            summary=done.text,
            block=done.draft.block,
            written_by=done.draft.by,
            model=done.draft.model,
            seconds=run.seconds,
            request_ids=tuple(record.id for record in work.asking.records),
            state=CompactionState.PROPOSED if self._is_reviewed(run.order) else CompactionState.ACTIVE,
        )
        made = await self._gauge.measured(fill, made)
        if made.block is not None and made.after >= made.before:
            raise errors.SummaryUnusable(why="too_long")  # ours are held against their source before
        return made

    def _is_reviewed(self, order: FoldOrder) -> bool:
        return order.review or (order.cause is CompactionCause.AUTOMATIC and self._settings.profile.fold_review)

    async def _open(self, conversation_id: str, path: list[Message]) -> tuple[TurnSetting, ModelEndpoint]:
        """What the summary is asked with; read again when the endpoint is changed in between."""
        while True:
            setting = await self._context.setting(conversation_id, path, store_epoch=False)
            client = await self._access.client()
            if client.endpoint == setting.endpoint:
                return setting, client

    async def _work(self, run: _Run, fill: ContextFill, cut: Cut, client: ModelEndpoint, strategy: Strategy) -> Work:
        boundary = cut.boundary
        separate = await self._ways.separate(fill)
        run.way = way = await self._ways.first(fill, boundary, separate, run.order.by)
        turn = sum(1 for message in fill.path if message.opens_turn)
        started = turn_events.FoldingStarted(*run.ids, boundary.folded, fill.used, run.order.cause, strategy=strategy)
        if way is None:
            run.emit(started)  # who asks a model tells it with each question
        asking = Asking(
            self._store, self._context, self._sending, client, run.ids, turn, started, run.emit, run.patience
        )
        apart = way is not None and way.by not in (WrittenBy.FORK, WrittenBy.SERVER)
        setting = separate.setting if apart else fill.setting
        estimator = await self._context.estimator(setting.endpoint, setting.model.id)
        leaving = _leaving(fill, cut, estimator)
        return Work(fill, boundary, run.order, leaving, way, separate, asking, run.missing)

    def _blank(self, run: _Run, fill: ContextFill, cut: Cut) -> Compaction:
        """The compaction without its text."""
        base = fill.setting.compaction
        return Compaction(
            id=new_id(),
            conversation_id=run.ids[0],
            until_message_id=cut.boundary.until_message_id,
            summary="",
            folded=cut.boundary.place,
            before=fill.used.tokens,
            after=0,
            created_at=now(),
            model="",
            seconds=0.0,
            written_by=WrittenBy.NOBODY,
            cause=run.order.cause,
            focus=run.order.focus,
            strategy=fill.strategy,
            base_id=base.id if base else None,
            folded_tokens=cut.stands_for,
            predicted=cut.after,
            result_limit=cut.result_limit,
        )

    async def _keep(self, made: Compaction) -> None:
        """One transaction; a proposal that waited before gives way."""
        compactions = await self._store.compactions(made.conversation_id)
        waiting = [one for one in compactions if one.state is CompactionState.PROPOSED]
        await self._store.add_compaction(made, rejecting=waiting)

    async def _keep_failure(self, run: _Run, failure: str) -> None:
        """What came to nothing stands in the log with what it cost; the context is as it was."""
        if run.blank is None or (failure == "stopped" and not run.records):
            return
        ids = tuple(record.id for record in run.records)
        failed = replace(run.blank, state=CompactionState.FAILED, failure=failure, request_ids=ids, seconds=run.seconds)
        if run.way is not None:
            failed = replace(failed, written_by=run.way.by, model=run.way.model)
        await self._store.add_compaction(failed)

    async def adopt(
        self, path: list[Message], setting: TurnSetting, block: Block, record: RequestRecord, emit: Emit
    ) -> Compaction | None:
        """Puts to use what the API compacted by itself before it answered the last message of a path.

        The block stands in place of the closed turns, but for those at the end that stay word for word; what of them
        must survive and does not stand in it is carried beside it. None where no turn is closed yet, or the API's
        summary came to nothing: that stands in the log, so that it is not tried in every turn.
        """
        ids = (path[-1].conversation_id, _last_turn(path))
        order = FoldOrder(CompactionCause.AUTOMATIC, strategy=Strategy.SERVER)
        run = _Run(ids, path, order, (), emit, Patience(emit, ids))
        fill = await self._gauge.of(path, setting, Strategy.SERVER)
        try:
            cut = await self._cutting.cut(fill, by_api=True)
        except errors.NothingToFold as error:
            emit(turn_events.FoldingFailed(*ids, error))
            return None
        if is_blank(str(block.get("content") or "")):
            run.blank = _by_server(self._blank(run, fill, cut), record)
            run.records = (record,)
            unusable = errors.SummaryUnusable(why="blank")
            await asyncio.shield(self._keep_failure(run, unusable.word))
            emit(turn_events.FoldingFailed(*ids, unusable))
            return None
        leaving = _leaving(fill, cut, await self._context.estimator(setting.endpoint, setting.model.id))
        draft = Draft("", WrittenBy.SERVER, record.answered_by or record.model, block)
        text = with_values(draft, leaving, await checked(draft, leaving))
        made = replace(
            self._blank(run, fill, cut),
            summary=text,
            block=block,
            written_by=WrittenBy.SERVER,
            model=draft.model,
            seconds=record.seconds or 0.0,
            request_ids=(record.id,),
        )
        made = await self._gauge.measured(fill, made)
        await asyncio.shield(self._keep(made))
        emit(turn_events.FoldingDone(*ids, made))
        return made

    async def broke_off(
        self, path: list[Message], setting: TurnSetting, record: RequestRecord, word: str, emit: Emit
    ) -> None:
        """Keeps in the log that the API began to compact while it answered the last message of a path and came to no
        end: the person stopped it (`stopped`), or it failed with the error of this word."""
        ids = (path[-1].conversation_id, _last_turn(path))
        order = FoldOrder(CompactionCause.AUTOMATIC, strategy=Strategy.SERVER)
        run = _Run(ids, path, order, (), emit, Patience(emit, ids))
        fill = await self._gauge.of(path, setting, Strategy.SERVER)
        with suppress(errors.NothingToFold):
            cut = await self._cutting.cut(fill, by_api=True)
            run.blank = _by_server(self._blank(run, fill, cut), record)
            run.records = (record,)
            await self._keep_failure(run, word)
        emit(turn_events.FoldingStopped(*ids))


@dataclass(slots=True)
class _Run:
    """One compaction under way, and what is known of it so far."""

    ids: tuple[str, str]
    path: list[Message]
    order: FoldOrder
    missing: tuple[str, ...]
    emit: Emit
    patience: Patience
    blank: Compaction | None = None
    records: Sequence[RequestRecord] = ()
    way: Way | None = None
    began: float | None = None
    """By the monotonic clock; None where the API compacted while it answered."""

    @property
    def seconds(self) -> float:
        """What it took so far."""
        if self.began is not None:
            return round(time.monotonic() - self.began, 3)
        return sum(record.seconds or 0.0 for record in self.records)


def _leaving(fill: ContextFill, cut: Cut, estimator: TokenEstimator) -> Leaving:
    boundary = cut.boundary
    start = boundary.place - len(boundary.folded)
    return Leaving(
        path=fill.path,
        folded=fill.path[start : boundary.place],
        first_number=start + 1,
        base=fill.setting.compaction,
        language=fill.language,
        strategy=fill.strategy,
        tokens=cut.leaving,
        stands_for=cut.stands_for,
        threshold=fill.threshold,
        sizes=fill.tokens,
        estimator=estimator,
        tools=bool(fill.setting.epoch.tools),
    )


def _by_server(blank: Compaction, record: RequestRecord) -> Compaction:
    return replace(blank, written_by=WrittenBy.SERVER, model=record.answered_by or record.model)


def _last_turn(path: Sequence[Message]) -> str:
    """The message that opened the last turn; empty on an empty path."""
    return next((message.id for message in reversed(path) if message.opens_turn), path[-1].id if path else "")


def _proposal(path: Sequence[Message], compactions: Sequence[Compaction]) -> Compaction | None:
    """What waits for the person on a path."""
    on_path = {message.id for message in path}
    waiting = [one for one in compactions if one.state is CompactionState.PROPOSED and one.until_message_id in on_path]
    return waiting[-1] if waiting else None


def _way_of(made: Compaction) -> WrittenBy | None:
    if made.written_by is WrittenBy.FORK:
        return WrittenBy.FORK
    return WrittenBy.SEPARATE if made.written_by in (WrittenBy.SEPARATE, WrittenBy.PIECES) else None
