"""Documents kept to be found again: what is known of one, what its text may hold, and which one a name means.

The text of a document is data: it is quoted where it is recalled, and nothing in it is a fact or an instruction.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from desktop_app.core.conversation import well_formed
from desktop_app.core.errors import BadInput, DocumentNotFound
from desktop_app.core.facts import same_key
from desktop_app.core.visible import TURNING

MOST_BYTES = 50_000_000
"""Bytes of a file."""
MOST_LETTERS = 5_000_000
"""Characters of a text."""
MOST_PAGES = 3_000
"""Pages of a PDF."""
PAGE_BREAK = "\f"
"""Begins every page of a document but the first; stands nowhere else in a text that is kept."""
SHORTEST_ID = 4
"""Fewer letters are no beginning of an id: a short name that was mistyped must not hit another document."""

# Controls but line ends, tabs and page breaks; what turns a text around; tags, in which a text can be hidden whole.
_DROPPED = re.compile(f"[\0-\x08\x0b\x0e-\x1f\x7f-\x9f\ufeff\ufffe\uffff\U000e0000-\U000e007f{''.join(TURNING)}]")
_HYPHENATED = re.compile("(?<=\\w)[\x02\ufffe\u00ad]\r?\n")
_LINE_ENDS = re.compile("\r\n?|[\u0085\u2028\u2029\x0b]")
# A run of blanks is looked at from its beginning only, or a long one would take forever.
_LINES_LEFT_BLANK = re.compile(r"(?<![^\S\n\f])[^\S\n\f]+(?=[\n\f])|(?<=\n\n)\n+")


@dataclass(frozen=True, slots=True)
class DocumentText:
    """A file that was read: its text is clean (`clean_text`), `size` that of the file in bytes.

    `pages` is None for what has none; `place` is where it was read from.
    """

    name: str
    media_type: str
    place: str
    size: int
    text: str = field(repr=False)
    pages: int | None = None

    @property
    def digest(self) -> str:
        """Tells whether a document says the same as another: SHA-256 of its text, hexadecimal."""
        return hashlib.sha256(self.text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Document:
    """A document of a profile without its text: `size` in bytes of the file, `letters` and `passages` of the text.

    A removed one (`deleted_at`) has no passages until it is brought back.
    """

    id: str
    profile: str
    name: str
    media_type: str
    place: str
    size: int
    letters: int
    passages: int
    added_at: datetime
    pages: int | None = None
    deleted_at: datetime | None = None


class AddedAs(StrEnum):
    """What adding a document came to."""

    NEW = "new"
    REPLACED = "replaced"
    """An older version from the same place was removed for it."""
    SAME = "same"
    """Its text is kept already; nothing was added."""


@dataclass(frozen=True, slots=True)
class DocumentAdded:
    """The document as it is kept, and what adding it came to."""

    document: Document
    outcome: AddedAs


@dataclass(frozen=True, slots=True)
class DocumentPassage:
    """The text of a passage: piece `part` of `parts` of a document, both from 1, on page `page` if it has any."""

    id: str
    document_id: str
    name: str
    part: int
    parts: int
    text: str
    page: int | None = None


def clean_text(text: str) -> str:
    """The text as it is kept: composed, `\\n` at line ends, no control or hidden characters, blank lines one by one."""
    text = _LINE_ENDS.sub("\n", _HYPHENATED.sub("", well_formed(text)))
    text = unicodedata.normalize("NFC", _DROPPED.sub("", text))
    return _LINES_LEFT_BLANK.sub("", text).strip(" \t\n")


def page_of(text: str, place: int) -> int:
    """The number of the page a place of a text stands on, from 1."""
    return text.count(PAGE_BREAK, 0, place) + 1


def document_named(documents: Sequence[Document], name: str) -> Document:
    """The one with this id or name, or whose id begins so; raises DocumentNotFound, BadInput where several do."""
    found = (
        [one for one in documents if one.id == name]
        or [one for one in documents if same_key(one.name) == same_key(name)]
        or [one for one in documents if len(name) >= SHORTEST_ID and one.id.startswith(name)]
    )
    if not found:
        raise DocumentNotFound(name=name)
    if len(found) > 1:
        raise BadInput(what=name, why="document_ambiguous")
    return found[0]
