"""How far a meaning stands above the rest of its pool: in standard deviations, by script, small pools filled up."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

from desktop_app.core.recall.values import Neighbours, Spread

ENOUGH_FOR_STATISTICS = 20
"""A pool of fewer says too little about how close unrelated ones lie, and how rare a word is."""

_LEAST_CLEAR, _MOST_CLEAR = 1.0, 2.5
_LEAST_DEVIATION = 0.5
"""Of that of unrelated texts."""


def meanings(near: Neighbours | None, unrelated: Spread) -> dict[str, tuple[float, int]]:
    """By id the deviations a cosine stands above its script, and how many that was measured with.

    `unrelated` says how close texts that have nothing to do with each other lie for this embedder.
    """
    if near is None:
        return {}
    spreads = _spreads(near, unrelated)
    found = {}
    for one, cosine in near.cosines.items():
        spread = spreads[one in near.hangul]
        found[one] = ((cosine - spread.mean) / spread.deviation, spread.count)
    return found


def clear_from(count: int) -> float:
    """From how many deviations on a meaning stands clearly above the rest.

    In a pool of twenty the relatives of a text are part of the mean, and 1 is much; the larger a pool, the more of it
    gets far by chance: ln(n) - 2, up to 2.5 for ninety and more. In a smaller one unrelated texts stand in for what is
    missing, which have no relatives among them: up to 2.
    """
    if count < ENOUGH_FOR_STATISTICS:
        return 2 - count / ENOUGH_FOR_STATISTICS
    return min(max(math.log(count) - 2, _LEAST_CLEAR), _MOST_CLEAR)


def _spreads(near: Neighbours, unrelated: Spread) -> dict[bool, Spread]:
    """By script what to measure a cosine with: its own facts, where they are too few all, with unrelated ones added."""
    everything = _together(near.spreads.values())
    if everything.count < ENOUGH_FOR_STATISTICS:
        missing = replace(unrelated, count=ENOUGH_FOR_STATISTICS - everything.count)
        everything = _together((everything, missing))
    own = {
        script: _together([spread]) for script, spread in near.spreads.items() if spread.count >= ENOUGH_FOR_STATISTICS
    }
    # Among texts that nearly say the same, hardly any difference would be many deviations.
    least = _LEAST_DEVIATION * unrelated.deviation
    return {
        script: replace(spread, deviation=max(spread.deviation, least))
        for script, spread in ((script, own.get(script, everything)) for script in (True, False))
    }


def _together(spreads: Iterable[Spread]) -> Spread:
    """The spread of all that several were taken over; a deviation of zero would make every difference endless."""
    parts = [spread for spread in spreads if spread.count]
    count = sum(part.count for part in parts)
    if not count:
        return Spread(0, 0.0, 1.0)
    mean = sum(part.count * part.mean for part in parts) / count
    square = sum(part.count * (part.deviation**2 + (part.mean - mean) ** 2) for part in parts) / count
    return Spread(count, mean, max(math.sqrt(square), 1e-6))
