"""The first difference of two texts: where it is, and the line around it in each."""

from __future__ import annotations

from dataclasses import dataclass

_SHOWN = 160
"""Most characters of a line that are shown."""
_AHEAD = 60
"""Characters shown before the difference where a line is cut."""


@dataclass(frozen=True, slots=True)
class TextDifference:
    """`at` counts characters; `before` and `after` are the lines there, empty where there is none."""

    at: int
    before: str
    after: str


def first_difference(before: str, after: str) -> TextDifference:
    """The first difference of two texts that are not equal."""
    at = _shared(before, after)
    old, new = _line(before, at), _line(after, at)
    if old == new:
        # One text goes on where the other ends: what it adds is the line below.
        old, new = (_line(text, at + 1) if len(text) > at else "" for text in (before, after))
    return TextDifference(at, old, new)


def bytes_shared(before: str, after: str) -> int:
    """Bytes both begin with in UTF-8."""
    return len(before[: _shared(before, after)].encode())


def cut(text: str, at: int = 0) -> str:
    """A line around a place, short enough to be shown."""
    if len(text) <= _SHOWN:
        return text
    start = max(0, min(at - _AHEAD, len(text) - _SHOWN))
    shown = text[start : start + _SHOWN]
    return ("…" if start else "") + shown + ("…" if start + _SHOWN < len(text) else "")


def _line(text: str, at: int) -> str:
    start = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at)
    return cut(text[start : len(text) if end < 0 else end], at - start)


def _shared(before: str, after: str) -> int:
    """Characters both begin with; halving spares a walk over long texts letter by letter."""
    low, high = 0, min(len(before), len(after))
    while low < high:
        middle = (low + high + 1) // 2
        if before[low:middle] == after[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
