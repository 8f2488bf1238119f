"""The API's rules for compaction: blocks of earlier ones, a request for one, and edits of the context."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from desktop_app.core.context_editing import (
    CLEAR_THINKING,
    COMPACT,
    EDITS,
    LEAST_TRIGGER,
    MOST_INSTRUCTIONS,
    ON_DEMAND_BETA,
    THRESHOLD_BETA,
    betas_for,
    is_signed,
)
from desktop_app.core.conversation import Block
from desktop_app.core.rule_case import THINKING, Case, Violation, content_blocks, extra, holds_summary

_FIELDS = ("type", "content", "encrypted_content", "signature", "tool_changes", "cache_control")
_UNKNOWN_TAG = "{}: Input tag '{}' found using 'type' does not match any of the expected tags"
_FORCED = ("any", "tool")


def edits(case: Case) -> Iterator[Violation]:
    """Edits of the context: known ones, with their beta header, each once, in their order."""
    given = case.body.get("context_management")
    if not isinstance(given, Mapping):
        return
    listed = [edit for edit in given.get("edits") or () if isinstance(edit, Mapping)]
    kinds = [str(edit.get("type")) for edit in listed]
    for number, edit in enumerate(listed):
        path, kind = f"context_management.edits.{number}", kinds[number]
        if kind not in EDITS or not set(betas_for([dict(edit)])) <= set(case.known.betas):
            yield Violation("edit_unknown", _UNKNOWN_TAG.format(path, kind))
        elif kinds.index(kind) != number:
            yield Violation("edit_twice", f"context_management.edits: `{kind}` may only be given once")
        elif kind == CLEAR_THINKING and number:
            yield Violation("edit_order", f"context_management.edits: `{kind}` must be the first edit")
        elif kind == COMPACT:
            yield from _trigger(edit, f"{path}.{kind}")


def _trigger(edit: Mapping[str, Any], path: str) -> Iterator[Violation]:
    trigger = edit.get("trigger")
    value = trigger.get("value") if isinstance(trigger, Mapping) else None
    if isinstance(value, int) and value < LEAST_TRIGGER:
        yield Violation(
            "edit_trigger", f"{path}.trigger.value: Input should be greater than or equal to {LEAST_TRIGGER}"
        )


def order(case: Case) -> Iterator[Violation]:
    """A request for a compaction: nothing beside it that only shapes a reply."""
    asked = case.body.get("compaction")
    if not isinstance(asked, Mapping):
        return
    for name in _beside(case.body):
        yield Violation("compaction_beside", f"compaction: cannot be combined with `{name}`")
    if len(str(asked.get("instructions") or "")) > MOST_INSTRUCTIONS:
        yield Violation(
            "instructions_long",
            f"compaction.instructions: String should have at most {MOST_INSTRUCTIONS} characters",
        )


def finished(case: Case) -> Iterator[Violation]:
    """What is to be compacted says something, and its last turn is a whole one."""
    if case.body.get("compaction") is None:
        return
    told = [block for message in case.messages if message.get("role") != "system" for block in content_blocks(message)]
    if all(block.get("type") == "compaction" for block in told):
        yield Violation("compaction_nothing", "messages: there is nothing to summarize")
    elif _is_open(case):
        yield Violation("compaction_open_turn", "messages: the last `assistant` turn is not finished")


def _beside(body: Mapping[str, Any]) -> Iterator[str]:
    choice, config = body.get("tool_choice"), body.get("output_config")
    if body.get("context_management") is not None:
        yield "context_management"
    if body.get("stop_sequences"):
        yield "stop_sequences"
    if isinstance(choice, Mapping) and choice.get("type") in _FORCED:
        yield "tool_choice"
    if isinstance(config, Mapping) and config.get("format"):
        yield "output_config.format"


def _is_open(case: Case) -> bool:
    """Whether the last message is a reply that waits for a result or is to be continued."""
    last = case.messages[-1]
    if last.get("role") != "assistant":
        return False
    blocks = content_blocks(last)
    answered = {block.get("tool_use_id") for block in blocks}
    waits = any(
        block.get("type") in ("tool_use", "server_tool_use") and block.get("id") not in answered for block in blocks
    )
    return waits or case.known.paused or not blocks or blocks[-1].get("type") in THINKING


def blocks(case: Case) -> Iterator[Violation]:
    """Compaction blocks: as they were received, one with content, in a reply that comes first."""
    found = [
        (f"messages.{number}.content.{index}", message, block)
        for number, message in enumerate(case.messages)
        for index, block in enumerate(content_blocks(message))
        if block.get("type") == "compaction"
    ]
    betas = set(case.known.betas)
    if found and not betas & {ON_DEMAND_BETA, THRESHOLD_BETA}:
        yield Violation("beta_missing", _UNKNOWN_TAG.format(found[0][0], "compaction"))
        return
    for path, message, block in found:
        yield from _one(path, str(message.get("role")), block, case.known.issued)
    whole = [(path, block) for path, _, block in found if holds_summary(block)]
    signed = any(is_signed(block) for _, block in whole)
    if signed or case.body.get("compaction") is not None or THRESHOLD_BETA not in betas:
        yield from _alone_and_first(case, whole)
    if signed and ON_DEMAND_BETA in betas and _compacts(case.body):
        yield Violation(
            "compaction_with_edit", f"{whole[0][0]}: a `compaction` block cannot be combined with a `{COMPACT}` edit"
        )


def _one(path: str, role: str, block: Block, issued: Mapping[str, Block] | None) -> Iterator[Violation]:
    if role != "assistant":
        yield Violation("compaction_place", f"{path}: `compaction` blocks are not permitted in `{role}` content")
    for name in block:
        if name not in _FIELDS:
            yield extra(f"{path}.compaction.{name}")
    content = block.get("content")
    if content == "":
        yield Violation("compaction_empty", f"{path}.compaction.content: String should have at least 1 character")
    received = (issued or {}).get(str(block.get("signature")))
    if received is None or received.get("type") != "compaction":
        return
    if received.get("content") != content:
        yield Violation(
            "compaction_changed", f"{path}: `content` does not match the `signature` of the `compaction` block"
        )
    elif received.get("tool_changes") != block.get("tool_changes"):
        yield Violation(
            "compaction_changed",
            f"{path}: `tool_changes` must be sent back as they were returned with the `compaction` block",
        )
    elif received.get("encrypted_content") != block.get("encrypted_content"):
        yield Violation("compaction_changed", f"{path}: Invalid `encrypted_content` in `compaction` block")


def _alone_and_first(case: Case, whole: Sequence[tuple[str, Block]]) -> Iterator[Violation]:
    if len(whole) > 1:
        yield Violation("compaction_twice", f"{whole[1][0]}: only one `compaction` block with content is allowed")
    standing = (
        block
        for message in case.messages
        for block in content_blocks(message)
        if block.get("type") != "compaction" or holds_summary(block)
    )
    first = next(standing, None)
    if whole and first is not whole[0][1]:
        yield Violation(
            "compaction_place", f"{whole[0][0]}: the `compaction` block must be the first block of the conversation"
        )


def _compacts(body: Mapping[str, Any]) -> bool:
    given = body.get("context_management")
    listed = given.get("edits") or () if isinstance(given, Mapping) else ()
    return any(str(edit.get("type")).startswith("compact_") for edit in listed if isinstance(edit, Mapping))
