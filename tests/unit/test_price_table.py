"""Twenty replies of different models with what each costs, worked out by hand, and replies with passes beside them."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from desktop_app.core.money.pricing import Cost, PriceList, load_prices, prices_from
from desktop_app.core.request_log import RequestRecord, RequestState
from desktop_app.core.usage import SidePass, Usage, exact_total, merge_usage
from tests.unit.sse_files import usage_of

DATA = Path(__file__).parent / "data"
AT = datetime(2026, 11, 30, 12, tzinfo=UTC)
OLD = datetime(2026, 10, 6, 23, 59, 59, tzinfo=UTC)
NEW = datetime(2026, 10, 7, tzinfo=UTC)
COMPACTION = SidePass("compaction", uncached=180_000, output=3_500)
REAL = load_prices()
TEST = prices_from(
    {
        "dated": date(2026, 11, 30),
        "price": [
            {"models": ["claude-test-1"], "input": "3", "write_5m": "3.75", "write_1h": "6", "read": "0.30",
             "output": "15"},
        ],
    }
)  # fmt: skip
TABLE: list[tuple[str, datetime, Usage, str | None]] = [
    ("claude-fable-5-2", AT, Usage(1_000, 2_000, 0, 50_000, 800), "0.07"),
    ("claude-fable-5-1", AT, Usage(1_000, 0, 3_000, 100_000, 1_000), "0.145"),
    ("claude-mythos-5-1", AT, Usage(10, 400, 0, 9_000, 55), "0.0101"),
    ("claude-fable-5", AT, Usage(0, 0, 0, 200_000, 1), "0.20005"),
    ("claude-mythos-5", AT, Usage(7, 70, 700, 7_000, 70), "0.025445"),
    ("claude-opus-5-5", AT, Usage(700, 648, 300, 59_186, 40), "0.0210772"),
    ("claude-opus-5", AT, Usage(123, 456, 0, 7_890, 321), "0.015435"),
    ("claude-opus-4-8", AT, Usage(0, 0, 12_345, 0, 6), "0.1236"),
    ("claude-opus-4-5-20251101", AT, Usage(33, 1, 1, 1, 1), "0.00020675"),
    ("claude-sonnet-5-5", OLD, Usage(1_000, 1_000, 1_000, 1_000_000, 1_000), "0.2185"),
    ("claude-sonnet-5-5", NEW, Usage(1_000, 1_000, 1_000, 1_000_000, 1_000), "0.1185"),
    ("claude-sonnet-5", NEW, Usage(1_000, 1_000, 1_000, 1_000_000, 1_000), "0.2185"),
    ("claude-sonnet-4-6", AT, Usage(12, 400, 0, 9_000, 55), "0.005061"),
    ("claude-sonnet-4-5", AT, Usage(5, 500, 1_500, 100, 30), "0.01137"),
    ("claude-haiku-5-5", AT, Usage(40_000, 10_000, 0, 50_000, 1_000), "0.00625"),
    ("claude-haiku-5-5", AT, Usage(40_000, 10_001, 0, 50_000, 1_000), "0.031250625"),
    ("claude-haiku-5-5", AT, Usage(23_000, 0, 0, 0, 1_000, sides=(COMPACTION,)), "0.10155"),
    ("claude-haiku-4-5-20251001", AT, Usage(1_000_000, 0, 0, 0, 1_000_000), "6"),
    ("claude-mythos-preview", AT, Usage(1_000, 0, 0, 9_000, 55), None),
    ("claude-mythos-5-2", AT, Usage(1_000, 0, 0, 9_000, 55), None),
]


def found(model: str, usage: Usage, at: datetime = AT, prices: PriceList = TEST) -> Cost:
    cost = prices.cost(model, usage, at)
    assert cost is not None
    return cost


def reply() -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads((DATA / "compaction_response.json").read_text("utf-8"))
    return parsed


@pytest.mark.parametrize(("model", "at", "usage", "usd"), TABLE)
def test_each_of_twenty_replies_costs_what_was_worked_out(
    model: str, at: datetime, usage: Usage, usd: str | None
) -> None:
    cost = REAL.cost(model, usage, at)
    assert (cost.total if cost else None) == (Decimal(usd) if usd else None)
    if cost:
        assert cost.uncached + cost.write_5m + cost.write_1h + cost.read + cost.output + cost.sides == cost.total


def test_the_twenty_together() -> None:
    costs = [REAL.cost(model, usage, at) for model, at, usage, _ in TABLE]
    assert len(costs) == 20
    assert sum(one is None for one in costs) == 2
    whole = sum((one for one in costs if one), Cost())
    assert whole.total == Decimal("7.321895575")
    assert whole.sides == Decimal("0.09875")


def test_a_reply_with_a_compaction_beside_it() -> None:
    usage = merge_usage(Usage(), reply()["usage"])
    assert usage == Usage(23_000, 0, 0, 0, 1_000, sides=(COMPACTION,))
    assert (usage.billed_input, usage.billed_output) == (203_000, 4_500)
    cost = found("claude-test-1", usage)
    assert (cost.total, cost.input + cost.output, cost.sides) == (
        Decimal("0.6765"),
        Decimal("0.084"),
        Decimal("0.5925"),
    )
    figure = exact_total(usage, None)
    assert figure is not None
    assert figure.tokens == 23_000


def test_passes_told_twice_are_paid_once() -> None:
    usage = merge_usage(Usage(), {"input_tokens": 23_000, "output_tokens": 1})
    for _ in range(2):
        usage = merge_usage(usage, reply()["usage"])
    assert merge_usage(usage, {"output_tokens": 1_000}) == usage
    assert found("claude-test-1", usage).total == Decimal("0.6765")


def test_each_pass_beside_the_answer_is_a_prompt_of_its_own_length() -> None:
    """Together they are beyond the border of the long prompts, alone they are not."""
    sides = (SidePass("compaction", uncached=90_000), SidePass("advisor_message", read=60_000, output=100))
    cost = found("claude-haiku-5-5", Usage(50_000, 0, 0, 0, 0, sides=sides), prices=REAL)
    assert cost.uncached == Decimal("0.005")
    assert cost.sides == Decimal("0.009") + Decimal("0.0006") + Decimal("0.00005")


def test_a_request_that_only_folds_costs_its_passes() -> None:
    told = {"input_tokens": 0, "output_tokens": 0, "iterations": [reply()["usage"]["iterations"][0]]}
    usage = merge_usage(Usage(), told)
    assert (usage.input_total, usage.billed_input) == (0, 180_000)
    assert exact_total(usage, None) is None
    assert found("claude-test-1", usage).total == Decimal("0.5925")


def test_writes_and_reads_of_a_pass_have_their_own_rates() -> None:
    entry = {
        "type": "compaction",
        "input_tokens": 1_000,
        "cache_creation_input_tokens": 3_000,
        "cache_creation": {"ephemeral_5m_input_tokens": 1_000, "ephemeral_1h_input_tokens": 2_000},
        "cache_read_input_tokens": 10_000,
        "output_tokens": 100,
    }
    usage = merge_usage(Usage(), {"input_tokens": 10, "output_tokens": 1, "iterations": [entry]})
    assert usage.sides == (SidePass("compaction", 1_000, 1_000, 2_000, 10_000, 100),)
    cost = found("claude-test-1", usage)
    assert cost.sides == Decimal("0.003") + Decimal("0.00375") + Decimal("0.012") + Decimal("0.003") + Decimal("0.0015")
    assert not cost.estimated
    del entry["cache_creation"]
    open_split = merge_usage(Usage(), {"input_tokens": 10, "output_tokens": 1, "iterations": [entry]})
    assert open_split.sides == (SidePass("compaction", 1_000, 3_000, 0, 10_000, 100),)
    assert found("claude-test-1", open_split).estimated


def test_the_last_of_several_passes_of_an_answer_fills_the_window() -> None:
    first = {"type": "message", "input_tokens": 170_000, "output_tokens": 400, "cache_read_input_tokens": 5_000}
    folding, last = reply()["usage"]["iterations"]
    told = {
        "input_tokens": 193_000,
        "cache_read_input_tokens": 5_000,
        "output_tokens": 1_400,
        "iterations": [first, folding, last],
    }
    usage = merge_usage(Usage(), told)
    assert (usage.uncached, usage.read, usage.output) == (23_000, 0, 1_000)
    assert usage.sides == (SidePass("message", uncached=170_000, read=5_000, output=400), COMPACTION)
    assert (usage.billed_input, usage.billed_output) == (378_000, 4_900)
    assert found("claude-test-1", usage).total == Decimal("0.6765") + Decimal("0.51") + Decimal("0.0015") + Decimal(
        "0.006"
    )
    # Totals that are not the sum of the passes are believed as they are.
    kept = merge_usage(Usage(), {**told, "input_tokens": 193_001})
    assert (kept.uncached, kept.output, kept.sides) == (193_001, 1_400, (COMPACTION,))


def test_one_pass_that_only_repeats_the_totals_changes_nothing() -> None:
    plain = merge_usage(Usage(), {"input_tokens": 9, "output_tokens": 2})
    told = {"iterations": [{"type": "message", "input_tokens": 9, "output_tokens": 2}]}
    assert merge_usage(plain, told) == plain
    assert merge_usage(Usage(), told) == replace(plain, write_5m=0, write_1h=0, read=0)


@pytest.mark.parametrize(
    "iterations",
    [None, [], "compaction", {"type": "compaction"}, [None, 3, "x"], [{"input_tokens": 5}], [{"type": 4}],
     [{"type": "compaction"}, {"type": "compaction", "input_tokens": -5, "output_tokens": "many"}]],
)  # fmt: skip
def test_what_is_no_list_of_passes_costs_nothing(iterations: object) -> None:
    plain = merge_usage(Usage(), {"input_tokens": 9, "output_tokens": 2})
    assert merge_usage(plain, {"iterations": iterations}) == plain


def test_recorded_streams_have_no_passes() -> None:
    names = ("usage_start_only", "usage_in_delta", "usage_1h_split", "usage_explicit_zero")
    assert all(usage_of(f"{name}.sse").sides == () for name in names)


def test_what_a_pass_costs_is_no_saving() -> None:
    usage = Usage(1_000, 0, 0, 9_000, 10)
    beside = replace(usage, sides=(SidePass("compaction", read=1_000_000),))
    assert REAL.saved("claude-opus-5-5", beside, AT) == REAL.saved("claude-opus-5-5", usage, AT) == Decimal("0.0342")


def test_a_request_in_the_log_is_paid_with_its_passes() -> None:
    usage = Usage(1_000_000, 0, 0, 0, 0, sides=(SidePass("compaction", output=1_000_000),))
    record = RequestRecord(
        "r1", "c1", "t1", 1, 1, AT, "api.anthropic.com", "claude-opus-5-5", "d", 1_000, None, 0, (),
        state=RequestState.ANSWERED, usage=usage,
    )  # fmt: skip
    cost = REAL.cost_of(record)
    assert cost is not None
    assert (cost.input, cost.output, cost.sides, cost.total) == (4, 0, 20, 24)
