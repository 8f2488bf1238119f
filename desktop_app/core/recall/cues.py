"""What a question looks for besides its words: one who speaks, a time, a number, a place, or questions themselves."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from desktop_app.core.lazy_pattern import lazy_pattern
from desktop_app.core.recall.time_windows import Window, time_windows

PERSON, ASSISTANT = "user", "assistant"
"""Who speaks in a conversation with an assistant; imported ones may have names."""

_WHEN = lazy_pattern(
    r"\bwhen\b|\b(?:what|which)\s+(?:date|day|month|year|time)\b|\bhow long ago\b|"
    r"언제|며칠|몇\s*(?:월|년|시|요일)|무슨\s*(?:날|요일)"
)
_COUNT = lazy_pattern(r"\bhow (?:many|much|often|long|old)\b|몇|얼마|얼만큼|개수|횟수")
_PLACE = lazy_pattern(
    r"\bwhere\b|\b(?:what|which) (?:city|country|place|state)\b|\bwho\b|\bname\b|"
    r"어디|누구|누가|이름|무슨\s*(?:도시|나라)"
)
_QUESTIONS = lazy_pattern(r"\bask(?:s|ed|ing)?\b|\bquestions?\b|물었|물어|질문|여쭤|여쭈")
_I_SAID = lazy_pattern(r"\b(?:did|have|had|do) i\b|\bi (?:said|told|mentioned|wrote|asked)\b|내가|제가")
_YOU_SAID = lazy_pattern(
    r"\b(?:did|have|had|do) you\b|\byou (?:said|told|mentioned|wrote|suggested|recommended)\b|네가|니가|너는|당신이"
)


@dataclass(frozen=True, slots=True)
class Cues:
    """What was read from a question; `speaker` is empty where it names none, or several."""

    speaker: str
    windows: tuple[Window, ...]
    when: bool
    count: bool
    place: bool
    questions: bool


def cues_of(question: str, speakers: Collection[str], now: datetime | None) -> Cues:
    """The cues of a question among turns of these speakers; without `now` no time is read."""
    text = unicodedata.normalize("NFC", question).lower()
    return Cues(
        speaker=_speaker(text, speakers),
        windows=time_windows(question, now) if now else (),
        when=bool(_WHEN.search(text)),
        count=bool(_COUNT.search(text)),
        place=bool(_PLACE.search(text)),
        questions=bool(_QUESTIONS.search(text)),
    )


def _speaker(text: str, speakers: Collection[str]) -> str:
    named = [name for name in speakers if name not in (PERSON, ASSISTANT) and _stands(name.lower(), text)]
    said = [name for name, pattern in ((PERSON, _I_SAID), (ASSISTANT, _YOU_SAID)) if pattern.search(text)]
    found = named or [name for name in said if name in speakers]
    return found[0] if len(found) == 1 else ""


def _stands(name: str, text: str) -> bool:
    """Whether a name stands in a text as a word; a Korean one has a particle behind it."""
    place = text.find(name)
    while place >= 0:
        before, behind = text[place - 1 : place], text[place + len(name) : place + len(name) + 1]
        if not before.isalnum() and not (behind.isalnum() and behind.isascii()):
            return True
        place = text.find(name, place + 1)
    return False
