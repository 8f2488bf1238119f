"""Long-term facts: what the person keeps, its states, every change of it, and what may stand in one."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from desktop_app.core.conversation import is_blank, well_formed
from desktop_app.core.errors import BadInput

MOST_KEY_LETTERS = 120
MOST_VALUE_LETTERS = 8_000


class FactState(StrEnum):
    """Where a fact stands. Only active ones reach a prompt."""

    ACTIVE = "active"
    PENDING = "pending"
    """Proposed by the assistant; waits for the person."""
    DELETED = "deleted"
    """Out of list, recall, index and later prompts; can be brought back for 30 days."""


class FactOrigin(StrEnum):
    """Who brought a fact in."""

    YOU = "you"
    ASSISTANT = "assistant"


class FactAction(StrEnum):
    """What was done to a fact."""

    ADDED = "added"
    EDITED = "edited"
    PINNED = "pinned"
    UNPINNED = "unpinned"
    DELETED = "deleted"
    PROPOSED = "proposed"
    ACCEPTED = "accepted"
    UNDONE = "undone"


@dataclass(frozen=True, slots=True)
class FactSource:
    """The message a fact comes from, and the words of it that say so."""

    message_id: str
    conversation_id: str
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact. `key` is unique in its profile among those not deleted (`same_key`).

    `revision` is the number of the change (`FactChange.number`, growing over all facts) that gave it its present
    text or brought it back; `uses` counts the messages it was recalled for.
    """

    id: str
    profile: str
    key: str
    value: str
    state: FactState
    origin: FactOrigin
    revision: int
    created_at: datetime
    updated_at: datetime
    category: str = ""
    scope: str = ""
    pinned: bool = False
    source: FactSource | None = None
    last_used_at: datetime | None = None
    expires_at: datetime | None = None
    uses: int = 0


@dataclass(frozen=True, slots=True)
class FactChange:
    """One line of the history of facts: who did what, and the fact before and after (None: there was none)."""

    number: int
    fact_id: str
    action: FactAction
    by: FactOrigin
    at: datetime
    before: Fact | None
    after: Fact
    undone: bool = False


@dataclass(frozen=True, slots=True)
class FactDraft:
    """What is to be kept: the input of every write."""

    key: str
    value: str
    category: str = ""
    pinned: bool = False
    origin: FactOrigin = FactOrigin.YOU
    source: FactSource | None = None


def clean_key(text: str) -> str:
    """A key as it is stored: NFC, one line, single spaces; raises BadInput for a blank or too long one."""
    key = unicodedata.normalize("NFC", " ".join(well_formed(text).split()))
    if is_blank(key):
        raise BadInput(what=text, why="fact_key_blank")
    if len(key) > MOST_KEY_LETTERS:
        raise BadInput(what=f"{key[:40]}…", why="fact_key_long")
    return key


def clean_value(text: str) -> str:
    """A value as it is stored: its own letters, no white space around; raises BadInput for a blank or too long one."""
    value = well_formed(text).strip()
    if is_blank(value):
        raise BadInput(what=text, why="fact_value_blank")
    if len(value) > MOST_VALUE_LETTERS:
        raise BadInput(what=f"{value[:40]}…", why="fact_value_long")
    return value


def same_key(key: str) -> str:
    """What two keys have in common that name the same fact: letter case and the form of Hangul do not count."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFKC", key).casefold())
