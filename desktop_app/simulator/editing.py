"""Context editing: old tool results and old thinking are left out of what the model sees; the client keeps them.

Without a value: tool results are cleared above 100 000 input tokens, and the last three tool uses and the thinking of
the last turn are kept. A turn is what the assistant did from one message of the user to the next, a tool loop included.
A cleared result keeps its place with a placeholder in it, a cleared call has no input; both break the cache from there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .conversation import THINKING_TYPES, Block, Placed, turns_of
from .counting import count_request

PLACEHOLDER = "[Tool result cleared to save context]"
TOOL_TRIGGER, KEPT_TOOL_USES, KEPT_TURNS = 100_000, 3, 1


@dataclass
class Edited:
    """A request as the model sees it, the paths of blocks it does not see, and what was done; `original` is the count
    before the edits, None where none were asked for."""

    body: dict[str, Any]
    hidden: set[str]
    applied: list[dict[str, Any]] = field(default_factory=list)
    original: int | None = None

    def count(self) -> int:
        """Input tokens now."""
        return count_request(self.body, self.hidden)


def edit(body: dict[str, Any], dropped: set[str]) -> Edited:
    """Apply the edits a checked request asks for; `dropped` are paths of thinking that is left out anyway."""
    edited = Edited(body, set(dropped))
    asked = body.get("context_management")
    if asked is None:
        return edited
    edited.original = edited.count()
    for one in asked.get("edits") or []:
        if (apply := _EDITS.get(one["type"])) is not None:
            apply(edited, one)
    return edited


def _clear_thinking(edited: Edited, asked: dict[str, Any]) -> None:
    keep = asked.get("keep", {"type": "thinking_turns", "value": KEPT_TURNS})
    if keep == "all" or keep["type"] == "all":
        return
    turns = [paths for paths in _thinking_by_turn(edited) if paths]
    gone = turns[: max(0, len(turns) - keep["value"])]
    before = edited.count()
    edited.hidden |= {path for paths in gone for path in paths}
    if gone:
        cleared = before - edited.count()
        edited.applied.append(
            {"type": asked["type"], "cleared_thinking_turns": len(gone), "cleared_input_tokens": cleared}
        )


def _thinking_by_turn(edited: Edited) -> list[list[str]]:
    """The paths of the thinking that is still there, turn by turn."""
    found: list[list[str]] = [[]]
    for turn in turns_of(edited.body["messages"]):
        if turn.role == "user" and any(block["type"] != "tool_result" for block in turn.blocks):
            found.append([])
        for entry in turn.placed:
            if entry.block["type"] in THINKING_TYPES and entry.path not in edited.hidden:
                found[-1].append(entry.path)
    return found


def _clear_tool_uses(edited: Edited, asked: dict[str, Any]) -> None:
    calls, results = _tool_blocks(edited.body)
    before = edited.count()
    trigger = asked.get("trigger", {"type": "input_tokens", "value": TOOL_TRIGGER})
    if (before if trigger["type"] == "input_tokens" else len(calls)) <= trigger["value"]:
        return
    keep = asked.get("keep", {"value": KEPT_TOOL_USES})["value"]
    excluded = asked.get("exclude_tools") or []
    old = [entry for entry in calls[: max(0, len(calls) - keep)] if entry.block["name"] not in excluded]
    old = [entry for entry in old if entry.block["id"] in results]
    changed = {(at.message, at.index): _without_result(at.block) for at in (results[e.block["id"]] for e in old)}
    inputs = asked.get("clear_tool_inputs")
    for entry in old:
        if inputs is True or (isinstance(inputs, list) and entry.block["name"] in inputs):
            changed[entry.message, entry.index] = entry.block | {"input": {}}
    fresh = Edited(_replaced(edited.body, changed), edited.hidden)
    cleared = before - fresh.count()
    if cleared > 0 and cleared >= (asked.get("clear_at_least") or {"value": 0})["value"]:
        edited.body = fresh.body
        edited.applied.append({"type": asked["type"], "cleared_tool_uses": len(old), "cleared_input_tokens": cleared})


def _tool_blocks(body: dict[str, Any]) -> tuple[list[Placed], dict[str, Placed]]:
    """The calls, oldest first, and their results by id."""
    calls: list[Placed] = []
    results: dict[str, Placed] = {}
    for turn in turns_of(body["messages"]):
        for entry in turn.placed:
            if entry.block["type"] == "tool_use":
                calls.append(entry)
            elif entry.block["type"] == "tool_result":
                results[entry.block["tool_use_id"]] = entry
    return calls, results


def _without_result(block: Block) -> Block:
    return block | {"content": PLACEHOLDER}


def _replaced(body: dict[str, Any], changed: dict[tuple[int, int], Block]) -> dict[str, Any]:
    """The body with other blocks at some places (message, index)."""
    messages = list(body["messages"])
    for number in {at[0] for at in changed}:
        content = [changed.get((number, n), block) for n, block in enumerate(messages[number]["content"])]
        messages[number] = {**messages[number], "content": content}
    return {**body, "messages": messages}


_EDITS: dict[str, Callable[[Edited, dict[str, Any]], None]] = {
    "clear_thinking_20251015": _clear_thinking,
    "clear_tool_uses_20250919": _clear_tool_uses,
}
