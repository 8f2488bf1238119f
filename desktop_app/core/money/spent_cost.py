"""What each request was spent on and what it cost, also those that failed, were stopped or told no usage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from desktop_app.core import errors
from desktop_app.core.money.price_sources import NO_PRICES, PriceSources, prices_behind
from desktop_app.core.money.pricing import Cost, PriceList
from desktop_app.core.money.spending import SpendingLine, SpentOn, SpentRequest
from desktop_app.core.request_log import RequestPurpose, RequestRecord, RequestState
from desktop_app.core.usage import SidePass, Usage

_REFUSED = frozenset(
    kind.word
    for kind in (
        *(errors.NoKey, errors.KeyOutOfReach, errors.KeyRefused, errors.PaymentRequired, errors.ModelUnknown),
        *(errors.InvalidRequest, errors.ThinkingUnfit, errors.WindowExceeded, errors.RateLimited, errors.Overloaded),
        *(errors.Unreachable, errors.NetworkSettingsUnusable, errors.Redirected),
    )
)
"""Words of what a request fails of before any work is done for it; after all else its input may have been billed."""
_BESIDE = {
    RequestPurpose.MEMO: SpentOn.COMPACTION,
    RequestPurpose.EXTRACTION: SpentOn.EXTRACTION,
    RequestPurpose.JUDGING: SpentOn.JUDGING,
}
_NOTHING, _FREE, _NO_USAGE, _ONE_CALL = Decimal(0), Cost(), Usage(), SpendingLine(1)


@dataclass(frozen=True, slots=True)
class PricedRequest:
    """A request that has ended. `usage` as reported, or as expected where nothing was; `cost` None where unknown.

    `beside_usd` is the part of the cost that was for passes that wrote no answer; `counted` says that its tokens were
    counted before it left, `sources` whose prices the cost is made of.
    """

    request: SpentRequest
    on: SpentOn
    usage: Usage | None
    cost: Cost | None
    beside_usd: Decimal = _NOTHING
    counted: bool = False
    sources: PriceSources = NO_PRICES

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
        return _is_refused(record) if record.usage is None else bool(record.usage.billed_input)


def priced(requests: Sequence[SpentRequest], prices: PriceList) -> list[PricedRequest]:
    """Those that have ended, in the order given (that of sending), simulated ones without a cost."""
    rounds = [_round(one.record) for one in requests]
    last = {one: place for place, one in enumerate(rounds)}
    found = []
    for place, one in enumerate(requests):
        record = one.record
        if record.state is RequestState.SENT and record.usage is None:
            continue
        again = last[rounds[place]] > place
        usage = usage_of(record)
        cost = None if one.simulated else cost_of(record, prices)
        on, counted = _spent_on(record, again=again), record.counted is not None
        sources = prices_behind(record, prices) if cost and cost.total else NO_PRICES
        beside_usd = _beside_usd(record, usage, cost, prices)
        found.append(PricedRequest(one, on, usage, cost, beside_usd, counted, sources))
    return found


def may_be_billed(record: RequestRecord) -> bool:
    """Whether a request has ended and may have cost anything."""
    return record.usage is not None or not (record.state is RequestState.SENT or _is_refused(record))


def usage_of(record: RequestRecord) -> Usage | None:
    """What a request that has ended is paid for: as reported, else its input as expected and no output.

    None for one that was refused, and for one that was answered without a word of it.
    """
    if record.usage is not None or record.state is RequestState.ANSWERED or not may_be_billed(record):
        return record.usage
    forecast = record.predicted
    known = forecast is not None and forecast.total is not None
    usage = forecast.as_usage() if forecast is not None and known else Usage(uncached=record.total.tokens, output=0)
    return replace(usage, output_estimated=True)


def cost_of(record: RequestRecord, prices: PriceList) -> Cost | None:
    """What it cost; None where that is unknown."""
    if _is_refused(record):
        return Cost()
    return prices.cost_of(replace(record, usage=usage_of(record)))


def beside(usage: Usage | None) -> tuple[SidePass, ...]:
    """The passes of a server that wrote no answer."""
    return tuple(one for one in usage.sides if not one.answers) if usage else ()


def _is_refused(record: RequestRecord) -> bool:
    return record.state is RequestState.FAILED and record.usage is None and record.error in _REFUSED


def _round(record: RequestRecord) -> tuple[str, ...]:
    return (record.conversation_id, record.turn_id, str(record.round), record.purpose.value)


def _spent_on(record: RequestRecord, *, again: bool) -> SpentOn:
    if record.purpose is not RequestPurpose.CHAT:
        return _BESIDE[record.purpose]
    if record.state is RequestState.ANSWERED:
        return SpentOn.ANSWERS
    return SpentOn.RETRIES if again else SpentOn.STOPPED


def _beside_usd(record: RequestRecord, usage: Usage | None, cost: Cost | None, prices: PriceList) -> Decimal:
    """The part of a cost that was for passes that wrote no answer."""
    passes = beside(usage)
    if usage is None or cost is None or not passes:
        return _NOTHING
    if passes == usage.sides:
        return cost.sides
    alone = prices.cost_of(replace(record, usage=replace(usage, sides=passes)))
    return alone.sides if alone else _NOTHING
