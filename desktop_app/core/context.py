"""The plan of one request: its segments in the order of the prefix, each block with its kind and origin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from desktop_app.core.block_rules import RESPONSE_ONLY
from desktop_app.core.conversation import (
    Block,
    Epoch,
    Message,
    MessageState,
    Role,
    is_blank,
    text_block,
)
from desktop_app.core.rule_case import THINKING
from desktop_app.core.segment import Segment


@dataclass(frozen=True, slots=True)
class PlannedBlock:
    """A block as it will be sent; `message_id` names the message it comes from, None for the app's own."""

    segment: Segment
    block: Block
    message_id: str | None = None


@dataclass(frozen=True, slots=True)
class PlannedMessage:
    """One entry of `messages` to be."""

    role: Role
    blocks: tuple[PlannedBlock, ...]


@dataclass(frozen=True, slots=True)
class ContextPlan:
    """Everything of the next request that can be seen before it is written."""

    epoch: Epoch
    tools: tuple[PlannedBlock, ...]
    system: tuple[PlannedBlock, ...]
    messages: tuple[PlannedMessage, ...]
    left_out: tuple[str, ...] = ()
    """Ids of messages on the path that are not sent (a refused turn)."""


BROKEN_CALL = "This tool call was interrupted before it finished. It has no result."
EMPTY_RESULT = "(no output)"
EMPTY_MESSAGE = "(This message is empty.)"
NO_OPENING = "(The conversation begins with your reply.)"
CUT_REASONS = ("max_tokens", "model_context_window_exceeded")
"""Stop reasons of a reply that broke off at a limit and can be continued."""
# What may stand in a stored block but is never sent back.
_NEVER_SENT = ("cache_control", *RESPONSE_ONLY)


def plan_context(path: Sequence[Message], epoch: Epoch) -> ContextPlan:
    """Plans the request that answers the last message of `path` (root first).

    History is mended here and nowhere else, without touching what is stored: blank text blocks go,
    unsigned or older-epoch thinking goes, an unanswered tool call gets an error result, neighbours
    of one role become one message, a refused turn is left out, a last message of which nothing can be
    sent is named as empty.
    """
    current = _current_turn(path)
    refused = refused_messages(path)
    messages: list[PlannedMessage] = []
    for message in path:
        if message.id in refused:
            continue
        segment = Segment.CURRENT if message.id == current else Segment.MESSAGES
        blocks = tuple(PlannedBlock(segment, block, message.id) for block in _sendable(message, epoch.number))
        _append(messages, PlannedMessage(message.role, blocks))
    paused = bool(path) and path[-1].stop_reason == "pause_turn"
    messages = _pair_calls(_without_open_thinking(messages, paused=paused))
    _complete_ends(messages, path)
    return ContextPlan(
        epoch=epoch,
        tools=tuple(PlannedBlock(Segment.TOOLS, tool) for tool in epoch.tools),
        system=(PlannedBlock(Segment.SYSTEM, text_block(epoch.system)),) if not is_blank(epoch.system) else (),
        messages=tuple(messages),
        left_out=tuple(message.id for message in path if message.id in refused),
    )


def _current_turn(path: Sequence[Message]) -> str | None:
    """The message the next answer is for; None when the last turn is over (a look ahead without a text)."""
    if not path or (path[-1].role is Role.ASSISTANT and path[-1].stop_reason != "pause_turn"):
        return None
    return next((message.id for message in reversed(path) if message.opens_turn), None)


def refused_messages(path: Sequence[Message]) -> set[str]:
    """Ids of the messages of every turn that ended in a refusal, the open last turn excepted."""
    turns: list[list[Message]] = []
    for message in path:
        if message.opens_turn or not turns:
            turns.append([])
        turns[-1].append(message)
    return {
        message.id
        for turn in turns[:-1]
        if any(message.stop_reason == "refusal" for message in turn)
        for message in turn
    }


def _sendable(message: Message, epoch: int) -> list[Block]:
    """The blocks of a message that the API takes back."""
    whole = message.state is MessageState.COMPLETE and message.stop_reason not in CUT_REASONS
    kept = []
    for place, block in enumerate(message.blocks):
        kind = block.get("type")
        if kind == "text" and (not isinstance(block.get("text"), str) or is_blank(block["text"])):
            continue
        if kind == "thinking" and (not block.get("signature") or message.epoch != epoch):
            continue
        if kind == "redacted_thinking" and message.epoch != epoch:
            continue
        if kind == "tool_use" and not whole and place == len(message.blocks) - 1:
            # The last call of a reply that was cut may hold half an input; it is never sent or run.
            continue
        kept.append(_clean(block))
    if message.stop_reason != "pause_turn":
        while kept and kept[-1].get("type") in THINKING:
            kept.pop()  # an assistant message may not end in thinking
    return kept


