"""What the API refuses of compaction is refused before it leaves: blocks, requests for one, edits of the context."""

from __future__ import annotations

from typing import Any

import pytest

from desktop_app.core.context_editing import (
    CLEARING_BETA,
    ON_DEMAND_BETA,
    THRESHOLD_BETA,
    Wishes,
    clear_thinking,
    clear_tool_results,
    compact_at,
    edits_for,
)
from desktop_app.core.conversation import Block, text_block
from desktop_app.core.request_rules import RequestFacts, check_request
from tests.fakes.refused_requests import OLD_MODEL, assistant, system, user, valid_body
from tests.unit.message_samples import thinking

SIGNED: Block = {"type": "compaction", "content": "They named the cat Miso.", "signature": "sig-1", "tool_changes": []}
UNSIGNED: Block = {"type": "compaction", "content": "They named the cat Miso."}
FAILED: Block = {"type": "compaction", "content": None}
BOTH = (ON_DEMAND_BETA, THRESHOLD_BETA)
ALL_BETAS = (*BOTH, CLEARING_BETA)
CALL: Block = {"type": "tool_use", "id": "x", "name": "t", "input": {}}


def rules(body: dict[str, Any], betas: tuple[str, ...] = ALL_BETAS, **known: Any) -> list[str]:
    return [found.rule for found in check_request(body, RequestFacts(betas, **known))]


