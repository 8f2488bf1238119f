"""How much the words of a text tell of what holds them: BM25, measured with what of the text a pool knows at all."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

from desktop_app.core.recall.values import WordMatches

_IDEAL_TERM = 1.85
_LEAST_WEIGHT = 1e-6
_MOST = 0.4
"""Of what an ideal find would get: about each word once, in a text of usual length."""


def word_weight(total: int, holding: int) -> float:
    """How much a word tells that stands in `holding` of `total` facts: SQLite's inverse document frequency."""
    return max(_LEAST_WEIGHT, math.log((total - holding + 0.5) / (holding + 0.5)))


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


def word_scores(matches: WordMatches, weight: float) -> dict[str, float]:
    """`weight` · n · c by id; a text whose words the pool does not know counts them as missed.

    c is BM25 as a share of what an ideal find would get, n how much the pool knows of the words, in words it does not.
    """
    if not matches.scores:
        return {}
    weights = [word_weight(matches.total, holding) for holding in matches.frequency.values() if holding]
    scale = weight * word_share(matches.total, weights, sum(not holding for holding in matches.frequency.values()))
    return {found: scale * score for found, score in matches.scores.items()}


def holding_most(matches: WordMatches, least_words: int) -> frozenset[str]:
    """Those that hold what the pool knows of a text, however common it is there; none where that are fewer than
    `least_words`, or half of its words or less."""
    weights = [word_weight(matches.total, holding) for holding in matches.frequency.values() if holding]
    if len(weights) < least_words or 2 * len(weights) <= len(matches.frequency):
        return frozenset()
    least = _MOST * _IDEAL_TERM * sum(weights)
    return frozenset(found for found, score in matches.scores.items() if score >= least)


def word_share(total: int, weights: Collection[float], unknown: int) -> float:
    """What makes n · c out of BM25: `weights` of the words the pool knows, and how many it does not."""
    unknown_weight = math.log(2 * total + 1)
    known = sum(weights)
    ideal = known + unknown_weight * unknown
    return known / (_IDEAL_TERM * unknown_weight * ideal) if known else 0.0
