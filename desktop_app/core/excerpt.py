"""The part of a text that answers a query, on one line."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from desktop_app.core.search_words import query_words
from desktop_app.core.secrets.fact_text import Find
from desktop_app.core.secrets.long_texts import masked_piece
from desktop_app.core.text_cut import cut_back

LENGTH = 300
"""Characters of an excerpt, the marks for what is left out not counted."""

_BEFORE = 60
_MOST_PIECES = 40
_MOST_PLACES = 50
_OUTER = "\"'“”‘’.,;:!?()[]{}<>…·"
_LEAST = 2
_LEAST_PLAIN = 4
_BORDER = 20
_WORD = re.compile(r"\S+")


class Excerpt(NamedTuple):
    """`text` with what was found from `start` to `end`; both 0 where only other forms of the words stand there.

    `worth` is how many letters of the query stand in it.
    """

    text: str
    start: int
    end: int
    worth: int = 0


class _Place(NamedTuple):
    start: int
    end: int
    piece: int


def excerpt_of(text: str, query: str, length: int = LENGTH) -> Excerpt:
    """At most `length` characters around the place where most of the query stands; NFC, white space as single
    spaces, `…` where something is left out."""
    return _cut(" ".join(unicodedata.normalize("NFC", text).split()), query, length)[0]


def masked_excerpt(text: str, query: str, find: Find) -> str:
    """The text of the same excerpt, its secrets masked, also such as its borders cut."""
    composed = unicodedata.normalize("NFC", text)
    words = [found.span() for found in _WORD.finditer(composed)]
    line = " ".join(composed[start:end] for start, end in words)
    excerpt, start, stop = _cut(line, query, LENGTH)
    # Looked for where they stand, for a line break tells where one ends or goes on.
    first, last = (_place_in_text(words, line, place) for place in (start, stop))
    shown = " ".join(masked_piece(composed, first, last, find).split())
    return (
        excerpt.text if shown == line[start:stop].strip() else f"{'…' * bool(start)}{shown}{'…' * (stop < len(line))}"
    )


def _place_in_text(words: Sequence[tuple[int, int]], line: str, place: int) -> int:
    """Where what stands at a place of the line stands in the text it was made of."""
    word = line.count(" ", 0, place)
    return words[word][0] + place - (line.rfind(" ", 0, place) + 1) if words else 0


def _cut(line: str, query: str, length: int) -> tuple[Excerpt, int, int]:
    """The excerpt of a line, and from where to where it was cut."""
    places = _places(line, _pieces(query))
    worths = {place: _worth(place, places, length) for place in places}
    best = max(worths, key=lambda place: (worths[place], -place.start), default=_Place(0, 0, 0))
    worth = worths.get(best, 0)
    if len(line) <= length:
        return Excerpt(line, best.start, best.end, worth), 0, len(line)
    start = _from(line, max(0, min(best.start - _BEFORE, len(line) - length)), best.start)
    stop = _to(line, min(start + length, len(line)), best.end)
    before, after = "…" if start else "", "…" if stop < len(line) else ""
    moved = len(before) - start
    found = (best.start + moved, min(best.end, stop) + moved) if best.end else (0, 0)
    return Excerpt(f"{before}{line[start:stop]}{after}", *found, worth), start, stop


def _pieces(query: str) -> list[str]:
    """The query as a whole and what stands between its spaces, each once."""
    line = " ".join(unicodedata.normalize("NFC", query).split()[:_MOST_PIECES])
    pieces = [line, *line.split()] if " " in line else [line]
    shown = dict.fromkeys(piece.strip(_OUTER) for piece in pieces)
    return [piece for piece in shown if query_words(piece)] or [piece for piece in shown if piece]


def _places(line: str, pieces: list[str]) -> list[_Place]:
    """Where the pieces stand, as much of each as can be found: its end may differ (a particle, a plural)."""
    found: list[_Place] = []
    for number, piece in enumerate(pieces):
        least = _LEAST_PLAIN if piece.isascii() else _LEAST
        for stop in range(len(piece), min(least, len(piece)) - 1, -1):
            if places := _of(line, piece[:stop], number):
                found += places
                break
    return found


def _of(line: str, piece: str, number: int) -> list[_Place]:
    found = []
    for match in re.finditer(re.escape(piece), line, re.IGNORECASE):
        found.append(_Place(*match.span(), number))
        if len(found) == _MOST_PLACES:
            break
    return found


def _worth(first: _Place, places: list[_Place], length: int) -> int:
    """How many letters of the query stand in an excerpt that has this place near its beginning."""
    stop = first.start + length - _BEFORE
    longest: dict[int, int] = {}
    for place in places:
        if first.start <= place.start and place.end <= stop:
            longest[place.piece] = max(longest.get(place.piece, 0), place.end - place.start)
    return sum(longest.values())


def _from(line: str, start: int, latest: int) -> int:
    """Where a word begins close behind `start`, at `latest` at last."""
    if not start or line[start - 1] == " ":
        return start
    border = line.find(" ", start, min(start + _BORDER, latest))
    return cut_back(line, start) if border < 0 else border + 1


def _to(line: str, stop: int, earliest: int) -> int:
    """Where a word ends close before `stop`."""
    if stop == len(line) or line[stop] == " ":
        return stop
    border = line.rfind(" ", max(stop - _BORDER, earliest), stop)
    return cut_back(line, stop) if border < 0 else border
