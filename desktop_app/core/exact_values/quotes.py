"""Finds what is set apart: quoted strings, code spans, the lines of fenced code."""

from __future__ import annotations

import re
from collections.abc import Iterator

from desktop_app.core.exact_values.kinds import Span, ValueKind
from desktop_app.core.lazy_pattern import lazy_pattern

LONGEST_QUOTE = 160
"""Characters of a quoted string that is still an exact value: a longer one is prose, and the values in it count."""
_LONGEST_LINE = 240
_PAIRS = {"“": "”", "「": "」", "『": "』", "«": "»", "《": "》", "„": "“", "〈": "〉"}
_PAIRED = lazy_pattern("|".join(rf"{a}[^{a}{b}\n]{{2,{LONGEST_QUOTE}}}{b}" for a, b in _PAIRS.items()))
_STRAIGHT = lazy_pattern(rf'"(?<![\w"]")(?=[^\s"])[^"\n]{{2,{LONGEST_QUOTE}}}(?<!\s)"(?![A-Za-z0-9"])(?!\s{{0,3}}:)')
_OPENED = lazy_pattern(r"'(?<![\w'’]')(?=[^\s'])|‘(?=[^\s’])")
_CLOSED = {
    "'": lazy_pattern(r"(?<!\s)'(?![A-Za-z0-9'])(?!\s{0,3}:)|\n"),
    "‘": lazy_pattern(r"(?<!\s)’(?![A-Za-z0-9])|[\n‘]"),
}
"""A closing single mark is no apostrophe: no letter follows it."""
_SPAN = lazy_pattern(rf"`(?:`([^\n]{{1,{LONGEST_QUOTE}}}?)``|([^`\n]{{1,{LONGEST_QUOTE}}})`)")
_FENCE = lazy_pattern(r"^[ \t>]{0,8}(?P<mark>`{3,}|~{3,})[ \t]*(?P<language>[\w+#.-]{0,20})[^\n`]*$", re.MULTILINE)
_SHELL_TEXT = "sh bash shell console zsh fish powershell ps1 pwsh cmd bat terminal sql mysql psql sqlite http"
_SHELL = frozenset(_SHELL_TEXT.split())
_PROMPT = lazy_pattern(r"(?:\$|%|>|PS [^>\n]{0,80}>|[\w.-]{1,40}@[\w.-]{1,40}:[^\s$#]{1,80}[$#])[ \t]+")


def fences(text: str) -> list[tuple[int, int, bool]]:
    """The insides of fenced blocks: start, end, and whether a shell's or a query's language is named."""
    blocks, opened = [], None
    for mark in _FENCE.finditer(text) if "```" in text or "~~~" in text else ():
        if opened is None:
            opened = mark
        elif mark["mark"].startswith(opened["mark"]) and not mark["language"]:
            blocks.append((opened.end(), mark.start(), opened["language"].lower() in _SHELL))
            opened = None
    if opened is not None:
        blocks.append((opened.end(), len(text), opened["language"].lower() in _SHELL))
    return blocks


def code_lines(text: str, blocks: list[tuple[int, int, bool]]) -> Iterator[Span]:
    """The lines of fenced blocks without their indentation and prompt; those that hold next to nothing are left out."""
    for start, end, shell in blocks:
        place = start
        while place < end:
            stop = text.find("\n", place, end)
            stop = end if stop < 0 else stop
            line = text[place:stop]
            first = place + len(line) - len(line.lstrip())
            last = place + len(line.rstrip())
            if shell and (prompt := _PROMPT.match(text, first, last)):
                first = prompt.end()
            if (2 if shell else 6) <= last - first <= _LONGEST_LINE and any(map(str.isalnum, text[first:last])):
                yield first, last, ValueKind.COMMAND if shell else ValueKind.CODE
            place = stop + 1


def quotes(text: str) -> Iterator[Span]:
    """The insides of code spans and of quotation marks of all kinds, without the marks; keys of JSON are none."""
    if "`" in text:
        for found in _SPAN.finditer(text):
            group = 1 if found[1] is not None else 2
            yield *_trimmed(text, *found.span(group)), ValueKind.CODE
    for pattern in (_STRAIGHT,) if text.isascii() else (_STRAIGHT, _PAIRED):
        for found in pattern.finditer(text):
            start, end = _trimmed(text, found.start() + 1, found.end() - 1)
            if end - start > 1:
                yield start, end, ValueKind.QUOTE
    yield from _single_quotes(text)


def _single_quotes(text: str) -> Iterator[Span]:
    done = 0
    for opened in _OPENED.finditer(text):
        start = opened.end()
        if start <= done:
            continue
        closed = _CLOSED[opened[0]].search(text, start, start + LONGEST_QUOTE)
        if closed is not None and closed[0] in "'’" and closed.start() - start > 1:
            done = closed.end()
            yield start, closed.start(), ValueKind.QUOTE


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    if start < end and not (text[start].isspace() or text[end - 1].isspace()):
        return start, end
    inside = text[start:end]
    return start + len(inside) - len(inside.lstrip()), end - len(inside) + len(inside.rstrip())
