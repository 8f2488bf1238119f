"""Which facts bear on a text: words and meaning fused into one order, each part of the score kept to be shown.

The score of a fact is z + 3 · n · c: z is its cosine to the text in standard deviations above the facts of its script,
c the share of the text's words it holds (BM25 over that of an ideal fact), n how much the pool knows of these words.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from desktop_app.core.facts import Fact

ENOUGH_FOR_STATISTICS = 20
"""A pool of fewer facts says too little about how close unrelated ones lie, and how rare a word is."""

_WORDS_WEIGHT = 3.0
_IDEAL_TERM = 1.85
_LEAST_WEIGHT = 1e-6
_WORD_IN_SMALL_POOL = 1.0
_LEAST_WORDS = 0.1
_LEAST_CLEAR, _MOST_CLEAR = 1.0, 2.5


@dataclass(frozen=True, slots=True)
class WordMatches:
    """What full-text search says: `total` facts in the pool, in how many each word stands, BM25 by fact id."""

    total: int
    frequency: Mapping[str, int] = field(default_factory=dict)
    scores: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Spread:
    """Mean and standard deviation of the cosines between one text and `count` facts."""

    count: int
    mean: float
    deviation: float


@dataclass(frozen=True, slots=True)
class Neighbours:
    """What the vectors say of one text: cosines by fact id, and which of these facts hold Hangul.

    `spreads` are taken over all facts of the pool: with Hangul under True, without under False.
    """

    cosines: Mapping[str, float]
    hangul: frozenset[str]
    spreads: Mapping[bool, Spread]


@dataclass(frozen=True, slots=True)
class Scored:
    """A fact that bears on the text; `meaning` is None where no vector is there."""

    fact_id: str
    score: float
    words: float
    meaning: float | None


@dataclass(frozen=True, slots=True)
class FactHit:
    """A fact that was found; `score` is the sum of `words` and `meaning` (None where no vector is there)."""

    fact: Fact
    score: float
    words: float = 0.0
    meaning: float | None = None


def fuse(matches: WordMatches, near: Neighbours | None, unrelated: Spread) -> list[Scored]:
    """The facts that hold a telling word of the text, or whose meaning stands clearly above the rest; best first.

    `unrelated` says how close texts that have nothing to do with each other lie for this embedder. *Clearly* is 1 to
    2.5 standard deviations above the mean, see `_clear_from`.
    """
    words = _word_scores(matches)
    spreads = _spreads(near, unrelated)
    found = []
    for fact_id in {**words, **(near.cosines if near else {})}:
        by_words, meaning, clear = words.get(fact_id, 0.0), None, False
        if near is not None and fact_id in near.cosines:
            spread = spreads[fact_id in near.hangul]
            meaning = (near.cosines[fact_id] - spread.mean) / spread.deviation
            clear = meaning >= _clear_from(min(spread.count, matches.total))
        if clear or by_words >= _LEAST_WORDS:
            found.append(Scored(fact_id, by_words + (meaning or 0.0), by_words, meaning))
    return sorted(found, key=lambda hit: (-hit.score, hit.fact_id))


def with_letters(matches: WordMatches, holding: Mapping[str, Collection[str]]) -> WordMatches:
    """Adds what was found as letters anywhere in a fact; `holding` are ids of facts by the letters they hold.

    Such a match counts as the word standing once in a fact of usual length.
    """
    scores = dict(matches.scores)
    for fact_ids in holding.values():
        weight = word_weight(matches.total, len(fact_ids))
        for fact_id in fact_ids:
            scores[fact_id] = max(scores.get(fact_id, 0.0), weight)
    frequency = {**matches.frequency, **{letters: len(fact_ids) for letters, fact_ids in holding.items()}}
    return WordMatches(matches.total, frequency, scores)


def word_weight(total: int, holding: int) -> float:
    """How much a word tells that stands in `holding` of `total` facts: SQLite's inverse document frequency."""
    return max(_LEAST_WEIGHT, math.log((total - holding + 0.5) / (holding + 0.5)))


def _word_scores(matches: WordMatches) -> dict[str, float]:
    """3 · n · c by fact id; a text whose words the pool does not know counts them as missed."""
    if not matches.scores:
        return {}
    unknown_weight = math.log(2 * matches.total + 1)
    known = sum(word_weight(matches.total, holding) for holding in matches.frequency.values() if holding)
    ideal = known + unknown_weight * sum(not holding for holding in matches.frequency.values())
    scale = _WORDS_WEIGHT * known / (_IDEAL_TERM * unknown_weight * ideal)
    # Among few facts every word is frequent; it tells all the same.
    least = _WORD_IN_SMALL_POOL if matches.total < ENOUGH_FOR_STATISTICS else 0.0
    return {fact_id: max(scale * score, least) for fact_id, score in matches.scores.items()}


def _clear_from(count: int) -> float:
    """From how many deviations on a meaning stands clearly above the rest.

    In a pool of twenty the relatives of a text are part of the mean, and 1 is much; the larger a pool, the more of it
    gets far by chance: ln(n) - 2, up to 2.5 for ninety and more. In a smaller one unrelated texts stand in for what is
    missing, which have no relatives among them: up to 2.
    """
    if count < ENOUGH_FOR_STATISTICS:
        return 2 - count / ENOUGH_FOR_STATISTICS
    return min(max(math.log(count) - 2, _LEAST_CLEAR), _MOST_CLEAR)


def _spreads(near: Neighbours | None, unrelated: Spread) -> dict[bool, Spread]:
    """By script what to measure a cosine with: its own facts, where they are too few all, with unrelated ones added."""
    if near is None:
        return {}
    everything = _together(near.spreads.values())
    if everything.count < ENOUGH_FOR_STATISTICS:
        missing = replace(unrelated, count=ENOUGH_FOR_STATISTICS - everything.count)
        everything = _together((everything, missing))
    own = {
        script: _together([spread]) for script, spread in near.spreads.items() if spread.count >= ENOUGH_FOR_STATISTICS
    }
    return {script: own.get(script, everything) for script in (True, False)}


def _together(spreads: Iterable[Spread]) -> Spread:
    """The spread of all that several were taken over; a deviation of zero would make every difference endless."""
    parts = [spread for spread in spreads if spread.count]
    count = sum(part.count for part in parts)
    if not count:
        return Spread(0, 0.0, 1.0)
    mean = sum(part.count * part.mean for part in parts) / count
    square = sum(part.count * (part.deviation**2 + (part.mean - mean) ** 2) for part in parts) / count
    return Spread(count, mean, max(math.sqrt(square), 1e-6))
