"""Where a text may be cut: never inside what is read as one character."""

from __future__ import annotations

import unicodedata

_FURTHEST = 64
"""Characters looked back or ahead; a longer chain of marks is cut all the same."""
_JOINER = "\u200d"
# By their first and last letter: conjoining vowels and finals of Hangul, skin tones, tags of flags.
_FOLLOWING = (("\u1160", "\u11ff"), ("\ud7b0", "\ud7fb"), ("\U0001f3fb", "\U0001f3ff"), ("\U000e0020", "\U000e007f"))
_FLAG = ("\U0001f1e6", "\U0001f1ff")


def cut_back(text: str, place: int) -> int:
    """The last place at or before `place` where the text may be cut."""
    for found in range(place, max(place - _FURTHEST, 0), -1):
        if may_cut(text, found):
            return found
    return place if place > _FURTHEST else 0


def cut_ahead(text: str, place: int) -> int:
    """The first place at or after `place` where the text may be cut."""
    for found in range(place, min(place + _FURTHEST, len(text))):
        if may_cut(text, found):
            return found
    return place if place + _FURTHEST < len(text) else len(text)


def may_cut(text: str, place: int) -> bool:
    """Whether no character with its marks, no emoji, flag, surrogate pair or line end goes across this place."""
    if not 0 < place < len(text):
        return True
    before, after = text[place - 1], text[place]
    if after.isascii():
        return not (before == "\r" and after == "\n") and before != _JOINER
    if before == _JOINER or _follows(after):
        return False
    if "\udc00" <= after <= "\udfff" and "\ud800" <= before <= "\udbff":
        return False
    return not (_within(after, _FLAG) and _flags_before(text, place) % 2)


def _follows(char: str) -> bool:
    """Whether it belongs to the character before it."""
    if char == _JOINER or unicodedata.category(char).startswith("M"):
        return True
    return any(_within(char, ends) for ends in _FOLLOWING)


def _flags_before(text: str, place: int) -> int:
    """How many letters of flags stand in a row before a place: they go in pairs."""
    start = place
    while start > max(place - _FURTHEST, 0) and _within(text[start - 1], _FLAG):
        start -= 1
    return place - start


def _within(char: str, ends: tuple[str, str]) -> bool:
    return ends[0] <= char <= ends[1]
