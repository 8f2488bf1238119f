"""What became of a text, word by word: which went, which came, which stayed."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from enum import StrEnum
from typing import NamedTuple

_WORDS = re.compile(r"\s+|\w+|[^\w\s]")
_MOST = 2_000
"""Words of both texts together up to which they are compared; longer ones count as changed whole."""


class Change(StrEnum):
    """What became of a piece."""

    KEPT = "kept"
    GONE = "gone"
    NEW = "new"


class Piece(NamedTuple):
    """A stretch of text."""

    text: str
    change: Change


def word_changes(before: str, after: str) -> tuple[list[Piece], list[Piece]]:
    """Both texts in pieces: of the first those kept and gone, of the second those kept and new."""
    old, new = _WORDS.findall(before), _WORDS.findall(after)
    if len(old) + len(new) > _MOST:
        return [Piece(before, Change.GONE)], [Piece(after, Change.NEW)]
    first: list[Piece] = []
    second: list[Piece] = []
    for kind, left, left_end, right, right_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        same = kind == "equal"
        _add(first, "".join(old[left:left_end]), Change.KEPT if same else Change.GONE)
        _add(second, "".join(new[right:right_end]), Change.KEPT if same else Change.NEW)
    return first, second


def _add(pieces: list[Piece], text: str, change: Change) -> None:
    if text:
        pieces.append(Piece(text, change))
