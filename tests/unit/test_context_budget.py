"""Rows sum to the total, whatever is known; what lies between two known points is exact."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop_app.core.context import ContextPlan, PlannedBlock, plan_context
from desktop_app.core.context_budget import Budget, BudgetRow, largest_remainder, make_budget, span_features
from desktop_app.core.conversation import text_block
from desktop_app.core.segment import Segment
from desktop_app.core.token_estimate import TokenEstimator, add_features
from desktop_app.core.usage import Figure, Known
from tests.unit.message_samples import EPOCH, call, fixed_path, path_of, reply, result, results, user
from tests.unit.random_histories import History, histories


def budget_of(plan: ContextPlan, known: dict[int, Figure] | None = None, **more: int | None) -> Budget:
    options = {"reserve": 1_000, "window": 200_000, **more}
    return make_budget(plan, TokenEstimator(), known or {}, **options)  # type: ignore[arg-type]


def in_messages(budget: Budget, plan: ContextPlan, count: int) -> int:
    """Tokens the budget gives tools, system and the first `count` messages."""
    tokens = {id(part.block): part.figure.tokens for row in budget.rows for part in row.blocks}
    inside = [*plan.tools, *plan.system, *(block for message in plan.messages[:count] for block in message.blocks)]
    return sum(tokens[id(block)] for block in inside)


@st.composite
def known_points(draw: st.DrawFn) -> tuple[ContextPlan, dict[int, Figure]]:
    history: History = draw(histories(most=8))
    plan = plan_context(history.path, history.epoch)
    numbers = draw(st.sets(st.integers(1, len(plan.messages))))
    how = st.sampled_from((Known.MEASURED, Known.COUNTED))
    return plan, {number: Figure(draw(st.integers(0, 3_000)), draw(how)) for number in numbers}


@given(known_points())
@settings(max_examples=60)
def test_rows_and_blocks_always_sum(drawn: tuple[ContextPlan, dict[int, Figure]]) -> None:
    plan, known = drawn
    budget = budget_of(plan, known)
    assert sum(row.figure.tokens for row in budget.rows) == budget.total.tokens
    for row in budget.rows:
        assert sum(part.figure.tokens for part in row.blocks) == row.figure.tokens
        assert all(part.figure.tokens >= 0 for part in row.blocks)
    assert [row.segment for row in budget.rows] == [
        segment for segment in Segment if any(row.segment is segment for row in budget.rows)
    ]
    whole = known.get(len(plan.messages))
    if whole is not None:
        assert budget.total == whole
    else:
        assert budget.total.known is Known.ESTIMATED


@given(known_points())
@settings(max_examples=40)
def test_growing_known_points_hold_exactly(drawn: tuple[ContextPlan, dict[int, Figure]]) -> None:
    plan, known = drawn
    tokens = sorted(figure.tokens for figure in known.values())
    known = {number: Figure(total, known[number].known) for number, total in zip(sorted(known), tokens, strict=True)}
    budget = budget_of(plan, known)
    for number, figure in known.items():
        assert in_messages(budget, plan, number) == figure.tokens


def test_nothing_known_is_an_estimate_throughout() -> None:
    budget = budget_of(plan_context(fixed_path(), EPOCH))
    assert budget.total.known is Known.ESTIMATED
    assert {row.figure.known for row in budget.rows} == {Known.ESTIMATED}
    assert [row.segment for row in budget.rows] == [Segment.SYSTEM, Segment.TOOLS, Segment.MESSAGES, Segment.CURRENT]
    assert abs(budget.total.tokens - budget.estimated_total) <= 1


def test_a_row_that_fills_the_space_between_two_known_points_is_exact() -> None:
    plan = plan_context(path_of(user("old words"), reply("old answer"), user("the question")), EPOCH)
    known = {1: Figure(900, Known.MEASURED), 2: Figure(950, Known.MEASURED), 3: Figure(977, Known.COUNTED)}
    budget = budget_of(plan, known)
    current, messages, system = (budget.row(part) for part in (Segment.CURRENT, Segment.MESSAGES, Segment.SYSTEM))
    assert current is not None and current.figure == Figure(27, Known.COUNTED)
    assert current.blocks[0].figure == Figure(27, Known.COUNTED)
    # System, tools and the first message share one known total: only their sum is exact.
    assert system is not None and system.figure.known is Known.ESTIMATED
    assert messages is not None and messages.figure.known is Known.ESTIMATED
    assert messages.blocks[1].figure == Figure(50, Known.MEASURED)
    assert budget.row(Segment.FACTS) is None


def test_a_row_is_known_as_well_as_its_weakest_part() -> None:
    path = path_of(user("a"), reply("b"), user("c"), reply(call("x")), results(result("x")))
    plan = plan_context(path, replace(EPOCH, system="", tools=()))
    exact = {number: Figure(number * 10, Known.MEASURED) for number in (1, 2, 3, 4)}
    rows = {row.segment: row.figure for row in budget_of(plan, exact | {5: Figure(54, Known.COUNTED)}).rows}
    assert rows == {Segment.MESSAGES: Figure(44, Known.COUNTED), Segment.CURRENT: Figure(10, Known.MEASURED)}
    rows = {row.segment: row.figure for row in budget_of(plan, exact).rows}
    assert rows[Segment.MESSAGES].known is Known.ESTIMATED
    assert rows[Segment.CURRENT] == Figure(10, Known.MEASURED)


def test_a_later_total_overrules_a_larger_one_measured_before() -> None:
    # Servers leave the thinking of closed turns out, so a prefix may have been larger inside its tool loop.
    plan = plan_context(fixed_path(), EPOCH)
    budget = budget_of(plan, {3: Figure(5_000, Known.MEASURED), 7: Figure(3_000, Known.COUNTED)})
    assert budget.total == Figure(3_000, Known.COUNTED)
    assert sum(row.figure.tokens for row in budget.rows) == 3_000


def test_points_outside_the_plan_are_passed_over() -> None:
    plan = plan_context(path_of(user("a")), EPOCH)
    outside = {0: Figure(7, Known.COUNTED), 2: Figure(9, Known.COUNTED)}
    assert budget_of(plan, outside).total == budget_of(plan).total


def test_what_the_estimate_had_said_starts_from_the_last_known_prefix() -> None:
    plan = plan_context(path_of(user("a"), reply("b"), user("c")), EPOCH)
    alone = budget_of(plan, {2: Figure(1_000, Known.MEASURED)})
    counted = budget_of(plan, {2: Figure(1_000, Known.MEASURED), 3: Figure(1_234, Known.COUNTED)})
    assert 1_000 < alone.estimated_total < 1_020
    assert counted.estimated_total == alone.estimated_total
    assert counted.total.tokens == 1_234
    given_total = make_budget(plan, TokenEstimator(), {}, reserve=1, window=None, estimated_total=55)
    assert given_total.estimated_total == 55


@pytest.mark.parametrize(
    ("window", "reserve", "free"), [(200_000, 1_000, 197_766), (1_500, 1_000, -734), (None, 1_000, None), (1_234, 0, 0)]
)
def test_free_space(window: int | None, reserve: int, free: int | None) -> None:
    plan = plan_context(path_of(user("a")), EPOCH)
    budget = budget_of(plan, {1: Figure(1_234, Known.COUNTED)}, window=window, reserve=reserve)
    assert budget.free == free


def test_estimates_make_way_for_what_is_least_certain() -> None:
    plain = replace(EPOCH, system="", tools=())
    plan = plan_context(path_of(user("x" * 400, "12 34 한국어 漢字" * 4)), plain)
    estimator = TokenEstimator()
    for _ in range(120):
        estimator.learn({"latin": 400.0, "words": 1.0}, 68)  # the first block is well known by now
    before = make_budget(plan, estimator, {}, reserve=0, window=None).rows[0].blocks
    total = sum(part.figure.tokens for part in before) + 30
    after = make_budget(plan, estimator, {1: Figure(total, Known.COUNTED)}, reserve=0, window=None).rows[0].blocks
    moved = [late.figure.tokens - early.figure.tokens for early, late in zip(before, after, strict=True)]
    assert sum(moved) == 30
    assert moved[1] > 3 * max(moved[0], 1)


def test_span_features_add_up_to_the_whole() -> None:
    plan = plan_context(fixed_path(), EPOCH)
    whole = span_features(plan, 0)
    assert whole["tool"] == 2.0
    assert whole["tools"] == whole["system"] == 1.0
    head = span_features(replace(plan, messages=plan.messages[:4]), 0)
    assert add_features([head, span_features(plan, 4)]) == whole
    assert span_features(plan, len(plan.messages)) == {}


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=30))
def test_largest_remainder_keeps_whole_shares(values: list[float]) -> None:
    total = round(sum(values))
    shares = largest_remainder(values, total)
    assert sum(shares) == total
    assert all(abs(share - value) <= 1 for share, value in zip(shares, values, strict=True))


@given(st.lists(st.floats(0, 100), max_size=8), st.integers(0, 500))
def test_largest_remainder_reaches_any_total(values: list[float], total: int) -> None:
    assert sum(largest_remainder(values, total)) == (total if values else 0)


def test_largest_remainder_table() -> None:
    assert largest_remainder([1.5, 1.5, 1.0], 4) == [2, 1, 1]
    assert largest_remainder([0.4, 0.3, 0.3], 1) == [1, 0, 0]
    assert largest_remainder([], 5) == []


def test_a_row_with_another_figure_keeps_its_proportions() -> None:
    budget = budget_of(plan_context(path_of(user("one two three", "four")), EPOCH))
    row = budget.row(Segment.CURRENT)
    assert row is not None
    doubled = row.with_figure(Figure(row.figure.tokens * 2, Known.MEASURED))
    assert doubled.figure.known is Known.MEASURED
    assert sum(part.figure.tokens for part in doubled.blocks) == doubled.figure.tokens
    assert [part.figure.known for part in doubled.blocks] == [Known.ESTIMATED] * 2
    single = budget.row(Segment.SYSTEM)
    assert single is not None
    assert single.with_figure(Figure(9, Known.COUNTED)).blocks[0].figure == Figure(9, Known.COUNTED)
    assert BudgetRow(Segment.FACTS, Figure(0, Known.COUNTED)).with_figure(Figure(5, Known.COUNTED)).blocks == ()


def test_blocks_name_the_message_they_come_from() -> None:
    budget = budget_of(plan_context(path_of(user("a"), reply("b"), user("c")), EPOCH))
    row = budget.row(Segment.CURRENT)
    assert row is not None
    assert [part.block for part in row.blocks] == [PlannedBlock(Segment.CURRENT, text_block("c"), "m2")]
