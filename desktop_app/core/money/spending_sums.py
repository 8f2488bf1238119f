"""Adds up what was spent: groups with a line for each thing it was spent on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, tzinfo
from decimal import Decimal, localcontext
from functools import reduce
from operator import or_

from desktop_app.core.money.price_sources import NO_PRICES
from desktop_app.core.money.pricing import Cost, PriceList
from desktop_app.core.money.spending import (
    EXACT,
    SpendingBy,
    SpendingGroup,
    SpendingLine,
    SpendingReport,
    SpentOn,
    SpentRequest,
)
from desktop_app.core.money.spent_cost import PricedRequest, priced

_NOTHING = Decimal(0)


def spending(
    requests: Sequence[SpentRequest], prices: PriceList, by: SpendingBy, zone: tzinfo | None = None
) -> SpendingReport:
    """The report on requests in the order they were sent; days are those of `zone`, the machine's by default."""
    return sums(priced(requests, prices), by, prices.dated, zone)


def sums(found: Sequence[PricedRequest], by: SpendingBy, dated: date, zone: tzinfo | None = None) -> SpendingReport:
    """The same from requests that have their price."""
    with localcontext(EXACT):
        paid = [one for one in found if not one.request.simulated]
        together: defaultdict[tuple[str, ...], list[PricedRequest]] = defaultdict(list)
        for one in paid:
            together[_key(one.request, by, zone)].append(one)
        groups = [_group(key, inside, zone) for key, inside in together.items()]
        lines = _added(line for group in groups for line in group.lines.items())
        total = _total(lines, paid)
    sources = reduce(or_, {one.sources for one in paid}, NO_PRICES)
    return SpendingReport(by, tuple(_ordered(groups, by)), lines, total, len(found) - len(paid), dated, sources)


def day_of(moment: datetime, zone: tzinfo | None = None) -> date:
    """The day a moment belongs to, in `zone` or that of the machine."""
    return moment.astimezone(zone).date()


def _key(one: SpentRequest, by: SpendingBy, zone: tzinfo | None) -> tuple[str, ...]:
    record = one.record
    match by:
        case SpendingBy.TURN:
            return (record.conversation_id, record.turn_id)
        case SpendingBy.CONVERSATION:
            return (record.conversation_id,)
        case SpendingBy.PROFILE:
            return (one.profile,)
        case SpendingBy.MODEL:
            return (record.answered_by or record.model, record.host)
        case SpendingBy.DAY:
            return (day_of(record.sent_at, zone).isoformat(),)


def _group(key: tuple[str, ...], inside: Sequence[PricedRequest], zone: tzinfo | None) -> SpendingGroup:
    first, lines = inside[0].request, _lines(inside)
    return SpendingGroup(key, first, day_of(first.record.sent_at, zone), lines, _total(lines, inside))


def _lines(found: Iterable[PricedRequest]) -> Mapping[SpentOn, SpendingLine]:
    return _added(line for one in found for line in one.lines())


def _added(lines: Iterable[tuple[SpentOn, SpendingLine]]) -> Mapping[SpentOn, SpendingLine]:
    """Each kind's lines as one, in the order of SpentOn."""
    by_kind: defaultdict[SpentOn, list[SpendingLine]] = defaultdict(list)
    for on, line in lines:
        by_kind[on].append(line)
    return {on: _sum(by_kind[on]) for on in SpentOn if on in by_kind}


def _sum(lines: Sequence[SpendingLine]) -> SpendingLine:
    """One line; added field by field, for there may be tens of thousands."""
    if len(lines) == 1:
        return lines[0]
    costs = [line.cost for line in lines]
    return SpendingLine(
        sum(line.requests for line in lines),
        sum(line.input for line in lines),
        sum(line.output for line in lines),
        Cost(
            sum((cost.uncached for cost in costs), _NOTHING),
            sum((cost.write_5m for cost in costs), _NOTHING),
            sum((cost.write_1h for cost in costs), _NOTHING),
            sum((cost.read for cost in costs), _NOTHING),
            sum((cost.output for cost in costs), _NOTHING),
            any(cost.estimated for cost in costs),
            sum((cost.sides for cost in costs), _NOTHING),
        ),
        sum(line.unreported for line in lines),
        sum(line.unpriced for line in lines),
    )


def _total(lines: Mapping[SpentOn, SpendingLine], inside: Sequence[PricedRequest]) -> SpendingLine:
    """The sum of the lines; a request that stands in two of them is one."""
    whole = _sum([SpendingLine(), *lines.values()])
    unpriced = sum(1 for one in inside if one.cost is None)
    return SpendingLine(len(inside), whole.input, whole.output, whole.cost, whole.unreported, unpriced)


def _ordered(groups: list[SpendingGroup], by: SpendingBy) -> list[SpendingGroup]:
    if by in (SpendingBy.TURN, SpendingBy.DAY):
        return sorted(groups, key=lambda group: group.first.record.sent_at, reverse=True)
    return sorted(groups, key=lambda group: (-group.total.cost.total, group.key))
