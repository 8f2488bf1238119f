"""How many tokens a request has, block by block: one walk for count_tokens, the cache and the usage."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .attachments import PAGE_TOKENS, image_tokens, pdf_pages
from .conversation import THINKING_TYPES, Block, canonical, turns_of
from .tokens import count_text, seam

TOOL_PREAMBLE = 327  # what a real request gains when it offers any tool
TOOL_FRAME = 11
SYSTEM_FRAME = 4
ANSWER_FRAME = 3
FORCED_CHOICE = 9
BLOCK_FRAMES = {
    "tool_use": 14,
    "tool_result": 12,
    "thinking": 4,
    "document": 8,
    "search_result": 9,
    "image": 5,
    "compaction": 16,
}
ROLE_FRAMES = {"user": "\n\nHuman: ", "assistant": "\n\nAssistant: ", "system": "\n\nSystem: "}


@dataclass(frozen=True)
class Segment:
    """One cacheable step of a request, in the order tools, system, messages."""

    level: str
    key: bytes
    tokens: int
    mark: str | None  # "5m", "1h" or None
    path: str
    cacheable: bool = True


def segments_of(body: dict[str, Any], dropped: set[str] | frozenset[str] = frozenset()) -> list[Segment]:
    """The steps of a checked request; the sum of their tokens plus `tail_tokens` is its count."""
    return [*_tool_segments(body), *_system_segments(body), *_message_segments(body, dropped)]


def tail_tokens(body: dict[str, Any]) -> int:
    """Tokens behind the last block, never cached."""
    forced = (body.get("tool_choice") or {}).get("type") in ("any", "tool")
    return ANSWER_FRAME + (FORCED_CHOICE if forced else 0)


def count_request(body: dict[str, Any], dropped: set[str] | frozenset[str] = frozenset()) -> int:
    """All input tokens of a checked request."""
    return sum(segment.tokens for segment in segments_of(body, dropped)) + tail_tokens(body)


def _mark(block: Block) -> str | None:
    control = block.get("cache_control")
    return None if not control else str(control.get("ttl") or "5m")


def _tool_segments(body: dict[str, Any]) -> Iterator[Segment]:
    frame = TOOL_PREAMBLE
    previous = ""
    for number, tool in enumerate(body.get("tools") or []):
        text = canonical(tool).decode("utf-8", "surrogatepass")
        size = max(1, frame + TOOL_FRAME + count_text(text) + seam(previous, text))
        yield Segment("tools", canonical(tool), size, _mark(tool), f"tools.{number}")
        frame, previous = 0, text


def _system_segments(body: dict[str, Any]) -> Iterator[Segment]:
    system = body.get("system") or []
    blocks = [{"type": "text", "text": system}] if isinstance(system, str) else system
    # The preamble of the tools already opens a system section: its frame is paid once.
    frame, previous = (0 if body.get("tools") else SYSTEM_FRAME), "\n\n"
    for number, block in enumerate(blocks):
        text = block["text"]
        size = max(1, frame + count_text(text) + seam(previous, text))
        yield Segment("system", canonical(block), size, _mark(block), f"system.{number}")
        frame, previous = 0, text


def _message_segments(body: dict[str, Any], dropped: set[str] | frozenset[str]) -> Iterator[Segment]:
    for turn in turns_of(body["messages"]):
        if turn.hidden:
            continue
        previous = ROLE_FRAMES[turn.role]
        frame = count_text(previous)
        for entry in turn.placed:
            if entry.path in dropped:
                continue
            text, extra = _weight(entry.block)
            size = max(1, frame + extra + count_text(text) + seam(previous, text))
            key = turn.role.encode() + b":" + canonical(entry.block)
            cacheable = entry.block["type"] not in THINKING_TYPES
            yield Segment("messages", key, size, _mark(entry.block), entry.path, cacheable)
            frame, previous = 0, text


def _weight(block: Block) -> tuple[str, int]:
    """A block as the text that is tokenised and the tokens that are not text."""
    kind = block["type"]
    extra = BLOCK_FRAMES.get(kind, 0)
    if kind == "text":
        return block["text"], 0
    if kind == "thinking":
        return block["thinking"], extra
    if kind in ("tool_use", "server_tool_use"):
        return block["name"] + json.dumps(block["input"], ensure_ascii=False, separators=(",", ":")), extra
    if kind == "tool_result":
        return _inner(block.get("content", ""), extra)
    if kind == "compaction":
        return block["content"], extra
    if kind == "image":
        return "", extra + image_tokens(block["source"]["data"])
    if kind == "document":
        return _document(block, extra)
    if kind == "search_result":
        inner, more = _inner(block["content"], extra)
        return f"{block['title']}\n{block['source']}\n{inner}", more
    return json.dumps(block, ensure_ascii=False, separators=(",", ":")), extra


def _inner(content: Any, extra: int) -> tuple[str, int]:
    if isinstance(content, str):
        return content, extra
    parts = [_weight(block) for block in content or []]
    return "".join(text for text, _ in parts), extra + sum(more for _, more in parts)


def _document(block: Block, extra: int) -> tuple[str, int]:
    source = block["source"]
    title = f"{block.get('title') or ''}{block.get('context') or ''}"
    if source["type"] == "text":
        return title + source["data"], extra
    if source["type"] == "content":
        inner, more = _inner(source["content"], extra)
        return title + inner, more
    return title, extra + pdf_pages(source["data"]) * PAGE_TOKENS
