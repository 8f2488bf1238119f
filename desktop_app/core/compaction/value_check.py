"""Holds a summary against what it stands for: which exact values are kept, reworded, lost, and which it invented."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property

from desktop_app.core.exact_values.borders import place_in, stands_at
from desktop_app.core.exact_values.finding import values_of
from desktop_app.core.exact_values.forms import coarser, forms, squeezed
from desktop_app.core.exact_values.kinds import ExactValue, ValueKind

_SENTENCE = 160
_LEAST_SQUEEZED = 4
_TRIES = 50
_SPELLED = frozenset(
    (
        ValueKind.PATH,
        ValueKind.URL,
        ValueKind.EMAIL,
        ValueKind.ID,
        ValueKind.CONSTANT,
        ValueKind.COMMAND,
        ValueKind.CODE,
        ValueKind.QUOTE,
        ValueKind.NAME,
    )
)
"""Kinds that are the same value however they are spaced, joined or capitalised; of a number the signs count."""
_SPELLED_ONLY = _SPELLED - {ValueKind.PATH, ValueKind.URL}
_COUNTED = frozenset((ValueKind.NUMBER, ValueKind.AMOUNT))
_LEAD = re.compile(r"[\W_]*")
_NUMBERS = re.compile(r"\d[\d,]*(?:\.\d+)?")


class Fate(StrEnum):
    """What became of a value in a summary."""

    KEPT = "kept"
    """It stands there byte for byte."""
    REWORDED = "reworded"
    """Another form of it does: another grouping, language, clock, spelling or case."""
    LOST = "lost"
    INVENTED = "invented"
    """The summary states it, and no source does in any form."""


@dataclass(frozen=True, slots=True)
class SourceText:
    """A text that leaves the context; `by` is `person`, `assistant`, `tool` or `summary` (an earlier one)."""

    text: str
    message_id: str | None = None
    by: str = "person"


@dataclass(frozen=True, slots=True)
class CheckedValue:
    """A value and its fate.

    `sentence` is at most 160 characters around it where it first stood: in its source, an invented one's in the
    summary. `found` is how a reworded one reads in the summary.
    """

    kind: ValueKind
    text: str
    fate: Fate
    message_id: str | None = None
    by: str = ""
    sentence: str = ""
    found: str = ""


class SourceValues:
    """The values of texts that leave, found once however many summaries are held against them."""

    def __init__(self, sources: Sequence[SourceText]) -> None:
        self._sources = sources

    def check(self, summary: str, claimed: str | None = None) -> tuple[CheckedValue, ...]:
        """Each distinct value of the sources once, in the order they first stand there, then what the summary
        invented: of `claimed`, the part of it that claims something of them (all by default)."""
        stated = _Stated(summary)
        checked = []
        for value in self._values:
            fate, found = stated.fate_of(value.kind, value.text)
            checked.append(value if fate is Fate.LOST else replace(value, fate=fate, found=found))
        return (*checked, *self._invented(summary if claimed is None else claimed))

    @cached_property
    def _values(self) -> tuple[CheckedValue, ...]:
        """Every value as it is where no summary tells it."""
        values: dict[str, CheckedValue] = {}
        for source in self._sources:
            for value in _telling(source.text, source.by == "summary"):
                if value.text not in values:
                    around = _sentence(source.text, value.start, value.end)
                    values[value.text] = CheckedValue(
                        value.kind, value.text, Fate.LOST, source.message_id, source.by, around
                    )
        return tuple(values.values())

    @cached_property
    def _told(self) -> _Told:
        return _Told(self._sources, self._values)

    def _invented(self, summary: str) -> Iterator[CheckedValue]:
        done = {value.text for value in self._values}
        for value in _telling(summary, True):
            if value.text in done:
                continue
            done.add(value.text)
            if not self._told.states(value):
                around = _sentence(summary, value.start, value.end)
                yield CheckedValue(value.kind, value.text, Fate.INVENTED, None, "", around)


def check_values(sources: Sequence[SourceText], summary: str) -> tuple[CheckedValue, ...]:
    """The same for a single summary."""
    return SourceValues(sources).check(summary)


def _telling(text: str, written_by_us: bool) -> Iterable[ExactValue]:
    """The values of a text; numbers and names in the headings of a summary are its own."""
    values = values_of(text)
    return [value for value in values if not _in_heading(text, value)] if written_by_us else values


def _in_heading(text: str, value: ExactValue) -> bool:
    if value.kind not in (ValueKind.NUMBER, ValueKind.NAME):
        return False
    return text.startswith("#", text.rfind("\n", 0, value.start) + 1)


class _Stated:
    """What a summary states, in all the ways it is asked for."""

    def __init__(self, summary: str) -> None:
        self._summary = summary
        self._values = values_of(summary)
        self._texts = frozenset(value.text for value in self._values)

    def fate_of(self, kind: ValueKind, text: str) -> tuple[Fate, str]:
        """Kept, reworded with how it reads, or lost."""
        if text in self._texts or place_in(self._summary, text, kind) >= 0:
            return Fate.KEPT, ""
        found = self._by_form(kind, text) or self._by_spelling(kind, text)
        return (Fate.REWORDED, found) if found else (Fate.LOST, "")

    def _by_form(self, kind: ValueKind, text: str) -> str:
        if kind in _SPELLED_ONLY or kind not in self._kinds:
            return ""
        found = [next((self._keys[key] for key in part if key in self._keys), "") for part in forms(kind, text)]
        return " … ".join(dict.fromkeys(found)) if all(found) else ""

    @cached_property
    def _kinds(self) -> frozenset[ValueKind]:
        return frozenset(value.kind for value in self._values)

    @cached_property
    def _keys(self) -> Mapping[str, str]:
        keys: dict[str, str] = {}
        for value in self._values:
            for part in forms(value.kind, value.text):
                for key in part:
                    keys.setdefault(key, value.text)
        return keys

    def _by_spelling(self, kind: ValueKind, text: str) -> str:
        if kind not in _SPELLED:
            return ""
        wanted = squeezed(text)
        if len(wanted) < _LEAST_SQUEEZED:
            return ""
        letters, places = self._squeezed
        at = letters.find(wanted)
        for _ in range(_TRIES):
            if at < 0:
                break
            start, end = places[at], places[at + len(wanted) - 1] + 1
            if stands_at(self._summary, start, end, kind):
                lead = _LEAD.match(text)[0]  # type: ignore[index]
                return self._summary[start - len(lead) if self._summary.endswith(lead, 0, start) else start : end]
            at = letters.find(wanted, at + 1)
        return ""

    @cached_property
    def _squeezed(self) -> tuple[str, list[int]]:
        """The letters and digits of the summary, and where each stands in it."""
        letters, places = [], []
        for cluster in re.finditer("[^\u0300-\u036f\u1160-\u11ff][\u0300-\u036f\u1160-\u11ff]*", self._summary):
            for char in squeezed(cluster[0]):
                letters.append(char)
                places.append(cluster.start())
        return "".join(letters), places


class _Told:
    """What the sources state, asked only for what a summary adds; of all their text, read once."""

    def __init__(self, sources: Sequence[SourceText], known: Sequence[CheckedValue]) -> None:
        self._sources = sources
        self._known = known
        self._keys: dict[ValueKind, set[str]] = {}

    def states(self, value: ExactValue) -> bool:
        """Whether any source states the value in any form."""
        kind = value.kind
        if kind is ValueKind.NUMBER and value.text.replace(",", "") in self._numbers:
            return True
        if kind is not ValueKind.NUMBER and place_in(self._whole, value.text, kind) >= 0:
            return True
        if kind is ValueKind.NUMBER and not value.text[0].isdigit() and value.text in self._whole:
            return True  # a sign that was an operator there
        if kind in _SPELLED:
            return squeezed(value.text) in self._letters or (
                kind is ValueKind.NAME and all(word in self._lower for word in value.text.lower().split())
            )
        return all(any(self._has(key, kind) for key in part) for part in forms(kind, value.text))

    def _has(self, key: str, kind: ValueKind) -> bool:
        keys = self._keys_of(kind)
        if key in keys:
            return True
        if kind is ValueKind.DATE and key.startswith("d:"):
            year, month, day = key[2:].split("-")
            dated = year != "0" and (year in self._numbers or f"d:{year}-0-0" in keys)
            return (dated and f"d:0-{month}-{day}" in keys) or (
                day != "0" and {f"d:{year}-{month}-0", f"d:0-0-{day}"} <= keys
            )
        if kind is ValueKind.DATE:
            return coarser(key)[0] in keys
        return kind in _COUNTED and any(less[2:-1] in self._numbers for less in coarser(key))

    def _keys_of(self, kind: ValueKind) -> set[str]:
        """The keys of all known values of a kind; of dates also what they say when less is told."""
        if kind not in self._keys:
            keys: set[str] = set()
            for value in self._known:
                if value.kind is kind:
                    for part in forms(kind, value.text):
                        keys |= part
                        if kind is ValueKind.DATE:
                            keys.update(less for key in part for less in coarser(key))
            self._keys[kind] = keys
        return self._keys[kind]

    @cached_property
    def _whole(self) -> str:
        return "\n".join(source.text for source in self._sources)

    @cached_property
    def _lower(self) -> str:
        return self._whole.lower()

    @cached_property
    def _letters(self) -> str:
        return squeezed(self._whole)

    @cached_property
    def _numbers(self) -> frozenset[str]:
        return frozenset(number.replace(",", "") for number in _NUMBERS.findall(self._whole))


_SENTENCE_ENDS = (". ", "? ", "! ", "\n")
_SENTENCE_END = re.compile(r"[.?!](?=\s)|\n")


def _sentence(text: str, start: int, end: int) -> str:
    """The sentence around a value, at most 160 characters, the value among them; of a longer value its beginning."""
    room = _SENTENCE - (end - start)
    if room <= 0:
        return text[start : start + _SENTENCE]
    first, last = max(start - room, 0), min(end + room, len(text))
    first = max(first, *(text.rfind(sign, first, start) + 1 for sign in _SENTENCE_ENDS))
    stop = _SENTENCE_END.search(text, end, last)
    last = stop.end() if stop else last
    if last - first > _SENTENCE:
        first = max(first, min(start - room // 2, last - _SENTENCE))
        last = min(last, first + _SENTENCE)
    return text[first:last].strip()
