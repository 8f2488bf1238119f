"""Exact values of a text: what a summary must not change, from paths and ids to quotations and names."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from desktop_app.core.exact_values.commands import commands
from desktop_app.core.exact_values.kinds import ExactValue, Span, ValueKind
from desktop_app.core.exact_values.names import constants, flags_and_words_of_code, korean_names, latin_names
from desktop_app.core.exact_values.numbers import values_with_digit
from desktop_app.core.exact_values.places import places
from desktop_app.core.exact_values.quotes import code_lines, fences, quotes
from desktop_app.core.lazy_pattern import lazy_pattern

__all__ = ["ExactValue", "ValueKind", "find_values"]

_CACHED_TEXTS = 16384
_ODD = lazy_pattern("[！-～−‐‑\u00a0\u202f\u2007\u2009]")
_PLAIN = {"−": "-", "‐": "-", "‑": "-", "\u00a0": " ", "\u202f": " ", "\u2007": " ", "\u2009": " "}
_JOINING = lazy_pattern("[\u0300-\u036f\u1160-\u11ff]")
_CLUSTER = lazy_pattern("[^\u0300-\u036f\u1160-\u11ff][\u0300-\u036f\u1160-\u11ff]+")
_DIGIT = lazy_pattern("[0-9]")
_PLACE = lazy_pattern(r"[/\\@]|\.[a-z0-9]")
_HANGUL = lazy_pattern("[가-힣]")
_MARK = lazy_pattern("[`~\"'“‘„「『«《〈]")


def find_values(text: str) -> list[ExactValue]:
    """All exact values in order, none overlapping another: of two the longer stands, with what it contains.

    Composed and decomposed Hangul and accents, full-width signs and typographic minus are read alike; `text` of each
    value is the slice of what was given.
    """
    return list(values_of(text))


@lru_cache(maxsize=_CACHED_TEXTS)
def values_of(text: str) -> tuple[ExactValue, ...]:
    """The same, remembered by text."""
    composed, back = _composed(text)
    spans = _longest(_spans(_ODD.sub(_plain, composed) if not composed.isascii() else composed))
    if back is None:
        return tuple(ExactValue(kind, text[start:end], start, end) for start, end, kind in spans)
    found = []
    for first, last, kind in spans:
        start, end = back(first), back(last)
        found.append(ExactValue(kind, text[start:end], start, end))
    return tuple(found)


def _plain(found: re.Match[str]) -> str:
    char = found[0]
    return _PLAIN.get(char) or chr(ord(char) - 0xFEE0)


def _composed(text: str) -> tuple[str, Callable[[int], int] | None]:
    """The text in NFC, and what leads a place in it back to the one in the given text; None where nothing changed."""
    if text.isascii() or not _JOINING.search(text) or not _CLUSTER.search(text):
        return text, None
    starts, shifts, pieces = [0], [0], []
    place = shift = 0
    for found in _CLUSTER.finditer(text):
        short = unicodedata.normalize("NFC", found[0])
        if len(short) == len(found[0]):
            continue
        pieces += [text[place : found.start()], short]
        place = found.end()
        shift += len(found[0]) - len(short)
        starts.append(place - shift)
        shifts.append(shift)
    pieces.append(text[place:])
    return "".join(pieces), lambda at: at + shifts[bisect_right(starts, at) - 1]


def _spans(text: str) -> list[Span]:
    """What each finder that has anything to look for finds; most short texts need few of them."""
    found = [*latin_names(text), *flags_and_words_of_code(text), *commands(text)]
    if _DIGIT.search(text):
        found += values_with_digit(text)
    if _PLACE.search(text):
        found += places(text)
    if "_" in text:
        found += constants(text)
    if _HANGUL.search(text):
        found += korean_names(text)
    if not _MARK.search(text):
        return found
    return found + _told_apart([*quotes(text), *code_lines(text, fences(text))], found)


def _told_apart(set_apart: Iterable[Span], found: Sequence[Span]) -> list[Span]:
    """What is set apart, without what is wholly another value: that one says better what it is."""
    whole = {(start, end) for start, end, _ in found}
    return [span for span in set_apart if span[:2] not in whole]


def _longest(spans: list[Span]) -> list[Span]:
    """Of overlapping spans the longest, then the earliest; in order."""
    spans.sort()
    kept: list[Span] = []
    group: list[Span] = []
    reach = -1
    for span in spans:
        if span[0] >= reach and group:
            kept += group if len(group) == 1 else _resolved(group)
            group = []
        group.append(span)
        reach = max(reach, span[1]) if len(group) > 1 else span[1]
    return kept + (group if len(group) < 2 else _resolved(group))


def _resolved(group: list[Span]) -> list[Span]:
    kept: list[Span] = []
    for span in sorted(group, key=lambda span: (span[0] - span[1], span[0])):
        if all(span[1] <= other[0] or span[0] >= other[1] for other in kept):
            kept.append(span)
    return sorted(kept)
