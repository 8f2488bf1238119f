"""What the rules of the API look at and what they find: the body, what is known besides, and violations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from desktop_app.core.conversation import Block
from desktop_app.core.model_rules import ModelRules

THINKING = ("thinking", "redacted_thinking")


@dataclass(frozen=True, slots=True)
class Violation:
    """One broken rule: its name, and the text the API would answer."""

    rule: str
    text: str


@dataclass(frozen=True, slots=True)
class RequestFacts:
    """What is known besides the body. `issued` maps a thinking signature to the block as it was received."""

    betas: Sequence[str] = ()
    issued: Mapping[str, Block] | None = None
    window: int | None = None
    output_limit: int | None = None
    input_tokens: int | None = None
    paused: bool = False
    """The last reply ended with pause_turn and is sent back as it is."""


@dataclass(frozen=True, slots=True)
class Case:
    """One body under examination; `messages` are its messages, at least one."""

    body: Mapping[str, Any]
    known: RequestFacts
    rules: ModelRules
    messages: Sequence[Mapping[str, Any]]


def content_blocks(message: Mapping[str, Any]) -> list[Block]:
    """The content of a message as blocks; a plain string is one text block."""
    content = message.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block for block in content or [] if isinstance(block, dict)]


def is_compaction(message: Mapping[str, Any]) -> bool:
    """Whether an assistant message opens with what the API compacted, which may stand first."""
    first = next((block for block in content_blocks(message) if not _failed(block)), None)
    return message.get("role") == "assistant" and first is not None and holds_summary(first)


def holds_summary(block: Mapping[str, Any]) -> bool:
    """Whether a block is a compaction that did not fail; one that did stands for nothing."""
    return block.get("type") == "compaction" and not _failed(block)


def _failed(block: Mapping[str, Any]) -> bool:
    return block.get("type") == "compaction" and block.get("content") is None


def last_compaction(messages: Sequence[Mapping[str, Any]]) -> int:
    """The number of the last message that holds what the API compacted; 0 where none does.

    It ignores all that stands before.
    """
    numbers = range(len(messages) - 1, 0, -1)
    return next((number for number in numbers if any(map(holds_summary, content_blocks(messages[number])))), 0)


def extra(path: str, rule: str = "unknown_field") -> Violation:
    """A field the API does not take at this place."""
    return Violation(rule, f"{path}: Extra inputs are not permitted")
