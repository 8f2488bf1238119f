"""What the weights of turns are worth on a conversation they were not chosen on.

Each weight is also tried at half and at one and a half of what it is. For each conversation the set is taken that finds
most in the others, and judged on this one: what is lost against the shipped weights is what choosing them on all gave.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from statistics import fmean
from typing import Any

from desktop_app.core.recall import turn_words, turns
from desktop_app.core.recall.values import Scored
from desktop_app.services import passage_search

DEPTHS = (5, 10)
_TRIED = (0.5, 1.5)
_WEIGHTS = (
    *((turns, name) for name in ("_WORDS_WEIGHT", "_BEFORE", "_BEFORE_ASKING", "_BEHIND", "_TWO_AWAY", "_SESSION")),
    *(
        (turns, name)
        for name in ("_LENGTH", "_ENDS_ASKING", "_ASKING", "_SPEAKER", "_DATE", "_WHEN", "_COUNT", "_PLACE")
    ),
    *((turn_words, name) for name in ("_SATURATION", "_BY_LENGTH", "_ASKED_BEFORE", "_SAID_BEFORE", "_BEHIND")),
)
Share = Callable[[int, int, Sequence[str], int], float]
"""Of a question, by conversation and place, what is found among the first of these messages, down to a depth."""
Call = tuple[Any, ...]
"""What `rank_turns` was called with; empty where a question did not come so far."""


@contextmanager
def recorded(calls: list[Call]) -> Iterator[None]:
    """Notes what turns are ranked with in the real search."""
    rank = passage_search.rank_turns

    def noting(*given: Any) -> list[Scored]:
        calls.append(given)
        return rank(*given)

    passage_search.rank_turns = noting  # type: ignore[assignment]
    try:
        yield
    finally:
        passage_search.rank_turns = rank


def left_out(conversations: Sequence[Sequence[Call]], share: Share) -> list[float]:
    """The share found at each of `DEPTHS`, over all questions; weights chosen on the other conversations."""
    tried = [_shares(conversations, share)]
    for module, name in _WEIGHTS:
        shipped = getattr(module, name)
        for factor in _TRIED:
            setattr(module, name, factor * shipped)
            tried.append(_shares(conversations, share))
        setattr(module, name, shipped)
    chosen: list[list[float]] = []
    for place in range(len(conversations)):
        best = max(tried, key=lambda shares: _worth([one for at, one in enumerate(shares) if at != place]))
        chosen += best[place]
    return [fmean(column) for column in zip(*chosen, strict=True)]


def _worth(shares: Sequence[Sequence[Sequence[float]]]) -> float:
    return fmean(fmean(row) for conversation in shares for row in conversation)


def _shares(conversations: Sequence[Sequence[Call]], share: Share) -> list[list[list[float]]]:
    """By conversation and question the share at each depth."""
    found = []
    for at, calls in enumerate(conversations):
        rows = []
        for place, call in enumerate(calls):
            ids = [one.id for one in turns.rank_turns(*call)[: max(DEPTHS)]] if call else []
            rows.append([share(at, place, ids, depth) for depth in DEPTHS])
        found.append(rows)
    return found
