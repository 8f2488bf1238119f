"""A turn ends before the next message of the person, whatever it holds."""

from __future__ import annotations

from dataclasses import replace

import pytest

from desktop_app.core.branching import TurnEnd, end_of_turn
from desktop_app.core.conversation import Message, Origin
from tests.unit.message_samples import call, reply, result, results, user


def named(name: str, message: Message) -> Message:
    """The message under an id of its own."""
    return replace(message, id=name)


PATH: list[Message] = [
    named("u1", user("one")),
    named("a1", reply("first")),
    named("u2", user("two")),
    named("a2", reply(call("t1"), stop_reason="tool_use")),
    named("r2", results(result("t1"))),
    named("b2", reply("second")),
    named("c3", user("go on", origin=Origin.CONTINUE)),
    named("a3", reply("third")),
]


@pytest.mark.parametrize(
    ("where", "end"),
    [
        (1, TurnEnd(1, "a1", 6)),
        (2, TurnEnd(2, "b2", 2)),
        (3, TurnEnd(3, "a3", 0)),
        ("u1", TurnEnd(1, "a1", 6)),
        ("a2", TurnEnd(2, "b2", 2)),
        ("r2", TurnEnd(2, "b2", 2)),
        ("a3", TurnEnd(3, "a3", 0)),
        (0, None),
        (4, None),
        (-1, None),
        ("nobody", None),
    ],
)
def test_the_end_of_a_turn_is_never_between_a_call_and_its_result(where: str | int, end: TurnEnd | None) -> None:
    assert end_of_turn(PATH, where) == end


def test_a_turn_without_an_answer_ends_with_its_question() -> None:
    assert end_of_turn([named("u1", user("one")), named("u2", user("two"))], 1) == TurnEnd(1, "u1", 1)
    assert end_of_turn([], 1) is None
