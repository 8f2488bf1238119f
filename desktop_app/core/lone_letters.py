"""The parts of a question that search words cannot find: single letters of paired scripts, and signs such as emoji."""

from __future__ import annotations

import re
import unicodedata

from desktop_app.core.search_words import query_words
from desktop_app.core.visible import JOINING

_FIRST_PAIRED = "\u2e80"
_MOST = 8


def lone_letters(text: str) -> list[str]:
    """What is to be looked for anywhere in a fact, in order, at most eight: 돈 is found in 돈보다, 🐶 in 초코🐶.

    An emoji of several characters stays whole.
    """
    letters = [word for word in query_words(text) if is_lone(word)]
    return list(dict.fromkeys([*letters, *_signs(text)]))[:_MOST]


def is_lone(word: str) -> bool:
    """Whether a search word is a single letter of a paired script, which stands in pairs elsewhere."""
    return len(word) == 1 and word >= _FIRST_PAIRED


def _signs(text: str) -> list[str]:
    shown = "".join(char if _is_sign(char) or char in JOINING else " " for char in text)
    return [run for run in re.split(r"\s+", shown) if any(_is_sign(char) for char in run)]


def _is_sign(char: str) -> bool:
    return unicodedata.category(char) in ("So", "Sk") and not char.isascii()
