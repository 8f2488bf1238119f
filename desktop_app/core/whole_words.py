"""Whether a text stands in another as a whole: not inside a longer word, but before a particle of Hangul."""

from __future__ import annotations

_FIRST_UNSPACED = "\u2e80"
"""From here on scripts set few or no spaces, so that a word has no end that can be seen."""


def stands_in(form: str, text: str) -> bool:
    """Whether it stands there as a whole: 4711 does not stand in 47110, 서울 does in 서울에. Letter for letter."""
    place = text.find(form) if form else -1
    while place >= 0:
        before, behind = text[place - 1 : place], text[place + len(form) : place + len(form) + 1]
        if not (_joins(before) and _joins(form[0])) and not (_joins(behind) and _joins(form[-1])):
            return True
        place = text.find(form, place + 1)
    return False


def _joins(char: str) -> bool:
    return char < _FIRST_UNSPACED and (char.isalnum() or char == "_")
