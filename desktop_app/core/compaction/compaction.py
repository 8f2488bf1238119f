"""A compaction as it is stored: what stands in place of the beginning of a path, how it was made, what became of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from desktop_app.core.conversation import Block, from_json, to_json


class Strategy(StrEnum):
    """How the past is compacted."""

    MEMO = "memo"
    """A handover memo of six sections."""
    RUNNING = "running"
    """A running summary: the old one and the new turns become one."""
    TIERS = "tiers"
    """Episodes cut at topic shifts, each in at most three sentences; the oldest melt into one paragraph."""
    WINDOW = "window"
    """A sliding window: the last messages stay, what falls out is only archived. No request."""
    SERVER = "server"
    """The API compacts while it answers, at a threshold, and pauses."""
    SERVER_NOW = "server_now"
    """The API compacts on demand."""


class WrittenBy(StrEnum):
    """What kind of request wrote the summary."""

    FORK = "fork"
    """The conversation's own prefix with our prompt at its end: it reads the cache."""
    SEPARATE = "separate"
    """A request of its own, the conversation quoted as data."""
    PIECES = "pieces"
    """Several of those: the conversation did not fit one."""
    SERVER = "server"
    """The API's own compaction."""
    NOBODY = "nobody"
    """No request at all."""


class CompactionState(StrEnum):
    """What became of it. Only an active one stands in a context."""

    PROPOSED = "proposed"
    ACTIVE = "active"
    UNDONE = "undone"
    REJECTED = "rejected"
    FAILED = "failed"


class CompactionCause(StrEnum):
    """Why it was made."""

    AUTOMATIC = "automatic"
    BY_HAND = "by_hand"


def failure_of(word: str, params: Mapping[str, str | int]) -> str:
    """An error as it is kept with a compaction."""
    return f"{word} {to_json(dict(params))}" if params else word


SERVER_STRATEGIES = (Strategy.SERVER, Strategy.SERVER_NOW)


@dataclass(frozen=True, slots=True)
class Compaction:
    """The summary stands in place of all messages of the path down to and including `until_message_id`.

    `folded` is the number of those messages. `before` and `after` are tokens of the whole context, the latter
    by our estimate of the next request without its new message. `request_ids` name the requests that were sent for
    it, in order. `base_id` is the compaction that was in use when it was made. `folded_tokens` are those of all
    messages it stands for, `summary_tokens` those of what stands there now, values carried word for word included.
    """

    id: str
    conversation_id: str
    until_message_id: str
    summary: str
    folded: int
    before: int
    after: int
    created_at: datetime
    model: str
    seconds: float
    request_ids: tuple[str, ...] = ()
    cause: CompactionCause = CompactionCause.BY_HAND
    focus: str = ""
    state: CompactionState = CompactionState.ACTIVE
    strategy: Strategy = Strategy.MEMO
    written_by: WrittenBy = WrittenBy.FORK
    base_id: str | None = None
    folded_tokens: int = 0
    summary_tokens: int = 0
    predicted: int | None = None
    """Tokens of the context after it, as the plan foresaw them before anything was asked."""
    block: Block | None = None
    """The API's own compaction block, sent back unchanged; `summary` is then its readable text, or empty."""
    edited: bool = False
    """Whether the person changed the text."""
    failure: str = ""
    """The word of the error of a failed one, behind it what fills its sentence (`failure_of`)."""
    result_limit: int | None = None
    """Characters of a tool result that are sent from here on; None for the usual limit."""

    @property
    def saved(self) -> float:
        """1 − summary tokens ÷ tokens folded (B12); 0 where that is unknown and of a failed one."""
        if self.state is CompactionState.FAILED or not self.folded_tokens:
            return 0.0
        return 1 - self.summary_tokens / self.folded_tokens

    @property
    def failed_of(self) -> tuple[str, dict[str, str | int]]:
        """The word of the error it came to nothing of, and what fills its sentence; `stopped` is the person's own."""
        word, _, params = self.failure.partition(" ")
        return word, from_json(params) if params else {}

    @property
    def editable(self) -> bool:
        """Whether the text is ours: the API signs its own."""
        return self.block is None
