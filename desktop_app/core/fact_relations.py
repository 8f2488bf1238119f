"""How what is to be kept stands to facts there are: what code can tell of two statements; the rest a model judges."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum

from desktop_app.core.exact_values.finding import find_values
from desktop_app.core.exact_values.kinds import ValueKind
from desktop_app.core.facts import Fact, FactDraft, same_key


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


_WORDED = (ValueKind.NAME, ValueKind.QUOTE, ValueKind.CODE, ValueKind.CONSTANT)
"""Kinds of exact values whose change may be another way to say the same."""
_STATEMENT = re.compile(r"[가-힣](?:다|요|음|함|임|해|어|아|야|니다)$")
_LEAST_WORDS = 4


def by_rule(draft: FactDraft, fact: Fact) -> Relation | None:
    """How a new fact stands to one there is, where code is certain; None where somebody has to judge.

    The same words under the same key are the same, and so is a whole statement under another key: of a mere name or
    number nobody can tell what it is said of. Under the same key other numbers, dates, paths or ids contradict.
    """
    same = _plain(draft.value) == _plain(fact.value)
    if same_key(draft.key) == same_key(fact.key):
        if same:
            return Relation.SAME
        return Relation.CONTRADICTS if _other_values(draft.value, fact.value) else None
    return Relation.SAME if same and _is_statement(draft.value) else None


def _other_values(one: str, other: str) -> bool:
    """Whether both texts hold values of the kinds that are written one way only, and none in common."""
    values = [{_plain(v.text) for v in find_values(text) if v.kind not in _WORDED} for text in (one, other)]
    return all(values) and not values[0] & values[1]


def _is_statement(value: str) -> bool:
    words = _plain(value).split()
    return len(words) >= _LEAST_WORDS or (len(words) > 1 and bool(_STATEMENT.search(words[-1])))


def _plain(text: str) -> str:
    """A text without what does not change what it says: letter case, forms of letters, white space, final stops."""
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFKC", text).casefold())
    return " ".join(folded.split()).strip(" .!~。")
