"""The API's rules for the list of messages: roles and their order, the end, calls and their results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from desktop_app.core.conversation import Block
from desktop_app.core.rule_case import Case, Violation, content_blocks, extra, holds_summary, is_compaction

MOST_MESSAGES = 100_000
_ROLES = ("user", "assistant", "system")
_CLEAR_AT_BETA = "mid-conversation-system-clear-at-2026-08-21"


def roles(case: Case) -> Iterator[Violation]:
    """Known roles only, the person's first."""
    if len(case.messages) > MOST_MESSAGES:
        yield Violation("too_many_messages", f"messages: at most {MOST_MESSAGES} messages are allowed")
    for number, message in enumerate(case.messages):
        if message.get("role") not in _ROLES:
            yield Violation("role", f"messages.{number}.role: Input should be 'user', 'assistant' or 'system'")
    first = case.messages[0]
    if first.get("role") == "assistant" and not is_compaction(first):
        yield Violation("first_role", 'messages: first message must use the "user" role')


def system_messages(case: Case) -> Iterator[Violation]:
    """System messages inside the conversation: behind the person's message, before the reply, where the model can."""
    places = [number for number, message in enumerate(case.messages) if message.get("role") == "system"]
    if places and not case.rules.mid_system:
        yield Violation("system_unsupported", _unsupported(case))
        return
    for number in places:
        if number == 0:
            yield Violation(
                "system_first", "messages.0: use the top-level 'system' parameter for the initial system prompt"
            )
        elif number + 1 < len(case.messages) and case.messages[number + 1].get("role") != "assistant":
            yield Violation(
                "system_place", f"messages.{number}: role 'system' must precede an 'assistant' message or end the array"
            )
        elif not _may_precede_system(case.messages[number - 1]):
            yield Violation("system_place", f"messages.{number}: role 'system' must follow a 'user' message")
        if "clear_at" in case.messages[number] and _CLEAR_AT_BETA not in case.known.betas:
            yield extra(f"messages.{number}.clear_at", "beta_missing")


def _unsupported(case: Case) -> str:
    if case.rules.system_role:
        return "role 'system' is not supported on this model"
    return (
        'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" '
        "as an input message role."
    )


def _may_precede_system(message: Mapping[str, Any]) -> bool:
    blocks = content_blocks(message)
    ends_in_server_tool = bool(blocks) and blocks[-1].get("type") == "server_tool_use"
    return message.get("role") == "user" or (message.get("role") == "assistant" and ends_in_server_tool)


def ending(case: Case) -> Iterator[Violation]:
    """The last message is the person's, unless the model takes the beginning of a reply."""
    last = case.messages[-1]
    blocks = content_blocks(last)
    if last.get("role") != "assistant" or case.known.paused or (blocks and holds_summary(blocks[-1])):
        return
    if case.body.get("compaction") is not None:
        return  # no reply is begun
    if not case.rules.prefill:
        yield Violation(
            "prefill",
            "This model does not support assistant message prefill. The conversation must end with a user message.",
        )
    text = str(blocks[-1].get("text", "")) if blocks and blocks[-1].get("type") == "text" else ""
    if text != text.rstrip():
        yield Violation("trailing_space", "messages: final assistant content cannot end with trailing whitespace")


def pairs(case: Case) -> Iterator[Violation]:
    """Every call is answered once, at the start of the next user message."""
    turns = _merged(case.messages)
    for place, (number, role, blocks) in enumerate(turns):
        if role == "assistant":
            following = turns[place + 1] if place + 1 < len(turns) else None
            yield from _unanswered(number, blocks, following[2] if following else [])
        else:
            before = turns[place - 1] if place else None
            yield from _unasked(number, blocks, before[2] if before else [])


def _unanswered(number: int, blocks: Sequence[Block], following: Sequence[Block]) -> Iterator[Violation]:
    answers = []
    for block in following:
        if block.get("type") != "tool_result":
            break
        answers.append(block.get("tool_use_id"))
    missing = [str(call) for call in _calls(blocks) if call not in answers]
    if missing:
        yield Violation(
            "call_unanswered",
            f"messages.{number}: `tool_use` ids were found without `tool_result` blocks immediately after: "
            f"{', '.join(missing)}. Each `tool_use` block must have a corresponding `tool_result` block in the next "
            "message.",
        )


def _unasked(number: int, blocks: Sequence[Block], before: Sequence[Block]) -> Iterator[Violation]:
    asked, seen = _calls(before), set()
    for index, block in enumerate(blocks):
        if block.get("type") != "tool_result":
            continue
        call, where = block.get("tool_use_id"), f"messages.{number}.content.{index}"
        if call not in asked:
            yield Violation(
                "result_orphan",
                f"{where}: unexpected `tool_use_id` found in `tool_result` blocks: {call}. Each `tool_result` block "
                "must have a corresponding `tool_use` block in the previous message.",
            )
        elif call in seen:
            yield Violation(
                "result_twice",
                f"{where}: each tool_use must have a single result. Found multiple `tool_result` blocks with id: "
                f"{call}",
            )
        seen.add(call)


def _calls(blocks: Sequence[Block]) -> list[object]:
    return [block.get("id") for block in blocks if block.get("type") == "tool_use"]


def _merged(messages: Sequence[Mapping[str, Any]]) -> list[tuple[int, str, list[Block]]]:
    """Neighbours of one role as one turn, mid-conversation system messages passed over."""
    turns: list[tuple[int, str, list[Block]]] = []
    for number, message in enumerate(messages):
        role = str(message.get("role"))
        if role == "system":
            continue
        if turns and turns[-1][1] == role:
            turns[-1][2].extend(content_blocks(message))
        else:
            turns.append((number, role, content_blocks(message)))
    return turns
