"""How well turns hold the words of a question: BM25 over what each says, when, and what is said around it.

The words of the neighbours count as weaker fields of a turn (BM25F: Robertson, Zaragoza and Taylor 2004), most where
the one before asks: "In Jeju, with my sister" answers "Where did you learn to dive?". No neighbour's text is kept for
this anywhere: all is counted from the turns at hand, with word stems as the full-text index cuts them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, tzinfo
from functools import lru_cache

from desktop_app.core.lone_letters import is_lone
from desktop_app.core.recall.asking import sentences
from desktop_app.core.recall.values import Turn, WordMatches
from desktop_app.core.recall.words import word_share, word_weight
from desktop_app.core.search_words import query_words, search_words
from desktop_app.core.word_stems import stem

_SATURATION, _BY_LENGTH = 0.9, 0.75
_ASKED_BEFORE, _SAID_BEFORE, _BEHIND = 0.7, 0.3, 0.2


@dataclass(frozen=True, slots=True)
class _Said:
    """How often each stem stands in sentences that ask, and in others; `length` in words."""

    words: Mapping[str, tuple[int, int]]
    length: int

    def counts(self, asked: Collection[str], lone: Collection[str]) -> Iterable[tuple[str, tuple[int, int]]]:
        """Of these stems those it holds; one of the `lone` letters also where a pair begins with it."""
        found = {one: self.words[one] for one in asked if one in self.words}
        for letter in lone:
            pairs = [count for word, count in self.words.items() if word[0] == letter]
            if pairs:
                found[letter] = (sum(asks for asks, _ in pairs), sum(tells for _, tells in pairs))
        return found.items()


def turn_word_scores(
    question: str, turns: Sequence[Turn], matches: WordMatches, weight: float, zone: tzinfo | None = None
) -> dict[str, float]:
    """`weight` · n · c of each turn that holds a word of the question, see `recall.words`; by id.

    How rare a word is comes from the whole pool that `matches` counts. Days are those of `zone`.
    """
    asked = {stem(word): matches.frequency.get(word, 0) for word in reversed(query_words(question))}
    held = _held(asked, turns, zone)
    standing = Counter(one for own in held.values() for one in own)
    # Held by a neighbour or by the day it was said counts as held, so that more turns hold a word than have it.
    weights = {
        one: word_weight(matches.total, min(max(count, standing[one]), matches.total))
        for one, count in asked.items()
        if count or standing[one]
    }
    scale = word_share(matches.total, weights.values(), len(asked) - len(weights)) * weight
    return {
        turn_id: scale * sum(weights[one] * _saturated(count) for one, count in own.items())
        for turn_id, own in held.items()
        if own
    }


def _held(asked: Collection[str], turns: Sequence[Turn], zone: tzinfo | None) -> dict[str, dict[str, float]]:
    """By id of a turn how often it holds each word, in words of a turn of mean length."""
    said = {turn.id: _said(turn.text) for turn in turns}
    at: dict[tuple[str, int], list[str]] = defaultdict(list)
    for turn in turns:
        at[turn.session, turn.place].append(turn.id)
    short = _shortness(turns, said, at)
    lone = [one for one in asked if is_lone(one)]
    found: dict[str, dict[str, float]] = {turn.id: {} for turn in turns}
    for turn in turns:
        own = found[turn.id]
        before, behind = (at.get((turn.session, turn.place + away), ()) for away in (-1, 1))
        for one, (asks, tells) in said[turn.id].counts(asked, lone):
            own[one] = own.get(one, 0.0) + (asks + tells) * short[turn.id]
            for other in behind:
                found[other][one] = found[other].get(one, 0.0) + _ASKED_BEFORE * asks + _SAID_BEFORE * tells
            for other in before:
                found[other][one] = found[other].get(one, 0.0) + _BEHIND * (asks + tells)
        day = turn.day(zone)
        for one in _day_words(day).intersection(asked) if day else ():
            own[one] = own.get(one, 0.0) + 1.0
    return found


def _shortness(
    turns: Sequence[Turn], said: Mapping[str, _Said], at: Mapping[tuple[str, int], Sequence[str]]
) -> dict[str, float]:
    """By id how much more a word counts in a short turn than in one of mean length, those around it counted in."""
    lengths = {}
    for turn in turns:
        around = [at.get((turn.session, turn.place + away), ()) for away in (-1, 1)]
        lengths[turn.id] = 1 + said[turn.id].length + sum(said[other[0]].length for other in around if other)
    mean = sum(lengths.values()) / max(len(lengths), 1)
    return {turn_id: 1 / (1 - _BY_LENGTH + _BY_LENGTH * length / mean) for turn_id, length in lengths.items()}


def _saturated(count: float) -> float:
    return count * (_SATURATION + 1) / (count + _SATURATION)


@lru_cache(maxsize=32_768)
def _said(text: str) -> _Said:
    counts: dict[str, tuple[int, int]] = {}
    length = 0
    for sentence, asks in sentences(text):
        for word in map(stem, search_words(sentence)):
            asked, told = counts.get(word, (0, 0))
            counts[word] = (asked + asks, told + (not asks))
            length += 1
    return _Said(counts, length)


@lru_cache(maxsize=4_096)
def _day_words(day: date) -> frozenset[str]:
    """How a day is written in a question, in both languages."""
    written = f"{day:%B} {day.day} {day.year} {day.year}년 {day.month}월 {day.day}일"
    return frozenset(map(stem, search_words(written)))
