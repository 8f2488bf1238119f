"""Cuts a quoted conversation into pieces that fit a request, a message larger than that into parts of its own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from desktop_app.core.text_cut import cut_back

TokensOf = Callable[[str], int]

_ELEMENT = re.compile(r"<(?P<tag>message|part)\b(?P<given>[^>]*)>(?P<text>.*?)</(?P=tag)>", re.DOTALL)
_NUMBERED = ' part="9999 of 9999"'
_DIGIT = re.compile(r"\d")
_JOINT = 3
"""Tokens that joining texts may add: a line break, and what rounding took from each."""
_BREAKS = (
    re.compile(r"\n[ \t\r]*\n\s*"),
    re.compile(r"\n\s*"),
    re.compile(r"[.!?。！？…][\"'”’)\]]*\s+|[。！？]"),
    re.compile(r"\s+"),
)
"""Where to cut, the best first: between paragraphs, lines, sentences, words."""
_BACK = 0.3
"""How far back in a part a place to cut is looked for, as a share of it."""
_ESCAPED = "&lt;"
_FILLED = 0.97
_LEAST = 16
"""Tokens of text that must find room beside its frame."""


def cut_pieces(parts: Sequence[str], room: int, tokens_of: TokensOf) -> list[list[str]]:
    """The parts in groups of at most `room` tokens each, in order; one larger than that becomes several.

    Of a message that is cut, each part says which of how many it is, and their texts joined are the whole. It is cut
    between paragraphs, else between sentences, else anywhere but inside a character and its marks. Takes time in
    proportion to the text. Raises ValueError where `room` does not even hold a frame with a few words.
    """
    sizes = _Sizes(tokens_of)
    pieces: list[list[str]] = []
    filled = 0
    for part in parts:
        for text, tokens in _fitting(part, room, sizes):
            if not pieces or filled + tokens > room:
                pieces.append([])
                filled = 0
            pieces[-1].append(text)
            filled += tokens
    return pieces


class _Sizes:
    """Tokens of parts, of an element text and frame by themselves: what a text takes is mostly known already, for it
    was counted as a message, and frames differ by little but their numbers."""

    def __init__(self, tokens_of: TokensOf) -> None:
        self.of = tokens_of
        self._frames: dict[str, int] = {}

    def part(self, part: str) -> int:
        """Tokens of a part, no fewer than it has as one text, with the line break behind it."""
        elements = list(_ELEMENT.finditer(part))
        if not elements or len(part) - sum(len(element[0]) + 1 for element in elements) > 0:
            return self.of(part) + _JOINT
        return sum(self.of(element["text"]) + self.frame(element) for element in elements)

    def frame(self, element: re.Match[str], more: str = "") -> int:
        """Tokens of the tags around a text, with `more` attributes."""
        tags = _DIGIT.sub("9", f"<{element['tag']}{element['given']}{more}></{element['tag']}>")
        if tags not in self._frames:
            self._frames[tags] = self.of(tags) + _JOINT
        return self._frames[tags]


def _fitting(part: str, room: int, sizes: _Sizes) -> Iterator[tuple[str, int]]:
    """The part with its tokens, or the parts it must be cut into."""
    tokens = sizes.part(part)
    if tokens <= room:
        yield part, tokens
        return
    elements = list(_ELEMENT.finditer(part))
    if len(elements) > 1:
        for element in elements:
            yield from _fitting(element[0], room, sizes)
        return
    text, frame = (elements[0]["text"], sizes.frame(elements[0], _NUMBERED)) if elements else (part, _JOINT)
    if room - frame < _LEAST:
        raise ValueError(f"{room} tokens hold no part of a message")
    cut = list(_cut(text, room - frame, tokens / max(len(part), 1), sizes.of))
    for number, (piece, size) in enumerate(cut, 1):
        yield _framed(elements, piece, f"{number} of {len(cut)}"), size + frame


def _framed(elements: Sequence[re.Match[str]], piece: str, place: str) -> str:
    if not elements:
        return piece
    element = elements[0]
    return f'<{element["tag"]}{element["given"]} part="{place}">{piece}</{element["tag"]}>'


def _cut(text: str, room: int, density: float, tokens_of: TokensOf) -> Iterator[tuple[str, int]]:
    """The text in parts of at most `room` tokens with their tokens. `density`: tokens a character, to begin with."""
    start = 0
    while start < len(text):
        length = max(1, int(room * _FILLED / max(density, 1e-6)))
        while True:
            piece = text[start : _place(text, start, start + length)]
            tokens = tokens_of(piece)
            if tokens <= room or len(piece) == 1:
                break
            # Denser than what came before; shorter by at least a tenth, so that this ends.
            length = max(1, min(int(length * room * _FILLED / tokens), len(piece) * 9 // 10))
        yield piece, tokens
        density = max(tokens, 1) / len(piece)
        start += len(piece)


def _place(text: str, start: int, end: int) -> int:
    """The best place to cut at or before `end`, behind `start`."""
    if end >= len(text):
        return len(text)
    earliest = end - int((end - start) * _BACK)
    for pattern in _BREAKS:
        place = _last_break(pattern, text, earliest, end)
        if place > start:
            return place
    place = cut_back(text, end)
    escaped = text.find(_ESCAPED, max(start, place - len(_ESCAPED) + 1), place + len(_ESCAPED) - 1)
    if start < escaped < place:
        place = escaped
    return place if place > start else end


def _last_break(pattern: re.Pattern[str], text: str, earliest: int, end: int) -> int:
    """Behind the last match that ends at or before `end`; -1 where there is none. Looked for from the end backwards,
    in steps, so that a long text is not read again and again."""
    step, upper = 400, end
    while upper > earliest:
        lower = max(earliest, upper - step)
        places = [found.end() for found in pattern.finditer(text, lower, end)]
        if places:
            return places[-1]
        upper, step = lower, step * 4
    return -1
