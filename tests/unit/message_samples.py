"""Messages for tests of the core: short builders, and one fixed conversation with thinking, tools and Korean."""

from __future__ import annotations

from typing import Any

from desktop_app.core.calculator import Calculator
from desktop_app.core.context import plan_context
from desktop_app.core.conversation import Block, Epoch, Message, MessageState, Origin, Role, text_block
from desktop_app.core.models import Features
from desktop_app.core.prompt import Choices, build_request
from desktop_app.core.request import Request

MODEL = "claude-sonnet-5-5"
TOOLS: tuple[Block, ...] = (
    Calculator().definition,
    {"name": "read_file", "description": "Reads.", "input_schema": {"type": "object", "properties": {"path": {}}}},
)
EPOCH = Epoch(1, MODEL, "You are 정확한 도우미.", TOOLS)
PICTURE: Block = {
    "type": "image",
    "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAA"},
}


def user(*content: str | Block, origin: Origin = Origin.TYPED, **more: Any) -> Message:
    """A message of the person: strings become text blocks."""
    return _message(Role.USER, content, origin, more)


def results(*content: Block, **more: Any) -> Message:
    """The message that answers tool calls."""
    return _message(Role.USER, content, Origin.TOOL_RESULTS, more)


def reply(*content: str | Block, stop_reason: str | None = "end_turn", epoch: int | None = 1, **more: Any) -> Message:
    """A reply of the model."""
    return _message(Role.ASSISTANT, content, Origin.REPLY, {"stop_reason": stop_reason, "epoch": epoch, **more})


def cut_reply(*content: str | Block, state: MessageState = MessageState.STOPPED, **more: Any) -> Message:
    """A reply that never got its last event."""
    return reply(*content, stop_reason=None, state=state, **more)


def thinking(text: str, signature: str = "sig") -> Block:
    """A thinking block, signed unless `signature` is empty."""
    return {"type": "thinking", "thinking": text, "signature": signature}


def call(identity: str, **arguments: Any) -> Block:
    """A tool call, its arguments in the order given."""
    return {"type": "tool_use", "id": identity, "name": "calculator", "input": arguments}


def result(identity: str, content: Any = "2", **more: Any) -> Block:
    """A tool result."""
    return {"type": "tool_result", "tool_use_id": identity, "content": content, **more}


def path_of(*messages: Message) -> list[Message]:
    """The messages with ids m0, m1, … chained from the root."""
    return [
        Message(
            f"m{number}", "c", f"m{number - 1}" if number else None, one.role, one.blocks, one.origin, one.state,
            model=MODEL, epoch=one.epoch, stop_reason=one.stop_reason,
        )
        for number, one in enumerate(messages)
    ]  # fmt: skip


def request_for(path: list[Message], epoch: Epoch = EPOCH, **features: bool) -> Request:
    """The request that answers the last message of a path."""
    return build_request(plan_context(path, epoch), Choices(16_000, "high"), Features(**features))


def fixed_path() -> list[Message]:
    """Two turns, the second with parallel calls whose arguments are not in the order of the alphabet."""
    return path_of(
        user("안녕하세요, 12 × 34는?"),
        reply(
            thinking("Multiply.", "s1"), call("toolu_1", expression="12*34", zebra=1, apple={"b": 1, "a": [2.5, None]})
        ),
        results(result("toolu_1", "408")),
        reply("408입니다."),
        user("And 1/3 and 2/3? 👨‍👩‍👧‍👦", PICTURE),
        reply(
            thinking("", "s2"), "Both:", call("toolu_2", expression="1/3"), call("toolu_3", y=True, x="é\u2028"),
            stop_reason="tool_use",
        ),
        results(result("toolu_2", "0.333"), result("toolu_3", [text_block("0.667"), PICTURE])),
    )  # fmt: skip


def _message(role: Role, content: tuple[str | Block, ...], origin: Origin, more: dict[str, Any]) -> Message:
    blocks = tuple(text_block(part) if isinstance(part, str) else part for part in content)
    return Message("m", "c", None, role, blocks, origin, **more)
