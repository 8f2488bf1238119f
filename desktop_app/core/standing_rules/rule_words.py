"""The words by which a person sets a rule that lasts, or lifts one, in English and Korean.

Read narrowly: a one-off request carried as a rule would be done again after every compaction.
"""

from __future__ import annotations

import re
from itertools import groupby

from desktop_app.core.lazy_pattern import lazy_pattern
from desktop_app.core.standing_rules import english_rules, korean_rules


def _any_of(stems: tuple[str, ...]) -> str:
    """A pattern of alternatives, grouped by their first letter: several times faster than a plain list of them."""
    groups = groupby(sorted(stems), key=lambda stem: stem[0])
    return "|".join(f"{first}(?:{'|'.join(re.escape(stem[1:]) for stem in group)})" for first, group in groups)


# What stands before an English word is matched with it: to look back at every letter would take twice as long.
_STEMS = (
    lazy_pattern(rf"[\s(\[\"'“‘,.;:!?*_/—–-](?:{_any_of(english_rules.STEMS)})"),
    lazy_pattern(_any_of(korean_rules.STEMS)),
)


def worth_reading(text: str) -> list[int]:
    """Where words stand without which no sentence sets a rule, ascending. The text: small letters, straight
    apostrophes, a line break in front."""
    return sorted(found.end() - 1 for pattern in _STEMS for found in pattern.finditer(text))


def is_lasting(said: str) -> bool:
    """Whether a sentence of the person, quoted words blanked, sets a rule for what is to come, or lifts one."""
    head, listed = _head(said)
    words = head.replace("’", "'").lower()
    if listed and _TITLE.search(words):
        return True
    if _asks(words):
        return False
    return english_rules.lasts(words) or (_HANGUL.search(words) is not None and korean_rules.lasts(words))


_HANGUL = lazy_pattern("[가-힣]")


def _head(said: str) -> tuple[str, bool]:
    """The sentence on one line, without the list below it; whether there is one."""
    head, colon, _ = said.partition(":\n") if ":\n" in said else said.partition("：\n")
    return " ".join(head.split()), bool(colon)


_TITLE = lazy_pattern(
    r"^(?:(?:my|the|some|a few|here are (?:my|the|some)|these are (?:my|the)) )?(?:house |ground |standing |"
    r"general )?"
    r"(?:rules|guidelines)(?: for (?:you|your \w+|this (?:chat|conversation|project)))?$|^(?:답변|대화|작업|"
    r"기본)? ?규칙(?:입니다|이에요|은)?$"
)
_REQUEST_QUESTION = lazy_pattern(
    r"\b(?:can|could|would|will|won't) you\b|\bplease\b|줄래|주실래|주시겠|줄 수|주실 수|해줄|해 줄|줄 거|주면 안|"
    r"주시면 안"
)


def _asks(words: str) -> bool:
    """Whether it is a question that asks for nothing to be done."""
    bare = words.rstrip(" \"'”’」』)]~^ㅎㅋㅠㅜ")
    return bare.endswith(("?", "？")) and not _REQUEST_QUESTION.search(words)
