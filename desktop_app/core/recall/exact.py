"""What a question names outright: by an id, path or quoted phrase that stands in it letter for letter, a fact by key.

They come first, whatever else is close in meaning: an order number is never answered with one that looks like it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence

from desktop_app.core.facts import Fact
from desktop_app.core.lazy_pattern import lazy_pattern
from desktop_app.core.recall.values import Part, Scored
from desktop_app.core.search_words import search_words
from desktop_app.core.whole_words import stands_in

_PIN_PRIOR = 0.25
_QUOTED = lazy_pattern(r"[\"“]([^\"“”]+)[\"”]|‘([^‘’]+)’|「([^「」]+)」|『([^『』]+)』|`([^`]+)`")
# From letter or digit to letter or digit with signs between them: ids, paths, addresses, versions.
_JOINED = lazy_pattern(r"[~./\\]*[A-Za-z0-9_]+(?:[!-/:-@\[-`{-~]+[A-Za-z0-9_]+)+")
# Hangul may touch both ends: 티켓A1042는, 4711은.
_MIXED = lazy_pattern(
    r"(?<![A-Za-z0-9_])(?:(?=[A-Za-z0-9_]*[0-9])(?=[A-Za-z0-9_]*[A-Za-z_])[A-Za-z0-9_]{3,}|[0-9]{4,})(?![A-Za-z0-9_])"
)
_YEAR = lazy_pattern(
    r"\b(?:in|since|until|till|by|from|of|before|after|during|year|jan\w*|feb\w*|mar\w*|apr\w*|may|june?|july?|aug\w*|"
    r"sep\w*|oct\w*|nov\w*|dec\w*)[\s,]+(?:[0-9]{1,2}(?:st|nd|rd|th)?[\s,]+)?(?:19|20)[0-9]{2}\b|"
    r"(?<![0-9])(?:19|20)[0-9]{2}(?=\s*년)",
    re.IGNORECASE,
)
"""A year is told by the calendar, and stands in many texts."""
_SPOKEN = lazy_pattern(r"[A-Za-z]+(?:['’-][A-Za-z]+)+")
"""Words such as don't and follow-up are no ids."""


def named_forms(question: str) -> tuple[str, ...]:
    """What of a question is to be found letter for letter: quoted phrases, ids, paths, addresses, numbers of four
    digits and more that are no years."""
    quoted = [next(filter(None, match.groups())) for match in _QUOTED.finditer(question)]
    rest = _YEAR.sub(" ", _QUOTED.sub(" ", question))
    joined = [one for one in _JOINED.findall(rest) if not _SPOKEN.fullmatch(one)]
    forms = map(_plain, (*quoted, *joined, *_MIXED.findall(_JOINED.sub(" ", rest))))
    return tuple(dict.fromkeys(form for form in forms if len(form) > 1))


def holds_form(forms: Sequence[str], text: str) -> bool:
    """Whether any of these forms (see `named_forms`) stands in a text as a whole."""
    plain = _plain(text) if forms else ""
    return any(stands_in(form, plain) for form in forms)


def raised(found: Sequence[Scored], named: Collection[str]) -> list[Scored]:
    """The same in a new order, best first: the `named` ones before the rest, with a part of the score that says so."""
    most = max((one.score for one in found), default=0.0)
    each = [Scored(one.id, {**one.parts, Part.EXACT: max(most, 1.0)}) if one.id in named else one for one in found]
    return sorted(each, key=lambda one: (-one.score, one.id))


def with_exact(question: str, found: Iterable[Scored], facts: Mapping[str, Fact]) -> list[Scored]:
    """The same in a new order, best first: what is named outright before the rest, what is pinned a little up.

    Those that are not among `facts` are left out.
    """
    known = [one for one in found if one.id in facts]
    forms, words = named_forms(question), search_words(question)
    named = {one.id for one in known if _is_named(facts[one.id], forms, words)}
    pinned = [
        Scored(one.id, {**one.parts, Part.PINNED: _PIN_PRIOR}) if facts[one.id].pinned else one
        for one in raised(known, named)
    ]
    return sorted(pinned, key=lambda one: (-one.score, one.id))


def _is_named(fact: Fact, forms: Sequence[str], words: Sequence[str]) -> bool:
    return holds_form(forms, f"{fact.key}\n{fact.value}") or _key_stands(search_words(fact.key), words)


def _key_stands(key: Sequence[str], words: Sequence[str]) -> bool:
    """A key of several words that stands in a question, or is all of it."""
    if not key or len(key) > len(words):
        return False
    if len(key) == 1:
        return list(key) == list(words)
    return any(list(key) == list(words[start : start + len(key)]) for start in range(len(words) - len(key) + 1))


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())
