"""Why requests of a conversation missed the cache, and what in the next one may: each compared with the one before."""

from __future__ import annotations

import asyncio
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from desktop_app.core import errors
from desktop_app.core.cache.causes import Cause, SentRequest
from desktop_app.core.cache.culprit import MissReport, is_noise, miss_report
from desktop_app.core.cache.left import answer_began, answers_turn, input_of, left_by, read_by
from desktop_app.core.cache.lint import LintFinding, lint
from desktop_app.core.conversation import now
from desktop_app.core.money.pricing import PriceList
from desktop_app.core.ports import ConversationStore
from desktop_app.core.request_log import RequestPurpose, RequestRecord, spans_of
from desktop_app.services.cache_view import CacheView
from desktop_app.services.turn_context import Prepared


@dataclass(frozen=True, slots=True)
class _Step:
    """A request and the one it is compared with; `between` were sent since. `simulated`: to the simulated assistant."""

    before: RequestRecord | None
    after: RequestRecord
    between: tuple[RequestRecord, ...] = ()
    simulated: bool = False

    @property
    def suspect(self) -> bool:
        """Whether, by the figures alone, less was read than was kept."""
        if self.before is None or not answer_began(self.after):
            return False
        left, read = left_by(self.before), read_by(self.after)
        if left is None or read is None:
            return False
        could = min(left, input_of(self.after))
        return not is_noise(max(0, could - read), could)


class CacheReasons:
    """Reads only. Bodies are read only of requests that read less than they could have."""

    def __init__(self, store: ConversationStore, cache: CacheView) -> None:
        self._store = store
        self._cache = cache
        # What a report says of two requests that are over never changes; prices may.
        self._known: dict[str, tuple[_Step, PriceList, MissReport]] = {}

    async def why(self, conversation_id: str, turn: int | None = None) -> MissReport:
        """The report on a turn of the path in use, the last one by default: on its first request that lost anything,
        else on its first. Raises NotFound."""
        steps = [step for step in await self._steps(conversation_id) if step.after.purpose is RequestPurpose.CHAT]
        if turn is not None:
            steps = [step for step in steps if step.after.turn == turn]
        if not steps:
            raise errors.NotFound(what=f"turn {turn}" if turn is not None else "request")
        last_turn = steps[-1].after.turn_id
        steps = [step for step in steps if step.after.turn_id == last_turn]
        return await self._report(next((step for step in steps if step.suspect), steps[0]))

    async def misses(self, conversation_id: str, records: Sequence[RequestRecord] | None = None) -> list[MissReport]:
        """The reports on every request of the path in use, and on memos, that lost something; oldest first.

        `records` are all of the conversation where they were read a moment ago. Raises NotFound.
        """
        suspects = [step for step in await self._steps(conversation_id, records) if step.suspect]
        reports = [await self._report(step) for step in suspects]
        mine = {step.after.id for step in suspects}
        self._known = {known: entry for known, entry in self._known.items() if known in mine}
        return [report for report in reports if report.culprit.cause is not Cause.NONE]

    async def lint_next(self, prepared: Prepared, before: SentRequest | None) -> tuple[LintFinding, ...]:
        """What in the prefix of the next request is likely to cost the cache; `before` is the last one of its path."""
        return await asyncio.to_thread(lint, prepared.request, spans_of(prepared.plan), before, now())

    async def _records_and_path(
        self, conversation_id: str, known: Sequence[RequestRecord] | None
    ) -> tuple[list[RequestRecord], frozenset[str]]:
        """The requests of a conversation, oldest first, and the ids of the messages in use."""
        records = known if known is not None else await self._store.requests(conversation_id)
        ordered = sorted(records, key=lambda record: record.sent_at)
        return ordered, frozenset(await self._store.path_ids(conversation_id))

    async def _steps(self, conversation_id: str, known: Sequence[RequestRecord] | None = None) -> list[_Step]:
        """The requests of the path in use, oldest first, each with the last answered one of a turn before it."""
        simulated = (await self._store.conversation(conversation_id)).simulated
        records, on_path = await self._records_and_path(conversation_id, known)
        moments = [record.sent_at for record in records]
        steps: list[_Step] = []
        before: RequestRecord | None = None
        for record in records:
            if record.turn_id not in on_path:
                continue
            start = bisect_right(moments, before.sent_at) if before else 0
            between = records[start : bisect_left(moments, record.sent_at)]
            steps.append(_Step(before, record, _of_one_cache(between, record, simulated=simulated), simulated))
            if answers_turn(record):
                before = record
        return steps

    async def _report(self, step: _Step) -> MissReport:
        """The report on a step, from memory where nothing of it changed."""
        prices = self._cache.prices
        if (known := self._known.get(step.after.id)) is not None and known[:2] == (step, prices):
            return known[2]
        before, after = await self._sent(step.before), await self._sent(step.after)
        assert after is not None
        report = miss_report(before, after, prices, between=step.between, simulated=step.simulated)
        self._known[step.after.id] = (step, prices, report)
        return report

    async def _sent(self, record: RequestRecord | None) -> SentRequest | None:
        return SentRequest(*await self._store.request(record.id)) if record is not None else None


def _of_one_cache(
    records: Sequence[RequestRecord], record: RequestRecord, *, simulated: bool
) -> tuple[RequestRecord, ...]:
    """Those to the same server and model: no others keep its prefix alive. The simulated assistant has another port at
    each start."""
    return tuple(one for one in records if one.model == record.model and (simulated or one.host == record.host))
