"""What the cache did for the requests of a conversation: tokens, hit rate and money, by turn and in all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from functools import reduce
from operator import add
from typing import TypeVar

from desktop_app.core.pricing import Cost, PriceList
from desktop_app.core.request_log import RequestPurpose, RequestRecord, RequestState
from desktop_app.core.usage import Usage

T = TypeVar("T", int, Decimal, Cost)


@dataclass(frozen=True, slots=True)
class CacheFigures:
    """Sums over `requests` requests. Tokens are None where no endpoint reported any, money where none has a price.

    `unreported` of the requests told nothing of a cache, `unpriced` have no known price; the sums are those of the
    others. `saved` in USD, negative where writing did not pay off.
    """

    uncached: int | None = None
    write_5m: int | None = None
    write_1h: int | None = None
    read: int | None = None
    output: int | None = None
    cost: Cost | None = None
    saved: Decimal | None = None
    requests: int = 0
    unreported: int = 0
    unpriced: int = 0
    split_known: bool = True
    output_estimated: bool = False

    @property
    def written(self) -> int | None:
        """Tokens written to the cache, both lifetimes."""
        return _sum(self.write_5m, self.write_1h)

    @property
    def input_total(self) -> int | None:
        """All input tokens of the requests that reported."""
        return None if self.uncached is None else self.uncached + (self.written or 0) + (self.read or 0)

    @property
    def hit_rate(self) -> float | None:
        """The share of all input that was read from the cache, 0 to 1."""
        return (self.read or 0) / self.input_total if self.input_total else None

    def __add__(self, other: CacheFigures) -> CacheFigures:
        return CacheFigures(
            _sum(self.uncached, other.uncached),
            _sum(self.write_5m, other.write_5m),
            _sum(self.write_1h, other.write_1h),
            _sum(self.read, other.read),
            _sum(self.output, other.output),
            _sum(self.cost, other.cost),
            _sum(self.saved, other.saved),
            self.requests + other.requests,
            self.unreported + other.unreported,
            self.unpriced + other.unpriced,
            self.split_known and other.split_known,
            self.output_estimated or other.output_estimated,
        )


@dataclass(frozen=True, slots=True)
class CacheTurn:
    """The requests of one turn, or the one that wrote a memo; `id` is the turn's, or the memo's request.

    `after_memo` is set for the first turn behind a memo: its prefix is a new one.
    """

    id: str
    purpose: RequestPurpose
    turn: int
    sent_at: datetime
    figures: CacheFigures
    after_memo: bool = False


@dataclass(frozen=True, slots=True)
class CacheReport:
    """The turns of a conversation in the order they were sent, and their sum. `dated` is the day of the prices."""

    conversation_id: str
    simulated: bool
    turns: tuple[CacheTurn, ...]
    dated: date

    @property
    def total(self) -> CacheFigures:
        """The sum of all turns and memos."""
        return _total(turn.figures for turn in self.turns)

    @property
    def last(self) -> CacheTurn | None:
        """The last turn of the chat."""
        return next((turn for turn in reversed(self.turns) if turn.purpose is RequestPurpose.CHAT), None)


def cache_report(
    conversation_id: str, records: Sequence[RequestRecord], prices: PriceList, *, simulated: bool = False
) -> CacheReport:
    """The report on requests given in the order they were sent; what a simulated assistant did costs nothing."""
    turns: dict[str, list[RequestRecord]] = {}
    for record in filter(_counts, records):
        turns.setdefault(record.turn_id if record.purpose is RequestPurpose.CHAT else record.id, []).append(record)
    found: list[CacheTurn] = []
    for name, inside in turns.items():
        first = inside[0]
        figures = _total(_figures(record, None if simulated else prices) for record in inside)
        after = bool(found) and found[-1].purpose is RequestPurpose.MEMO and first.purpose is RequestPurpose.CHAT
        found.append(CacheTurn(name, first.purpose, first.turn, first.sent_at, figures, after))
    return CacheReport(conversation_id, simulated, tuple(found), prices.dated)


def _counts(record: RequestRecord) -> bool:
    """A request under way, and one that failed before anything came of it, has no figures yet or at all."""
    return record.usage is not None or record.state not in (RequestState.SENT, RequestState.FAILED)


def _figures(record: RequestRecord, prices: PriceList | None) -> CacheFigures:
    usage = record.usage or Usage()
    told = bool(usage.input_total) and (usage.read is not None or usage.written is not None)
    cost = prices.cost_of(record) if prices else None
    return CacheFigures(
        usage.uncached if told else None,
        (usage.write_5m or 0) if told else None,
        (usage.write_1h or 0) if told else None,
        (usage.read or 0) if told else None,
        usage.output,
        cost,
        prices.saved_of(record) if prices else None,
        requests=1,
        unreported=0 if told else 1,
        unpriced=0 if cost else 1,
        split_known=usage.split_known,
        output_estimated=usage.output_estimated,
    )


def _total(figures: Iterable[CacheFigures]) -> CacheFigures:
    return reduce(add, figures, CacheFigures())


def _sum(one: T | None, other: T | None) -> T | None:
    """The sum of what is known; None where nothing is."""
    if one is None or other is None:
        return one if other is None else other
    return one + other
