"""The API's rules for content blocks: nothing blank, cache marks, thinking as it was received, fields and places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from desktop_app.core.conversation import Block, is_blank
from desktop_app.core.rule_case import THINKING, Case, Violation, content_blocks, extra, last_compaction

MOST_MARKS = 4
RESPONSE_ONLY = ("parsed_output",)
"""Fields the SDK adds to blocks of a response and the API does not take back."""
_LIFETIMES = ("5m", "1h")


def blanks(case: Case) -> Iterator[Violation]:
    """No empty message, no text without a visible character, also inside results and in the system prompt."""
    last = len(case.messages) - 1
    for number, message in enumerate(case.messages):
        if not message.get("content"):
            if number != last or message.get("role") != "assistant":
                yield Violation(
                    "empty_message",
                    f"messages.{number}: all messages must have non-empty content except for the optional final "
                    "assistant message",
                )
            continue
        for block in content_blocks(message):
            yield from _blank_texts([block], "messages")
            if block.get("type") == "tool_result" and isinstance(block.get("content"), list):
                yield from _blank_texts(block["content"], "messages")
    system = case.body.get("system") or []
    yield from _blank_texts([{"type": "text", "text": system}] if isinstance(system, str) else system, "system")


def _blank_texts(blocks: Sequence[Any], where: str) -> Iterator[Violation]:
    for block in blocks:
        if not isinstance(block, dict) or block.get("type") != "text":
            continue
        text = block.get("text")
        if not text:
            yield Violation("empty_text", f"{where}: text content blocks must be non-empty")
        elif is_blank(str(text)):
            yield Violation("blank_text", f"{where}: text content blocks must contain non-whitespace text")


def marks(case: Case) -> Iterator[Violation]:
    """Cache marks: at most four, longer lifetimes first, on blocks that can carry one."""
    found = list(_all_marks(case))
    automatic = case.body.get("cache_control")
    last = content_blocks(case.messages[-1])[-1:]
    own = last[0].get("cache_control") if last else None
    count = len(found) + (1 if automatic and not own else 0)
    if count > MOST_MARKS:
        yield Violation(
            "too_many_marks", f"A maximum of {MOST_MARKS} blocks with cache_control may be provided. Found {count}."
        )
    short_seen = False
    for path, block, ttl in found:
        yield from _mark_on(path, block, ttl)
        if ttl == "1h" and short_seen:
            yield Violation(
                "ttl_order",
                f"{path}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' "
                "cache_control block. Note that blocks are processed in the following order: `tools`, `system`, "
                "`messages`.",
            )
        short_seen = short_seen or ttl == "5m"
    if automatic:
        yield from _automatic(_lifetime(automatic), _lifetime(own) if own else None)


def _mark_on(path: str, block: Mapping[str, Any], ttl: str) -> Iterator[Violation]:
    kind = block.get("type")
    if kind == "text" and is_blank(str(block.get("text", ""))):
        yield Violation("mark_on_blank", f"{path}.text: cache_control cannot be set for empty text blocks")
    content = block.get("content")
    if kind == "tool_result" and (not content or (isinstance(content, str) and is_blank(content))):
        yield Violation(
            "mark_on_blank", f"{path}.tool_result: cache_control cannot be set for empty tool_result blocks"
        )
    if kind in THINKING:
        yield extra(f"{path}.{kind}.cache_control", "mark_on_thinking")
    if ttl not in _LIFETIMES:
        yield Violation("ttl", f"{path}.cache_control.ttl: Input should be '5m' or '1h'")


def _automatic(ttl: str, own: str | None) -> Iterator[Violation]:
    if ttl not in _LIFETIMES:
        yield Violation("ttl", "cache_control.ttl: Input should be '5m' or '1h'")
    elif own is not None and ttl != own:
        yield Violation(
            "automatic_clash",
            f"Top-level cache_control has ttl='{ttl}' but the target block already has cache_control with ttl='{own}'",
        )


def _lifetime(mark: Mapping[str, Any]) -> str:
    return str(mark.get("ttl") or "5m")


def _all_marks(case: Case) -> Iterator[tuple[str, Block, str]]:
    parts: list[tuple[str, Sequence[Any]]] = [("tools", case.body.get("tools") or [])]
    if isinstance(case.body.get("system"), list):
        parts.append(("system", case.body["system"]))
    parts += [(f"messages.{number}.content", content_blocks(message)) for number, message in enumerate(case.messages)]
    for where, blocks in parts:
        for index, block in enumerate(blocks):
            yield from _marks_of(f"{where}.{index}", block)


def _marks_of(path: str, block: object) -> Iterator[tuple[str, Block, str]]:
    if not isinstance(block, dict):
        return
    if block.get("cache_control"):
        yield path, block, _lifetime(block["cache_control"])
    if block.get("type") == "tool_result" and isinstance(block.get("content"), list):
        for index, inner in enumerate(block["content"]):
            yield from _marks_of(f"{path}.content.{index}", inner)


def thinking(case: Case) -> Iterator[Violation]:
    """Thinking goes back as it was received and never stands last in a reply, except in one that goes on.

    What stands before the last compaction is nothing to the API.
    """
    begin = last_compaction(case.messages)
    replies = [
        number for number, message in enumerate(case.messages) if number >= begin and message.get("role") == "assistant"
    ]
    for number in replies:
        blocks = content_blocks(case.messages[number])
        if case.known.issued is not None:
            for index, block in enumerate(blocks):
                if block.get("type") == "thinking":
                    path = f"messages.{number}.content.{index}"
                    yield from _as_received(path, block, case.known.issued, latest=number == replies[-1])
        goes_on = case.known.paused and number == len(case.messages) - 1
        if blocks and blocks[-1].get("type") in THINKING and not goes_on:
            yield Violation(
                "thinking_last", f"messages.{number}: The final block in an assistant message cannot be `thinking`."
            )


def _as_received(path: str, block: Block, issued: Mapping[str, Block], *, latest: bool) -> Iterator[Violation]:
    received = issued.get(str(block.get("signature")))
    if received is not None and received.get("thinking") == block.get("thinking"):
        return
    if received is not None and latest:
        yield Violation(
            "thinking_edited",
            f"{path}: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. "
            "These blocks must remain as they were in the original response.",
        )
    else:
        yield Violation("signature", f"{path}: Invalid `signature` in `thinking` block")


def places(case: Case) -> Iterator[Violation]:
    """Blocks and fields only where they are taken."""
    for number, message in enumerate(case.messages):
        for index, block in enumerate(content_blocks(message)):
            path, kind = f"messages.{number}.content.{index}", block.get("type")
            for name in RESPONSE_ONLY:
                if name in block:
                    yield extra(f"{path}.{kind}.{name}")
            if message.get("role") == "assistant" and kind == "document":
                yield Violation("document_place", f"{path}: `document` blocks are not permitted in `assistant` content")
            if message.get("role") == "user" and kind == "text" and block.get("citations"):
                yield Violation("citations", f"{path}.text.citations: citations are not permitted on user text blocks")
