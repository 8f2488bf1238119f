"""What the cache did for the requests of a conversation: tokens, hit rate and money, by turn and in all."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal, localcontext
from functools import reduce
from operator import add
from typing import TypeVar

from desktop_app.core.money.price_sources import NO_PRICES, PriceSources, prices_behind
from desktop_app.core.money.pricing import Cost, PriceList
from desktop_app.core.money.spending import EXACT
from desktop_app.core.money.spent_cost import cost_of, may_be_billed
from desktop_app.core.request_log import RequestPurpose, RequestRecord
from desktop_app.core.usage import Usage

T = TypeVar("T", int, Decimal, Cost)

_ABOUT_FACTS = (RequestPurpose.EXTRACTION, RequestPurpose.JUDGING)
"""They begin with nothing that was sent before, and nothing begins with them: no marks are missing there."""


@dataclass(frozen=True, slots=True)
class CacheFigures:
    """Sums over `requests` requests. Tokens are None where no endpoint reported any, money where none has a price.

    `unreported` of the requests told nothing of a cache, their input is in no sum of tokens and in no `saved`;
    `unpriced` have no known price and are in no sum of money. `cost` is that of all others: what told no usage is in it
    with what it is expected to have cost. `unmarked` carried no cache marks, and nothing was kept or read. `saved` in
    USD, negative where writing did not pay off; `sources` are whose prices the money is made of.
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
    unmarked: int = 0
    sources: PriceSources = NO_PRICES

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
        """The share of all input that was read from the cache, 0 to 1; None where nothing was asked of a cache."""
        if not self.input_total or (not self.read and self.unmarked == self.requests - self.unreported):
            return None
        return (self.read or 0) / self.input_total

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
            self.unmarked + other.unmarked,
            self.sources | other.sources,
        )


@dataclass(frozen=True, slots=True)
class CacheTurn:
    """The requests of one turn, or one that is none of the chat, as for a memo; `id` is the turn's, or that request's.

    `after_memo` is set for the first turn behind a memo: its prefix is a new one; `other_version` for one that is not
    on the path in use.
    """

    id: str
    purpose: RequestPurpose
    turn: int
    sent_at: datetime
    figures: CacheFigures
    after_memo: bool = False
    other_version: bool = False


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
        """The last turn of the chat: of the version in use where that has any."""
        chat = [turn for turn in reversed(self.turns) if turn.purpose is RequestPurpose.CHAT]
        return next((turn for turn in chat if not turn.other_version), chat[0] if chat else None)


def cache_report(
    conversation_id: str,
    records: Sequence[RequestRecord],
    prices: PriceList,
    *,
    simulated: bool = False,
    path: Collection[str] | None = None,
) -> CacheReport:
    """The report on requests given in the order they were sent; what a simulated assistant did costs nothing.

    `path` are the ids of the messages in use, by default those of all turns.
    """
    turns: dict[str, list[RequestRecord]] = {}
    for record in filter(may_be_billed, records):
        turns.setdefault(record.turn_id if record.purpose is RequestPurpose.CHAT else record.id, []).append(record)
    found: list[CacheTurn] = []
    for name, inside in turns.items():
        first = inside[0]
        figures = _total(_figures(record, None if simulated else prices) for record in inside)
        before = next((turn.purpose for turn in reversed(found) if turn.purpose not in _ABOUT_FACTS), None)
        after = before is RequestPurpose.MEMO and first.purpose is RequestPurpose.CHAT
        other = path is not None and first.turn_id not in path
        found.append(CacheTurn(name, first.purpose, first.turn, first.sent_at, figures, after, other))
    return CacheReport(conversation_id, simulated, tuple(found), prices.dated)


def _figures(record: RequestRecord, prices: PriceList | None) -> CacheFigures:
    usage = record.usage or Usage()
    told = bool(usage.input_total) and (usage.read is not None or usage.written is not None)
    cost = cost_of(record, prices) if prices else None
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
        unmarked=1 if told and _is_unmarked(record) and not (usage.read or usage.written) else 0,
        sources=prices_behind(record, prices) if prices and cost and cost.total else NO_PRICES,
    )


def _is_unmarked(record: RequestRecord) -> bool:
    """Whether it lacked cache marks; of one that was sent before they were noted nobody knows."""
    return bool(record.app_version) and not record.points and record.purpose not in _ABOUT_FACTS


def _total(figures: Iterable[CacheFigures]) -> CacheFigures:
    with localcontext(EXACT):
        return reduce(add, figures, CacheFigures())


def _sum(one: T | None, other: T | None) -> T | None:
    """The sum of what is known; None where nothing is."""
    if one is None or other is None:
        return one if other is None else other
    return one + other
