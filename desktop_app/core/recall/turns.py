"""Which turns of past conversations bear on a question: words and meaning, then what stands around each, then its kind.

First t = (z + 8 · n · c) brought between 0 and 1, see `recall.facts` for z, n and c, and `recall.turn_words` for what
is counted. A turn then takes a share of the t of those around it, most where the one before it asks; what only asks
gets less. The weights were chosen, and rounded, on five conversations of LoCoMo (Maharana et al. 2024).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, tzinfo

from desktop_app.core.recall.cues import Cues, cues_of
from desktop_app.core.recall.meaning import meanings
from desktop_app.core.recall.turn_features import TurnFeatures, turn_features
from desktop_app.core.recall.turn_words import turn_word_scores
from desktop_app.core.recall.values import Neighbours, Part, Scored, Spread, Turn, WordMatches

_WORDS_WEIGHT = 8.0
_LOWEST_MEANING = -2.5
_BEFORE, _BEFORE_ASKING, _BEHIND, _TWO_AWAY, _SESSION = 0.2, 0.5, 0.3, 0.3, 0.3
_LENGTH, _ENDS_ASKING, _ASKING = 0.25, -0.15, -0.3
_SPEAKER, _DATE, _WHEN, _COUNT, _PLACE = 0.1, 0.4, 0.1, 0.2, 0.1


def rank_turns(
    question: str,
    turns: Sequence[Turn],
    words: WordMatches,
    near: Neighbours | None,
    unrelated: Spread,
    now: datetime | None = None,
) -> list[Scored]:
    """All of `turns` in order, best first; `words` and `near` are counted over the pool they were found in.

    Turns should hold those around a find, two before and two behind it: they give it part of their score, and may be
    the answer themselves. `now` is what "yesterday" counts from; its time zone is that in which days begin.
    """
    zone = now.tzinfo if now else None
    base = _base(question, turns, words, near, unrelated, zone)
    around = _Around(turns, {turn_id: sum(parts.values()) for turn_id, parts in base.items()})
    features = {turn.id: turn_features(turn.text) for turn in turns}
    speakers = {name for turn in turns for name in (turn.speaker, features[turn.id].speaker) if name}
    cues = cues_of(question, speakers, now)
    found = []
    for turn in turns:
        parts = {**base[turn.id], **around.parts(turn), **_own(turn, features[turn.id], cues, zone)}
        found.append(Scored(turn.id, {name: value for name, value in parts.items() if value}))
    return sorted(found, key=lambda one: (-one.score, one.id))


def _base(
    question: str,
    turns: Sequence[Turn],
    words: WordMatches,
    near: Neighbours | None,
    unrelated: Spread,
    zone: tzinfo | None,
) -> dict[str, dict[str, float]]:
    """t of each turn, as what its words and what its meaning add; a turn without a vector is taken as a mean one."""
    by_words, close = turn_word_scores(question, turns, words, _WORDS_WEIGHT, zone), meanings(near, unrelated)
    lowest = _LOWEST_MEANING if near else 0.0
    above = {turn.id: max(close[turn.id][0] - lowest, 0.0) if turn.id in close else -lowest for turn in turns}
    most = max((by_words.get(turn_id, 0.0) + own for turn_id, own in above.items()), default=0.0) or 1.0
    return {
        turn_id: {Part.WORDS: by_words.get(turn_id, 0.0) / most, Part.MEANING: own / most}
        for turn_id, own in above.items()
    }


class _Around:
    """The scores of turns by where they stand."""

    def __init__(self, turns: Iterable[Turn], scores: Mapping[str, float]) -> None:
        self._best: dict[str, float] = {}
        self._at: dict[tuple[str, int], tuple[float, Turn]] = {}
        for turn in turns:
            score, place = scores[turn.id], (turn.session, turn.place)
            self._best[turn.session] = max(score, self._best.get(turn.session, 0.0))
            # Branches of a conversation have the same places.
            if place not in self._at or self._at[place][0] < score:
                self._at[place] = (score, turn)

    def parts(self, turn: Turn) -> dict[str, float]:
        """What a turn takes from those around it."""
        before, asking = self._before(turn)
        behind = _BEHIND * self._score(turn, 1)
        two_away = _TWO_AWAY * max(self._score(turn, -2), self._score(turn, 2))
        beside: dict[str, float] = (
            {Part.ANSWER: before} if asking and before > behind else {Part.BESIDE: max(before, behind)}
        )
        return {**beside, Part.NEAR: two_away, Part.SESSION: _SESSION * self._best[turn.session]}

    def _before(self, turn: Turn) -> tuple[float, bool]:
        """What the turn before gives, and whether it is a question of somebody else."""
        score, before = self._at.get((turn.session, turn.place - 1), (0.0, None))
        asking = before is not None and before.speaker != turn.speaker and turn_features(before.text).asks
        return (_BEFORE_ASKING if asking else _BEFORE) * score, asking

    def _score(self, turn: Turn, away: int) -> float:
        return self._at.get((turn.session, turn.place + away), (0.0, None))[0]


def _own(turn: Turn, features: TurnFeatures, cues: Cues, zone: tzinfo | None) -> dict[str, float]:
    """What a turn gets for what it is like, and for telling what the question looks for."""
    asking = 0.0 if cues.questions else _ENDS_ASKING * features.ends_asking + _ASKING * features.asked
    day = turn.day(zone) if cues.windows else None
    said_then = day is not None and any(window.holds(day) for window in cues.windows)
    return {
        Part.LENGTH: _LENGTH * features.length,
        Part.ASKING: asking,
        Part.SPEAKER: _SPEAKER * (cues.speaker != "" and cues.speaker in (turn.speaker, features.speaker)),
        Part.DATE: _DATE * said_then,
        Part.WHEN: _WHEN * (cues.when and features.tells_time),
        Part.COUNT: _COUNT * (cues.count and features.tells_number),
        Part.PLACE: _PLACE * (cues.place and features.tells_name),
    }
