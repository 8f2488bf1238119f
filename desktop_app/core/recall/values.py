"""What searches give and what is made of it: matches of words, closeness in meaning, hits with parts of their score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, tzinfo
from enum import StrEnum

from desktop_app.core.facts import Fact


class Part(StrEnum):
    """What a part of a score stands for."""

    WORDS = "words"
    """The words of the question that stand in it."""
    MEANING = "meaning"
    """How far its meaning stands above the rest."""
    EXACT = "exact"
    """A key, or an id, path or quoted phrase of the question, stands in it letter for letter."""
    PINNED = "pinned"
    ANSWER = "answer"
    """The message before it matches and asks a question."""
    BESIDE = "beside"
    """The message before or behind it matches."""
    NEAR = "near"
    """A message two places away matches."""
    SESSION = "session"
    """The best match of the same conversation."""
    LENGTH = "length"
    """It says more than a few words."""
    ASKING = "asking"
    """Less than zero: it only asks."""
    SPEAKER = "speaker"
    """The one who speaks is named in the question."""
    DATE = "date"
    """It was said in the time the question names."""
    WHEN = "when"
    """The question asks when, and it tells a time."""
    COUNT = "count"
    """The question asks how many, and it tells a number."""
    ALIKE = "alike"
    """Less than zero: the context, or a better find, says nearly the same."""
    PLACE = "place"
    """The question asks where or who, and it tells a name."""


ScoreParts = Mapping[str, float]
"""By name of a part (see `Part`) what it adds; together they are the score."""


@dataclass(frozen=True, slots=True)
class WordMatches:
    """What full-text search says: `total` texts in the pool, in how many each word stands, BM25 by id."""

    total: int
    frequency: Mapping[str, int] = field(default_factory=dict)
    scores: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Spread:
    """Mean and standard deviation of the cosines between one text and `count` others."""

    count: int
    mean: float
    deviation: float


@dataclass(frozen=True, slots=True)
class Neighbours:
    """What the vectors say of one text: cosines by id, and which of these texts hold Hangul.

    `spreads` are taken over the whole pool: with Hangul under True, without under False.
    """

    cosines: Mapping[str, float]
    hangul: frozenset[str]
    spreads: Mapping[bool, Spread]


@dataclass(frozen=True, slots=True)
class Turn:
    """What was said in one message: `place` counts the messages of its session, `when` is the time it was said."""

    id: str
    session: str
    place: int
    speaker: str
    text: str
    when: datetime | None = None

    def day(self, zone: tzinfo | None) -> date | None:
        """The day it was said on, as days go in a zone; in that of `when` without one."""
        if self.when is None:
            return None
        return (self.when if zone is None else self.when.astimezone(zone)).date()


@dataclass(frozen=True, slots=True)
class Scored:
    """What bears on the text, and why; `parts` holds `Part.MEANING` where a vector is there."""

    id: str
    parts: ScoreParts

    @property
    def score(self) -> float:
        """The larger the better; scores of different questions, kinds or embedders cannot be compared."""
        return sum(self.parts.values())

    @property
    def words(self) -> float:
        """What its words add."""
        return self.parts.get(Part.WORDS, 0.0)

    @property
    def meaning(self) -> float | None:
        """What its meaning adds, None where no vector is there."""
        return self.parts.get(Part.MEANING)


@dataclass(frozen=True, slots=True)
class FactHit:
    """A fact that was found; `score` is the sum of its `parts`, `meaning` None where no vector is there."""

    fact: Fact
    score: float
    words: float = 0.0
    meaning: float | None = None
    parts: ScoreParts = field(default_factory=dict)
