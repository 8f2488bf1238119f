"""What is kept of a request names its best total and gives its plan back."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from desktop_app.core.context import PlannedBlock, PlannedMessage, plan_context
from desktop_app.core.context_budget import make_budget
from desktop_app.core.conversation import Role, text_block
from desktop_app.core.request_log import RequestRecord, SegmentSpan, plan_of, rows_of, spans_of
from desktop_app.core.segment import Segment
from desktop_app.core.token_estimate import TokenEstimator
from desktop_app.core.usage import Figure, Known, Usage
from tests.unit.message_samples import EPOCH, fixed_path, request_for

RECORD = RequestRecord(
    "r", "c", "m0", 1, 1, datetime(2026, 11, 30, tzinfo=UTC), "api.anthropic.com", "m", "d", 1_000, None, 70, ()
)


@pytest.mark.parametrize(
    ("usage", "counted", "total"),
    [
        (None, None, Figure(70, Known.ESTIMATED)),
        (None, 80, Figure(80, Known.COUNTED)),
        (Usage(uncached=10, write_5m=20, read=60), 80, Figure(90, Known.MEASURED)),
        (Usage(output=5), 80, Figure(80, Known.COUNTED)),
        # A server that reports an input of 0 did not measure it.
        (Usage(uncached=0, output=5), None, Figure(70, Known.ESTIMATED)),
        (Usage(uncached=0, read=90), None, Figure(90, Known.MEASURED)),
    ],
)
def test_best_total(usage: Usage | None, counted: int | None, total: Figure) -> None:
    assert replace(RECORD, usage=usage, counted=counted).total == total


def test_rows_of_a_budget_keep_their_sum() -> None:
    budget = make_budget(plan_context(fixed_path(), EPOCH), TokenEstimator(), {}, reserve=1, window=None)
    rows = rows_of(budget)
    assert [segment for segment, _ in rows] == [row.segment for row in budget.rows]
    assert sum(figure.tokens for _, figure in rows) == budget.total.tokens


def test_a_request_becomes_the_plan_it_was_written_from() -> None:
    path = fixed_path()
    plan = plan_context(path, EPOCH)
    sources = {
        (number, place): planned.message_id
        for number, message in enumerate(plan.messages)
        for place, planned in enumerate(message.blocks)
        if planned.message_id
    }
    again = plan_of(request_for(path), spans_of(plan), sources)
    assert spans_of(plan) == (SegmentSpan(Segment.CURRENT, 4, 0, 2),)
    assert (again.tools, again.system, again.messages) == (plan.tools, plan.system, plan.messages)
    assert again.epoch.model == plan.epoch.model


def test_spans_of_a_message_with_blocks_of_several_segments() -> None:
    kinds = (Segment.MESSAGES, Segment.MESSAGES, Segment.CURRENT, Segment.RECALLED)
    blocks = tuple(PlannedBlock(kind, text_block(str(place))) for place, kind in enumerate(kinds))
    plan = replace(plan_context(fixed_path(), EPOCH), messages=(PlannedMessage(Role.USER, blocks),))
    spans = {span.segment: (span.message, span.first, span.count) for span in spans_of(plan)}
    assert spans == {Segment.CURRENT: (0, 2, 1), Segment.RECALLED: (0, 3, 1)}


def test_blocks_of_unknown_origin_name_no_message() -> None:
    request = request_for(fixed_path())
    plan = plan_of(request, (), {})
    assert {planned.message_id for message in plan.messages for planned in message.blocks} == {None}
    assert {planned.segment for message in plan.messages for planned in message.blocks} == {Segment.MESSAGES}
