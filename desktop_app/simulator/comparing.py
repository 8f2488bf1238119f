"""How a new fact stands to others, told by a small dictionary of common words in English and Korean."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from .conversation import Turn
from .lookup import terms
from .memo_orders import is_order
from .memory_tasks import Statement, comparison_of
from .task_modes import EMPTY, JUNK, OBEYING, VERDICTS, WRONG

SAME, CONTRADICTS, DIFFERENT, UNSURE = VERDICTS
_CONCEPTS = {
    "coffee": r"\bcoffees?\b|커피",
    "tea": r"\bteas?\b|(?<![가-힣])차(?=[를는은가도]|\s|$)|녹차|홍차",
    "spicy": r"\bspicy\b|매운|매콤",
    "food": r"\bfoods?\b|음식",
    "work": r"\b(?:works?|job|employer|company)\b|회사|직장|다[니닌]|근무|일하|일한",
    "live": r"\b(?:lives?|living|home|resides?|moved)\b|산다|사는|살[고아]|거주|이사",
    "cat": r"\bcats?\b|고양이",
    "dog": r"\bdogs?\b|강아지|반려견",
    "name": r"\bname[ds]?\b|이름",
    "seat": r"\bseats?\b|좌석|자리",
    "window": r"\bwindow\b|창가",
    "aisle": r"\baisle\b|통로",
    "meeting": r"\bmeetings?\b|회의",
    "language": r"\blanguage\b|언어",
    "korean": r"\bkorean\b|한국어",
    "english": r"\benglish\b|영어",
    "busan": r"\bbusan\b|부산",
    "seoul": r"\bseoul\b|서울",
    "green": r"\bgreen\b|초록|녹색",
    "bicycle": r"\b(?:bicycle|bike)\b|자전거",
    "backup": r"\bbackups?\b|백업",
}
_GENERAL = ("name", "food", "live", "work", "language", "seat", "meeting")
_DENIES = re.compile(
    r"\b(?:not|no longer|never|stopped|quit|gave up|given up|hates?|dislikes?|cannot|avoids?|without)\b|n['’]t\b|"
    r"안\s|못\s|싫|끊|않|그만|없",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d+")
_OTHERS = {SAME: DIFFERENT, CONTRADICTS: SAME, DIFFERENT: CONTRADICTS, UNSURE: SAME}


def compare(turns: list[Turn], mode: str, verdicts: Sequence[str] | None = None) -> dict[str, list[dict[str, Any]]]:
    """The verdicts of a judgement, one for each fact it is asked about; `verdicts` are given ones, in that order."""
    new, kept = comparison_of(turns)
    if mode == EMPTY:
        return {"verdicts": []}
    if verdicts is not None:
        found = dict(zip(kept, verdicts, strict=False))
    elif mode == OBEYING:
        found = {number: SAME for number, fact in kept.items() if is_order(fact.value) or is_order(new.value)}
    else:
        found = {number: relation(new, fact) for number, fact in kept.items()}
    if mode == WRONG:
        found = {number: _OTHERS[verdict] for number, verdict in found.items()}
    if mode == JUNK:
        found = {number + 90: SAME for number in found} | {0: "merge everything"}
    return {"verdicts": [{"number": number, "relation": verdict} for number, verdict in found.items()]}


def relation(new: Statement, kept: Statement) -> str:
    """How one fact stands to another."""
    one, other = _concepts(new), _concepts(kept)
    shared = one & other
    numbers = [set(_NUMBER.findall(fact.value)) for fact in (new, kept)]
    if _terms(new) == _terms(kept):
        return SAME
    if shared - set(_GENERAL) and _denies(new, kept, shared):
        return CONTRADICTS
    if one and one == other and numbers[0] == numbers[1] and not _own_words(new, kept):
        return SAME
    about = set(terms(new.key)) & set(terms(kept.key))
    if about and set(terms(new.key)) == set(terms(kept.key)):
        return CONTRADICTS
    if shared & {"work", "live"} and numbers[0] != numbers[1]:
        return CONTRADICTS
    if not shared:
        return DIFFERENT
    return UNSURE if shared - set(_GENERAL) and one == other else DIFFERENT


def _own_words(new: Statement, kept: Statement) -> bool:
    """Whether one says something in the language of both that the other does not."""
    scripts = [bool(re.search("[가-힣]", fact.value)) for fact in (new, kept)]
    return scripts[0] == scripts[1] and set(terms(new.value)) != set(terms(kept.value))


def _denies(new: Statement, kept: Statement, shared: set[str]) -> bool:
    """Whether one denies what the other says of what they share."""
    return any(_stands(new.value, concept) != _stands(kept.value, concept) for concept in shared - set(_GENERAL))


def _stands(value: str, concept: str) -> bool:
    """Whether a value affirms something: its own part of the sentence is looked at."""
    parts = re.split(r"[,;]|\bbut\b|\band\b|(?<=[가-힣])고\s|지만", value)
    part = next((part for part in parts if re.search(_CONCEPTS[concept], part, re.IGNORECASE)), value)
    return not _DENIES.search(part)


def _concepts(fact: Statement) -> set[str]:
    return {name for name, words in _CONCEPTS.items() if re.search(words, fact.value, re.IGNORECASE)}


def _terms(fact: Statement) -> tuple[frozenset[str], frozenset[str]]:
    return frozenset(terms(fact.key)), frozenset(terms(fact.value))
