"""A text as secrets are looked for in it: composed, half width, without what is not seen; each character knows where it
came from."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

_BREAK = re.compile(r"(?<=[A-Za-z0-9_+/=-])[ \t]*\\?\r?\n[ \t>|]*(?=[A-Za-z0-9_+/=-])")
_UNSEEN = {"\u034f", "\u115f", "\u1160"}
"""The joiner of graphemes and the fillers of Hangul: no format characters, but seen by nobody."""
_FOLDS = re.compile(
    "[\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u115f\u1160\u1680\u180e\u200b-\u2015\u202a-\u202e\u2060-\u206f\u2212"
    "\u2e3a\u2e3b\u3030\ufe00-\ufe0f\ufeff\ufff9-\ufffb\U000e0001-\U000e01ef]"
)
"""What is left out or replaced even where it is composed and half width."""


@dataclass(frozen=True, slots=True)
class Folded:
    """`text`, and for each of its characters the start and end of what it was made of in the text as given."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where characters `start` up to `end` stand in the text as given."""
        return self.starts[start], self.ends[end - 1]


def folded(text: str) -> Folded:
    """The text as it is searched. Dashes and blanks of all sorts become plain ones; line breaks stay."""
    if text.isascii() or (unicodedata.is_normalized("NFKC", text) and _FOLDS.search(text) is None):
        return Folded(text, range(len(text)), range(1, len(text) + 1))
    chars: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    start = 0
    while start < len(text):
        end = start + 1
        while end < len(text) and _continues(text[end]):
            end += 1
        for char in _plain(text[start:end]):
            chars.append(char)
            starts.append(start)
            ends.append(end)
        start = end
    return Folded("".join(chars), starts, ends)


def without_breaks(given: Folded) -> tuple[Folded, tuple[int, ...]]:
    """The same with lines joined where a word may go on in the next one, and where they were joined, in order."""
    kept: list[int] = []
    joints: list[int] = []
    at = 0
    for found in _BREAK.finditer(given.text):
        kept.extend(range(at, found.start()))
        joints.append(len(kept))
        at = found.end()
    kept.extend(range(at, len(given.text)))
    text = "".join(given.text[place] for place in kept)
    return Folded(text, [given.starts[one] for one in kept], [given.ends[one] for one in kept]), tuple(joints)


def _continues(char: str) -> bool:
    """Whether it belongs to the character before it: a mark, or the second or third part of a decomposed syllable."""
    return char > "\u02ff" and ("\u1160" <= char <= "\u11ff" or "\ud7b0" <= char <= "\ud7fb" or _is_mark(char))


def _is_mark(char: str) -> bool:
    return unicodedata.category(char).startswith("M")


def _plain(cluster: str) -> str:
    if cluster.isascii():
        return cluster
    seen = (char for char in unicodedata.normalize("NFKC", cluster) if char not in _UNSEEN)
    return "".join(map(_plain_char, seen))


def _plain_char(char: str) -> str:
    match unicodedata.category(char):
        case "Cf":
            return ""
        case "Pd":
            return "-"
        case "Zs":
            return " "
        case "Mn" if "\ufe00" <= char <= "\ufe0f" or char > "\U000e00ff":
            return ""
    return "-" if char == "−" else char
