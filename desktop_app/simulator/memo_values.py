"""Exact values in a sentence: paths, ids, numbers, dates, versions, commands, code and quoted words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

_MONTHS = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*"
_UNITS = (
    r"(?:(?:%|°[CF]?|[kKMGT]i?B|ms|Hz|V|W|kWh|km|cm|mm|m|kg|g|l|ml|px|dpi|EUR|USD|KRW|"
    r"seconds?|minutes?|min|hours?|h|days?|weeks?|months?|years?|tokens?|words?|euros?|dollars?|people|persons|pieces|"
    r"items?|times|rows|pages|files)(?![A-Za-z])|(?:원|만원|억|일|주|개월|월|년|시간|시|분|초|번|층|호|회|권|장|개|명|살|도|배))"
)
_NAME = "A-Za-z0-9가-힣_.@+-"
_TOOLS = "git|npm|npx|pip|uv|docker|kubectl|curl|ssh|scp|rsync|sudo|apt|brew|make|systemctl|python3?|psql|chmod"
_ORDERS = "checkout|switch|commit|push|pull|clone|install|run|add|merge|build|exec|compose|restart|status|update|-"
_ENDINGS = "(?:py|toml|json|ya?ml|md|txt|csv|log|pdf|png|jpe?g|sh|db|sqlite|zip|gz|conf|ini|html|js|ts)"
_STRONG = rf"""
    `[^`\n]+`
  | https?://[^\s<>"'”’)\]]+
  | (?<![A-Za-z0-9_.+-])[A-Za-z0-9_.+-]{{1,64}}@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+
  | "[^"\n]{{2,120}}" | “[^”\n]{{2,120}}” | ‘[^’\n]{{2,120}}’ | 「[^」\n]{{1,120}}」
  | (?<![\w/])/(?:[{_NAME}]+(?:\ [{_NAME}]+)?/)+[{_NAME}]+\.[A-Za-z0-9]{{1,5}}\b
  | (?<![\w/])(?:[A-Za-z]:\\|~/|\.{{1,2}}/|/)[{_NAME}~]+(?:[\\/][{_NAME}]+)*/?
  | (?<![\w/.-])(?:{_TOOLS})\s(?=(?:{_ORDERS})|[^\s]*[/.:=])[^\s,;"'`]+(?:\s(?![A-Z가-힣])[^\s,;"'`]+){{0,3}}
  | \b\d{{4}}-\d{{2}}-\d{{2}}(?:[T ]\d{{2}}:\d{{2}}(?::\d{{2}})?(?:\s?(?:Z|UTC|KST|CET|[+-]\d\d:?\d\d)\b)?)?
  | (?<![\w.])\d{{1,3}}(?:\.\d{{1,3}}){{3}}(?::\d{{2,5}})?(?![\w.-])
  | \d{{4}}년(?:\s?\d{{1,2}}월)?(?:\s?\d{{1,2}}일)? | \d{{1,2}}월\s?\d{{1,2}}일
  | (?:오전|오후)\s?\d{{1,2}}시(?:\s?\d{{1,2}}분)?
  | \b\d{{1,2}}\.?\s{_MONTHS}\b(?:\s\d{{4}})? | \b{_MONTHS}\s\d{{1,2}}\b(?:,?\s\d{{4}})?
  | \b\d{{1,2}}:\d{{2}}(?::\d{{2}})?(?:\s?[ap]m\b)?
  | \bv?\d+(?:\.\d+){{2,}}[A-Za-z0-9.-]* | \bv\d+(?:\.\d+)*
  | (?<![A-Za-z0-9_-])(?=[A-Za-z0-9_-]*\d)(?=[A-Za-z0-9_-]*[A-Za-z])[A-Za-z][A-Za-z0-9_-]{{2,}}
  | (?<![A-Za-z0-9_-])(?=[0-9-]*[A-Za-z])(?=[A-Za-z0-9_-]{{8,}})[0-9][A-Za-z0-9_-]+
  | (?<![\w-])\d{{2,6}}(?:-\d{{2,6}})+\b
  | [$€£¥₩]\s?\d[\d,]*(?:\.\d+)?
  | (?<![\w.])\d[\d,]*(?:\.\d+)?\s?{_UNITS}
  | (?<![A-Za-z0-9_-])[A-Za-z0-9_-]{{1,64}}\.{_ENDINGS}\b
  | (?<![A-Za-z0-9_])[A-Z][A-Z0-9]{{0,40}}_[A-Z0-9_]+\b
"""
_VALUE = re.compile(rf"(?P<strong>{_STRONG})|(?P<plain>(?<![\w.])\d[\d,]*(?:\.\d+)?)", re.VERBOSE)
_MAY_HOLD = re.compile(rf"[\d`\"“‘「/\\@_]|\.[a-z]|\b(?:{_TOOLS})\b")
_LOOSE_END = ".,;:!?"


@dataclass(frozen=True)
class Value:
    """An exact value and its place in the sentence."""

    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def exact_values(sentence: str, *, plain_numbers: bool) -> tuple[Value, ...]:
    """The values of a sentence from left to right; numbers without a unit only where they are asked for."""
    every, strong = _values(sentence)
    return every if plain_numbers else strong


@lru_cache(maxsize=50_000)
def _values(sentence: str) -> tuple[tuple[Value, ...], tuple[Value, ...]]:
    """All values of a sentence, and those that are more than a number."""
    if not _MAY_HOLD.search(sentence):
        return (), ()
    every, strong = [], []
    for match in _VALUE.finditer(sentence):
        value = Value(match.group().rstrip(_LOOSE_END), match.start())
        if value.text:
            every.append(value)
            strong += [value] if match["strong"] else []
    return tuple(every), tuple(strong)


def window(sentence: str, values: Iterable[Value], around: int) -> str:
    """The sentence cut to its values and `around` characters on both sides, at spaces; every value stays whole."""
    pieces: list[tuple[int, int]] = []
    for value in values:
        start, end = _widened(sentence, value, around)
        if pieces and start <= pieces[-1][1] + 1:
            pieces[-1] = (pieces[-1][0], max(end, pieces[-1][1]))
        else:
            pieces.append((start, end))
    text = " … ".join(sentence[start:end].strip() for start, end in pieces)
    before = "… " if pieces and sentence[: pieces[0][0]].strip() else ""
    after = " …" if pieces and sentence[pieces[-1][1] :].strip(" .") else ""
    return before + text + after


def _widened(sentence: str, value: Value, around: int) -> tuple[int, int]:
    start, end = max(value.start - around, 0), min(value.end + around, len(sentence))
    if start > 0:
        space = sentence.find(" ", start, value.start)
        start = value.start if space < 0 else space + 1
    if end < len(sentence):
        space = sentence.rfind(" ", value.end, end)
        end = value.end if space < 0 else space
    return start, end
