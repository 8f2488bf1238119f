"""Two texts compared line by line: all of it, or the line of each where they first differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum

from desktop_app.core.text_difference import first_difference

_MOST_PAIRS = 1_000_000
"""Lines of one text times lines of the other, where they differ, beyond which no line is sought in the other."""


class LineSign(StrEnum):
    """What became of a line."""

    SAME = "="
    GONE = "−"
    NEW = "+"


@dataclass(frozen=True, slots=True)
class DiffLine:
    """A line of one text or of both, without its break."""

    sign: LineSign
    text: str


def diff_lines(before: str, after: str) -> list[DiffLine]:
    """Every line of both in order; of lines that differ first those that went, then those that came."""
    old, new = _lines(before), _lines(after)
    start = _equal(old, new)
    end = _equal(old[start:][::-1], new[start:][::-1])
    return [
        *(DiffLine(LineSign.SAME, line) for line in old[:start]),
        *_differing(old[start : len(old) - end], new[start : len(new) - end]),
        *(DiffLine(LineSign.SAME, line) for line in old[len(old) - end :]),
    ]


def first_lines(before: str, after: str) -> list[DiffLine]:
    """The line of each text where they first differ, cut around the difference; empty for equal texts.

    Where one text has no line there the other's stands alone.
    """
    if before == after:
        return []
    found = first_difference(before, after)
    lines = (DiffLine(LineSign.GONE, found.before), DiffLine(LineSign.NEW, found.after))
    # A blank line more or less has nothing to show; all lines do.
    return [line for line in lines if line.text] or diff_lines(before, after)


def _equal(one: Sequence[str], other: Sequence[str]) -> int:
    """How many lines both begin with."""
    least = min(len(one), len(other))
    return next((place for place in range(least) if one[place] != other[place]), least)


def _lines(text: str) -> list[str]:
    return text.split("\n") if text else []


def _differing(old: Sequence[str], new: Sequence[str]) -> Iterator[DiffLine]:
    if len(old) * len(new) > _MOST_PAIRS:
        yield from (DiffLine(LineSign.GONE, line) for line in old)
        yield from (DiffLine(LineSign.NEW, line) for line in new)
        return
    for kind, from_old, to_old, from_new, to_new in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            yield from (DiffLine(LineSign.SAME, line) for line in old[from_old:to_old])
            continue
        yield from (DiffLine(LineSign.GONE, line) for line in old[from_old:to_old])
        yield from (DiffLine(LineSign.NEW, line) for line in new[from_new:to_new])
