"""The heat of every block of a request: read from the cache or new, and for how many requests in a row."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import accumulate

from desktop_app.core.context import ContextPlan, PlannedBlock
from desktop_app.core.context_budget import Budget
from desktop_app.core.request_log import RequestRecord, RequestState
from desktop_app.core.segment import Segment

_NOISE = 0.01
_NOISE_TOKENS = 50


class Heat(StrEnum):
    """How much of something was read from the cache."""

    HOT = "hot"
    PART = "part"
    NEW = "new"


@dataclass(frozen=True, slots=True)
class BlockHeat:
    """Tokens of a block, how many of them are read from the cache and how many are written to it.

    `streak` requests in a row read all of it, up to the last one sent.
    """

    segment: Segment
    tokens: int
    read: int
    written: int
    streak: int = 0

    @property
    def heat(self) -> Heat:
        """Its sign."""
        return _heat(self.read, self.tokens)


@dataclass(frozen=True, slots=True)
class HeatMap:
    """The blocks of a request in the order of the prefix."""

    strip: tuple[BlockHeat, ...]
    rows: Mapping[Segment, tuple[BlockHeat, ...]] = field(default_factory=dict)
    """The same by segment, in the order in which a budget's rows hold them."""

    def fits(self, budget: Budget) -> bool:
        """Whether it is about the request of a budget: the same blocks with the same figures."""
        return {row.segment: [one.figure.tokens for one in row.blocks] for row in budget.rows} == {
            segment: [block.tokens for block in blocks] for segment, blocks in self.rows.items()
        }

    def read(self, segment: Segment) -> int:
        """Tokens of a segment that are read."""
        return sum(block.read for block in self.rows.get(segment, ()))

    def share(self, segment: Segment) -> float:
        """The share of a segment that is read, 0 to 1."""
        tokens = sum(block.tokens for block in self.rows.get(segment, ()))
        return self.read(segment) / tokens if tokens else 0.0

    def heat(self, segment: Segment) -> Heat:
        """The sign of a segment."""
        blocks = self.rows.get(segment, ())
        return _heat(self.read(segment), sum(block.tokens for block in blocks))


def block_heat(
    plan: ContextPlan,
    budget: Budget,
    read: int | None,
    written: int | None = None,
    *,
    earlier: Sequence[RequestRecord] = (),
) -> HeatMap | None:
    """The heat of a plan's blocks with the figures of its budget; None where nothing is known of a cache.

    `read` and `written` tokens count from the beginning of the prefix. A read ends where a mark may stand, so one next
    to such a place by noise is taken for it.
    `earlier` are the requests before it on its path, itself among them once it was sent, oldest first.
    """
    if read is None:
        return None
    figures = _figures(budget)
    tokens = [next(figures[planned.segment], 0) for planned in _in_order(plan)]
    ends = list(accumulate(tokens))
    read = _snapped(read, [ends[place - 1] for place in _mark_places(plan)])
    reads = _streaks(earlier)
    strip = []
    for planned, size, end in zip(_in_order(plan), tokens, ends, strict=True):
        warm = min(max(read - (end - size), 0), size)
        kept = size - warm if written is None else min(max(read + written - (end - size), 0), size) - warm
        strip.append(BlockHeat(planned.segment, size, warm, max(kept, 0), _streak(reads, end, size)))
    rows = {row.segment: tuple(one for one in strip if one.segment is row.segment) for row in budget.rows}
    return HeatMap(tuple(strip), rows)


def _heat(read: int, tokens: int) -> Heat:
    if not read:
        return Heat.NEW
    return Heat.HOT if read >= tokens else Heat.PART


def _in_order(plan: ContextPlan) -> Iterator[PlannedBlock]:
    yield from plan.tools
    yield from plan.system
    for message in plan.messages:
        yield from message.blocks


def _mark_places(plan: ContextPlan) -> Iterator[int]:
    """How many blocks lie before each place a mark may stand at: each block before the messages, the memo, and the end
    of each message."""
    blocks = len(plan.tools) + len(plan.system)
    yield from range(max(len(plan.tools), 1), blocks + 1)
    if plan.messages and plan.messages[0].blocks[0].segment is Segment.SUMMARY:
        yield blocks + 1
    for message in plan.messages:
        blocks += len(message.blocks)
        yield blocks


def _figures(budget: Budget) -> dict[Segment, Iterator[int]]:
    """The tokens of each segment's blocks: a row holds them in the order of the prefix."""
    figures: dict[Segment, Iterator[int]] = {segment: iter(()) for segment in Segment}
    figures.update({row.segment: iter([one.figure.tokens for one in row.blocks]) for row in budget.rows})
    return figures


def _noise(tokens: int) -> int:
    return max(_NOISE_TOKENS, round(tokens * _NOISE))


def _snapped(read: int, ends: Sequence[int]) -> int:
    """The end a read stands for: measured and estimated prefixes differ by a little."""
    nearest = min(ends, key=lambda end: abs(end - read), default=read)
    return nearest if read and abs(nearest - read) <= _noise(read) else read


def _streaks(earlier: Sequence[RequestRecord]) -> list[int]:
    """Down to where the last request, the last two, the last three, … all read; ascending when turned around."""
    reads = [record.usage.read for record in reversed(earlier) if _answered(record) and record.usage is not None]
    down_to: list[int] = []
    for read in reads:
        if not read:
            break
        down_to.append(min(read, down_to[-1]) if down_to else read)
    return [-read for read in down_to]


def _answered(record: RequestRecord) -> bool:
    """An attempt that never began says nothing of the cache."""
    return record.usage is not None and record.state is not RequestState.FAILED


def _streak(falling: Sequence[int], end: int, size: int) -> int:
    """How many requests in a row, from the last one back, read a block of `size` tokens down to its `end`.

    `falling` holds their reads negated. What is off by noise counts, but never a block that is smaller than that.
    """
    return bisect_right(falling, min(_noise(end), size // 2) - end)
