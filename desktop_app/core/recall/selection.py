"""Which finds come first where several say the same, or what the context says anyway."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from desktop_app.core.recall.values import Spread

_PENALTY = 0.3
"""Of the best score: what a find loses that says the same as another."""
_CHANCE = 3.0
"""Deviations above unrelated texts that likeness begins at."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """Cosines: `held` of each find to the closest text of the context, `pairs` of two finds, both ways."""

    held: Mapping[str, float] = field(default_factory=dict)
    pairs: Mapping[tuple[str, str], float] = field(default_factory=dict)


def without_repetition(scores: Mapping[str, float], likeness: Likeness, unrelated: Spread) -> list[tuple[str, float]]:
    """Ids in the order of their marginal relevance, each with what likeness takes from its score (zero or less).

    Carbonell and Goldstein, The Use of MMR (SIGIR 1998), with a cosine counted from where `unrelated` texts of this
    embedder end: one model puts them at 0.03, another at 0.76.
    """
    best = max(scores.values(), default=0.0)
    start = min(unrelated.mean + _CHANCE * unrelated.deviation, 0.99)

    def loss(cosine: float) -> float:
        return -_PENALTY * best * min(max((cosine - start) / (1 - start), 0.0), 1.0)

    losses = {one: loss(likeness.held.get(one, 0.0)) for one in scores}
    chosen: list[tuple[str, float]] = []
    left = list(scores)
    while left:
        one = max(left, key=lambda other: scores[other] + losses[other])
        left.remove(one)
        chosen.append((one, losses[one]))
        for other in left:
            losses[other] = min(losses[other], loss(likeness.pairs.get((one, other), 0.0)))
    return chosen
