"""What a summary is held against: what was said, not what tools of ours gave again, nor turns that are sent nowhere."""

from __future__ import annotations

import pytest

from desktop_app.core.compaction.carried import standing_rules, unfinished
from desktop_app.core.compaction.quoting import quoted_messages
from desktop_app.core.compaction.sources import sources_of
from desktop_app.core.context import plan_context
from desktop_app.core.conversation import Block, Message, Origin, text_block
from desktop_app.core.own_tools import REPEATING_TOOLS
from tests.unit.message_samples import EPOCH, path_of, reply, result, results, user


def called(name: str, id_: str = "t", **arguments: object) -> Block:
    return {"type": "tool_use", "id": id_, "name": name, "input": arguments}


def texts(path: list[Message]) -> list[tuple[str, str | None, str]]:
    return [(source.text, source.message_id, source.by) for source in sources_of(path, None)]


@pytest.mark.parametrize("name", sorted(REPEATING_TOOLS))
@pytest.mark.parametrize("parts", [False, True])
def test_what_our_tools_gave_again_is_no_source(name: str, parts: bool) -> None:
    gave = [text_block("key 8841-X")] if parts else "key 8841-X"
    path = path_of(
        user("Look it up."),
        reply("I look.", called(name, "a", query="key 7713"), called("read_file", "b", path="/etc/x")),
        results(result("a", gave), result("b", "port 9100")),
        reply("It is there."),
    )
    assert texts(path) == [
        ("Look it up.", "m0", "person"),
        ("I look.", "m1", "assistant"),
        ("/etc/x", "m1", "assistant"),
        ("port 9100", "m2", "tool"),
        ("It is there.", "m3", "assistant"),
    ]


def test_an_id_given_again_belongs_to_the_last_call() -> None:
    path = path_of(
        user("Go"),
        reply(called("search_conversation", "c")),
        results(result("c", "found")),
        reply(called("read_file", "c")),
        results(result("c", "read")),
        reply(called("search_memory", "c")),
        results(result("c", "remembered"), result("lost", "of no call")),
    )
    assert [text for text, _, _ in texts(path)] == ["Go", "read", "of no call"]


@pytest.mark.parametrize("behind", [False, True])
def test_refused_turns_are_no_sources(behind: bool) -> None:
    path = path_of(
        user("Fine: 4711"),
        reply("Noted."),
        user("bad: 6666"),
        reply(called("read_file", path="/bad")),
        results(result("t", "worse: 7777")),
        reply("no", stop_reason="refusal"),
        *([user("On"), reply("Yes.")] if behind else []),
    )
    expected = ["Fine: 4711", "Noted.", *(["On", "Yes."] if behind else [])]
    assert [text for text, _, _ in texts(path)] == expected


def test_found_messages_are_not_quoted_again() -> None:
    path = path_of(
        user("What did I say?"),
        reply(
            called("search_conversation", "a", query="the key"), called("read_file", "b"), called("save_memory", "d")
        ),
        results(result("a", "key 8841-X"), result("b", "port 9100"), result("d", "Saved: tea")),
    )
    quoted = "\n".join(quoted_messages(path))
    assert "8841-X" not in quoted and "tea" not in quoted
    assert 'tool="search_conversation">(earlier messages: left out, they are kept and can be found again)<' in quoted
    assert "port 9100" in quoted and "the key" in quoted


def test_all_agree_on_what_of_a_continued_turn_was_refused() -> None:
    rule = "Never use tables."
    path = path_of(
        user(rule),
        reply("Half an", stop_reason="max_tokens"),
        user("Go on.", origin=Origin.CONTINUE),
        reply("no", stop_reason="refusal"),
        user("On: 4711"),
        reply("Yes."),
    )
    assert set(plan_context(path, EPOCH).left_out) == {"m2", "m3"}
    assert [text for text, _, _ in texts(path)] == [rule, "Half an", "On: 4711", "Yes."]
    assert [number for number, text in enumerate(quoted_messages(path)) if "was refused" in text] == [2, 3]
    assert standing_rules(path) == (rule,) and unfinished(path) == ()
