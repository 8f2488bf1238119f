"""Tool calls and their results: each call answered once, at the start of the next user turn."""

from __future__ import annotations

from ..conversation import Turn
from ..errors import invalid


def check_pairing(turns: list[Turn]) -> None:
    """Refuse unanswered calls, orphan and repeated results, and text in front of results."""
    visible = [turn for turn in turns if turn.role != "system"]
    seen: set[str] = set()
    for number, turn in enumerate(visible):
        if turn.role == "assistant":
            _check_calls(turn, visible[number + 1] if number + 1 < len(visible) else None, seen)
        else:
            _check_results(turn, visible[number - 1] if number else None)


def _calls(turn: Turn | None) -> list[str]:
    return [block["id"] for block in turn.blocks if block["type"] == "tool_use"] if turn else []


def _leading_results(turn: Turn | None) -> list[str]:
    """Ids of the results before anything else in the turn."""
    found: list[str] = []
    for block in turn.blocks if turn else []:
        if block["type"] != "tool_result":
            break
        found.append(block["tool_use_id"])
    return found


def _check_calls(turn: Turn, answer: Turn | None, seen: set[str]) -> None:
    for entry in turn.placed:
        if entry.block["type"] == "tool_use":
            if entry.block["id"] in seen:
                raise invalid(f"{entry.path}: `tool_use` ids must be unique")
            seen.add(entry.block["id"])
    _check_server_calls(turn, answer)
    answered = _leading_results(answer)
    missing = [call for call in _calls(turn) if call not in answered]
    if missing:
        raise invalid(
            f"messages.{turn.last_message}: `tool_use` ids were found without `tool_result` blocks immediately after: "
            f"{', '.join(missing)}. Each `tool_use` block must have a corresponding `tool_result` block in the next "
            "message."
        )


def _check_server_calls(turn: Turn, answer: Turn | None) -> None:
    done = {block["tool_use_id"] for block in turn.blocks if block["type"] == "web_search_tool_result"}
    for entry in turn.placed:
        if entry.block["type"] == "server_tool_use" and entry.block["id"] not in done and answer is not None:
            raise invalid(f"{entry.path}: `server_tool_use` block has no corresponding result block")


def _check_results(turn: Turn, previous: Turn | None) -> None:
    expected = _calls(previous)
    answered: set[str] = set()
    for entry in turn.placed:
        if entry.block["type"] != "tool_result":
            continue
        call = entry.block["tool_use_id"]
        if call not in expected:
            raise invalid(
                f"{entry.path}: unexpected `tool_use_id` found in `tool_result` blocks: {call}. Each `tool_result` "
                "block must have a corresponding `tool_use` block in the previous message."
            )
        if call in answered:
            raise invalid(
                f"{entry.path}: each tool_use must have a single result. Found multiple `tool_result` blocks "
                f"with id: {call}"
            )
        answered.add(call)
