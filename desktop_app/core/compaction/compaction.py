"""A compaction as it is stored: a memo in place of the beginning of a path."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class CompactionState(StrEnum):
    """Whether it is in use."""

    ACTIVE = "active"
    UNDONE = "undone"


class CompactionCause(StrEnum):
    """Why it was made."""

    AUTOMATIC = "automatic"
    BY_HAND = "by_hand"


@dataclass(frozen=True, slots=True)
class Compaction:
    """The memo stands in place of all messages of the path down to and including `until_message_id`.

    `folded` is the number of those messages. `before` and `after` are tokens of the whole context, the latter
    by our estimate of the next request without its new message. `request_id` names the request that wrote the memo.
    """

    id: str
    conversation_id: str
    until_message_id: str
    memo: str
    folded: int
    before: int
    after: int
    created_at: datetime
    model: str
    seconds: float
    request_id: str
    cause: CompactionCause = CompactionCause.BY_HAND
    focus: str = ""
    state: CompactionState = CompactionState.ACTIVE
