"""Rows that sum: what fills the window, from a plan, what is known of its prefixes, and estimates for the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce

from desktop_app.core.context import ContextPlan, PlannedBlock
from desktop_app.core.segment import Segment
from desktop_app.core.token_estimate import Estimate, TokenEstimator, add_features, block_features
from desktop_app.core.usage import Figure, Known


@dataclass(frozen=True, slots=True)
class BlockTokens:
    """One block inside a row: a short label source (its JSON block), its message, its tokens."""

    block: PlannedBlock
    figure: Figure


@dataclass(frozen=True, slots=True)
class BudgetRow:
    """One segment. `share` of the total is `figure.tokens / budget.total.tokens`."""

    segment: Segment
    figure: Figure
    blocks: tuple[BlockTokens, ...] = field(default=(), repr=False)

    def with_figure(self, figure: Figure) -> BudgetRow:
        """The row with another figure, its blocks in the same proportions."""
        tokens = [float(part.figure.tokens) for part in self.blocks]
        whole = sum(tokens) or 1.0
        shares = largest_remainder([value * figure.tokens / whole for value in tokens], figure.tokens)
        blocks = tuple(
            BlockTokens(part.block, Figure(share, Known.ESTIMATED if len(tokens) > 1 else figure.known))
            for part, share in zip(self.blocks, shares, strict=True)
        )
        return BudgetRow(self.segment, figure, blocks)


@dataclass(frozen=True, slots=True)
class Budget:
    """The window of one request, in tokens; `rows` sum to `total`; `window` None where unknown."""

    model: str
    total: Figure
    rows: tuple[BudgetRow, ...]
    reserve: int
    window: int | None
    estimated_total: int
    """What our estimate had said before any count: kept to show the drift."""

    @property
    def free(self) -> int | None:
        """Window less input and reserve; negative when it does not fit, None where the window is unknown."""
        return None if self.window is None else self.window - self.total.tokens - self.reserve

    def row(self, segment: Segment) -> BudgetRow | None:
        """The row of a segment, if it has one."""
        return next((row for row in self.rows if row.segment is segment), None)


@dataclass(frozen=True, slots=True)
class _Unit:
    block: PlannedBlock
    estimate: Estimate


@dataclass(frozen=True, slots=True)
class _Share:
    """What one unit got: its tokens, how the block's own figure is known, and the row's part of it."""

    block: PlannedBlock
    tokens: int
    block_known: Known
    row_known: Known


def make_budget(
    plan: ContextPlan,
    estimator: TokenEstimator,
    known: Mapping[int, Figure],
    *,
    reserve: int,
    window: int | None,
    estimated_total: int | None = None,
) -> Budget:
    """The budget of a plan.

    `known` maps a number of messages to the measured or counted total of the request that ended
    after them (`len(plan.messages)` is the whole request). Between two known points the difference
    is exact and only its split is estimated; behind the last point everything is estimated.
    """
    spans = _spans(plan, estimator)
    known = _growing(known, len(plan.messages))
    if estimated_total is None:
        estimated_total = round(_estimated_total(spans, known))
    shares: list[_Share] = []
    pending: list[_Unit] = []
    before = Figure(0, Known.MEASURED)
    for number, units in enumerate(spans):
        pending += units
        figure = known.get(number)
        if figure is None:
            continue
        shares += _split(pending, figure.tokens - before.tokens, _weaker(before.known, figure.known))
        pending, before = [], figure
    if pending:
        guess = round(sum(unit.estimate.tokens for unit in pending))
        shares += _split(pending, guess, Known.ESTIMATED)
    whole = known.get(len(plan.messages))
    total = Figure(sum(share.tokens for share in shares), whole.known if whole else Known.ESTIMATED)
    return Budget(plan.epoch.model, total, _rows(shares), reserve, window, estimated_total)


def _weaker(one: Known, other: Known) -> Known:
    """A difference is known no better than the less known of its ends."""
    return max(one, other, key=tuple(Known).index)


def _growing(known: Mapping[int, Figure], last: int) -> dict[int, Figure]:
    """The known points of the plan that grow from one to the next.

    A prefix measured inside a tool loop may exceed a later total, for servers leave thinking of closed
    turns out; the later point is the one that holds for this request.
    """
    kept: dict[int, Figure] = {}
    for number in sorted((number for number in known if 0 < number <= last), reverse=True):
        if not kept or known[number].tokens <= min(figure.tokens for figure in kept.values()):
            kept[number] = known[number]
    return kept


def _spans(plan: ContextPlan, estimator: TokenEstimator) -> list[list[_Unit]]:
    """Units by message: place 0 holds tools and system, place n the n-th message."""

    def units(blocks: Sequence[PlannedBlock], place: str) -> list[_Unit]:
        return [
            _Unit(planned, estimator.estimate(block_features(planned.block, place, first=number == 0)))
            for number, planned in enumerate(blocks)
        ]

    head = units(plan.tools, "tool") + units(plan.system, "system")
    return [head, *(units(message.blocks, "message") for message in plan.messages)]


def span_features(plan: ContextPlan, after: int) -> dict[str, float]:
    """The summed features of everything behind message number `after`; 0 takes tools and system along."""

    def features(blocks: Sequence[PlannedBlock], place: str) -> list[dict[str, float]]:
        return [block_features(planned.block, place, first=number == 0) for number, planned in enumerate(blocks)]

    head = [] if after else features(plan.tools, "tool") + features(plan.system, "system")
    rest = [part for message in plan.messages[after:] for part in features(message.blocks, "message")]
    return add_features(head + rest)


def _estimated_total(spans: Sequence[Sequence[_Unit]], known: Mapping[int, Figure]) -> float:
    """The last known prefix plus estimates for what follows it; the whole request's own count is not used."""
    last = max((number for number in known if 0 < number < len(spans) - 1), default=0)
    base = known[last].tokens if last else 0
    rest = spans[last + 1 :] if last else spans
    return base + sum(unit.estimate.tokens for units in rest for unit in units)


