"""The words a text is found by: the same split for what is kept and for what is asked.

Scripts that set few or no spaces (Hangul, Han, kana) become overlapping pairs of letters, so that a word is
found inside a longer one or with a particle behind it; everything else becomes whole words.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import groupby, pairwise

_PAIRED = (
    ("hangul", 0xAC00, 0xD7A3),
    ("cjk", 0x3400, 0x4DBF),
    ("cjk", 0x4E00, 0x9FFF),
    ("cjk", 0xF900, 0xFAFF),
    ("cjk", 0x20000, 0x323AF),
    ("cjk", 0x3041, 0x30FF),
)

# English words that tell nothing of what is asked for; "s" and its like are left over from "Anna's", "don't".
_STOP_WORDS = (
    "a about am an and any are as at be been but by can could d did do does doing for from had "
    "has have he her hers him his how i if in into is it its just let ll m me might mine my of "
    "on or our ours please re s shall she should so some such t tell than that the their them "
    "then there these they this those to up us ve was we were what when where which who whom "
    "whose why will with would you your yours"
)
_STOP = frozenset(_STOP_WORDS.split())


def search_words(text: str) -> list[str]:
    """The words of a text in order, each as often as it stands: NFC, lower case, no punctuation.

    A run of Hangul, Han or kana gives its pairs of neighbours (a single letter itself); letters, digits and `_`
    of other scripts stay together.
    """
    # Nothing goes across a line end, and most lines of a log or of code are plain.
    return [word for line in text.split("\n") for word in (_plain_words(line) if line.isascii() else _words(line))]


def _plain_words(line: str) -> list[str]:
    return [word for word in re.findall(r"\w+", line.lower()) if word.strip("_")]


def _words(line: str) -> list[str]:
    words: list[str] = []
    for kind, run in groupby(unicodedata.normalize("NFC", line.lower()), key=_kind):
        letters = "".join(run)
        if kind == "word":
            if any(char.isalnum() for char in letters):
                words.append(letters)
        elif kind:
            words += ["".join(pair) for pair in pairwise(letters)] if len(letters) > 1 else [letters]
    return words


def query_words(text: str) -> list[str]:
    """The words to ask by: each once, without those that stand in every question."""
    return [word for word in dict.fromkeys(search_words(text)) if word not in _STOP]


@lru_cache(maxsize=4096)
def _kind(char: str) -> str:
    """What a letter is a part of; empty for what separates."""
    code = ord(char)
    for kind, first, last in _PAIRED:
        if first <= code <= last and char.isalnum():
            return kind
    # A vowel sign of an Indic script is a mark, not a letter.
    return "word" if char.isalnum() or char == "_" or unicodedata.category(char).startswith("M") else ""
