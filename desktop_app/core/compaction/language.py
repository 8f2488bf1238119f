"""The language the person writes in: that of summaries, their prompts and headings."""

from __future__ import annotations

import re
from collections.abc import Iterable

from desktop_app.core.conversation import Message, Origin

_FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_HANGUL = re.compile(r"[가-힣ㄱ-ㅎㅏ-ㅣ]")
_LATIN = re.compile(r"[A-Za-z]")
_NO_LETTERS = bytes(code for code in range(128) if not (chr(code).isalpha() or chr(code) == " "))
"""Without these nothing is left of a word that holds no letter: what is left is counted many times faster than each
word is searched."""


def language_of(path: Iterable[Message]) -> str:
    """`ko` where the person wrote more words in Hangul than in Latin letters, else `en`."""
    return language_of_texts(message.text for message in path if message.origin is Origin.TYPED)


def language_of_texts(texts: Iterable[str]) -> str:
    """The same of texts.

    Words are counted, not letters: a path or an address is one word, and code inside fences is none.
    """
    korean = latin = 0
    for given in texts:
        text = _FENCED.sub(" ", given) if "```" in given else given
        if text.isascii() or not _HANGUL.search(text):
            words = " ".join(text.split()).encode("ascii", "ignore")
            latin += len(words.translate(None, _NO_LETTERS).split())
            continue
        for word in text.split():
            plain = word.isascii()
            if not plain and _HANGUL.search(word):
                korean += 1
            elif (plain and word.isalpha()) or _LATIN.search(word):
                latin += 1
    return "ko" if korean > latin else "en"
