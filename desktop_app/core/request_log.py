"""What is kept of every request: when, to whom, the rows of its budget, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from desktop_app.core.context import ContextPlan, PlannedBlock, PlannedMessage
from desktop_app.core.context_budget import Budget
from desktop_app.core.conversation import Epoch, Role, to_json
from desktop_app.core.request import Request
from desktop_app.core.segment import Segment
from desktop_app.core.usage import Figure, Known, Usage, exact_total


class RequestState(StrEnum):
    """What came of a request."""

    SENT = "sent"
    ANSWERED = "answered"
    STOPPED = "stopped"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class SegmentSpan:
    """`count` blocks from block `first` of message number `message` of a request, of one segment."""

    segment: Segment
    message: int
    first: int
    count: int


@dataclass(frozen=True, slots=True)
class RequestRecord:
    """A request without its body. Tokens throughout; `seconds` from sending to the end of the answer.

    `turn` numbers the turns on the path from 1, `round` the requests of one turn from 1.
    `digest` is the digest of the whole request (`Request.prefix_digests()[-1]`).
    `rows` are the budget's rows with the best figures known so far; `spans` say which blocks of the
    messages belong to another segment than `messages`.
    """

    id: str
    conversation_id: str
    turn_id: str
    turn: int
    round: int
    sent_at: datetime
    host: str
    model: str
    digest: str
    reserve: int
    window: int | None
    estimated: int
    rows: tuple[tuple[Segment, Figure], ...]
    spans: tuple[SegmentSpan, ...] = ()
    state: RequestState = RequestState.SENT
    counted: int | None = None
    usage: Usage | None = None
    answered_by: str | None = None
    stop_reason: str | None = None
    remote_id: str | None = None
    error: str | None = None
    seconds: float | None = None

    @property
    def total(self) -> Figure:
        """The best figure for its input: measured, else counted, else estimated."""
        return exact_total(self.usage, self.counted) or Figure(self.estimated, Known.ESTIMATED)


def rows_of(budget: Budget) -> tuple[tuple[Segment, Figure], ...]:
    """The rows of a budget without their blocks."""
    return tuple((row.segment, row.figure) for row in budget.rows)


def spans_of(plan: ContextPlan) -> tuple[SegmentSpan, ...]:
    """Where in the messages of a plan other segments than the recent messages stand."""
    return tuple(
        SegmentSpan(segment, number, places[0], len(places))
        for number, message in enumerate(plan.messages)
        for segment in Segment
        if segment is not Segment.MESSAGES
        and (places := [place for place, block in enumerate(message.blocks) if block.segment is segment])
    )


def plan_of(request: Request, spans: Sequence[SegmentSpan], sources: Mapping[str, str]) -> ContextPlan:
    """A sent request as a plan again. `sources` maps a block's JSON to the id of the message it came from."""
    segment_at = {
        (span.message, place): span.segment for span in spans for place in range(span.first, span.first + span.count)
    }
    messages = tuple(
        PlannedMessage(
            Role(message.role),
            tuple(
                PlannedBlock(segment_at.get((number, place), Segment.MESSAGES), block, sources.get(to_json(block)))
                for place, block in enumerate(message.blocks)
            ),
        )
        for number, message in enumerate(request.messages)
    )
    return ContextPlan(
        Epoch(0, request.model, ""),
        tuple(PlannedBlock(Segment.TOOLS, tool) for tool in request.tools),
        tuple(PlannedBlock(Segment.SYSTEM, block) for block in request.system),
        messages,
    )
