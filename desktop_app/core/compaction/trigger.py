"""When folding is due, and how much stays word for word."""

from __future__ import annotations

_MOST_KEPT = 30
"""Percent of the threshold that may stay word for word: more, and the next folding would be due at once."""
_LEAST_FOLDED = 10
"""Percent of the threshold below which folding by itself gains too little for its price."""
_REST_UNDONE, _REST_VAIN = 20, 10
"""Percent the context grows meanwhile: of the threshold, and of itself."""
_NEVER_BEYOND = 90
_REAL_GAIN = 10


def threshold(window: int | None, share: int, tokens: int) -> int:
    """Tokens of context at which folding is due: `share` percent of the window, or `tokens`, whichever is smaller.

    Without a known window `tokens` alone holds.
    """
    return tokens if window is None else min(window * share // 100, tokens)


def due(used: int, limit: int) -> bool:
    """Whether a context of `used` tokens has reached the threshold."""
    return used >= limit


def most_kept(limit: int) -> int:
    """Tokens that may stay word for word under a threshold; a finished turn beyond it is folded, even the last."""
    return limit * _MOST_KEPT // 100


def least_folded(limit: int) -> int:
    """Tokens that must be there to fold before it happens by itself."""
    return limit * _LEAST_FOLDED // 100


def rests_until(at: int, limit: int, window: int | None, *, undone: bool) -> int:
    """Tokens the context must reach before it is compacted by itself again, when that came to nothing (or was taken
    back, `undone`) at `at` tokens; never beyond 0.9 of the window."""
    until = at + (limit * _REST_UNDONE if undone else at * _REST_VAIN) // 100
    return until if window is None else min(until, window * _NEVER_BEYOND // 100)


def real_gain(before: int, after: int) -> bool:
    """Whether a compaction made the context enough smaller to be worth another one."""
    return (before - after) * 100 >= before * _REAL_GAIN
