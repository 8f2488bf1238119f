"""The budget of a past request: rows as recorded, blocks that sum to them, from the length of texts alone."""

from __future__ import annotations

import pytest

from desktop_app.core.context import plan_context
from desktop_app.core.context_budget import Budget, make_budget
from desktop_app.core.conversation import Block, text_block
from desktop_app.core.past_budget import past_budget, rough_tokens
from desktop_app.core.request_log import rows_of
from desktop_app.core.segment import Segment
from desktop_app.core.token_estimate import TokenEstimator, block_features
from desktop_app.core.usage import Figure, Known
from tests.unit.message_samples import EPOCH, PICTURE, fixed_path
from tests.unit.sent_samples import sent


def budget_of(known: dict[int, Figure] | None = None) -> tuple[Budget, Budget]:
    """A budget before sending, and the one made of what was kept of it."""
    path = fixed_path()
    plan = plan_context(path, EPOCH)
    live = make_budget(plan, TokenEstimator(), known or {}, reserve=1_000, window=200_000)
    one = sent(path, rows=rows_of(live), estimated=live.estimated_total, reserve=1_000, window=200_000)
    sources = {
        (number, place): planned.message_id
        for number, message in enumerate(plan.messages)
        for place, planned in enumerate(message.blocks)
        if planned.message_id
    }
    return live, past_budget(one.record, one.request, sources)


def test_rows_are_those_recorded_and_blocks_sum_to_them() -> None:
    live, past = budget_of({len(plan_context(fixed_path(), EPOCH).messages): Figure(5_000, Known.COUNTED)})
    assert [(row.segment, row.figure) for row in past.rows] == [(row.segment, row.figure) for row in live.rows]
    for row, same in zip(past.rows, live.rows, strict=True):
        assert sum(part.figure.tokens for part in row.blocks) == row.figure.tokens
        assert [part.block for part in row.blocks] == [part.block for part in same.blocks]
        assert {part.figure.known for part in row.blocks} == {Known.ESTIMATED} or len(row.blocks) == 1
    assert (past.reserve, past.window, past.estimated_total) == (1_000, 200_000, live.estimated_total)


def test_a_row_recorded_without_blocks_stays_for_the_sum() -> None:
    one = sent(fixed_path(), rows=((Segment.FACTS, Figure(70, Known.COUNTED)),))
    past = past_budget(one.record, one.request, {})
    facts = past.row(Segment.FACTS)
    assert facts is not None and (facts.figure.tokens, facts.blocks) == (70, ())
    tools = past.row(Segment.TOOLS)
    assert tools is not None and tools.figure.known is Known.ESTIMATED and tools.figure.tokens > 20


@pytest.mark.parametrize(
    "block",
    [
        text_block("On the NAS under /srv/backup/nas-7, kept for 35 days. The rotation runs at 02:30." * 5),
        text_block("네, 아직 옛 버킷입니다. 새 버킷으로 옮기는 작업은 12월 감사 전에 끝내기로 했습니다." * 5),
        {"type": "thinking", "thinking": "The bucket moved in October, so the answer is no longer right." * 5},
        {"type": "tool_result", "tool_use_id": "t", "content": "84 lines, nothing else in them. " * 20},
        PICTURE,
    ],
    ids=["english", "korean", "thinking", "result", "picture"],
)
def test_the_rough_measure_is_near_the_estimate(block: Block) -> None:
    estimate = TokenEstimator().estimate(block_features(block, "message")).tokens
    assert rough_tokens(block) == pytest.approx(estimate, rel=0.45)
