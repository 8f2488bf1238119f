"""Usage merges over a stream: later values overwrite, absent ones keep what stood, nothing is made up."""

from __future__ import annotations

from typing import Any

import pytest

from desktop_app.core.usage import Figure, Known, Usage, exact_total, merge_usage
from tests.unit.sse_files import usage_of


@pytest.mark.parametrize(
    ("name", "expected", "one_hour"),
    [
        ("usage_start_only.sse", {"uncached": 12, "written": 400, "read": 9_000, "output": 55}, 0),
        ("usage_in_delta.sse", {"uncached": 900, "written": 0, "read": 3_000, "output": 77}, 0),
        ("usage_1h_split.sse", {"uncached": 5, "written": 2_000, "read": 100, "output": 30}, 1_500),
        ("usage_explicit_zero.sse", {"uncached": 50, "written": 0, "read": 0, "output": 9}, 0),
    ],
)
def test_recorded_streams(name: str, expected: dict[str, int], one_hour: int) -> None:
    usage = usage_of(name)
    assert {field: getattr(usage, field) for field in expected} == expected
    assert usage.write_1h == one_hour
    assert usage.write_5m == expected["written"] - one_hour
    assert usage.input_total == expected["uncached"] + expected["written"] + expected["read"]
    # Only a write that came without its split leaves the lifetimes open.
    assert usage.split_known is (name != "usage_start_only.sse")


def test_what_was_not_reported_stays_unknown() -> None:
    usage = merge_usage(Usage(), {"output_tokens": 3})
    assert usage == Usage(output=3)
    assert (usage.input_total, usage.written) == (None, None)
    assert merge_usage(usage, None) is usage
    assert merge_usage(usage, {}) is usage
    assert merge_usage(usage, {"input_tokens": None, "cache_creation": None, "output_tokens_details": None}) == usage
    plain = merge_usage(Usage(), {"input_tokens": 20, "output_tokens": 1})
    assert (plain.input_total, plain.read, plain.written) == (20, None, None)


START = {
    "input_tokens": 5,
    "cache_creation_input_tokens": 2_000,
    "cache_creation": {"ephemeral_5m_input_tokens": 500, "ephemeral_1h_input_tokens": 1_500},
    "cache_read_input_tokens": 100,
    "output_tokens": 2,
}


@pytest.mark.parametrize(
    ("delta", "writes"),
    [
        ({"output_tokens": 9}, (500, 1_500, True)),
        ({"cache_creation_input_tokens": 2_000}, (500, 1_500, True)),
        ({"cache_creation_input_tokens": 2_300}, (800, 1_500, False)),
        ({"cache_creation_input_tokens": 1_000}, (0, 1_000, False)),
        ({"cache_creation_input_tokens": 0}, (0, 0, True)),
        (
            {"cache_creation_input_tokens": 30, "cache_creation": {"ephemeral_5m_input_tokens": 10,
             "ephemeral_1h_input_tokens": 20}},
            (10, 20, True),
        ),
        # A server that fills the split with zeros does not make the sum vanish.
        (
            {"cache_creation_input_tokens": 400, "cache_creation": {"ephemeral_5m_input_tokens": 0,
             "ephemeral_1h_input_tokens": 0}},
            (400, 0, False),
        ),
        ({"cache_creation": {"ephemeral_1h_input_tokens": 7}}, (0, 7, True)),
    ],
)  # fmt: skip
def test_cache_writes_after_a_later_report(delta: dict[str, Any], writes: tuple[int, int, bool]) -> None:
    usage = merge_usage(merge_usage(Usage(), START), delta)
    assert (usage.write_5m, usage.write_1h, usage.split_known) == writes
    assert (usage.uncached, usage.read) == (5, 100)


def test_a_repeated_write_without_split_stays_open() -> None:
    once = merge_usage(Usage(), {"cache_creation_input_tokens": 400})
    assert merge_usage(once, {"cache_creation_input_tokens": 400}) == once
    assert not once.split_known


def test_explicit_zeros_overwrite() -> None:
    usage = merge_usage(
        merge_usage(Usage(), START), {"input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 0}
    )
    assert (usage.uncached, usage.read, usage.output) == (0, 0, 0)


def test_thinking_is_part_of_the_output() -> None:
    usage = merge_usage(Usage(), {"output_tokens": 50, "output_tokens_details": {"thinking_tokens": 30}})
    assert (usage.output, usage.thinking) == (50, 30)
    assert merge_usage(usage, {"output_tokens": 60}).thinking == 30


@pytest.mark.parametrize(
    ("usage", "counted", "expected"),
    [
        (None, None, None),
        (None, 12, Figure(12, Known.COUNTED)),
        (Usage(uncached=10, read=5), 12, Figure(15, Known.MEASURED)),
        (Usage(uncached=0, output=4), 12, Figure(12, Known.COUNTED)),
        (Usage(uncached=0, read=90), None, Figure(90, Known.MEASURED)),
        (Usage(uncached=0), 0, None),
    ],
)
def test_no_request_holds_nothing(usage: Usage | None, counted: int | None, expected: Figure | None) -> None:
    assert exact_total(usage, counted) == expected


def test_only_an_estimate_looks_like_one() -> None:
    assert [known.sign for known in Known] == ["=", "=", "≈"]


COMPACTING = {"type": "compaction", "input_tokens": 180_000, "output_tokens": 3_500}
ANSWERING = {"type": "message", "input_tokens": 23_000, "output_tokens": 1_000}
FORESEEN = {"input_tokens": 180_000, "cache_read_input_tokens": 0, "output_tokens": 1}


def test_a_compaction_before_the_answer_is_paid_for_and_fills_no_window() -> None:
    end = {"input_tokens": 23_000, "output_tokens": 1_000, "iterations": [COMPACTING, ANSWERING]}
    usage = merge_usage(merge_usage(Usage(), FORESEEN), end)
    assert (usage.input_total, usage.output) == (23_000, 1_000)
    assert (usage.billed_input, usage.billed_output) == (203_000, 4_500)
    assert exact_total(usage, 180_000) == Figure(23_000, Known.MEASURED)
    assert [side.kind for side in usage.sides] == ["compaction"]


@pytest.mark.parametrize(
    ("start", "end"),
    [
        (FORESEEN, {"output_tokens": 0}),
        (FORESEEN, {"input_tokens": 0, "output_tokens": 0}),
        (FORESEEN, {"output_tokens": 3_500}),
        ({"input_tokens": 0, "output_tokens": 0}, {"output_tokens": 0}),
        ({"input_tokens": 0, "output_tokens": 0}, {"input_tokens": None, "output_tokens": None}),
    ],
)
def test_a_reply_that_only_compacts_is_paid_for_once(start: dict[str, Any], end: dict[str, Any]) -> None:
    usage = merge_usage(merge_usage(Usage(), start), end | {"iterations": [COMPACTING]})
    assert (usage.billed_input, usage.billed_output) == (180_000, 3_500)
    assert (usage.input_total, usage.output, usage.thinking) == (0, 0, None)
    # No answer was made that could tell what fills the window: what was counted holds.
    assert exact_total(usage, 181_000) == Figure(181_000, Known.COUNTED)


def test_a_compaction_that_was_not_made_costs_nothing() -> None:
    usage = merge_usage(
        merge_usage(Usage(), FORESEEN), {"output_tokens": 0, "iterations": [{"type": "compaction", "input_tokens": 0}]}
    )
    assert (usage.billed_input, usage.billed_output, usage.sides) == (0, 0, ())
