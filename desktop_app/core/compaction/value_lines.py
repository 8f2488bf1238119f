"""Lost exact values as lines behind a summary: within a budget, most needed first, each with the words around it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from desktop_app.core.compaction.list_items import item_text
from desktop_app.core.exact_values.borders import place_in

if TYPE_CHECKING:
    from desktop_app.core.compaction.value_check import CheckedValue

TokensOf = Callable[[str], int]

JOINED_BY = " · "
_LINE = 200
"""Characters of a line of bare values."""
_AROUND = 50
"""Characters on each side of a value where the whole sentence does not fit."""
_WHOLE = 160
_BY = {"person": 0, "summary": 1, "assistant": 2, "tool": 3}
_KINDS = (
    ("id", "path", "command", "amount", "url", "email", "host", "phone", "constant", "code"),
    ("version", "date", "quote", "name"),
    ("number",),
)
_RANK = {kind: rank for rank, kinds in enumerate(_KINDS) for kind in kinds}
_BREAK = re.compile(r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_MARKED = re.compile(r"^\s*(?:(?:[-*•+>]|#{1,6}|\d{1,2}[.)])\s+)+")
"""What marks a line of a list, a heading or a quotation in the text a sentence comes from."""
_BORDERS = " \t\n()[]{}<>\"'“”‘’「」『』,;:!?|…"
_BORDER = frozenset(_BORDERS)
_WORDS = re.compile(f"[^{re.escape(_BORDERS)}]+")


@dataclass(slots=True)
class _Entry:
    """A value that fits: alone on no line of its own yet, or with `line`, the words around it."""

    value: CheckedValue
    line: str = ""


def value_lines(
    values: Sequence[CheckedValue], budget: int, tokens_of: TokensOf
) -> tuple[tuple[str, ...], tuple[CheckedValue, ...]]:
    """The lines to append, and the values that did not fit, in their order.

    All lines together, written as list items, have at most `budget` tokens by `tokens_of`. Values of the person come
    before those of the assistant and of tools, ids, paths, commands and amounts before plain numbers. Each stands there
    to the byte; where there is room, with the sentence it stood in, else several on a line.
    """
    ordered = sorted(values, key=lambda value: (_BY.get(value.by, 2), _RANK.get(value.kind, 1)))
    room = budget
    while True:
        entries = _fitting(ordered, room, tokens_of)
        lines = _written(entries)
        over = tokens_of(_as_items(lines)) - budget if lines else 0
        if over <= 0:
            break
        room -= over  # pieces of a text rarely add up to the whole
    fit = {id(entry.value) for entry in entries}
    return lines, tuple(value for value in values if id(value) not in fit)


def _fitting(ordered: Sequence[CheckedValue], room: int, tokens_of: TokensOf) -> list[_Entry]:
    """As many values as fit, the first ones with as much of their sentence as fits then."""
    entries: list[_Entry] = []
    costs: list[int] = []
    for value in ordered:
        cost = tokens_of(_as_items((value.text,))) if _alone(value.text) else tokens_of(JOINED_BY + value.text)
        if cost <= room:
            entries.append(_Entry(value))
            costs.append(cost)
            room -= cost
    covered = _Lines()
    for entry, cost in zip(entries, costs, strict=True):
        if known := covered.first_with(entry.value):
            entry.line = known
            room += cost
            continue
        for line in _around(entry.value):
            more = tokens_of(f"- {line}\n") - cost
            if more <= room:
                entry.line = line
                covered.add(line)
                room -= more
                break
    return entries


class _Lines:
    """Lines by the words in them: where a value stands by itself its words do, so few lines need a closer look."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._by_word: dict[str, list[str]] = {}

    def add(self, line: str) -> None:
        self._lines.append(line)
        for word in set(_WORDS.findall(line)):
            self._by_word.setdefault(word, []).append(line)

    def first_with(self, value: CheckedValue) -> str:
        """The first line in which a value stands by itself, 122 not in 10,122,750; empty where there is none."""
        words = _WORDS.findall(value.text)
        lines = min((self._by_word.get(word, []) for word in words), key=len) if words else self._lines
        alone = (line for line in lines if _stands_in(value.text, line))
        return next((line for line in alone if place_in(line, value.text, value.kind) >= 0), "")


def _around(value: CheckedValue) -> Iterator[str]:
    """The value with the words around it, the longest first; nothing where its sentence tells no more than itself."""
    before, found, after = value.sentence.partition(value.text)
    if not found or _alone(value.text) or JOINED_BY in value.sentence:
        return
    before, after = _MARKED.sub("", _one_line(before)), _one_line(after)
    if len(value.sentence) >= _WHOLE - 10 or value.sentence.startswith("…") or value.sentence.endswith("…"):
        before, after = _without_first(before.lstrip("…")), _without_last(after.rstrip("…"))
    if not (before + after).strip(" .,;:!?。"):
        return
    whole = f"{before.lstrip()}{found}{after.rstrip()}"
    yield whole
    if len(whole) > len(found) + 2 * _AROUND:
        near = _without_first(before[-_AROUND:]) if len(before) > _AROUND else before
        far = _without_last(after[:_AROUND]) if len(after) > _AROUND else after
        yield f"{near.lstrip()}{found}{far.rstrip()}"


def _one_line(text: str) -> str:
    """White space as single spaces, those at the ends included: a value is told from the word beside it by them."""
    return re.sub(r"\s+", " ", text)


def _without_first(text: str) -> str:
    """Without the word that was cut through at the beginning."""
    return text.partition(" ")[2] if " " in text else ""


def _without_last(text: str) -> str:
    """Without the word that was cut through at the end."""
    return text.rpartition(" ")[0]


def _stands_in(value: str, line: str) -> bool:
    """Whether a value stands in a line by itself, not as a part of something longer."""
    place = line.find(value)
    while place >= 0:
        end = place + len(value)
        if (place == 0 or line[place - 1] in _BORDER) and (end == len(line) or line[end] in _BORDER):
            return True
        place = line.find(value, place + 1)
    return False


def _alone(text: str) -> bool:
    """Whether a value of several lines, or with white space at its ends, needs a place of its own."""
    return _BREAK.search(text) is not None or text != text.strip()


def _written(entries: Sequence[_Entry]) -> tuple[str, ...]:
    """Sentences first, in order, then bare values joined on lines, then those of several lines."""
    lines = dict.fromkeys(entry.line for entry in entries if entry.line)
    bare = [entry.value.text for entry in entries if not entry.line]
    joined: list[str] = []
    for text in (text for text in bare if not _alone(text)):
        if joined and len(joined[-1]) + len(text) <= _LINE:
            joined[-1] += JOINED_BY + text
        else:
            joined.append(text)
    return (*lines, *joined, *(text for text in bare if _alone(text)))


def _as_items(lines: Sequence[str]) -> str:
    return "\n".join(map(item_text, lines))
