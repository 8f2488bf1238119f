"""What leaves the context at a compaction, as texts with where they come from: what a summary is held against."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from desktop_app.core.compaction.compaction import Compaction
from desktop_app.core.compaction.value_check import SourceText
from desktop_app.core.context import refused_messages
from desktop_app.core.conversation import Block, Message, Role, is_blank
from desktop_app.core.own_tools import REPEATING_TOOLS


def sources_of(folded: Sequence[Message], base: Compaction | None) -> list[SourceText]:
    """The texts of the messages that fold, oldest first, before them those of the compaction they fold with.

    Thinking and what was told beside a message are no sources: neither was said by anyone. Nor are refused turns,
    which are sent nowhere, nor what the app's own tools gave again (`REPEATING_TOOLS`).
    """
    sources = []
    refused = refused_messages(folded, open_end=False)
    names: dict[str, str] = {}
    if base is not None:
        written = (str(base.block.get("content") or "") if base.block else "", base.summary)
        sources += [SourceText(text, None, "summary") for text in written if not is_blank(text)]
    for message in folded:
        by = "person" if message.role is Role.USER else "assistant"
        for block in message.blocks if message.id not in refused else ():
            if _tool_of(block, names) in REPEATING_TOOLS:
                continue
            kind = "tool" if block.get("type") == "tool_result" else by
            sources += [SourceText(text, message.id, kind) for text in _texts_of(block) if not is_blank(text)]
    return sources


def _tool_of(block: Block, names: dict[str, str]) -> str | None:
    """The tool a call or result belongs to; `names` holds the calls so far, the last one of each id."""
    if block.get("type") == "tool_use":
        names[str(block.get("id"))] = str(block.get("name"))
        return names[str(block.get("id"))]
    return names.get(str(block.get("tool_use_id"))) if block.get("type") == "tool_result" else None


def _texts_of(block: Block) -> Iterator[str]:
    kind = block.get("type")
    if kind == "text" and isinstance(block.get("text"), str):
        yield block["text"]
    elif kind == "document" and (block.get("source") or {}).get("type") == "text":
        yield str(block["source"].get("data") or "")
    elif kind == "tool_use":
        yield from _strings(block.get("input"))
    elif kind == "tool_result":
        content = block.get("content")
        if isinstance(content, str):
            yield content
        elif isinstance(content, list):
            for part in content:
                yield from _texts_of(part)


def _strings(value: Any) -> Iterator[str]:
    """Every text in the input of a call, its numbers too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, bool) or value is None:
        return
    elif isinstance(value, int | float):
        yield str(value)
    elif isinstance(value, dict):
        for part in value.values():
            yield from _strings(part)
    elif isinstance(value, list):
        for part in value:
            yield from _strings(part)
