"""Long-term facts: what the person keeps, its states, every change of it, and what may stand in one."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from desktop_app.core.conversation import clean_title, is_blank, well_formed
from desktop_app.core.errors import BadInput
from desktop_app.core.secrets.kinds import SecretKind

MOST_KEY_LETTERS = 120
MOST_VALUE_LETTERS = 8_000
MOST_YEAR = 9_000
"""Of an expiry: the calendar of computers ends in 9999, a day earlier in some zones."""
MOST_CATEGORY_LETTERS = 60

ShownFacts = Mapping[str, int]
"""By id the revision of each fact as the person saw it when they decided about it."""


_TOLD_IN_HISTORY = ("value", "key", "category", "scope", "expires_at", "origin")


class FactState(StrEnum):
    """Where a fact stands. Only active ones reach a prompt."""

    ACTIVE = "active"
    PENDING = "pending"
    """Proposed; waits for the person."""
    PAUSED = "paused"
    """Kept and listed, but told to nobody until it is resumed."""
    ARCHIVED = "archived"
    """Put away (by hand, expired, or not used for long); not recalled, can be restored at any time."""
    SUPERSEDED = "superseded"
    """Another fact took its place (`Fact.replaced_by`); kept as history."""
    DELETED = "deleted"
    """Out of list, recall, index and later prompts; can be brought back for 30 days."""
    DENIED = "denied"
    """Proposed and refused by the person: it never was a fact. Can wait again for 30 days."""


GONE = (FactState.DELETED, FactState.DENIED)
"""States in which nobody finds it by chance, and which end after 30 days."""
AWAY = (FactState.ARCHIVED, FactState.SUPERSEDED, *GONE)
"""States from which a fact can come back."""


class FactOrigin(StrEnum):
    """Whose words a fact is."""

    YOU = "you"
    """The person's own."""
    ASSISTANT = "assistant"
    """What the assistant inferred."""
    FOREIGN = "foreign"
    """From a file, a tool or the web."""
    IMPORTED = "imported"


class FactActor(StrEnum):
    """Who changed a fact."""

    YOU = "you"
    ASSISTANT = "assistant"
    EXTRACTION = "extraction"
    IMPORT = "import"
    MCP = "mcp"
    RULE = "rule"
    """A rule of the app: expiry, or the archiving of what is not used."""


class FactAction(StrEnum):
    """What was done to a fact."""

    ADDED = "added"
    EDITED = "edited"
    PINNED = "pinned"
    UNPINNED = "unpinned"
    DELETED = "deleted"
    PROPOSED = "proposed"
    ACCEPTED = "accepted"
    DENIED = "denied"
    PAUSED = "paused"
    RESUMED = "resumed"
    ARCHIVED = "archived"
    RESTORED = "restored"
    SUPERSEDED = "superseded"
    """It gave its place to another fact."""
    MERGED = "merged"
    """It took another one in."""
    UNDONE = "undone"
    REPEATED = "repeated"
    """It was told again in the same words: counted (`Fact.repeats`), no line of the history."""


@dataclass(frozen=True, slots=True)
class FactSource:
    """The message a fact comes from, and the words of it that say so.

    `start` and `end` are characters of the message's text where the quote stands in it, None where that is not known.
    """

    message_id: str
    conversation_id: str
    quote: str = ""
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact. `key` is unique in its profile among those not deleted (`same_key`).

    `revision` is the number of the change (`FactChange.number`, growing over all facts) that gave it its present
    text or brought it back; `uses` counts the messages it was recalled for, `repeats` how often it was told again in
    the same words. `scope` is empty for the whole profile, else the id of the only conversation it holds in.
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
    replaced_by: str | None = None
    replaced_at: datetime | None = None
    repeats: int = 0
    repeated_at: datetime | None = None
    keeps_secrets: bool = False
    """The person wants it kept as it is; in any other fact secrets are masked."""


@dataclass(frozen=True, slots=True)
class FactChange:
    """One line of the history of facts: who did what, and the fact before and after (None: there was none).

    `act` is the number of the first of the changes that were made as one, and are taken back as one. A repeat has no
    line: its number is 0, and nothing takes it back.
    """

    number: int
    fact_id: str
    action: FactAction
    by: FactActor
    at: datetime
    before: Fact | None
    after: Fact
    undone: bool = False
    act: int = 0
    masked: tuple[SecretKind, ...] = ()
    """What is masked in the fact as it was kept, each kind once."""


def told_differences(before: Fact, after: Fact) -> tuple[str, ...]:
    """The fields of a fact the history tells of that a change gave another content, in the order they are told."""
    return tuple(name for name in _TOLD_IN_HISTORY if getattr(before, name) != getattr(after, name))


def newest_to_undo(history: Sequence[FactChange]) -> FactChange | None:
    """Of the changes of a fact, oldest first, the one that can be taken back; None where there is none."""
    left = (one for one in reversed(history) if not one.undone and one.action is not FactAction.UNDONE)
    return next(left, None)


@dataclass(frozen=True, slots=True)
class FactDraft:
    """What is to be kept: the input of every write."""

    key: str
    value: str
    category: str = ""
    pinned: bool = False
    origin: FactOrigin = FactOrigin.YOU
    source: FactSource | None = None
    scope: str = ""
    expires_at: datetime | None = None
    by: FactActor = FactActor.YOU
    keeps_secrets: bool = False
    """Asked for by the person in so many words; of anyone else it is not heeded."""


def as_typed_over(draft: FactDraft, value: str) -> FactDraft:
    """A draft with the value the person typed over it: other words are theirs, and stand in no message."""
    if same_words(value, draft.value):
        return replace(draft, value=value)
    return replace(draft, value=value, origin=FactOrigin.YOU, source=None)


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


def clean_category(text: str) -> str:
    """A category as it is stored: one line, single spaces, the beginning of a long one; empty for a blank one."""
    return clean_title(text)[:MOST_CATEGORY_LETTERS].rstrip()


def same_words(one: str, other: str) -> bool:
    """Whether two values are the same but for white space and the form of Hangul; letter case counts."""
    return _in_one_form(one) == _in_one_form(other)


def _in_one_form(text: str) -> str:
    return unicodedata.normalize("NFC", " ".join(text.split()))


def same_key(key: str) -> str:
    """What two keys have in common that name the same fact: letter case and the form of Hangul do not count."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFKC", key).casefold())