def chat(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    return valid_body(messages=list(messages), **more)


def edited(*edits: Block, **more: Any) -> dict[str, Any]:
    return valid_body(context_management={"edits": list(edits)}, **more)


MARKED = SIGNED | {"cache_control": {"type": "ephemeral", "ttl": "1h"}}
VALID = {
    "a signed block, then the person": chat(assistant(SIGNED), user("And its age?")),
    "a signed block, then the last reply": chat(assistant(SIGNED), assistant("Fine."), user("And its age?")),
    "a marked block": chat(assistant(MARKED), user("And its age?")),
    "a block that failed before it": chat(assistant(FAILED, SIGNED), user("a")),
    "a failed block is nothing": chat(user("a"), assistant(FAILED, text_block("b")), user("c")),
    "a paused answer": chat(assistant(UNSIGNED)),
    "a compaction of a whole turn": chat(user("a"), assistant("b"), compaction={"type": "summarize"}),
    "a compaction that ends with the person": chat(user("a"), compaction={"type": "summarize", "instructions": "Ids."}),
    "a second compaction": chat(assistant(SIGNED), user("a"), assistant("b"), compaction={"type": "summarize"}),
    "all edits": edited(*edits_for(Wishes(60_000, clear_tool_results=True, clear_thinking=True, compact=True))),
    "clearing beside a block": chat(
        assistant(SIGNED), user("a"), context_management={"edits": [clear_tool_results(9, 9)]}
    ),
}


@pytest.mark.parametrize("body", VALID.values(), ids=VALID)
def test_what_the_api_takes_is_taken(body: dict[str, Any]) -> None:
    assert rules(body) == []


def test_the_api_compacts_on_behind_its_block_of_a_threshold() -> None:
    body = chat(
        user("old"), assistant(UNSIGNED, text_block("b")), user("a"), context_management={"edits": [compact_at(60_000)]}
    )
    assert rules(body, (THRESHOLD_BETA,)) == []
    body = chat(assistant(SIGNED), user("a"), context_management={"edits": [compact_at(60_000)]})
    assert rules(body, (THRESHOLD_BETA,)) == []
    assert rules(body, BOTH) == ["compaction_with_edit"]


REFUSED = {
    "not first": (chat(user("a"), assistant(SIGNED), user("b")), "compaction_place"),
    "not first in its message": (chat(assistant(text_block("a"), SIGNED), user("b")), "compaction_place"),
    "said by the person": (chat(user(SIGNED, text_block("a"))), "compaction_place"),
    "two with content": (chat(assistant(SIGNED, UNSIGNED), user("a")), "compaction_twice"),
    "empty": (chat(assistant({"type": "compaction", "content": ""}), user("a")), "compaction_empty"),
    "with a field of another block": (chat(assistant(SIGNED | {"citations": None}), user("a")), "unknown_field"),
    "nothing but a failed block": (chat(assistant(FAILED), user("a")), "first_role"),
    "with an edit": (valid_body(compaction={"type": "summarize"}, context_management={"edits": []}),
                     "compaction_beside"),
    "with stop sequences": (valid_body(compaction={"type": "summarize"}, stop_sequences=["x"]), "compaction_beside"),
    "with a format": (valid_body(compaction={"type": "summarize"}, output_config={"format": {"type": "json_schema"}}),
                      "compaction_beside"),
    "with a forced tool": (valid_body(compaction={"type": "summarize"}, model=OLD_MODEL, tools=[{"name": "t"}],
                                      tool_choice={"type": "any"}), "compaction_beside"),
    "an endless prompt": (valid_body(compaction={"type": "summarize", "instructions": "x" * 16_385}),
                          "instructions_long"),
    "nothing to summarise": (chat(assistant(SIGNED), compaction={"type": "summarize"}), "compaction_nothing"),
    "an unanswered call": (chat(user("a"), assistant(CALL), compaction={"type": "summarize"}), "compaction_open_turn"),
    "thinking at the end": (chat(user("a"), assistant(text_block("b"), thinking("c")),
                                 compaction={"type": "summarize"}), "compaction_open_turn"),
    "thinking cleared last": (edited(clear_tool_results(9, 9), clear_thinking()), "edit_order"),
    "an edit twice": (edited(clear_thinking(), clear_thinking()), "edit_twice"),
    "an edit of tomorrow": (edited({"type": "clear_images_20271231"}), "edit_unknown"),
    "too low a trigger": (edited(compact_at(60_000) | {"trigger": {"type": "input_tokens", "value": 49_999}}),
                          "edit_trigger"),
}  # fmt: skip


@pytest.mark.parametrize(("body", "rule"), REFUSED.values(), ids=REFUSED)
def test_what_it_refuses_is_refused(body: dict[str, Any], rule: str) -> None:
    assert rule in rules(body)


def test_no_block_stands_in_a_system_message() -> None:
    body = chat(user("a"), system("") | {"content": [SIGNED]}, model="claude-opus-5")
    assert "compaction_place" in rules(body)


@pytest.mark.parametrize(
    ("body", "betas", "rule"),
    [
        (chat(assistant(SIGNED), user("a")), (), "beta_missing"),
        (chat(assistant(UNSIGNED), user("a")), (CLEARING_BETA,), "beta_missing"),
        (valid_body(compaction={"type": "summarize"}), (THRESHOLD_BETA,), "beta_missing"),
        (edited(clear_thinking()), (), "beta_missing"),
        (edited(clear_thinking()), (THRESHOLD_BETA,), "edit_unknown"),
        (edited(compact_at(60_000)), (CLEARING_BETA,), "edit_unknown"),
    ],
)
def test_without_its_header_nothing_of_it_leaves(body: dict[str, Any], betas: tuple[str, ...], rule: str) -> None:
    assert rule in rules(body, betas)


@pytest.mark.parametrize(
    "change", [{"content": "They named the cat Nabi."}, {"tool_changes": None}, {"encrypted_content": "x"}]
)
def test_a_block_goes_back_as_it_came(change: dict[str, Any]) -> None:
    known = {"sig-1": SIGNED}
    assert rules(chat(assistant(MARKED), user("a")), issued=known) == []
    assert rules(chat(assistant(SIGNED | change), user("a")), issued=known) == ["compaction_changed"]


def test_a_paused_reply_is_no_whole_turn() -> None:
    body = chat(user("a"), assistant("b"), compaction={"type": "summarize"})
    assert rules(body, paused=True) == ["compaction_open_turn"]


def test_thinking_before_the_last_compaction_is_nothing_to_the_api() -> None:
    stale, fresh = thinking("Old.", "gone"), thinking("New.", "here")
    body = chat(
        user("a"), assistant(stale, text_block("b")), user("c"), assistant(UNSIGNED, fresh, text_block("d")), user("e")
    )
    assert rules(body, (THRESHOLD_BETA,), issued={"here": fresh}) == []
    assert rules(body, (THRESHOLD_BETA,), issued={}) == ["signature"]
    without = chat(user("a"), assistant(stale, text_block("b")), user("c"))
    assert rules(without, issued={"here": fresh}) == ["signature"]
