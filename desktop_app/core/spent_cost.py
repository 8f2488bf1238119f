"""What each request was spent on and what it cost, also those that failed, were stopped or told no usage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from desktop_app.core.pricing import Cost, PriceList
from desktop_app.core.request_log import RequestPurpose, RequestRecord, RequestState
from desktop_app.core.spending import SpendingLine, SpentOn, SpentRequest
from desktop_app.core.usage import SidePass, Usage

_ANSWERING = ("message", "fallback_message")
"""Passes beside the last one that wrote the answer too."""
_NOTHING, _FREE, _NO_USAGE, _ONE_CALL = Decimal(0), Cost(), Usage(), SpendingLine(1)


@dataclass(frozen=True, slots=True)
class PricedRequest:
    """A request that has ended. `usage` as reported, or as expected where nothing was; `cost` None where unknown.

    `beside_usd` is the part of the cost that was for passes that wrote no answer; `counted` says that its tokens were
    counted before it left.
    """

    request: SpentRequest
    on: SpentOn
    usage: Usage | None
    cost: Cost | None
    beside_usd: Decimal = _NOTHING
    counted: bool = False

    @property
    def beside(self) -> tuple[SidePass, ...]:
        """The passes that wrote no answer."""
        return beside(self.usage)

    def lines(self) -> list[tuple[SpentOn, SpendingLine]]:
        """What it adds to each line of a sum."""
        usage, cost, passes = self.usage or _NO_USAGE, self.cost or _FREE, self.beside
        read, written = sum(one.input_total for one in passes), sum(one.output for one in passes)
        own = SpendingLine(
            1,
            (usage.billed_input or 0) - read,
            (usage.billed_output or 0) - written,
            replace(cost, sides=cost.sides - self.beside_usd) if passes else cost,
            unreported=0 if self._told else 1,
            unpriced=0 if self.cost else 1,
        )
        found = [(self.on, own)]
        if passes:
            line = SpendingLine(len(passes), read, written, Cost(sides=self.beside_usd), unpriced=own.unpriced)
            found.append((SpentOn.COMPACTION, line))
        if self.counted:
            found.append((SpentOn.COUNTING, _ONE_CALL))
        return found

    @property
    def _told(self) -> bool:
        """Whether it told its tokens, or there were none to tell."""
        record = self.request.record
        if record.usage is None:
            return record.state is RequestState.FAILED
        return bool(record.usage.billed_input)


def priced(requests: Sequence[SpentRequest], prices: PriceList) -> list[PricedRequest]:
    """Those that have ended, in the order given (that of sending), simulated ones without a cost."""
    rounds = [_round(one.record) for one in requests]
    last = {one: place for place, one in enumerate(rounds)}
    counts: set[tuple[str, ...]] = set()
    found = []
    for place, one in enumerate(requests):
        record = one.record
        if record.state is RequestState.SENT and record.usage is None:
            continue
        again = last[rounds[place]] > place
        usage = record.usage or _expected(record)
        cost = None if one.simulated else _cost(record, usage, prices)
        # Every attempt of a round carries the figure of the one count.
        counted = record.counted is not None and rounds[place] not in counts
        if counted:
            counts.add(rounds[place])
        on = _spent_on(record, again=again)
        found.append(PricedRequest(one, on, usage, cost, _beside_usd(record, usage, cost, prices), counted))
    return found


def beside(usage: Usage | None) -> tuple[SidePass, ...]:
    """The passes of a server that wrote no answer."""
    return tuple(one for one in usage.sides if one.kind not in _ANSWERING) if usage else ()


def _round(record: RequestRecord) -> tuple[str, ...]:
    return (record.conversation_id, record.turn_id, str(record.round), record.purpose.value)


def _spent_on(record: RequestRecord, *, again: bool) -> SpentOn:
    if record.purpose is RequestPurpose.MEMO:
        return SpentOn.COMPACTION
    if record.state is RequestState.ANSWERED:
        return SpentOn.ANSWERS
    return SpentOn.RETRIES if again else SpentOn.STOPPED


def _expected(record: RequestRecord) -> Usage | None:
    """What a request that was stopped before it told anything is taken to have cost: its input, and no output."""
    if record.state is not RequestState.STOPPED:
        return None
    forecast = record.predicted
    if forecast is None or forecast.total is None:
        return Usage(uncached=record.total.tokens, output=0, output_estimated=True)
    kinds = (forecast.uncached, forecast.write_5m, forecast.write_1h, forecast.read)
    return Usage(*kinds, output=0, output_estimated=True)


def _cost(record: RequestRecord, usage: Usage | None, prices: PriceList) -> Cost | None:
    """None where it is unknown; an attempt that failed before anything came is not charged."""
    if usage is None:
        return Cost() if record.state is RequestState.FAILED else None
    return prices.cost_of(record if usage is record.usage else replace(record, usage=usage))


def _beside_usd(record: RequestRecord, usage: Usage | None, cost: Cost | None, prices: PriceList) -> Decimal:
    """The part of a cost that was for passes that wrote no answer."""
    passes = beside(usage)
    if usage is None or cost is None or not passes:
        return _NOTHING
    if passes == usage.sides:
        return cost.sides
    alone = prices.cost_of(replace(record, usage=replace(usage, sides=passes)))
    return alone.sides if alone else _NOTHING
