"""Cache marks: behind the fixed prefix and on the last block that can carry one."""

from __future__ import annotations

from hypothesis import given, settings

from desktop_app.core.conversation import is_blank, text_block
from desktop_app.core.prompt_cache import place_marks
from desktop_app.core.request import Mark, RequestMessage
from tests.unit.message_samples import TOOLS, fixed_path, request_for, thinking
from tests.unit.random_histories import History, histories

SYSTEM = [text_block("Be brief.")]


def message(*blocks: dict[str, object], role: str = "user") -> RequestMessage:
    return RequestMessage(role, blocks)


def test_one_mark_on_the_system_prompt_and_one_on_the_last_block() -> None:
    messages = [message(text_block("a")), message(text_block("b"), text_block("c"))]
    assert place_marks(TOOLS, SYSTEM, messages) == (Mark("system", 0), Mark(1, 1))


def test_tools_carry_the_mark_where_there_is_no_system_prompt() -> None:
    assert place_marks(TOOLS, [], [message(text_block("a"))]) == (Mark("tools", len(TOOLS) - 1), Mark(0, 0))


def test_only_the_messages_are_marked_where_nothing_stands_before_them() -> None:
    assert place_marks([], [], [message(text_block("a"))]) == (Mark(0, 0),)
    assert place_marks([], [], []) == ()


def test_thinking_is_passed_over() -> None:
    paused = message(text_block("a"), thinking("t"), role="assistant")
    only_thinking = message(thinking("t"), {"type": "redacted_thinking", "data": "x"}, role="assistant")
    assert place_marks([], [], [message(text_block("q")), paused]) == (Mark(1, 0),)
    assert place_marks([], [], [message(text_block("q")), only_thinking]) == (Mark(0, 0),)


@given(histories())
@settings(max_examples=60)
def test_marks_never_stand_on_thinking_or_blank_blocks(history: History) -> None:
    request = request_for(history.path, history.epoch)
    parts = {"tools": request.tools, "system": request.system}
    marked = [
        (parts[mark.part] if isinstance(mark.part, str) else request.messages[mark.part].blocks)[mark.block]
        for mark in request.marks
    ]
    assert 1 <= len(marked) <= 4
    for block in marked:
        assert block.get("type") not in ("thinking", "redacted_thinking")
        assert not (block.get("type") == "text" and is_blank(block["text"]))
        assert block.get("content") != ""
    assert request.marks[-1].part == len(request.messages) - 1


def test_no_marks_for_an_endpoint_without_a_cache() -> None:
    assert request_for(fixed_path(), caching=False).marks == ()
