"""How what is to be kept stands to facts there are: what code can tell of two statements; the rest a model judges."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

from desktop_app.core.exact_values.finding import find_values
from desktop_app.core.exact_values.kinds import ValueKind
from desktop_app.core.facts import Fact, FactDraft, same_key, same_words
from desktop_app.core.search_words import query_words
from desktop_app.core.secrets.masking import masks_in


class Relation(StrEnum):
    """How a new fact stands to one there is. Similarity alone is none of these."""

    SAME = "same"
    """They say the same, in other words or another language: the new one is a repeat."""
    CONTRADICTS = "contradicts"
    """Both cannot hold now: the new one takes the place of the other, if it is kept."""
    DIFFERENT = "different"
    """Both can hold."""
    UNSURE = "unsure"
    """Nobody could tell; the person decides."""


class JudgedBy(StrEnum):
    """Who said so."""

    RULE = "rule"
    """Code, where it is certain."""
    MODEL = "model"
    NOBODY = "nobody"
    """No model could be asked, or its answer was none."""


@dataclass(frozen=True, slots=True)
class Related:
    """A fact there is, and how the new one stands to it."""

    fact: Fact
    relation: Relation
    judged_by: JudgedBy


@dataclass(frozen=True, slots=True)
class Near:
    """A fact a new one is compared with; `meaning` is by how many deviations it stands above the rest of the facts,
    None where no vector is there (see `core.recall.meaning`)."""

    fact: Fact
    meaning: float | None = None


_WORDED = (ValueKind.NAME, ValueKind.QUOTE, ValueKind.CODE, ValueKind.CONSTANT)
"""Kinds of exact values whose change may be another way to say the same."""
_COMMON = (*_WORDED, ValueKind.NUMBER, ValueKind.AMOUNT, ValueKind.DATE)
"""Kinds of exact values that stand in facts which have nothing to do with each other."""
_VERY_ALIKE = 3.0
"""Deviations. Unrelated facts were found with up to 2.3, what contradicts or repeats from 3.0 on (USE, few facts)."""
_LEAST_SHARED, _SHARED = 2, 0.5
_STATEMENT = re.compile(r"[가-힣](?:다|요|음|함|임|해|어|아|야|니다)$")
_LEAST_WORDS = 4


def by_rule(draft: FactDraft, fact: Fact) -> Relation | None:
    """How a new fact stands to one there is, where code is certain; None where somebody has to judge.

    The same words, letter for letter, under the same key are the same, and so is a whole statement under another key:
    of a mere name or number, or of what is masked, nobody can tell what it is said of. Under the same key other
    numbers, dates, paths or ids contradict. What differs in a letter, its case or a sign may be another path or
    password: that is judged.
    """
    same = same_words(draft.value, fact.value)
    if same_key(draft.key) == same_key(fact.key):
        if same:
            return Relation.SAME
        return Relation.CONTRADICTS if _other_values(draft.value, fact.value) else None
    return Relation.SAME if same and _is_statement(draft.value) and not masks_in(draft.value) else None


def _other_values(one: str, other: str) -> bool:
    """Whether both texts hold values of the kinds that are written one way only, and none in common."""
    values = [_values(text, _WORDED) for text in (one, other)]
    return all(values) and not values[0] & values[1]


def may_bear(draft: FactDraft, near: Near) -> bool:
    """Whether a fact is so close to a new one that, where nobody can judge, the person has to decide.

    It has the same key, all words of one key stand in the other fact, both hold the same path, id or address, or they
    are very alike: in meaning, or where that is not known in their words.
    """
    fact = near.fact
    if same_key(draft.key) == same_key(fact.key) or _values(draft.value, _COMMON) & _values(fact.value, _COMMON):
        return True
    keys = [_words(one.key) for one in (draft, fact)]
    words = [_words(f"{one.key} {one.value}") for one in (draft, fact)]
    if any(key and key <= text for key, text in zip(keys, reversed(words), strict=True)):
        return True
    if near.meaning is not None:
        return near.meaning >= _VERY_ALIKE
    shared = len(words[0] & words[1])
    return shared >= _LEAST_SHARED and shared >= _SHARED * min(map(len, words))


def _values(text: str, without: Collection[ValueKind]) -> set[str]:
    """The exact values of a text in their own letters, but for the form of Hangul."""
    return {unicodedata.normalize("NFC", value.text) for value in find_values(text) if value.kind not in without}


def _words(text: str) -> set[str]:
    return set(query_words(text.replace("_", " ")))


def _is_statement(value: str) -> bool:
    words = value.rstrip(" .!~。").split()
    return len(words) >= _LEAST_WORDS or (
        len(words) > 1 and bool(_STATEMENT.search(unicodedata.normalize("NFC", words[-1])))
    )
