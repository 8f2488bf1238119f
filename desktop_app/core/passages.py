"""What can be recalled: facts, and passages of what was said or of documents. A passage is a span of a longer text."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate

from desktop_app.core.text_cut import cut_back
from desktop_app.core.token_estimate import FEATURES, text_features, uncalibrated

MOST = 256
"""Estimated tokens of a passage at most."""
OVERLAP = 32
"""Estimated tokens a passage has in common with the one before it, about."""


class PassageKind(StrEnum):
    """What a text is a piece of; each kind has vectors and an index of its own."""

    FACT = "fact"
    TURN = "turn"
    """Of what the person or the assistant said."""
    DOCUMENT = "document"


@dataclass(frozen=True, slots=True)
class Passage:
    """Characters `start` to `end` of a text, its `part`-th piece, counted from 0."""

    part: int
    start: int
    end: int


# Hundredths of a token: the estimator's first weights in whole numbers.
_UNIT = 100
_WEIGHTS = {name: round(weight * _UNIT) for name, weight in zip(FEATURES, uncalibrated().weights, strict=True)}
_WORD = re.compile("[A-Za-z\u00c0-\u024f]+")
# After each of these a passage may end, the better place first: paragraph, sentence, line, word.
_BORDERS = tuple(
    re.compile(pattern)
    for pattern in (
        r"\n[^\S\n]*\n\s*",
        r"[.!?…]['\"”’)\]]*\s+|[。！？]['\"”’」』）]*\s*|(?<=[다요까죠])[.!?](?=[가-힣])",
        r"\n",
        r"\s+",
    )
)


def passages_of(text: str, most: int = MOST, overlap: int = OVERLAP) -> tuple[Passage, ...]:
    """The text in passages of at most `most` estimated tokens that have about `overlap` in common with the one before.

    Together they are the whole text; a blank text has none. Takes time in proportion to the text.
    Raises ValueError when the overlap is more than a third of a passage.
    """
    if overlap * 3 > most:
        raise ValueError(f"passages of {most} tokens cannot have {overlap} in common")
    if not text.strip():
        return ()
    return tuple(Passage(part, *span) for part, span in enumerate(_spans(text, most * _UNIT, overlap * _UNIT)))


def _spans(text: str, most: int, overlap: int) -> Iterator[tuple[int, int]]:
    if len(text) * _DEAREST <= most:
        yield 0, len(text)
        return
    costs = _costs(text)
    start = 0
    while True:
        # Where a word is cut, what is left of it counts as one more word.
        room = costs[start] + most - (_WEIGHTS["words"] if start else 0)
        if costs[-1] <= room:
            yield start, len(text)
            return
        low, high = bisect_left(costs, costs[start] + most // 2), max(bisect_right(costs, room) - 1, start + 1)
        found = _best(text, low, high)
        stop = found if found > low else high
        yield start, stop
        start = _overlapping(text, costs, (start, stop), overlap)


def _overlapping(text: str, costs: array[int], span: tuple[int, int], overlap: int) -> int:
    """Where the passage after this one begins."""
    start, stop = span
    if not overlap:
        return stop
    found = _best(
        text, bisect_left(costs, costs[stop] - overlap * 3 // 2), bisect_right(costs, costs[stop] - overlap) - 1
    )
    # Only a long chain of marks leads so far back; every passage has to get on.
    return found if found > (start + stop) // 2 else stop


def _best(text: str, low: int, high: int) -> int:
    """The best place after `low` and up to `high` to cut at, the last of its kind; before it for a chain of marks."""
    for border in _BORDERS:
        place = 0
        for match in border.finditer(text, max(low - 1, 0), high):
            place = match.end()
        if place > low:
            return place
    return cut_back(text, high)


def _costs(text: str) -> array[int]:
    """What the letters up to each place cost; the first is 0."""
    each = array("q", map(_COSTS.__getitem__, text))
    for word in _WORD.finditer(text):
        each[word.start()] += _WEIGHTS["words"]
    return array("q", accumulate(each, initial=0))


class _Costs(dict[str, int]):
    """The cost of a letter without that of its word; white space costs a little, lest a passage of it has no end."""

    def __missing__(self, letter: str) -> int:
        counts = text_features(letter)
        cost = sum(_WEIGHTS[name] for name in counts if name != "words") or 1
        if len(self) < _KEPT:
            self[letter] = cost
        return cost


_KEPT = 20_000
_COSTS = _Costs()
_DEAREST = max(_WEIGHTS[name] for name in ("latin", "digits", "signs", "breaks", "hangul", "han", "other"))
