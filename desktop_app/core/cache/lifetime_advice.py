"""Five minutes or one hour: which lifetime of the cache would have cost least for the pauses a person really makes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from statistics import median

from desktop_app.core.cache.forecast import LIFE, LIFETIMES, PointPart
from desktop_app.core.money.price_rows import Rates
from desktop_app.core.money.pricing import PriceList
from desktop_app.core.request_log import RequestPurpose, RequestRecord
from desktop_app.core.segment import Segment

LEAST_PAUSES = 10
"""Fewer pauses say nothing of a person's habits."""
_LEAST_SAVING = Decimal("0.01")
_LEAST_SHARE = Decimal("0.02")
_MILLION = Decimal(1_000_000)
_SHORT, _LONG = LIFE["5m"], LIFE["1h"]
_HEAD = (Segment.SYSTEM, Segment.TOOLS, Segment.FACTS)


@dataclass(frozen=True, slots=True)
class LifetimeAdvice:
    """What `requests` of the past would have cost under each choice (USD of input), and the pause between them.

    `best` is the cheapest; `saves` is what it would have saved against `current` (0 when that is the best).
    `pause` is the usual one (the median) of the `pauses` between two turns of a conversation.
    """

    current: str
    best: str
    saves: Decimal
    costs: Mapping[str, Decimal]
    pause: timedelta
    requests: int
    pauses: int = 0

    @property
    def worthwhile(self) -> bool:
        """Whether the difference is worth a change: a cent and two percent at least."""
        return self.saves >= max(_LEAST_SAVING, self.costs[self.current] * _LEAST_SHARE)


@dataclass(frozen=True, slots=True)
class _Kept:
    """A prefix in the replayed cache. Tokens; `until` it is forgotten."""

    tokens: int
    until: datetime


@dataclass(frozen=True, slots=True)
class _Point:
    """Down to where a request is kept: a name that only the same prefix has, its tokens, whether the messages begin
    behind it."""

    name: tuple[str, ...]
    tokens: int
    head: bool


def compare_lifetimes(records: Sequence[RequestRecord], prices: PriceList, current: str) -> LifetimeAdvice | None:
    """Replays the chat requests of any number of conversations under each choice of `LIFETIMES`.

    What is still warm counts as read as far as both requests share it, the rest as written. Requests without a
    known price or reported cache are left out; None with fewer than `LEAST_PAUSES` pauses.
    """
    priced = [
        (record, rates)
        for record in sorted(records, key=lambda record: record.sent_at)
        if _replayable(record) and (rates := _rates(record, prices)) is not None
    ]
    pauses = _pauses([record for record, _ in priced])
    if len(pauses) < LEAST_PAUSES or current not in LIFETIMES:
        return None
    costs = {choice: _replayed(priced, choice) for choice in LIFETIMES}
    # At the same cost the shorter lifetime, and the one in use before any other.
    best = min(LIFETIMES, key=lambda choice: (costs[choice], choice != current, LIFETIMES.index(choice)))
    return LifetimeAdvice(
        current,
        best,
        costs[current] - costs[best],
        costs,
        timedelta(seconds=median(one.total_seconds() for one in pauses)),
        len(priced),
        len(pauses),
    )


def _replayable(record: RequestRecord) -> bool:
    usage = record.usage
    reported = usage is not None and bool(usage.input_total) and (usage.read is not None or usage.written is not None)
    return reported and record.purpose is RequestPurpose.CHAT


def _rates(record: RequestRecord, prices: PriceList) -> Rates | None:
    model = record.answered_by or record.model
    return prices.rates(model, _input(record), record.sent_at, host=record.host)


def _input(record: RequestRecord) -> int:
    return (record.usage.input_total if record.usage else None) or 0


def _pauses(records: Sequence[RequestRecord]) -> list[timedelta]:
    """Those the person made: between two turns of one conversation, not within a turn that uses tools."""
    last: dict[str, RequestRecord] = {}
    pauses = []
    for record in records:
        before = last.get(record.conversation_id)
        if before is not None and before.turn_id != record.turn_id:
            pauses.append(record.sent_at - before.sent_at)
        last[record.conversation_id] = record
    return pauses


def _replayed(priced: Sequence[tuple[RequestRecord, Rates]], choice: str) -> Decimal:
    """USD of all input under a choice."""
    cache: dict[tuple[str, ...], _Kept] = {}
    last: dict[str, datetime] = {}
    total = Decimal(0)
    for record, rates in priced:
        usage, sent, size = record.usage, record.sent_at, _input(record)
        before = last.get(record.conversation_id)
        last[record.conversation_id] = sent
        if usage is None or not (usage.read or usage.written):
            total += size * rates.input / _MILLION  # nothing of it is ever cached: it is too small, or not marked
            continue
        points = _points(record)
        warm = [cache[one.name].tokens for one in points if one.name in cache and sent < cache[one.name].until]
        if before is not None and sent - before < _SHORT:
            warm = [usage.read or 0]  # so soon after the one before, every choice would have read what was read
        head = max((one.tokens for one in points if one.head), default=0)
        total += _cost(min(max(warm, default=0), size), head, size, rates, choice)
        for one in points:
            short = choice == "5m" or (choice == "head" and not one.head)
            cache[one.name] = _Kept(one.tokens, sent + (_SHORT if short else _LONG))
    return total


def _points(record: RequestRecord) -> list[_Point]:
    """What stands before its messages, and the whole of it, taken for the beginning of the next request that has the
    same before its messages. A request older than marks are kept tells of its head only by its rows."""
    where, size = (record.host, record.answered_by or record.model), _input(record)
    heads = [one for one in record.points if one.part is not PointPart.MESSAGES]
    if heads:
        points = [_Point((*where, one.digest), min(one.tokens, size), True) for one in heads]
    else:
        rows = sum(figure.tokens for segment, figure in record.rows if segment in _HEAD)
        points = [_Point((*where, record.conversation_id), min(rows, size), True)]
    chain = (*points[-1].name, "messages of", record.conversation_id)
    return [*points, _Point(chain, size, False)]


def _cost(read: int, head: int, size: int, rates: Rates, choice: str) -> Decimal:
    """USD of a request of `size` tokens, of which the first `read` are read and the others written."""
    written_head = max(0, min(head, size) - read)
    rest = size - read - written_head
    head_rate = rates.write_5m if choice == "5m" else rates.write_1h
    rest_rate = rates.write_1h if choice == "1h" else rates.write_5m
    return (read * rates.read + written_head * head_rate + rest * rest_rate) / _MILLION
