"""What a block is called and how it begins, for one line in a list."""

from __future__ import annotations

from desktop_app.bridge.visible_text import visible_line
from desktop_app.core.conversation import Block, to_json
from desktop_app.core.segment import Segment

_KINDS = frozenset(("text", "thinking", "redacted_thinking", "tool_use", "tool_result", "image", "document"))


def block_kind(block: Block, segment: Segment | None = None) -> str:
    """The catalogue id that names what a block is."""
    if segment is Segment.TOOLS:
        return "context.kind.tool"
    kind = str(block.get("type"))
    return f"context.kind.{kind}" if kind in _KINDS else "context.kind.unknown"


def first_words(block: Block, limit: int = 160) -> str:
    """The beginning of what a block says, on one line; empty for a block without words."""
    kind = block.get("type")
    if kind == "tool_use":
        return visible_line(f"{block.get('name', '')} {to_json(block.get('input', {}))}", limit)
    if kind == "tool_result":
        content = block.get("content", "")
        if isinstance(content, list):
            content = " ".join(str(part.get("text", part.get("type", ""))) for part in content)
        return visible_line(str(content), limit)
    if "name" in block:
        return visible_line(f"{block['name']} {block.get('description', '')}", limit)
    for field in ("text", "thinking", "title"):
        if isinstance(block.get(field), str):
            return visible_line(block[field], limit)
    return ""
