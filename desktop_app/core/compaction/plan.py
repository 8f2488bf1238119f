"""What compaction is asked for and what it tells: orders, plans, the ways with their prices, the log."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal

from desktop_app.core.compaction.compaction import Compaction, CompactionCause, Strategy, WrittenBy
from desktop_app.core.segment import Segment
from desktop_app.core.usage import Figure


@dataclass(frozen=True, slots=True)
class FoldOrder:
    """One compaction as it is asked for.

    Without a `strategy` the profile's is taken, without `by` the cheaper way. `review` leaves a proposal instead of
    putting the result to use. `focus` is what the person wants kept with care.
    """

    cause: CompactionCause = CompactionCause.BY_HAND
    focus: str = ""
    strategy: Strategy | None = None
    review: bool = False
    by: WrittenBy | None = None


@dataclass(frozen=True, slots=True)
class Way:
    """One way to have the summary written: by whom, with which model, `tokens` of input of which `read` come from the
    cache, for how many USD (None where that is unknown).

    `reason` is a catalogue id: why it is proposed, or why it cannot be taken (`possible` False).
    """

    by: WrittenBy
    model: str
    tokens: int
    read: int = 0
    cost: Decimal | None = None
    possible: bool = True
    reason: str = ""


@dataclass(frozen=True, slots=True)
class FoldPlan:
    """What a compaction would do now, in tokens: messages that would be folded, what stays word for word behind them.

    `before` and `after` are of the whole context, the latter by our estimate; the rows are the same by segment.
    `turns` are the first and the last turn that fold, from 1. `ways` begin with the one proposed; none where no
    request is needed.
    """

    strategy: Strategy
    message_ids: tuple[str, ...]
    turns: tuple[int, int]
    folded_tokens: int
    kept_tokens: int
    before: Figure
    after: Figure
    ways: tuple[Way, ...] = ()
    rows_before: tuple[tuple[Segment, int], ...] = ()
    rows_after: tuple[tuple[Segment, int], ...] = ()


@dataclass(frozen=True, slots=True)
class FoldState:
    """`threshold` in tokens; `used` by the context so far, None in an empty conversation; the compaction in use.

    `due`: the threshold is reached, there is enough to fold, and it does not rest. `rests_until`: tokens the context
    must reach before it is compacted by itself again, after one that was taken back or came to nothing. `stuck` is
    the catalogue id of what is too big to get below the threshold. `proposal` waits for the person.
    """

    threshold: int
    used: Figure | None
    due: bool
    current: Compaction | None
    proposal: Compaction | None = None
    rests_until: int | None = None
    stuck: str = ""


@dataclass(frozen=True, slots=True)
class CompactionLine:
    """A line of the log: the compaction by its number in the conversation (from 1), what its requests cost in USD,
    its share of what the whole conversation cost (0 to 1), and the tokens of the context the next reply measured."""

    number: int
    compaction: Compaction
    cost: Decimal | None = None
    share: float | None = None
    measured_after: int | None = None
    asked: int = 0
    """Requests that were sent for it."""
    path_ids: tuple[str, ...] = field(default=(), repr=False)
    """The messages it folds that no earlier one had folded, where they are on the path in use."""
