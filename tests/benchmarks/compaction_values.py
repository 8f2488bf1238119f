"""Exact values as this benchmark sees them, and whether one stands in a request: nothing here is the app's own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_UNITS = (
    r"%|°C|km|kg|cm|mm|GB|TB|MB|ms|am|pm|years?|months?|weeks?|days?|hours?|minutes?|seconds?|people|points|dollars|"
    r"euros?|EUR|USD|KRW|원|개월|개|명|년|월|일|시간|시|분|초|건|장|회|번"
)
_PATTERNS = (
    ("quote", r"\"(?P<quote>[^\"\n]{2,80})\"|“(?P<curly>[^”\n]{2,80})”|「(?P<corner>[^」\n]{2,80})」"),
    ("code", r"`(?P<code>[^`\n]+)`"),
    ("url", r"https?://[^\s<>\"'`)\]]*[^\s<>\"'`)\].,;:!?]"),
    ("email", r"[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}"),
    ("path", r"\b[A-Za-z]:\\[^\s\"<>|]+|(?<![\w/.])~?(?:/[\w.\-]+)+/?[\w.\-]*\w"),
    ("id", r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{8,}\b"),
    ("id", r"(?<![\w-])[A-Z][A-Z0-9]*(?:-[A-Z0-9]+)*-\d[\w-]*"),
    ("host", r"\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b|\b[a-z][\w-]*(?:\.[a-z][\w-]*)+:\d+\b"),
    ("version", r"\bv?\d+\.\d+\.\d+(?:[-+.]\w+)*\b|\bv\d+\.\d+\b"),
    ("constant", r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b"),
    ("date", rf"\b\d{{1,2}}:\d{{2}} [ap]m on \d{{1,2}} (?:{_MONTHS}), \d{{4}}\b"),
    ("date", r"\b\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2}(?::\d{2})?(?: ?(?:Z\b|[A-Z]{3,4}\b|[+-]\d{2}:\d{2}))?)?"),
    ("date", r"\b\d{4}년 \d{1,2}월(?: \d{1,2}일)?(?: (?:오전|오후) \d{1,2}시(?: \d{1,2}분)?)?"),
    ("date", rf"\b\d{{1,2}} (?:{_MONTHS})(?: \d{{4}})?\b|\b(?:{_MONTHS}) \d{{1,2}}(?:, \d{{4}})?\b"),
    ("phone", r"(?<![\w-])\+?\d{1,4}(?:[- ]\d{2,4}){2,3}(?![\w-])"),
    ("amount", r"[₩$€£]\s?\d[\d,]*(?:\.\d+)?|\b\d[\d,]*(?:\.\d+)? (?:EUR|USD|KRW)\b|\b\d[\d,]*원"),
    ("number", rf"(?<![\w.,])[-+−±]?\d+(?:[.,]\d+)*(?:(?:st|nd|rd|th|s|K|k|M)\b| ?(?:{_UNITS})(?![A-Za-z]))?"),
)
_PATTERN = re.compile("|".join(f"(?:{pattern})" for _, pattern in _PATTERNS))


def values_in(text: str) -> list[str]:
    """Every exact value of a text, in order, each once; of what is quoted or code the part between the marks."""
    return list(dict.fromkeys(filter(None, map(_value, _PATTERN.finditer(text)))))


def _value(match: re.Match[str]) -> str:
    inner = next((part for part in match.groups() if part is not None), None)
    return match[0] if inner is None else inner.strip().rstrip(".,!?")  # a sentence may end inside the marks


def stands_in(value: str, text: str) -> bool:
    """Whether a value stands in a text byte for byte and by itself: 417 does not stand in 14170 or in 417.5."""
    place = text.find(value)
    while place >= 0:
        end = place + len(value)
        if not _goes_on(value[0], text[:place][-2:][::-1]) and not _goes_on(value[-1], text[end : end + 2]):
            return True
        place = text.find(value, place + 1)
    return False


def _goes_on(edge: str, beside: str) -> bool:
    """Whether what stands beside the edge of a value (nearest letter first) belongs to the same word or number."""
    if not beside or not edge.isascii() or not edge.isalnum():
        return False
    near = beside[0]
    if near.isascii() and (near.isalnum() or near == "_"):
        return True
    return edge.isdigit() and near in ".," and beside[1:].isdigit()


def texts_of(messages: Iterable[dict[str, Any]], *, without: str = "") -> str:
    """All texts of the messages of a request body, one below the other; blocks that are `without` are left out."""
    return "\n".join(text for message in messages for text in _texts(message["content"]) if text != without)


def _texts(content: Any) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        for block in content:
            yield from _texts(block.get("text") or block.get("content") or "")
