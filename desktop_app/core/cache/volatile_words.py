"""Words in a prompt that are likely to be others next time: dates, times, random ids."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from desktop_app.core.lazy_pattern import lazy_pattern

VolatileKind = Literal["uuid", "identifier", "date", "time"]

_MONTH = (
    r"(?-i:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?"
    r"|Nov(?:ember)?|Dec(?:ember)?)\.?"
)
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_CLOCK = r"(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?"
_YEAR = r"(?:19|20)\d\d"
_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|[월화수목금토일]요일"
_NAMED = (
    r"(?:session|request|user|trace|conversation|thread|run|device|message)[ _-]?(?:id|no\.?|number|key)"
    r"|(?:세션|요청|사용자|대화) ?(?:id|아이디|번호)"
)
# The earlier kinds win where two would overlap.
_WORDS: tuple[tuple[VolatileKind, str], ...] = (
    ("uuid", r"(?<![0-9a-z])[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}(?![0-9a-z])"),
    ("identifier", rf"(?:{_NAMED})[\"']?\s*(?:[:=]|is)?\s*[\"']?(?=[\w-]*\d)[\w-]{{4,}}"),
    ("identifier", r"\b(?:req|sess|session|msg|conv|usr|user|trace|run)_(?=[a-z0-9]*\d)[a-z0-9]{6,}\b"),
    ("date", rf"(?<!\d){_YEAR}([-/.])\d{{1,2}}\1\d{{1,2}}(?!\d)"),
    ("date", rf"(?<![\d.])\d{{1,2}}([/.])\d{{1,2}}\1{_YEAR}(?!\d)"),
    ("date", rf"(?:{_YEAR}년 ?)?\d{{1,2}}월 ?\d{{1,2}}일"),
    ("date", rf"\b{_MONTH} {_DAY}\b(?:,? {_YEAR}\b)?"),
    ("date", rf"\b{_DAY} {_MONTH}(?:,? {_YEAR}\b|(?![a-z]))"),
    ("time", rf"(?<![\d:]){_CLOCK}(?:\s?[ap]\.?m\b\.?|Z|[+-]\d\d:?\d\d)?(?![\d:])"),
    ("time", r"(?:오전|오후) ?\d{1,2}시(?: ?\d{1,2}분)?|\d{1,2}시 ?\d{1,2}분"),
    ("time", r"(?<![\d.])1[5-9]\d{8}(?:\d{3})?(?!\d|\.\d)"),
    ("identifier", r"(?<![\w/.-])(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{16,}(?![\w/.-])"),
    ("identifier", r"(?<![\w/.-])(?=\w*\d\w*\d\w*\d)(?=\w*[a-z])[a-z0-9_-]{20,}(?![\w/.-])"),
)
_PATTERNS = tuple((kind, lazy_pattern(pattern, re.IGNORECASE)) for kind, pattern in _WORDS)
_WEEKDAYS = lazy_pattern(rf"\b(?:{_WEEKDAY})\b", re.IGNORECASE)
_NOW = lazy_pattern(
    r"\b(?:today|tonight|now|current(?:ly)?|as of|date|time|clock|timestamp|generated|it is|it's)\b"
    r"|오늘|지금|현재|날짜|시각|시간|생성",
    re.IGNORECASE,
)
_JUST_NOW = lazy_pattern(r"\b(?:today|tonight|right now|now|current(?:ly)?)\b|오늘|지금|현재", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class VolatileWord:
    """A word and where it stands in its text; `present` when its line speaks of the present moment."""

    kind: VolatileKind
    start: int
    end: int
    quote: str
    present: bool


def volatile_words(text: str) -> list[VolatileWord]:
    """All of them in the order of the text; the name of a weekday only where its line speaks of the present."""
    found: list[VolatileWord] = []
    for kind, start, end in _matches(text):
        if all(end <= other.start or start >= other.end for other in found):
            line = text[text.rfind("\n", 0, start) + 1 : _line_end(text, end)]
            found.append(VolatileWord(kind, start, end, text[start:end], bool(_NOW.search(line))))
    for match in _WEEKDAYS.finditer(text):
        line = text[text.rfind("\n", 0, match.start()) + 1 : _line_end(text, match.end())]
        if _NOW.search(line):
            found.append(VolatileWord("date", match.start(), match.end(), match.group(), True))
    return sorted(found, key=lambda word: word.start)


def speaks_of_now(text: str) -> bool:
    """Whether a text is about this very moment, so that a date in it is no fixed one."""
    return bool(_JUST_NOW.search(text))


def only_volatile_words_differ(before: str, after: str) -> bool:
    """Whether two texts are the same but for dates, times and random ids."""
    return before != after and _masked(before) == _masked(after)


def volatile_at(text: str, at: int) -> bool:
    """Whether a place of a text lies in such a word, or right behind it."""
    return any(word.start <= at <= word.end for word in volatile_words(text))


def _matches(text: str) -> Iterator[tuple[VolatileKind, int, int]]:
    for kind, pattern in _PATTERNS:
        yield from ((kind, match.start(), match.end()) for match in pattern.finditer(text))


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _masked(text: str) -> str:
    parts, done = [], 0
    spans = [(word.start, word.end) for word in volatile_words(text)]
    spans += [match.span() for match in _WEEKDAYS.finditer(text)]
    for start, end in sorted(set(spans)):
        parts += [text[done:start], "\0"]
        done = end
    return "".join([*parts, text[done:]])
