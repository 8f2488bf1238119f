"""What the API is asked to leave out of a context or to compact, and what it says it did."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from desktop_app.core.conversation import Block, is_blank

CLEAR_THINKING = "clear_thinking_20251015"
CLEAR_TOOL_RESULTS = "clear_tool_uses_20250919"
COMPACT = "compact_20260112"
EDITS = (CLEAR_THINKING, CLEAR_TOOL_RESULTS, COMPACT)
"""The edits in the order the API wants them."""
CLEARING_BETA = "context-management-2025-06-27"
THRESHOLD_BETA = "compact-2026-01-12"
ON_DEMAND_BETA = "compact-2026-09-04"
BINDING_BETA = "thinking-binding-controls-2026-08-01"
LEAST_TRIGGER = 50_000
"""Tokens below which the API does not compact by itself."""
MOST_INSTRUCTIONS = 16_384
"""Characters of a prompt of our own for a compaction on demand."""
FILES_TOOL = "memory"
"""The name the API gives its memory tool of files."""
MEMORY_TOOLS = ("save_memory", "search_memory", "forget_memory", FILES_TOOL)
"""Tools whose results are never cleared: what was remembered is what the answer rests on."""
KEPT_RESULTS = 3
KEPT_THINKING = 3
"""Last replies whose thinking stays."""
_CLEARING_SHARE = 0.6
_PAID_AFTER = 20
"""Requests after which a clearing must have paid for the part of the cache it broke."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a profile asks of the API. `threshold`: tokens of the context at which compaction is due.

    `read` and `write` are the prices of a cached token as multiples of the price of input.
    """

    threshold: int
    clear_tool_results: bool = False
    clear_thinking: bool = False
    compact: bool = False
    instructions: str = ""
    """A prompt of our own for the summary; it takes the place of the API's."""
    read: float = 0.1
    write: float = 1.25


@dataclass(frozen=True, slots=True)
class Cleared:
    """What the API left out of one request: input tokens, results of tools, replies whose thinking went."""

    tokens: int = 0
    tool_results: int = 0
    thinking: int = 0


def edits_for(wishes: Wishes) -> tuple[Block, ...]:
    """The edits for these wishes, in the order of `EDITS`; the same wishes give the same bytes."""
    edits: list[Block] = []
    if wishes.clear_thinking:
        edits.append(clear_thinking())
    if wishes.clear_tool_results:
        trigger = clearing_trigger(wishes.threshold)
        edits.append(clear_tool_results(trigger, least_cleared(trigger, wishes.read, wishes.write)))
    if wishes.compact:
        edits.append(compact_at(wishes.threshold, wishes.instructions))
    return tuple(edits)


def clear_thinking(keep: int = KEPT_THINKING) -> Block:
    """Thinking before that of the last `keep` replies is left out."""
    return {"type": CLEAR_THINKING, "keep": {"type": "thinking_turns", "value": max(1, keep)}}


def clear_tool_results(
    trigger: int, at_least: int, keep: int = KEPT_RESULTS, exclude: Sequence[str] = MEMORY_TOOLS
) -> Block:
    """Results of tools but the last `keep` are left out of a context over `trigger` tokens, where that frees `at_least`
    tokens; those of the tools in `exclude` stay."""
    return {
        "type": CLEAR_TOOL_RESULTS,
        "trigger": {"type": "input_tokens", "value": trigger},
        "keep": {"type": "tool_uses", "value": keep},
        "clear_at_least": {"type": "input_tokens", "value": at_least},
        "exclude_tools": list(exclude),
    }


def compact_at(threshold: int, instructions: str = "") -> Block:
    """The API compacts at `threshold` tokens, `LEAST_TRIGGER` at least, and pauses behind the summary."""
    edit: Block = {
        "type": COMPACT,
        "trigger": {"type": "input_tokens", "value": max(LEAST_TRIGGER, threshold)},
        "pause_after_compaction": True,
    }
    return edit if is_blank(instructions) else {**edit, "instructions": instructions}


def clearing_trigger(threshold: int) -> int:
    """Tokens at which results are cleared where compaction is due at `threshold`: before it, so that it may wait."""
    return max(1, round(threshold * _CLEARING_SHARE))


def least_cleared(context: int, read: float, write: float) -> int:
    """Tokens that must be cleared of a context of so many for the broken cache to pay for itself.

    Breaking it writes anew what stays instead of reading it; each later request reads so much less. `read` and `write`
    are multiples of the price of input.
    """
    lost = max(0.0, write - read)
    return max(1, round(context * lost / (lost + read * _PAID_AFTER))) if lost else 1


def in_order(edits: Iterable[Block]) -> tuple[Block, ...]:
    """The edits in the order the API wants; of a kind it does not know, last."""
    rank = {kind: place for place, kind in enumerate(EDITS)}
    return tuple(sorted(edits, key=lambda edit: rank.get(str(edit.get("type")), len(rank))))


def betas_for(edits: Iterable[Block]) -> tuple[str, ...]:
    """The beta headers these edits need."""
    kinds = [str(edit.get("type")) for edit in edits]
    betas = (THRESHOLD_BETA if kind.startswith("compact_") else CLEARING_BETA for kind in kinds)
    return tuple(dict.fromkeys(betas))


def is_signed(block: Block) -> bool:
    """Whether a block is a compaction with a signature: it stands first, and no second one beside it."""
    return block.get("type") == "compaction" and bool(block.get("signature"))


def block_betas(block: Block, *, compacts: bool = False) -> tuple[str, ...]:
    """The beta headers without which a compaction block is not taken back.

    One made on demand is always signed, one made at a threshold may be: with a signature alone both headers are needed
    to be sure. Where the API `compacts` by itself at the same time, it can only be one of a threshold.
    """
    return (THRESHOLD_BETA,) if compacts or not is_signed(block) else (ON_DEMAND_BETA, THRESHOLD_BETA)


def applied_edits(reported: object) -> tuple[Block, ...]:
    """The edits a reply reports in its `context_management`, as they came: kinds unknown here too."""
    edits = reported.get("applied_edits") if isinstance(reported, Mapping) else None
    return tuple(dict(edit) for edit in _entries(edits))


def cleared(edits: Iterable[Mapping[str, Any]]) -> Cleared:
    """What the edits that were applied left out, taken together."""
    totals = Cleared()
    for edit in edits:
        totals = Cleared(
            totals.tokens + _count(edit.get("cleared_input_tokens")),
            totals.tool_results + _count(edit.get("cleared_tool_uses")),
            totals.thinking + _count(edit.get("cleared_thinking_turns")),
        )
    return totals


def dropped_thinking(transformations: object) -> tuple[str, ...]:
    """Where thinking stood that the API left out of a request because it did not fit: `messages.1.content.0`."""
    dropped = (entry for entry in _entries(transformations) if entry.get("type") == "thinking_dropped")
    return tuple(str(entry.get("path", "")) for entry in dropped)


def _entries(value: object) -> list[Mapping[str, Any]]:
    return [entry for entry in value if isinstance(entry, Mapping)] if isinstance(value, list) else []


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
