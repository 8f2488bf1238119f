"""Long results of tools as they are sent: head and tail, between them how long the whole is and where it is kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from desktop_app.core.conversation import Block, to_json
from desktop_app.core.own_tools import RESULT_READER
from desktop_app.core.text_cut import cut_ahead, cut_back

USUAL_LIMIT = 4_000
"""Characters up to which a result is sent whole."""

_MOST_ARGUMENTS = 240
_LEAST_ARGUMENTS = 40


def shortened(block: Block, limit: int, call: Block | None, tools: bool = True) -> Block:
    """A `tool_result` whose text is longer than `limit` characters with head and tail only, 3/8 of the limit each.

    The line between them tells how long the whole is, which call it came of, and how to read it; without `tools` only
    that it is kept. Text counts over all text blocks of a list; images and whatever else stands there stay. What is
    short enough, or would not become shorter, is returned as it is; 0 is no limit. The same arguments always give the
    same bytes.
    """
    content = block.get("content")
    if not limit or block.get("type") != "tool_result":
        return block
    if isinstance(content, str):
        cut = _cut(content, limit, block, call, tools) if len(content) > limit else None
        return block if cut is None else {**block, "content": cut[0] + cut[1] + cut[2]}
    if not isinstance(content, list):
        return block
    texts = [_text(part) for part in content]
    if sum(map(len, texts)) <= limit:
        return block
    cut = _cut("".join(texts), limit, block, call, tools)
    return block if cut is None else {**block, "content": _parts(content, texts, *cut)}


def unsent_letters(blocks: Sequence[Block], limit: int) -> int:
    """Characters of the results in a message that are not sent under a limit."""
    texts = [text_of_result(block) for block in blocks if block.get("type") == "tool_result"]
    return sum(max(0, len(text) - limit) for text in texts) if limit else 0


def text_of_result(block: Block) -> str:
    """The whole text of a `tool_result`, texts of a list joined by line ends; what is no text is named by its kind."""
    content = block.get("content")
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(_text(part) or f"[{part.get('type')}]" for part in parts if isinstance(part, dict))


def _cut(text: str, limit: int, block: Block, call: Block | None, tools: bool) -> tuple[str, str, str] | None:
    """Head, line and tail; None where that is no shorter than the text."""
    side = limit * 3 // 8
    head, tail = text[: cut_back(text, side)], text[cut_ahead(text, len(text) - side) :]
    missing = f"{len(text) - len(head) - len(tail):,} of {len(text):,} characters left out here"
    line = f"\n[{missing}. Whole result of {_made_by(call, limit)}: {_where(block, tools)}]\n"
    return (head, line, tail) if len(head) + len(line) + len(tail) < len(text) else None


def _made_by(call: Block | None, limit: int) -> str:
    name = str(call.get("name")) if call else "a tool"
    arguments = to_json(call.get("input")) if call else ""
    most = max(_LEAST_ARGUMENTS, min(_MOST_ARGUMENTS, limit // 8))
    if len(arguments) > most:
        arguments = arguments[: cut_back(arguments, most)] + "…"
    return f"{name} {arguments}".rstrip()


def _where(block: Block, tools: bool) -> str:
    if not tools:
        return "kept in this conversation"
    return f"call {RESULT_READER} with tool_use_id {to_json(str(block.get('tool_use_id')))}"


def _parts(content: list[Any], texts: list[str], head: str, line: str, tail: str) -> list[Any]:
    """The content with its texts cut to head and tail; the line stands where the head ends."""
    begin, end = len(head), sum(map(len, texts)) - len(tail)
    kept: list[Any] = []
    start, told = 0, False
    for part, text in zip(content, texts, strict=True):
        stop = start + len(text)
        if not text or stop <= begin or (start >= end):
            kept.append(part)
        else:
            middle = "" if told else line
            shown = text[: max(begin - start, 0)] + middle + text[max(end - start, 0) :]
            told = True
            if shown:
                kept.append({**part, "text": shown})
        start = stop
    return kept


def _text(part: object) -> str:
    """The text of a text block of a list; empty for anything else."""
    if isinstance(part, dict) and part.get("type") == "text" and isinstance(part.get("text"), str):
        return str(part["text"])
    return ""
