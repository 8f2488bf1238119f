"""What is kept of every request: when, to whom, the rows of its budget, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from itertools import groupby

from desktop_app.core.cache.diagnosis import CacheDiagnosis
from desktop_app.core.cache.forecast import CacheForecast, CachePoint
from desktop_app.core.context import ContextPlan, PlannedBlock, PlannedMessage
from desktop_app.core.context_budget import Budget
from desktop_app.core.conversation import Block, Epoch, Role
from desktop_app.core.refusal import Refusal, refusal_from
from desktop_app.core.request import Request
from desktop_app.core.segment import Segment
from desktop_app.core.usage import Figure, Known, Usage, exact_total

SYSTEM_PART = -1


class RequestState(StrEnum):
    """What came of a request."""

    SENT = "sent"
    ANSWERED = "answered"
    STOPPED = "stopped"
    FAILED = "failed"


class RequestPurpose(StrEnum):
    """What a request is sent for."""

    CHAT = "chat"
    MEMO = "memo"
    """Writes the memo of a compaction."""
    EXTRACTION = "extraction"
    """Asks what of an exchange is worth keeping."""
    JUDGING = "judging"
    """Asks how a fact that is to be kept stands to those there are."""


@dataclass(frozen=True, slots=True)
class SegmentSpan:
    """`count` blocks from block `first` of message number `message` of a request, of one segment.

    Message -1 is the system prompt.
    """

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
    messages belong to another segment than `messages`. `error` names what a failed one failed of,
    `stop_details` are what an answered one says of its `stop_reason`; never both. `points` are its cache marks,
    `predicted` is what was expected of the cache before it left, `diagnosis` what the API said of a miss (None where
    it was not asked or did not answer), `app_version` the version of this program that sent it, `edits` what the API
    says it left out of it (`applied_edits`).
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
    stop_details: Block | None = None
    seconds: float | None = None
    purpose: RequestPurpose = RequestPurpose.CHAT
    points: tuple[CachePoint, ...] = ()
    predicted: CacheForecast | None = None
    diagnosis: CacheDiagnosis | None = None
    app_version: str = ""
    edits: tuple[Block, ...] = ()

    @property
    def total(self) -> Figure:
        """The best figure for its input: measured, else counted, else estimated."""
        return exact_total(self.usage, self.counted) or Figure(self.estimated, Known.ESTIMATED)

    @property
    def refusal(self) -> Refusal | None:
        """Why the model declined, where it did and said so."""
        return refusal_from(self.stop_details) if self.stop_reason == "refusal" else None


def rows_of(budget: Budget) -> tuple[tuple[Segment, Figure], ...]:
    """The rows of a budget without their blocks."""
    return tuple((row.segment, row.figure) for row in budget.rows)


def spans_of(plan: ContextPlan) -> tuple[SegmentSpan, ...]:
    """Where in a plan other segments stand than the system text and the recent messages; each in runs."""
    parts = [(SYSTEM_PART, plan.system), *enumerate(message.blocks for message in plan.messages)]
    spans = []
    for number, blocks in parts:
        first = 0
        for segment, run in groupby(blocks, key=lambda planned: planned.segment):
            count = len(list(run))
            if segment not in (Segment.MESSAGES, Segment.SYSTEM):
                spans.append(SegmentSpan(segment, number, first, count))
            first += count
    return tuple(spans)


def plan_of(request: Request, spans: Sequence[SegmentSpan], sources: Mapping[tuple[int, int], str]) -> ContextPlan:
    """A sent request as a plan again.

    `sources` maps the number of a message and the place of a block in it to the id of the message it came from.
    """
    segment_at = {
        (span.message, place): span.segment for span in spans for place in range(span.first, span.first + span.count)
    }
    messages = tuple(
        PlannedMessage(
            Role(message.role),
            tuple(
                PlannedBlock(segment_at.get((number, place), Segment.MESSAGES), block, sources.get((number, place)))
                for place, block in enumerate(message.blocks)
            ),
        )
        for number, message in enumerate(request.messages)
    )
    return ContextPlan(
        Epoch(0, request.model, ""),
        tuple(PlannedBlock(Segment.TOOLS, tool) for tool in request.tools),
        tuple(
            PlannedBlock(segment_at.get((SYSTEM_PART, place), Segment.SYSTEM), block)
            for place, block in enumerate(request.system)
        ),
        messages,
    )
