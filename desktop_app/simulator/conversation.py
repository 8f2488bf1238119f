"""The request as the model sees it: canonical blocks, merged turns, plain text, and who said what."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

Block = dict[str, Any]
THINKING_TYPES = ("thinking", "redacted_thinking")


@dataclass
class Placed:
    """A content block with the place it was sent at."""

    block: Block
    message: int
    index: int

    @property
    def path(self) -> str:
        return f"messages.{self.message}.content.{self.index}"


@dataclass
class Turn:
    """Neighbouring messages of one role, merged; `hidden` system text is not shown to the model."""

    role: str
    clear_at: str | None = None
    placed: list[Placed] = field(default_factory=list)
    hidden: bool = False

    @property
    def blocks(self) -> list[Block]:
        return [entry.block for entry in self.placed]

    @property
    def last_message(self) -> int:
        return self.placed[-1].message if self.placed else -1


def blocks_of(content: Any) -> list[Block]:
    """Content as a list of blocks: a string is one text block."""
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def turns_of(messages: list[dict[str, Any]]) -> list[Turn]:
    """Messages merged by role; a system message with `clear_at` is hidden once a later user message exists."""
    last_user = max((n for n, message in enumerate(messages) if message["role"] == "user"), default=-1)
    turns: list[Turn] = []
    for number, message in enumerate(messages):
        clear_at = message.get("clear_at")
        hidden = clear_at == "next_user_message" and last_user > number
        if not turns or turns[-1].role != message["role"] or turns[-1].clear_at != clear_at:
            turns.append(Turn(message["role"], clear_at, hidden=hidden))
        turns[-1].placed += [Placed(b, number, n) for n, b in enumerate(blocks_of(message["content"]))]
    return turns


def canonical(block: Block) -> bytes:
    """The exact bytes of a block that count for the cache and for thinking: without marks, key order inside kept."""
    kept = {key: block[key] for key in sorted(block) if key != "cache_control" and block[key] is not None}
    return json.dumps(kept, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def text_of(content: Any) -> str:
    """All plain text of a string, a block or a list of blocks, thinking left out."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(filter(None, map(text_of, content)))
    if not isinstance(content, dict):
        return ""
    kind = content.get("type")
    if kind == "text":
        return str(content.get("text", ""))
    if kind == "tool_result":
        return text_of(content.get("content", ""))
    if kind == "search_result":
        return "\n".join([str(content.get("title", "")), text_of(content.get("content", []))])
    if kind == "document":
        source = content.get("source", {})
        return str(source.get("data", "")) if source.get("type") == "text" else text_of(source.get("content", ""))
    return ""


@dataclass(frozen=True)
class Passage:
    """Text of the request and where it stands: system, recalled, user, assistant or tool (with its name)."""

    origin: str
    text: str
    tool: str = ""


def passages(body: dict[str, Any]) -> Iterator[Passage]:
    """Every text of the request in order, without the user's last own words."""
    if body.get("system"):
        yield Passage("system", text_of(body["system"]))
    turns = [turn for turn in turns_of(body["messages"]) if not turn.hidden]
    asked = max((n for n, turn in enumerate(turns) if turn.role == "user" and question_of(turn)), default=-1)
    names: dict[str, str] = {}
    for number, turn in enumerate(turns):
        for block in turn.blocks:
            if block["type"] == "tool_use":
                names[block["id"]] = block["name"]
            elif block["type"] == "tool_result":
                yield Passage("tool", text_of(block), names.get(block["tool_use_id"], ""))
            elif block["type"] in ("document", "search_result"):
                yield Passage("document", text_of(block))
            elif block["type"] == "text" and (number != asked or _is_data(block["text"])):
                origin = {"system": "recalled"}.get(turn.role, turn.role)
                yield Passage(origin, block["text"])


def _is_data(text: str) -> bool:
    """A text block in tags is material the client added, not the user's own words."""
    bare = text.strip()
    return bare.startswith("<") and bare.endswith(">")


def question_of(turn: Turn) -> str:
    """The user's own words in a turn: tool results and tagged material left out."""
    texts = [block["text"] for block in turn.blocks if block["type"] == "text"]
    return "\n".join([text for text in texts if not _is_data(text)]).strip()


def last_question(body: dict[str, Any]) -> str:
    """The last words the user wrote, "" where there are none."""
    for turn in reversed(turns_of(body["messages"])):
        if turn.role == "user" and (words := question_of(turn)):
            return words
    return ""