def _clean(block: Block) -> Block:
    clean = {name: value for name, value in block.items() if name not in _NEVER_SENT}
    if clean.get("type") == "tool_result":
        clean["content"] = _result_content(clean.get("content"))
    return clean


def _result_content(content: object) -> str | list[Block]:
    if isinstance(content, str):
        return EMPTY_RESULT if is_blank(content) else content
    if isinstance(content, list):
        kept = [
            _clean(block)
            for block in content
            if not (block.get("type") == "text" and is_blank(str(block.get("text", ""))))
        ]
        return kept or EMPTY_RESULT
    return EMPTY_RESULT


def _append(messages: list[PlannedMessage], message: PlannedMessage) -> None:
    """Adds a message, merged with its neighbour of the same role; an empty one leaves no trace."""
    if not message.blocks:
        return
    if messages and messages[-1].role is message.role:
        message = PlannedMessage(message.role, messages.pop().blocks + message.blocks)
    messages.append(message)


def _without_open_thinking(messages: Sequence[PlannedMessage], *, paused: bool) -> list[PlannedMessage]:
    """No assistant message ends in thinking, except the paused one at the end, which goes back as it came."""
    closed: list[PlannedMessage] = []
    for number, message in enumerate(messages):
        blocks = message.blocks
        if not (paused and number == len(messages) - 1):
            while blocks and blocks[-1].block.get("type") in THINKING:
                blocks = blocks[:-1]
        _append(closed, PlannedMessage(message.role, blocks))
    return closed


def _complete_ends(messages: list[PlannedMessage], path: Sequence[Message]) -> None:
    """A user message at the start, and at the end where the path ends in one: both may have been blank."""
    if messages and messages[0].role is Role.ASSISTANT:
        opening = PlannedBlock(Segment.MESSAGES, text_block(NO_OPENING))
        messages.insert(0, PlannedMessage(Role.USER, (opening,)))
    if path and path[-1].role is Role.USER and (not messages or messages[-1].role is Role.ASSISTANT):
        empty = PlannedBlock(Segment.CURRENT, text_block(EMPTY_MESSAGE), path[-1].id)
        messages.append(PlannedMessage(Role.USER, (empty,)))


def _pair_calls(messages: Sequence[PlannedMessage]) -> list[PlannedMessage]:
    """Every call answered in the next message, every result asked for by the one before, results first."""
    paired: list[PlannedMessage] = []
    open_calls: dict[str, PlannedBlock] = {}
    for message in messages:
        if message.role is Role.ASSISTANT:
            if open_calls:
                paired.append(PlannedMessage(Role.USER, _broken(open_calls)))
            open_calls = {
                planned.block["id"]: planned for planned in message.blocks if planned.block.get("type") == "tool_use"
            }
            paired.append(message)
            continue
        results = {
            planned.block.get("tool_use_id"): planned
            for planned in message.blocks
            if planned.block.get("type") == "tool_result"
        }
        answered = tuple(results.get(call) or _broken({call: planned})[0] for call, planned in open_calls.items())
        rest = tuple(planned for planned in message.blocks if planned.block.get("type") != "tool_result")
        open_calls = {}
        if answered + rest:
            paired.append(PlannedMessage(Role.USER, answered + rest))
    if open_calls:
        paired.append(PlannedMessage(Role.USER, _broken(open_calls)))
    return _merged(paired)


def _merged(messages: Sequence[PlannedMessage]) -> list[PlannedMessage]:
    merged: list[PlannedMessage] = []
    for message in messages:
        _append(merged, message)
    return merged


def _broken(calls: Mapping[str, PlannedBlock]) -> tuple[PlannedBlock, ...]:
    return tuple(
        PlannedBlock(
            Segment.MESSAGES,
            {"type": "tool_result", "tool_use_id": call, "content": BROKEN_CALL, "is_error": True},
            planned.message_id,
        )
        for call, planned in calls.items()
    )


def segments(plan: ContextPlan) -> list[tuple[Segment, PlannedBlock]]:
    """Every planned block with its segment, in the order of the prefix."""
    everything = [
        *plan.tools,
        *plan.system,
        *(block for message in plan.messages for block in message.blocks),
    ]
    return [(planned.segment, planned) for planned in everything]


def as_params(plan: ContextPlan) -> dict[str, Any]:
    """The parts of the request the plan fixes: tools, system and messages as plain blocks."""
    return {
        "tools": tuple(planned.block for planned in plan.tools),
        "system": tuple(planned.block for planned in plan.system),
        "messages": tuple(
            (message.role.value, tuple(planned.block for planned in message.blocks)) for message in plan.messages
        ),
    }
