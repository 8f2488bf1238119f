"""Two requests side by side: what stayed, changed, came and went, and which settings differ."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import Any

import pytest

from desktop_app.core.cache.causes import SentRequest
from desktop_app.core.conversation import Epoch, text_block
from desktop_app.core.prompt import Choices
from desktop_app.core.request import RequestMessage
from desktop_app.core.request_diff import BlockPair, Change, RequestDiff, diff_requests
from desktop_app.core.segment import Segment
from tests.unit.message_samples import EPOCH, MODEL, TOOLS, call, fixed_path, path_of, reply, result, results, user
from tests.unit.sent_samples import sent


def others(diff: RequestDiff) -> list[BlockPair]:
    """The blocks that are not the same."""
    return [pair for pair in diff.blocks if pair.change is not Change.SAME]


def test_a_request_compared_with_itself_differs_in_nothing() -> None:
    one = sent(fixed_path())
    diff = diff_requests(one, one)
    assert diff.params == ()
    assert others(diff) == []
    assert diff.shared == len(diff.blocks) == len(list(one.request.blocks()))


def test_appended_messages_are_added_behind_what_is_shared() -> None:
    first = path_of(user("Where are the backups?"))
    second = path_of(*first, reply("On the blue disk."), user("And the keys?"))
    diff = diff_requests(sent(first), sent(second))
    assert [pair.change for pair in others(diff)] == [Change.ADDED, Change.ADDED]
    assert [(pair.part, pair.place, pair.role) for pair in others(diff)] == [(1, 0, "assistant"), (2, 0, "user")]
    assert others(diff)[1].segment is Segment.CURRENT
    assert diff.shared == len(TOOLS) + 1 + 1


def test_an_edited_fact_and_an_edited_message_are_changes_in_their_place() -> None:
    path = path_of(user("Hello"), reply("Hi."), user("Go on"))
    edited = path_of(user("Good day"), reply("Hi."), user("Go on"))
    old = replace(EPOCH, facts='<long_term_facts>\n- "city": "Seoul"\n</long_term_facts>')
    new = replace(EPOCH, facts='<long_term_facts>\n- "city": "Busan"\n</long_term_facts>')
    diff = diff_requests(sent(path, old), sent(edited, new))
    facts, message = others(diff)
    assert (facts.change, facts.part, facts.place, facts.segment) == (Change.CHANGED, "system", 1, Segment.FACTS)
    assert facts.before is not None
    assert "Seoul" in facts.before["text"]
    assert facts.after is not None
    assert "Busan" in facts.after["text"]
    assert (message.change, message.part, message.place) == (Change.CHANGED, 0, 0)
    assert diff.shared == len(TOOLS) + 1


def test_a_tool_in_another_place_is_removed_there_and_added_here() -> None:
    path = path_of(user("Hello"))
    diff = diff_requests(sent(path), sent(path, replace(EPOCH, tools=TOOLS[::-1])))
    assert sorted(pair.change for pair in others(diff)) == [Change.ADDED, Change.REMOVED]
    assert {pair.part for pair in others(diff)} == {"tools"}


def test_a_changed_tool_is_paired_with_the_one_of_its_name() -> None:
    path = path_of(user("Hello"))
    other = {**TOOLS[1], "description": "Reads a file."}
    diff = diff_requests(sent(path), sent(path, replace(EPOCH, tools=(TOOLS[0], other))))
    (pair,) = others(diff)
    assert (pair.change, pair.before, pair.after) == (Change.CHANGED, TOOLS[1], other)


def test_a_call_of_another_id_is_another_call() -> None:
    def path(identity: str) -> list[object]:
        called = reply(call(identity, expression="1+1"), stop_reason="tool_use")
        return [user("One and one?"), called, results(result(identity)), reply("2"), user("Thanks")]

    diff = diff_requests(sent(path_of(*path("toolu_1"))), sent(path_of(*path("toolu_2"))))  # type: ignore[arg-type]
    assert [pair.change for pair in others(diff)] == [Change.REMOVED, Change.REMOVED, Change.ADDED, Change.ADDED]


def test_settings_that_differ_are_told_in_json() -> None:
    path = path_of(user("Hello"))
    diff = diff_requests(
        sent(path, choices=Choices(16_000)),
        sent(path, replace(EPOCH, model="claude-opus-5-5"), choices=Choices(8_000, "low")),
    )
    assert diff.params == (
        ("max_tokens", "16000", "8000"),
        ("model", f'"{MODEL}"', '"claude-opus-5-5"'),
        ("output_config", "", '{"effort":"low"}'),
    )
    assert others(diff) == []


def test_where_a_message_is_cut_in_two_does_not_count() -> None:
    path = path_of(user("Hello", "there"))
    one = sent(path)
    message = one.request.messages[0]
    halves = tuple(RequestMessage(message.role, (block,)) for block in message.blocks)
    diff = diff_requests(one, replace(one, request=replace(one.request, messages=halves)))
    assert others(diff) == []
    assert (diff.blocks[-1].part, diff.blocks[-1].place) == (1, 0)


def test_a_thousand_turns_are_compared_in_a_moment() -> None:
    path = [one for turn in range(1_000) for one in (user(f"Question {turn}"), reply(f"Answer {turn}"))]
    epoch = Epoch(1, MODEL, "Be brief.")
    before, after = sent(path_of(*path, user("End")), epoch), sent(path_of(*path[600:], user("End")), epoch)
    started = perf_counter()
    diff = diff_requests(before, after)
    assert perf_counter() - started < 2
    assert len(others(diff)) == 600
    assert {pair.change for pair in others(diff)} == {Change.REMOVED}
    assert diff.blocks[-1].after == text_block("End")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ({"a": 1}, {"a": 1.0}),
        ({"a": 1}, {"a": True}),
        ({"a": [1]}, {"a": [1, 2]}),
    ],
)
def test_what_is_equal_but_written_otherwise_is_a_change(one: dict[str, Any], other: dict[str, Any]) -> None:
    def asked(arguments: dict[str, Any]) -> SentRequest:
        called = reply(call("toolu_1", **arguments), stop_reason="tool_use")
        return sent(path_of(user("Go"), called, results(result("toolu_1"))))

    (pair,) = others(diff_requests(asked(one), asked(other)))
    assert (pair.change, pair.part) == (Change.CHANGED, 1)
