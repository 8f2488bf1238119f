"""What searches give and what is made of it: matches of words, closeness in meaning, hits with parts of their score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from desktop_app.core.facts import Fact


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
