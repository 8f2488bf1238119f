"""The language the person writes in: that of summaries, their prompts and headings."""

from __future__ import annotations

import re
from collections.abc import Iterable

from desktop_app.core.conversation import Message, Origin

_FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_HANGUL = re.compile(r"[가-힣ㄱ-ㅎㅏ-ㅣ]")
_LATIN = re.compile(r"[A-Za-z]")


def language_of(path: Iterable[Message]) -> str:
    """`ko` where the person wrote more words in Hangul than in Latin letters, else `en`.

    Words are counted, not letters: a path or an address is one word, and code inside fences is none.
    """
    korean = latin = 0
    for message in path:
        if message.origin is not Origin.TYPED:
            continue
        for word in _FENCED.sub(" ", message.text).split():
            if _HANGUL.search(word):
                korean += 1
            elif _LATIN.search(word):
                latin += 1
    return "ko" if korean > latin else "en"
