"""What the model is asked when a memo is wanted: the prompt, a focus, and what was wrong with a first attempt."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable

from desktop_app import assets
from desktop_app.core.compaction.memo import HEADINGS, Section
from desktop_app.core.conversation import Message, Origin, is_blank, text_of

OPENING = "<handover_memo_request>"
"""The first line of every such prompt."""

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
        for word in _FENCED.sub(" ", "\n".join(text_of(message.blocks))).split():
            if _HANGUL.search(word):
                korean += 1
            elif _LATIN.search(word):
                latin += 1
    return "ko" if korean > latin else "en"


def memo_request(language: str, focus: str = "", unusable: Collection[Section] = ()) -> str:
    """The prompt in `language`.

    `focus` is what the person wants kept with care. `unusable` names the sections a first attempt lacked.
    """
    parts = [_read("memo", language)]
    if not is_blank(focus):
        quoted = json.dumps(focus.strip(), ensure_ascii=False).replace("<", "\\u003c")
        parts.append(_read("memo_focus", language).replace("{focus}", quoted))
    if unusable:
        parts.append(_read("memo_retry", language).replace("{headings}", names_of(unusable, language)))
    return "\n\n".join(parts)


def names_of(sections: Collection[Section], language: str) -> str:
    """The headings of these sections, in order, quoted."""
    return ", ".join(f'"{HEADINGS[language][section]}"' for section in Section if section in sections)


def _read(name: str, language: str) -> str:
    return assets.read_text(f"prompts/{name}.{language}.txt").strip()
