"""Secrets in long texts: how many one seems to hold, and a piece of one without them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from desktop_app.core.secrets.fact_text import Find
from desktop_app.core.secrets.kinds import Secret, SecretKind
from desktop_app.core.secrets.masking import masked

_AT_ONCE = 20_000
"""Characters: what is looked at without a break, for while it lasts nothing else of the process runs."""
_AROUND = 200
"""Characters beside a piece that may hold the label of what stands in it, or the rest."""
_LONGEST_BLOCK = 8_000
"""Characters of a private key with its first and last line."""
_BEGINS = "-----BEGIN "


def count_secrets(text: str, find: Find) -> Mapping[SecretKind, int]:
    """By kind how many, each only as often as it stands there; slow for a long text, so call it in a thread."""
    return Counter(secret.kind for piece in _pieces(text) for secret in find(piece))


def masked_piece(text: str, start: int, end: int, find: Find) -> str:
    """Characters `start` up to `end` of a text, its secrets masked, also such as a border cuts."""
    begin = text.rfind(_BEGINS, max(0, start - _LONGEST_BLOCK), end)
    first, last = max(0, start - _AROUND), end + _AROUND
    if begin >= 0:
        first, last = min(first, begin), end + _LONGEST_BLOCK
    around = text[first:last]
    inside = [
        Secret(max(one.start + first, start) - start, min(one.end + first, end) - start, one.kind)
        for one in find(around)
        if one.end + first > start and one.start + first < end
    ]
    return masked(text[start:end], inside)


def _pieces(text: str) -> Iterator[str]:
    """The text in pieces that end with a line wherever they can."""
    at = 0
    while at < len(text):
        end = min(at + _AT_ONCE, len(text))
        if end < len(text) and (line := text.rfind("\n", at, end)) > at:
            end = line + 1
        yield text[at:end]
        at = end
