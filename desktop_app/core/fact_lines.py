"""Reads the facts out of a block they were told in: which ones differ between two of them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from itertools import zip_longest

_DECODER = json.JSONDecoder()


class ToldChangeKind(StrEnum):
    """What became of a fact from one block to the next; what is gone comes first, for that renews a block."""

    GONE = "gone"
    CHANGED = "changed"
    NEW = "new"


@dataclass(frozen=True, slots=True)
class ToldChange:
    """A fact that is not as it was; a value is "" where it is not told."""

    key: str
    kind: ToldChangeKind
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class FactDifference:
    """The first line that differs: the fact's key and its values there, "" where it is not told.

    `key` is None where the line is no fact but words of the program.
    """

    key: str | None
    before: str = ""
    after: str = ""


def fact_changes(before: str, after: str) -> tuple[ToldChange, ...]:
    """Every fact that differs between two blocks: those that are gone, those that changed, those that are new."""
    old, new = _told(before), _told(after)
    gone = [ToldChange(key, ToldChangeKind.GONE, was) for key, was in old.items() if key not in new]
    both = [(key, was, new[key]) for key, was in old.items() if key in new]
    changed = [ToldChange(key, ToldChangeKind.CHANGED, was, is_now) for key, was, is_now in both if was != is_now]
    came = [ToldChange(key, ToldChangeKind.NEW, "", value) for key, value in new.items() if key not in old]
    return (*gone, *changed, *came)


def first_fact(before: str, after: str) -> FactDifference:
    """What differs first between two blocks of facts that are not equal; an empty text stands for no block."""
    old, new = before.split("\n"), after.split("\n")
    told = _told(before), _told(after)
    if not before or not after:
        key = next(iter(told[0] or told[1]), None)
        return FactDifference(key, told[0].get(key or "", ""), told[1].get(key or "", ""))
    for one, other in zip_longest(old, new):
        if one != other:
            key = _behind(read_fact_line(one or ""), read_fact_line(other or ""), told)
            return FactDifference(key, told[0].get(key or "", ""), told[1].get(key or "", ""))
    return FactDifference(None)


def _told(text: str) -> dict[str, str]:
    """The facts of a block in the order of their lines."""
    return dict(filter(None, map(read_fact_line, text.split("\n"))))


def fact_lines(block: str) -> list[str]:
    """The lines of a block that tell a fact, in order."""
    return [line for line in block.split("\n") if line.startswith('- "')]


def read_fact_line(line: str) -> tuple[str, str] | None:
    """Key and value of a line of a block of facts; None for any other line."""
    if not line.startswith('- "'):
        return None
    try:
        key, end = _DECODER.raw_decode(line, 2)
        value, _ = _DECODER.raw_decode(line, end + 2)
    except ValueError:
        return None
    return (key, value) if isinstance(key, str) and isinstance(value, str) else None


def _behind(
    one: tuple[str, str] | None, other: tuple[str, str] | None, told: tuple[dict[str, str], dict[str, str]]
) -> str | None:
    """The key of the fact behind a line that differs: one that went, one that came, else the one standing there."""
    if one is not None and one[0] not in told[1]:
        return one[0]
    if other is not None:
        return other[0]
    return one[0] if one is not None else None