def _split(units: Sequence[_Unit], total: int, how: Known) -> list[_Share]:
    """`total` over the units: each its estimate, the error to each by its uncertainty, whole by largest remainder."""
    gap = total - sum(unit.estimate.tokens for unit in units)
    doubt = sum(unit.estimate.variance for unit in units) or 1.0
    wanted = [max(0.0, unit.estimate.tokens + gap * unit.estimate.variance / doubt) for unit in units]
    scale = total / sum(wanted) if sum(wanted) else 0.0
    tokens = largest_remainder([value * scale for value in wanted], total)
    row_known = how if len({unit.block.segment for unit in units}) == 1 else Known.ESTIMATED
    block_known = how if len(units) == 1 else Known.ESTIMATED
    return [_Share(unit.block, share, block_known, row_known) for unit, share in zip(units, tokens, strict=True)]


def largest_remainder(values: Sequence[float], total: int) -> list[int]:
    """Whole numbers next to `values` that sum to `total` (Hamilton's method)."""
    if not values:
        return []
    floors = [int(value) for value in values]
    order = sorted(range(len(values)), key=lambda place: (floors[place] - values[place], place))
    missing = total - sum(floors)
    for turn in range(abs(missing)):
        floors[order[turn % len(order)]] += 1 if missing > 0 else -1
    return floors


def _rows(shares: Sequence[_Share]) -> tuple[BudgetRow, ...]:
    rows = []
    for segment in Segment:
        inside = [share for share in shares if share.block.segment is segment]
        if inside:
            weakest = reduce(_weaker, (share.row_known for share in inside))
            figure = Figure(sum(share.tokens for share in inside), weakest)
            blocks = tuple(BlockTokens(share.block, Figure(share.tokens, share.block_known)) for share in inside)
            rows.append(BudgetRow(segment, figure, blocks))
    return tuple(rows)
