"""The request as the model sees it: canonical blocks, merged turns, plain text, and the user's own words."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

Block = dict[str, Any]
THINKING_TYPES = ("thinking", "redacted_thinking")
FORMS = {"handover_memo": "memo", "running_summary": "running", "episode_summaries": "episodes", "join": "join"}
_SUMMARY_REQUEST = re.compile(rf"\s*<({'|'.join(FORMS)})_request\b")
TASKS = ("extraction", "judging")
_TASK_REQUEST = re.compile(rf"\s*<({'|'.join(TASKS)})_request\b")


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


def blocks_within(messages: list[dict[str, Any]]) -> Iterator[Block]:
    """Every block of the messages, those inside tool results and documents included."""
    waiting = [block for message in messages if isinstance(message["content"], list) for block in message["content"]]
    while waiting:
        block = waiting.pop()
        yield block
        source = block.get("source")
        for inner in (block.get("content"), source.get("content") if isinstance(source, dict) else None):
            waiting += [entry for entry in inner if isinstance(entry, dict)] if isinstance(inner, list) else []


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


def is_data(text: str) -> bool:
    """A text block in tags is material the client added, not the user's own words; no request of the client is such."""
    bare = text.strip()
    return bare.startswith("<") and bare.endswith(">") and not (asks_for_memo(bare) or task_asked(bare))


def asks_for_memo(text: str) -> bool:
    """Whether a text asks for a summary of the conversation, in any form."""
    return form_asked(text) is not None


def form_asked(text: str) -> str | None:
    """The form of summary a text asks for by the tag its first line opens (memo, running, episodes, join), or None."""
    opening = _SUMMARY_REQUEST.match(text)
    return None if opening is None else FORMS[opening[1]]


def task_asked(text: str) -> str | None:
    """What a text asks for by the tag its first line opens, where that is no conversation: one of TASKS, or None."""
    opening = _TASK_REQUEST.match(text)
    return None if opening is None else opening[1]


def question_of(turn: Turn) -> str:
    """The user's own words in a turn, tool results and tagged material left out; a request of the client alone."""
    texts = [block["text"] for block in turn.blocks if block["type"] == "text"]
    own = [text for text in texts if not is_data(text)]
    alone = bool(own) and bool(asks_for_memo(own[-1]) or task_asked(own[-1]))
    return "\n".join(own[-1:] if alone else own).strip()


def last_question(body: dict[str, Any]) -> str:
    """The last words the user wrote, "" where there are none."""
    for turn in reversed(turns_of(body["messages"])):
        if turn.role == "user" and (words := question_of(turn)):
            return words
    return ""
