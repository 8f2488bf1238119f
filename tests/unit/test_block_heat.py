"""The heat of blocks: read, partly read or new, in the order of the prefix, and how often in a row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from desktop_app.core.cache.heat import BlockHeat, Heat, HeatMap, block_heat
from desktop_app.core.context import ContextPlan, PlannedBlock, PlannedMessage, plan_context
from desktop_app.core.context_budget import BlockTokens, Budget, BudgetRow
from desktop_app.core.conversation import Block, Epoch, Role, text_block
from desktop_app.core.request_log import RequestRecord, RequestState
from desktop_app.core.segment import Segment
from desktop_app.core.usage import Figure, Known, Usage
from tests.unit.message_samples import EPOCH, path_of, reply, user
from tests.unit.test_lifetime_advice import START, request

SIZES = {
    Segment.TOOLS: [2_000],
    Segment.SYSTEM: [1_000],
    Segment.FACTS: [1_000],
    Segment.SUMMARY: [2_000],
    Segment.MESSAGES: [700, 20_000, 10_000],
    Segment.RECALLED: [300, 300],
    Segment.CURRENT: [700],
}


def planned(segment: Segment, text: str) -> PlannedBlock:
    return PlannedBlock(segment, text_block(text))


PLAN = ContextPlan(
    Epoch(1, "claude-opus-5-5", ""),
    (planned(Segment.TOOLS, "tool"),),
    (planned(Segment.SYSTEM, "be brief"), planned(Segment.FACTS, "facts")),
    (
        PlannedMessage(
            Role.USER,
            (planned(Segment.SUMMARY, "memo"), planned(Segment.MESSAGES, "one"), planned(Segment.RECALLED, "told")),
        ),
        PlannedMessage(Role.ASSISTANT, (planned(Segment.MESSAGES, "two"), planned(Segment.MESSAGES, "three"))),
        PlannedMessage(Role.USER, (planned(Segment.CURRENT, "four"), planned(Segment.RECALLED, "told more"))),
    ),
)


def budget(plan: ContextPlan = PLAN, sizes: dict[Segment, list[int]] = SIZES) -> Budget:
    """Rows as a budget has them: by segment, each in the order of the prefix. 38,000 tokens."""
    order = [*plan.tools, *plan.system, *(block for message in plan.messages for block in message.blocks)]
    rows = []
    for segment in Segment:
        inside = [block for block in order if block.segment is segment]
        figures = [Figure(tokens, Known.COUNTED) for tokens in sizes[segment]]
        blocks = tuple(BlockTokens(block, figure) for block, figure in zip(inside, figures, strict=True))
        rows.append(BudgetRow(segment, Figure(sum(sizes[segment]), Known.COUNTED), blocks))
    total = sum(sum(tokens) for tokens in sizes.values())
    return Budget("claude-opus-5-5", Figure(total, Known.COUNTED), tuple(rows), 1_000, None, total)


def heat(read: int | None, written: int | None = None, earlier: Sequence[RequestRecord] = ()) -> HeatMap:
    found = block_heat(PLAN, budget(), read, written, earlier=earlier)
    assert found is not None
    return found


def signs(found: HeatMap) -> str:
    return "".join({Heat.HOT: "●", Heat.PART: "◐", Heat.NEW: "○"}[block.heat] for block in found.strip)


def reads(*tokens: int | None) -> list[RequestRecord]:
    return [
        replace(request(number, START, 40_000), usage=Usage(1, 40_000, 0, read, 1))
        for number, read in enumerate(tokens, 1)
    ]


def test_the_strip_follows_the_prefix_and_the_rows_follow_the_budget() -> None:
    found = heat(7_000, 31_000)
    assert [block.segment for block in found.strip] == [
        *(Segment.TOOLS, Segment.SYSTEM, Segment.FACTS, Segment.SUMMARY, Segment.MESSAGES, Segment.RECALLED),
        *(Segment.MESSAGES, Segment.MESSAGES, Segment.CURRENT, Segment.RECALLED),
    ]
    assert signs(found) == "●●●●●●○○○○"
    assert [block.heat for block in found.rows[Segment.RECALLED]] == [Heat.HOT, Heat.NEW]
    assert [block.tokens for block in found.rows[Segment.MESSAGES]] == [700, 20_000, 10_000]
    assert found.heat(Segment.MESSAGES) is Heat.PART
    assert found.share(Segment.MESSAGES) == 700 / 30_700
    assert found.heat(Segment.SYSTEM) is Heat.HOT
    assert (found.heat(Segment.CURRENT), found.share(Segment.CURRENT)) == (Heat.NEW, 0)
    assert sum(block.read + block.written for block in found.strip) == 38_000


def test_a_read_next_to_the_end_of_a_message_is_that_end() -> None:
    assert signs(heat(36_980)) == signs(heat(37_020)) == signs(heat(37_000)) == "●●●●●●●●○○"
    assert signs(heat(4_020)) == "●●●○○○○○○○"  # before the messages
    assert signs(heat(6_010)) == "●●●●○○○○○○"  # behind the memo
    assert signs(heat(3_000)) == "●●○○○○○○○○"  # before the facts
    assert signs(heat(20_000)) == "●●●●●●◐○○○"
    assert heat(20_000).strip[6] == BlockHeat(Segment.MESSAGES, 20_000, 13_000, 7_000)


def test_what_is_neither_read_nor_written_is_told_apart() -> None:
    found = heat(7_000, 30_000)
    assert [block.written for block in found.strip][-4:] == [20_000, 10_000, 0, 0]
    assert [block.heat for block in found.strip][-4:] == [Heat.NEW] * 4


def test_nothing_read_is_new_and_nothing_known_is_no_map() -> None:
    assert signs(heat(0)) == "○" * 10
    assert block_heat(PLAN, budget(), None) is None


def test_how_many_requests_in_a_row_read_a_block() -> None:
    found = heat(37_000, earlier=reads(4_000, 0, 4_000, 7_000, 7_000, 27_000))
    assert [block.streak for block in found.strip] == [4, 4, 4, 3, 3, 3, 1, 0, 0, 0]


def test_an_attempt_that_never_began_does_not_break_a_row() -> None:
    records = reads(4_000, 4_000, None, 4_000)
    failed = [*records[:2], replace(records[2], state=RequestState.FAILED, usage=None), records[3]]
    assert heat(4_000, earlier=failed).strip[0].streak == 3
    assert heat(4_000, earlier=records).strip[0].streak == 1  # one that told nothing does


def test_a_small_block_behind_a_long_prefix_is_not_taken_for_read() -> None:
    assert heat(37_000, earlier=reads(37_000)).strip[8].streak == 0
    assert heat(37_000, earlier=reads(36_950)).strip[7].streak == 1


def test_a_plan_as_it_is_made_for_a_conversation() -> None:
    plan = plan_context(path_of(user("one"), reply("first"), user("two")), EPOCH)
    blocks: list[Block] = [planned.block for planned in (*plan.tools, *plan.system)]
    sizes: dict[Segment, list[int]] = {segment: [] for segment in Segment}
    sizes |= {Segment.TOOLS: [500, 500], Segment.SYSTEM: [1_000], Segment.MESSAGES: [300, 300], Segment.CURRENT: [90]}
    found = block_heat(plan, budget(plan, sizes), 2_600)
    assert found is not None
    assert len(blocks) == 3
    assert signs(found) == "●●●●●○"


def test_a_map_knows_which_request_it_is_about() -> None:
    assert heat(7_000).fits(budget())
    assert not heat(7_000).fits(budget(PLAN, {**SIZES, Segment.CURRENT: [701]}))


def test_an_empty_plan_has_an_empty_map() -> None:
    nothing = Budget("m", Figure(0, Known.ESTIMATED), (), 0, None, 0)
    assert block_heat(ContextPlan(EPOCH, (), (), ()), nothing, 0) == HeatMap((), {})
