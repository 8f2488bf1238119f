"""Messages as the API gave them: immutable rows of a tree, their block lists untouched."""

from __future__ import annotations

import json
import unicodedata
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from desktop_app.core.attachment_label import without_labels
from desktop_app.core.visible import FILLERS

if TYPE_CHECKING:
    from desktop_app.core.fact_notes import MessageNotes

Block = dict[str, Any]
"""One content block as JSON, keys in the order they came; never changed after it was stored."""
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


class Role(StrEnum):
    """Who a message is from, in the API's words."""

    USER = "user"
    ASSISTANT = "assistant"


class Origin(StrEnum):
    """How a message came to be."""

    TYPED = "typed"
    CONTINUE = "continue"
    TOOL_RESULTS = "tool_results"
    REPLY = "reply"


class MessageState(StrEnum):
    """How whole a message is."""

    COMPLETE = "complete"
    STREAMING = "streaming"
    STOPPED = "stopped"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class Message:
    """A node of the tree of messages. `epoch` numbers the prefix it was written under, `seconds` its duration."""

    id: str
    conversation_id: str
    parent_id: str | None
    role: Role
    blocks: tuple[Block, ...]
    origin: Origin
    state: MessageState = MessageState.COMPLETE
    created_at: datetime | None = None
    model: str | None = None
    epoch: int | None = None
    request_id: str | None = None
    stop_reason: str | None = None
    seconds: float | None = None
    notes: MessageNotes | None = None
    """Facts told with a message of the person: the app's words, kept as they were sent. None: not yet looked for."""

    @property
    def text(self) -> str:
        """All its text blocks, joined by blank lines; the app's lines about attachments are none of its words."""
        return "\n\n".join(text_of(without_labels(self.blocks)))

    @property
    def opens_turn(self) -> bool:
        """Whether a turn of the person begins here."""
        return self.origin in (Origin.TYPED, Origin.CONTINUE)


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation as a list shows it. `head_id` is the last message of the path in use.

    Its times are None where an export did not tell them.
    """

    id: str
    profile: str
    title: str
    created_at: datetime | None
    updated_at: datetime | None
    head_id: str | None = None
    excerpt: str = ""
    imported: bool = False
    simulated: bool = False


@dataclass(frozen=True, slots=True)
class Epoch:
    """The stored prefix a stretch of the conversation is sent under: model, system text, tools in order, facts.

    `endpoint` names where it is sent (`Endpoint.identity`): thinking of one server is nothing to another.
    """

    number: int
    model: str
    system: str
    tools: tuple[Block, ...] = ()
    endpoint: str = ""
    facts: str = ""
    """The facts block, empty without one."""
    fact_revisions: tuple[tuple[str, int], ...] = ()
    """The facts in the block: id and the revision told."""
    dropped: tuple[str, ...] = ()
    """Ids of facts deleted before it began, and of passages of what was deleted, that notes of earlier messages tell no
    more."""
    facts_upto: int = 0
    """Number of the newest change of a fact when it began; -1 while memory is paused."""
    compaction_id: str | None = None
    """The compaction in use when it began."""
    result_limit: int = 0
    """Characters of a tool result that are sent, the middle of a longer one left out; 0 for whole."""
    memory_rules: str = ""
    """How notes in memory are to be kept, told behind the system text; empty where no tool can keep any."""

    def same_prefix(self, other: Epoch) -> bool:
        """Whether both are for the same model, endpoint, system text, rules of memory, tools, compaction, limit of tool
        results and use of memory.

        Facts do not count: what changes there is told behind the messages.
        """
        return self._identity() == other._identity()

    def _identity(self) -> tuple[object, ...]:
        tools = to_json(list(self.tools))
        text = self.system, self.memory_rules
        return self.endpoint, self.model, text, tools, self.compaction_id, self.facts_upto < 0, self.result_limit


def new_id() -> str:
    """A random id for anything stored."""
    return uuid.uuid4().hex


def now() -> datetime:
    """The present moment in UTC."""
    return datetime.now(UTC)


def to_json(value: object) -> str:
    """JSON exactly as it is sent: UTF-8 letters kept, key order kept, no spaces."""
    return _ENCODER.encode(value)


def from_json(text: str) -> Any:
    """The inverse of `to_json`."""
    return json.loads(text)


def text_block(text: str) -> Block:
    """A plain text block."""
    return {"type": "text", "text": well_formed(text)}


def well_formed(text: str) -> str:
    """The text with halves of surrogate pairs joined, or replaced where they are alone: UTF-8 has no place for them."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def well_formed_block(block: Block) -> Block:
    """A block whose texts can all be written as UTF-8; the same object when nothing had to be mended."""
    try:
        to_json(block).encode()
    except UnicodeEncodeError:
        mended: Block = _well_formed_value(block)
        return mended
    return block


def _well_formed_value(value: Any) -> Any:
    if isinstance(value, str):
        return well_formed(value)
    if isinstance(value, dict):
        return {well_formed(name): _well_formed_value(part) for name, part in value.items()}
    return [_well_formed_value(part) for part in value] if isinstance(value, list) else value


def text_of(blocks: Iterable[Mapping[str, Any]]) -> list[str]:
    """The texts of the text blocks that show anything."""
    return [
        block["text"]
        for block in blocks
        if block.get("type") == "text" and isinstance(block.get("text"), str) and not is_blank(block["text"])
    ]


def shows_nothing(blocks: Sequence[Block]) -> bool:
    """Whether an answer of these blocks says nothing: no text that can be seen and no tool call."""
    return not text_of(blocks) and not tool_calls(blocks)


def is_blank(text: str) -> bool:
    """Whether nothing of the text can be seen: white space, controls, zero-width and filler characters only."""
    for char in text:
        if "!" <= char <= "~":
            return False  # what most texts begin with, without a look at the tables
        if not (char.isspace() or char in FILLERS or unicodedata.category(char) in ("Cf", "Cc")):
            return False
    return True


def title_from(text: str, limit: int = 60) -> str:
    """The first visible line, shortened at a word border; empty when there is none."""
    line = clean_title(next((line for line in text.splitlines() if not is_blank(line)), ""))
    if len(line) <= limit:
        return line
    cut = line[: limit - 1]
    border = cut.rfind(" ")
    return (cut[:border] if border > limit // 2 else cut).rstrip() + "…"


def clean_title(text: str) -> str:
    """A title as it is stored: one line, single spaces; empty when nothing of it can be seen."""
    line = " ".join(well_formed(text).split())
    return "" if is_blank(line) else line


def tool_calls(blocks: Sequence[Block]) -> list[Block]:
    """The `tool_use` blocks in order."""
    return [block for block in blocks if block.get("type") == "tool_use"]
