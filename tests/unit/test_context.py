"""The plan mends any history for the API without touching what is stored."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop_app.core.context import (
    BROKEN_CALL,
    EMPTY_MESSAGE,
    EMPTY_RESULT,
    NO_OPENING,
    ContextPlan,
    PlannedBlock,
    plan_context,
    refused_messages,
)
from desktop_app.core.conversation import (
    Block,
    Epoch,
    Message,
    MessageState,
    Origin,
    Role,
    is_blank,
    text_block,
    text_of,
    to_json,
)
from desktop_app.core.request import Request
from desktop_app.core.request_rules import RequestFacts, check_request
from desktop_app.core.segment import Segment
from tests.unit.message_samples import (
    EPOCH,
    MODEL,
    PICTURE,
    call,
    cut_reply,
    path_of,
    reply,
    request_for,
    result,
    results,
    thinking,
    user,
)
from tests.unit.random_histories import BLANKS, History, histories

DATA = Path(__file__).parent / "data"
OWN_WORDS = {EMPTY_MESSAGE, NO_OPENING}


def segments(plan: ContextPlan) -> list[tuple[Segment, PlannedBlock]]:
    """Every planned block with its segment, in the order of the prefix."""
    blocks = [*plan.tools, *plan.system, *(block for message in plan.messages for block in message.blocks)]
    return [(block.segment, block) for block in blocks]


def sent(plan: ContextPlan) -> list[tuple[str, list[Block]]]:
    return [(message.role.value, [planned.block for planned in message.blocks]) for message in plan.messages]


def texts(request: Request, role: str) -> list[str]:
    return [text for message in request.messages if message.role == role for text in text_of(message.blocks)]


@given(histories())
@settings(max_examples=60)
def test_every_history_becomes_a_request_the_api_takes(history: History) -> None:
    stored = [to_json(message.blocks) for message in history.path]
    request = request_for(history.path, history.epoch)
    body = request.body()
    assert check_request(body, RequestFacts(issued=history.issued)) == []
    assert body["messages"][-1]["role"] == "user"
    assert all(one.role != following.role for one, following in pairwise(request.messages))
    # Only the planner's marks, and what is stored stays as it was.
    assert len(request.marks) <= 4
    assert to_json(body).count('"cache_control"') == len(request.marks)
    assert '"cache_control"' not in to_json([block for _, block in request.blocks()])
    assert [to_json(message.blocks) for message in history.path] == stored


@given(histories())
@settings(max_examples=40)
def test_visible_words_are_all_sent_in_their_order(history: History) -> None:
    plan = plan_context(history.path, history.epoch)
    request = request_for(history.path, history.epoch)
    kept = [message for message in history.path if message.id not in plan.left_out]
    for role in Role:
        expected = [text for message in kept if message.role is role for text in text_of(message.blocks)]
        assert [text for text in texts(request, role.value) if text not in OWN_WORDS] == expected
    assert set(plan.left_out) == refused_messages(history.path)


@given(histories(most=8), st.integers(1, 10), st.integers(0, 10), st.booleans())
@settings(max_examples=60)
def test_open_tool_loop_goes_back_as_received(history: History, calls: int, answered: int, shown: bool) -> None:
    thought = thinking("생각 \n of it" if shown else "", "open")
    loop = [thought, text_block("Let me see."), *(call(f"open_{n}", b=n, a="값") for n in range(calls))]
    path = path_of(
        *history.path,
        user("The question"),
        replace(reply(*loop, stop_reason="tool_use"), epoch=history.epoch.number),
        results(*(result(f"open_{n}", str(n)) for n in range(min(answered, calls)))),
    )
    request = request_for(path, history.epoch)
    assert check_request(request.body(), RequestFacts(issued={**history.issued, "open": thought})) == []
    open_turn, answer = request.messages[-2:]
    assert to_json(list(open_turn.blocks)) == to_json(loop)
    assert [block["tool_use_id"] for block in answer.blocks] == [f"open_{n}" for n in range(calls)]
    assert [bool(block.get("is_error")) for block in answer.blocks] == [n >= answered for n in range(calls)]


def test_stored_history_full_of_blanks_can_be_sent() -> None:
    stored = json.loads((DATA / "blank_history.json").read_text("utf-8"))
    before = to_json(stored)
    path = path_of(
        *(
            (user if entry["role"] == "user" else reply)(
                *([entry["content"]] if isinstance(entry["content"], str) else entry["content"])
            )
            for entry in stored
        )
    )
    request = request_for(path)
    assert check_request(request.body()) == []
    assert to_json(stored) == before
    assert [(message.role, [block["type"] for block in message.blocks]) for message in request.messages] == [
        ("user", ["text", "image"]),
        ("assistant", ["tool_use"]),
        ("user", ["tool_result", "text"]),
    ]
    assert request.messages[2].blocks == (result("toolu_b1", EMPTY_RESULT), text_block("real question"))
    assert texts(request, "user") == ["hi", "real question"]
    body = request.body()
    assert body["messages"][-1]["content"][-1]["cache_control"] == {"type": "ephemeral", "ttl": "5m"}
    marked = [block for message in body["messages"] for block in message["content"] if "cache_control" in block]
    assert len(marked) == len(request.marks) - 2 <= 2  # two stand before the messages
    assert not any(is_blank(block.get("text", "x")) for block in marked)


def test_invisible_texts_are_left_out_and_odd_ones_sent_unchanged() -> None:
    strings = json.loads((DATA / "zero_width.json").read_text("utf-8"))
    blank = {"hangul_filler_only", "zwsp_only"}
    assert {name for name, text in strings.items() if is_blank(text)} == blank
    request = request_for(path_of(user(*strings.values())))
    assert texts(request, "user") == [text for name, text in strings.items() if name not in blank]


@pytest.mark.parametrize("blank", BLANKS)
def test_a_blank_message_of_the_person_does_not_end_the_conversation(blank: str) -> None:
    for path in (path_of(user(blank)), path_of(user("Hi"), reply("Hello."), user(blank))):
        plan = plan_context(path, EPOCH)
        assert sent(plan)[-1] == ("user", [text_block(EMPTY_MESSAGE)])
        assert plan.messages[-1].blocks[0].message_id == path[-1].id
        assert check_request(request_for(path).body()) == []


def test_blank_reply_joins_its_neighbours() -> None:
    plan = plan_context(path_of(user("one"), reply("\n\n"), user("two")), EPOCH)
    assert sent(plan) == [("user", [text_block("one"), text_block("two")])]


def test_calls_without_results_get_an_error_result() -> None:
    path = path_of(user("q"), reply(call("a"), call("b")), results(result("b", "ok")), user("go on"))
    assert sent(plan_context(path, EPOCH))[2] == (
        "user",
        [result("a", BROKEN_CALL, is_error=True), result("b", "ok"), text_block("go on")],
    )


def test_results_come_first_and_orphans_go() -> None:
    path = path_of(
        user("q"), reply(call("a")), user("note", result("a"), result("x")), reply("ok"), results(result("a"))
    )
    assert sent(plan_context(path, EPOCH)) == [
        ("user", [text_block("q")]),
        ("assistant", [call("a")]),
        ("user", [result("a"), text_block("note")]),
        ("assistant", [text_block("ok")]),
        ("user", [text_block(EMPTY_MESSAGE)]),
    ]


def test_history_that_opens_with_an_orphan_result_still_opens_with_the_person() -> None:
    path = path_of(results(result("gone")), reply("Answer"), user("Next"))
    assert sent(plan_context(path, EPOCH))[0] == ("user", [text_block(EMPTY_MESSAGE)])
    assert check_request(request_for(path).body()) == []


@pytest.mark.parametrize("state", [MessageState.STOPPED, MessageState.INTERRUPTED, MessageState.STREAMING])
def test_half_a_call_at_the_end_of_a_cut_reply_is_not_sent(state: MessageState) -> None:
    path = path_of(user("q"), cut_reply(thinking("t"), call("a"), "So", call("b"), state=state), user("go on"))
    assert sent(plan_context(path, EPOCH))[1:] == [
        ("assistant", [thinking("t"), call("a"), text_block("So")]),
        ("user", [result("a", BROKEN_CALL, is_error=True), text_block("go on")]),
    ]


@pytest.mark.parametrize("reason", ["max_tokens", "model_context_window_exceeded"])
def test_half_a_call_of_a_reply_cut_at_a_limit_is_not_sent(reason: str) -> None:
    path = path_of(
        user("q"), reply(thinking("t"), call("a"), stop_reason=reason), user("go on", origin=Origin.CONTINUE)
    )
    assert sent(plan_context(path, EPOCH)) == [("user", [text_block("q"), text_block("go on")])]


def test_thinking_goes_back_only_signed_and_in_its_own_epoch() -> None:
    redacted: Block = {"type": "redacted_thinking", "data": "x"}
    path = path_of(
        user("1"),
        reply(thinking("old", "s1"), redacted, "a", epoch=1),
        user("2"),
        reply(thinking("bare", ""), thinking("", "s2"), redacted, "b", epoch=2),
        user("3"),
    )
    new = plan_context(path, Epoch(2, MODEL, ""))
    assert sent(new)[1] == ("assistant", [text_block("a")])
    assert sent(new)[3] == ("assistant", [thinking("", "s2"), redacted, text_block("b")])
    assert new.system == ()
    assert new.tools == ()


def test_paused_reply_goes_back_unchanged_and_joins_what_follows() -> None:
    paused = reply("Searching", thinking("t"), stop_reason="pause_turn")
    plan = plan_context(path_of(user("q"), paused), EPOCH)
    assert sent(plan)[-1] == ("assistant", [text_block("Searching"), thinking("t")])
    assert check_request(request_for(path_of(user("q"), paused)).body(), RequestFacts(paused=True)) == []
    then = path_of(user("q"), paused, reply("Found."), user("thanks"))
    assert sent(plan_context(then, EPOCH))[1] == (
        "assistant",
        [text_block("Searching"), thinking("t"), text_block("Found.")],
    )
    left = path_of(user("q"), paused, user("never mind"))
    assert sent(plan_context(left, EPOCH))[1] == ("assistant", [text_block("Searching")])


def test_refused_turn_is_left_out_once_another_follows() -> None:
    path = path_of(user("ok"), reply("fine"), user("bad"), reply("no", stop_reason="refusal"))
    assert sent(plan_context(path, EPOCH))[-1] == ("assistant", [text_block("no")])
    then = path_of(*path, user("sorry"))
    plan = plan_context(then, EPOCH)
    assert plan.left_out == ("m2", "m3")
    assert sent(plan) == [
        ("user", [text_block("ok")]),
        ("assistant", [text_block("fine")]),
        ("user", [text_block("sorry")]),
    ]


def test_segments_name_the_current_message_through_its_tool_loop() -> None:
    path = path_of(user("old"), reply("a"), user("now", PICTURE), reply(call("x")), results(result("x")))
    named = [(segment, planned.message_id) for segment, planned in segments(plan_context(path, EPOCH))]
    assert named == [
        (Segment.TOOLS, None),
        (Segment.TOOLS, None),
        (Segment.SYSTEM, None),
        (Segment.MESSAGES, "m0"),
        (Segment.MESSAGES, "m1"),
        (Segment.CURRENT, "m2"),
        (Segment.CURRENT, "m2"),
        (Segment.MESSAGES, "m3"),
        (Segment.MESSAGES, "m4"),
    ]


def test_no_message_is_current_once_its_answer_is_there() -> None:
    path = path_of(user("old"), reply("a"))
    assert {segment for segment, planned in segments(plan_context(path, EPOCH)) if planned.message_id} == {
        Segment.MESSAGES
    }
    paused = path_of(user("now"), reply("a", stop_reason="pause_turn"))
    assert (Segment.CURRENT, "m0") in [
        (one, planned.message_id) for one, planned in segments(plan_context(paused, EPOCH))
    ]


def test_nothing_planned_from_nothing() -> None:
    assert plan_context([], EPOCH).messages == ()


def test_fields_only_the_sdk_adds_are_not_sent_back() -> None:
    path = path_of(user("q"), reply({"type": "text", "text": "a", "citations": None, "parsed_output": None}), user("r"))
    assert sent(plan_context(path, EPOCH))[1] == ("assistant", [{"type": "text", "text": "a", "citations": None}])


@settings(max_examples=60)
@given(histories())
def test_a_plan_is_the_beginning_of_every_later_one(history: History) -> None:
    path = [
        replace(message, stop_reason=None) if message.stop_reason == "refusal" else message for message in history.path
    ]
    before = plan_context(path, history.epoch).messages
    reply = replace(
        path[-1],
        id="later",
        role=Role.ASSISTANT,
        origin=Origin.REPLY,
        blocks=(text_block("an answer"),),
        epoch=history.epoch.number,
        state=MessageState.COMPLETE,
        stop_reason="end_turn",
    )
    question = replace(path[-1], id="next", origin=Origin.TYPED, blocks=(text_block("next"),))
    after = plan_context([*path, reply, question], history.epoch).messages
    sent = [[block.block for block in message.blocks] for message in before]
    later = [[block.block for block in message.blocks] for message in after]
    assert later[: len(sent)] == sent


def test_ids_that_come_again_are_numbered_with_their_results() -> None:
    def round_of(number: int) -> list[Message]:
        call = {"type": "tool_use", "id": "call_0", "name": "calculator", "input": {"expression": f"{number}+1"}}
        answer = {"type": "tool_result", "tool_use_id": "call_0", "content": str(number + 1)}
        return [
            Message(f"r{number}", "c", None, Role.ASSISTANT, (call,), Origin.REPLY, stop_reason="tool_use", epoch=1),
            Message(f"t{number}", "c", None, Role.USER, (answer,), Origin.TOOL_RESULTS),
        ]

    opening = Message("u", "c", None, Role.USER, (text_block("add"),), Origin.TYPED)
    plan = plan_context([opening, *round_of(1), *round_of(2), *round_of(3)], EPOCH)
    blocks = [block.block for message in plan.messages for block in message.blocks]
    calls = [block["id"] for block in blocks if block["type"] == "tool_use"]
    results = [(block["tool_use_id"], block["content"]) for block in blocks if block["type"] == "tool_result"]
    assert calls == ["call_0", "call_0-2", "call_0-3"]
    assert results == [("call_0", "2"), ("call_0-2", "3"), ("call_0-3", "4")]


def test_a_server_call_without_result_goes_only_back_at_the_end() -> None:
    opening = Message("u", "c", None, Role.USER, (text_block("search"),), Origin.TYPED)
    call = {"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {}}
    paused = Message(
        "r", "c", None, Role.ASSISTANT, (text_block("Looking."), call), Origin.REPLY, stop_reason="pause_turn", epoch=1
    )
    at_end = plan_context([opening, paused], EPOCH).messages
    assert [block.block["type"] for block in at_end[-1].blocks] == ["text", "server_tool_use"]
    later = Message("u2", "c", None, Role.USER, (text_block("never mind"),), Origin.TYPED)
    behind = plan_context([opening, paused, later], EPOCH).messages
    assert [block.block["type"] for block in behind[1].blocks] == ["text"]


def test_the_message_that_is_being_answered_is_the_current_one() -> None:
    question = Message("u", "c", None, Role.USER, (text_block("hello"),), Origin.TYPED)
    arriving = Message("r", "c", None, Role.ASSISTANT, (), Origin.REPLY, MessageState.STREAMING, epoch=1)
    whole = replace(arriving, blocks=(text_block("hi"),), state=MessageState.COMPLETE, stop_reason="end_turn")
    for path, segment in (([question, arriving], Segment.CURRENT), ([question, whole], Segment.MESSAGES)):
        blocks = plan_context(path, EPOCH).messages[0].blocks
        assert [block.segment for block in blocks] == [segment]
