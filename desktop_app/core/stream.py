"""What an endpoint yields while it answers, as frozen values without any SDK type."""

from __future__ import annotations

from dataclasses import dataclass

from desktop_app.core.cache.diagnosis import CacheDiagnosis
from desktop_app.core.conversation import Block
from desktop_app.core.usage import Usage


@dataclass(frozen=True, slots=True)
class ReplyOpened:
    """Headers and the first event are here: the answering model, the input side of the usage, and the API's diagnosis
    of the cache where one was asked for."""

    model: str
    usage: Usage
    diagnosis: CacheDiagnosis | None = None


@dataclass(frozen=True, slots=True)
class BlockOpened:
    """A block begins; `name` and `call_id` for a tool call."""

    index: int
    kind: str
    name: str = ""
    call_id: str = ""


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of answer text."""

    index: int
    text: str


@dataclass(frozen=True, slots=True)
class ThinkingDelta:
    """A piece of (summarised) thinking."""

    index: int
    text: str


@dataclass(frozen=True, slots=True)
class InputDelta:
    """A piece of a tool call's input, as JSON text."""

    index: int
    json: str


@dataclass(frozen=True, slots=True)
class CompactionArrived:
    """The API's own summary of what stood before: the whole text at once."""

    index: int
    text: str


@dataclass(frozen=True, slots=True)
class BlockClosed:
    """A block is whole."""

    index: int
    block: Block


@dataclass(frozen=True, slots=True)
class ReplyClosed:
    """The answer is whole. `stop_reason` is None when the stream ended without saying why.

    `edits` are those the API applied to the request before it answered, as it reported them; `dropped_thinking` names
    the places of thinking it left out (`messages.1.content.0`).
    """

    blocks: tuple[Block, ...]
    model: str
    stop_reason: str | None
    usage: Usage
    stop_details: Block | None = None
    remote_id: str = ""
    edits: tuple[Block, ...] = ()
    dropped_thinking: tuple[str, ...] = ()


StreamEvent = (
    ReplyOpened | BlockOpened | TextDelta | ThinkingDelta | InputDelta | CompactionArrived | BlockClosed | ReplyClosed
)
