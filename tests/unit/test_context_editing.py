"""What the API is asked to do to a context, in its order and within its limits, and what it says it did."""

from __future__ import annotations

from typing import Any

import pytest

from desktop_app.core.context_editing import (
    CLEAR_THINKING,
    CLEAR_TOOL_RESULTS,
    CLEARING_BETA,
    COMPACT,
    EDITS,
    MEMORY_TOOLS,
    ON_DEMAND_BETA,
    THRESHOLD_BETA,
    Cleared,
    Wishes,
    applied_edits,
    betas_for,
    block_betas,
    cleared,
    compact_at,
    dropped_thinking,
    edits_for,
    in_order,
    least_cleared,
)
from desktop_app.core.conversation import to_json
from desktop_app.core.ports import Tool
from desktop_app.services.forget_tool import ForgetMemory
from desktop_app.services.memory_file_tool import MemoryFiles
from desktop_app.services.memory_tools import SaveMemory, SearchMemory

ALL = Wishes(200_000, clear_tool_results=True, clear_thinking=True, compact=True)


def test_nothing_is_asked_for_without_a_wish() -> None:
    assert edits_for(Wishes(200_000)) == ()
    assert betas_for(()) == ()


def test_all_wishes_in_the_order_of_the_api() -> None:
    thinking, results, compact = edits_for(ALL)
    assert [edit["type"] for edit in (thinking, results, compact)] == list(EDITS)
    assert thinking == {"type": CLEAR_THINKING, "keep": {"type": "thinking_turns", "value": 3}}
    assert results["trigger"] == {"type": "input_tokens", "value": 120_000}
    assert results["keep"] == {"type": "tool_uses", "value": 3}
    assert results["exclude_tools"] == ["save_memory", "search_memory", "forget_memory", "memory"]
    assert compact == {
        "type": COMPACT,
        "trigger": {"type": "input_tokens", "value": 200_000},
        "pause_after_compaction": True,
    }
    assert in_order([compact, results, thinking]) == (thinking, results, compact)
    assert to_json(list(edits_for(ALL))) == to_json(list(edits_for(ALL)))


def test_the_memory_tools_are_those_the_assistant_has() -> None:
    unused: Any = None
    tools: tuple[Tool, ...] = (
        *(SaveMemory(unused), SearchMemory(unused, unused)),
        *(ForgetMemory(unused, unused, unused, unused), MemoryFiles(unused, unused, unused, unused)),
    )
    names = {tool.definition["name"] for tool in tools}
    assert names == set(MEMORY_TOOLS)


@pytest.mark.parametrize(("threshold", "trigger"), [(1_000, 50_000), (49_999, 50_000), (50_001, 50_001)])
def test_the_api_compacts_at_no_less_than_it_takes(threshold: int, trigger: int) -> None:
    assert compact_at(threshold)["trigger"]["value"] == trigger


def test_a_prompt_of_our_own_is_sent_only_where_it_says_something() -> None:
    assert "instructions" not in compact_at(60_000, " \n\u200b")
    assert compact_at(60_000, "Keep every id.")["instructions"] == "Keep every id."


@pytest.mark.parametrize(("read", "write"), [(0.1, 1.25), (0.05, 1.25), (0.025, 2.0)])
def test_a_clearing_pays_for_the_cache_it_breaks(read: float, write: float) -> None:
    context = 100_000
    least = least_cleared(context, read, write)
    assert 0 < least < context
    lost = (context - least) * (write - read)
    assert least * read * 20 == pytest.approx(lost, rel=0.01)


def test_where_writing_costs_no_more_than_reading_anything_pays() -> None:
    assert least_cleared(100_000, 1.0, 1.0) == 1
    assert least_cleared(100_000, 0.0, 1.25) == 100_000


def test_each_edit_needs_its_own_header() -> None:
    thinking, results, compact = edits_for(ALL)
    assert betas_for([thinking, results]) == (CLEARING_BETA,)
    assert betas_for([compact]) == (THRESHOLD_BETA,)
    assert betas_for([thinking, results, compact]) == (CLEARING_BETA, THRESHOLD_BETA)


def test_the_headers_a_block_is_taken_back_with() -> None:
    unsigned, signed = {"type": "compaction", "content": "s"}, {"type": "compaction", "content": "s", "signature": "x"}
    assert block_betas(unsigned) == (THRESHOLD_BETA,)
    assert set(block_betas(signed)) == {ON_DEMAND_BETA, THRESHOLD_BETA}
    assert block_betas(signed, compacts=True) == (THRESHOLD_BETA,)


def test_what_was_left_out_is_read_by_type_and_summed() -> None:
    reported = {
        "applied_edits": [
            {"type": CLEAR_THINKING, "cleared_thinking_turns": 4, "cleared_input_tokens": 900},
            {"type": CLEAR_TOOL_RESULTS, "cleared_tool_uses": 8, "cleared_input_tokens": 50_000},
            {"type": "clear_images_20271231", "cleared_images": 2, "cleared_input_tokens": 100},
            "nonsense",
        ]
    }
    edits = applied_edits(reported)
    assert [edit["type"] for edit in edits] == [CLEAR_THINKING, CLEAR_TOOL_RESULTS, "clear_images_20271231"]
    assert cleared(edits) == Cleared(51_000, 8, 4)


@pytest.mark.parametrize("reported", [None, {}, {"applied_edits": None}, {"applied_edits": []}, [], "x"])
def test_nothing_reported_is_nothing_cleared(reported: object) -> None:
    assert applied_edits(reported) == ()
    assert cleared(applied_edits(reported)) == Cleared()


def test_impossible_figures_count_as_nothing() -> None:
    assert (
        cleared([{"cleared_input_tokens": "many", "cleared_tool_uses": -1, "cleared_thinking_turns": True}])
        == Cleared()
    )


def test_only_dropped_thinking_is_named() -> None:
    told = [
        {"type": "thinking_dropped", "path": "messages.1.content.0", "reason": "prefix_binding_mismatch"},
        {"type": "thinking_mismatch_allowed", "path": "messages.3.content.0", "reason": "prefix_binding_mismatch"},
        {"type": "something_new", "path": "messages.5.content.0"},
    ]
    assert dropped_thinking(told) == ("messages.1.content.0",)
    assert dropped_thinking(None) == dropped_thinking([]) == dropped_thinking({}) == ()
