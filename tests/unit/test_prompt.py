"""A plan and choices become one request, the same bytes in any process, growing only at its end."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from desktop_app.core.context import ContextPlan, PlannedBlock, PlannedMessage, plan_context
from desktop_app.core.context_editing import (
    BINDING_BETA,
    CLEAR_TOOL_RESULTS,
    CLEARING_BETA,
    COMPACT,
    ON_DEMAND_BETA,
    THRESHOLD_BETA,
    Wishes,
    edits_for,
)
from desktop_app.core.conversation import Block, Message, Role, from_json, to_json
from desktop_app.core.models import Features
from desktop_app.core.prompt import Choices, build_request
from desktop_app.core.request import Mark, Request
from desktop_app.core.request_rules import RequestFacts, check_request
from desktop_app.core.segment import Segment
from tests.unit.message_samples import (
    EPOCH,
    call,
    fixed_path,
    path_of,
    reply,
    request_for,
    result,
    results,
    thinking,
    user,
)
from tests.unit.random_histories import History, histories

ROOT = Path(__file__).parents[2]
PRINT_DIGEST = (
    "import hashlib; from tests.unit.message_samples import fixed_path, request_for; "
    "print(hashlib.sha256(request_for(fixed_path()).body_bytes()).hexdigest())"
)


def reloaded(path: list[Message]) -> list[Message]:
    """The path as a store gives it back."""
    return [replace(message, blocks=tuple(from_json(to_json(block)) for block in message.blocks)) for message in path]


def messages_bytes(request: Request) -> bytes:
    return to_json([message.as_json() for message in request.messages]).encode()


def test_bytes_are_the_same_in_every_process_and_after_reloading() -> None:
    here = hashlib.sha256(request_for(reloaded(fixed_path())).body_bytes()).hexdigest()
    running = [
        subprocess.Popen(
            [sys.executable, "-c", PRINT_DIGEST],
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        for seed in (0, 1, 2, 77, 4_294_967_295)
    ]
    assert [process.communicate()[0].strip() for process in running] == [here] * 5


def test_arguments_keep_their_order_and_letters_their_form() -> None:
    body = request_for(fixed_path()).body_bytes().decode()
    assert '"input":{"expression":"12*34","zebra":1,"apple":{"b":1,"a":[2.5,null]}}' in body
    assert '"input":{"y":true,"x":"é\u2028"}' in body
    assert "안녕하세요, 12 × 34는?" in body
    assert "\\u" not in body


@given(histories())
@settings(max_examples=50)
def test_a_reloaded_history_gives_the_same_bytes(history: History) -> None:
    first = request_for(history.path, history.epoch)
    again = request_for(reloaded(history.path), history.epoch)
    assert again.body_bytes() == first.body_bytes()
    assert from_json(first.body_bytes().decode()) == first.body()


def test_each_request_of_a_chat_begins_with_the_one_before() -> None:
    turns: list[Message] = []
    requests: list[Request] = []
    for turn in range(4):
        turns.append(user(f"question {turn} 값?"))
        requests.append(request_for(path_of(*turns)))
        turns += [
            reply(thinking("", f"s{turn}"), call(f"a{turn}", z=1, b=2), call(f"b{turn}"), stop_reason="tool_use"),
            results(result(f"a{turn}", ""), result(f"b{turn}", "broken", is_error=True)),
        ]
        requests.append(request_for(path_of(*turns)))
        turns.append(reply(thinking("t", f"e{turn}"), f"answer {turn}"))
    for earlier, later in pairwise(requests):
        assert messages_bytes(later).startswith(messages_bytes(earlier)[:-1])
        digests = earlier.prefix_digests()
        assert later.prefix_digests()[: len(digests)] == digests
        assert (later.params, later.tools, later.system) == (earlier.params, earlier.tools, earlier.system)


def test_all_fields_of_a_full_request() -> None:
    body = request_for(fixed_path()).body()
    assert list(body) == ["max_tokens", "messages", "model", "output_config", "system", "thinking", "tools", "stream"]
    assert (body["max_tokens"], body["model"], body["stream"]) == (16_000, "claude-sonnet-5-5", True)
    assert body["output_config"] == {"effort": "high"}
    assert body["thinking"] == {"type": "adaptive", "display": "summarized"}
    assert [tool["name"] for tool in body["tools"]] == ["calculator", "read_file"]


@pytest.mark.parametrize(
    ("choices", "features", "missing"),
    [
        (Choices(100), Features(), ["output_config"]),
        (Choices(100, "low"), Features(effort=False), ["output_config"]),
        (Choices(100, "low"), Features(thinking=False), ["thinking"]),
        (Choices(100, "low"), Features(tools=False), ["tools"]),
        (
            Choices(100, "low"),
            Features(counting=False, thinking=False, effort=False, caching=False, tools=False),
            ["output_config", "thinking", "tools"],
        ),
    ],
)
def test_what_an_endpoint_lacks_is_not_sent(choices: Choices, features: Features, missing: list[str]) -> None:
    body = build_request(plan_context(fixed_path(), EPOCH), choices, features).body()
    full: dict[str, Any] = request_for(fixed_path()).body()
    assert [name for name in full if name not in body] == missing
    assert ("cache_control" in to_json(body)) is features.caching


def test_hidden_thinking_is_asked_for_without_its_text() -> None:
    request = build_request(plan_context(fixed_path(), EPOCH), Choices(10, show_thinking=False), Features())
    assert request.body()["thinking"] == {"type": "adaptive", "display": "omitted"}


EDITS = edits_for(Wishes(60_000, clear_tool_results=True, clear_thinking=True, compact=True))
ALL = Features(
    server_compaction=True,
    server_compaction_now=True,
    clear_tool_results=True,
    clear_thinking=True,
    images=True,
    pdfs=True,
    block_binding=True,
)
SIGNED: Block = {"type": "compaction", "content": "They multiplied.", "signature": "s", "tool_changes": []}
UNSIGNED: Block = {"type": "compaction", "content": "They multiplied."}


def compacted(block: Block) -> ContextPlan:
    """A plan whose messages open with what the API compacted."""
    whole = plan_context(path_of(user("And then?")), EPOCH)
    opening = PlannedMessage(Role.ASSISTANT, (PlannedBlock(Segment.SUMMARY, block),))
    return replace(whole, messages=(opening, *whole.messages))


def test_edits_are_sent_in_the_order_of_the_api_with_their_headers() -> None:
    plan = plan_context(fixed_path(), EPOCH)
    request = build_request(plan, Choices(100, edits=EDITS[::-1]), ALL)
    assert request.params["context_management"] == {"edits": list(EDITS)}
    assert request.betas == (CLEARING_BETA, THRESHOLD_BETA)
    assert check_request(request.body(), RequestFacts(request.betas)) == []
    assert build_request(plan, Choices(100, edits=EDITS), ALL).body_bytes() == request.body_bytes()


@pytest.mark.parametrize(
    ("features", "kinds", "betas"),
    [
        (Features(), [], ()),
        (Features(clear_tool_results=True), [CLEAR_TOOL_RESULTS], (CLEARING_BETA,)),
        (Features(server_compaction=True), [COMPACT], (THRESHOLD_BETA,)),
        (Features(thinking=False, clear_thinking=True), [], ()),
    ],
)
def test_edits_an_endpoint_does_not_make_are_not_asked_for(
    features: Features, kinds: list[str], betas: tuple[str, ...]
) -> None:
    request = build_request(plan_context(fixed_path(), EPOCH), Choices(100, edits=EDITS, drop_thinking=True), features)
    asked = request.params.get("context_management", {"edits": []})
    assert [edit["type"] for edit in asked["edits"]] == kinds
    assert request.betas == betas
    assert "block_binding" not in to_json(request.body())


def test_a_compaction_on_demand_takes_nothing_beside_it() -> None:
    path = path_of(user("a"), reply("b"))
    choices = Choices(4_096, "high", edits=EDITS, compact=True, instructions="Keep every id.")
    request = build_request(plan_context(path, EPOCH), choices, ALL)
    assert request.params["compaction"] == {"type": "summarize", "instructions": "Keep every id."}
    assert "context_management" not in request.params
    assert request.betas == (ON_DEMAND_BETA,)
    assert check_request(request.body(), RequestFacts(request.betas)) == []
    # Tools, system and thinking stay those of the conversation: thinking kept behind the block hangs on them.
    chat = build_request(plan_context(path, EPOCH), Choices(4_096, "high"), ALL)
    assert (request.tools, request.system, request.messages) == (chat.tools, chat.system, chat.messages)
    assert {name: value for name, value in request.params.items() if name != "compaction"} == chat.params
    blank = build_request(plan_context(path, EPOCH), replace(choices, instructions=" "), ALL)
    assert blank.params["compaction"] == {"type": "summarize"}


def test_no_ordinary_request_leaves_where_a_compaction_was_meant() -> None:
    with pytest.raises(ValueError, match="on demand"):
        build_request(plan_context(fixed_path(), EPOCH), Choices(100, compact=True), Features(server_compaction=True))


def test_thinking_that_no_longer_fits_is_dropped_by_the_api() -> None:
    request = build_request(plan_context(fixed_path(), EPOCH), Choices(100, drop_thinking=True), ALL)
    assert request.params["thinking"] == {
        "type": "adaptive",
        "display": "summarized",
        "block_binding": {"prefix_mismatch_behavior": "drop_block"},
    }
    assert request.betas == (BINDING_BETA,)
    assert check_request(request.body(), RequestFacts(request.betas)) == []


@pytest.mark.parametrize(
    ("block", "edits", "betas"),
    [
        (SIGNED, (), {ON_DEMAND_BETA, THRESHOLD_BETA}),
        (SIGNED, EDITS, {CLEARING_BETA, THRESHOLD_BETA}),
        (UNSIGNED, (), {THRESHOLD_BETA}),
    ],
)
def test_a_compaction_of_the_api_opens_the_request_marked_and_unchanged(
    block: Block, edits: tuple[Block, ...], betas: set[str]
) -> None:
    request = build_request(compacted(block), Choices(100, edits=edits), ALL)
    body = request.body()
    mark = {"cache_control": {"type": "ephemeral", "ttl": "5m"}}
    assert body["messages"][0] == {"role": "assistant", "content": [block | mark]}
    assert body["messages"][1]["content"][0]["text"] == "And then?"
    assert Mark(0, 0) in request.marks
    assert request.messages[0].blocks == (block,)
    assert set(request.betas) == betas
    assert check_request(body, RequestFacts(request.betas, issued={"s": SIGNED})) == []


def test_a_compaction_that_failed_carries_no_mark() -> None:
    failed: Block = {"type": "compaction", "content": None}
    request = build_request(compacted(failed), Choices(100), ALL)
    assert all(mark.part != 0 for mark in request.marks)


def test_without_wishes_the_bytes_are_what_they_were() -> None:
    plan = plan_context(fixed_path(), EPOCH)
    assert (
        build_request(plan, Choices(16_000, "high"), ALL).body_bytes()
        == build_request(plan, Choices(16_000, "high"), Features()).body_bytes()
    )
