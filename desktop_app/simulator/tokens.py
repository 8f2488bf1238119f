"""A deterministic tokeniser: different rates per script, merges across borders, never additive over blocks.

Text is cut into pieces (words with the space before them, digit groups, punctuation and whitespace runs, ...), each
with a cost that depends on the whole piece. Where two texts meet, the pieces at the seam are counted again as
one, so the sum of two counts is not the count of the sum.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from functools import lru_cache

PIECE = re.compile(
    r"""
      \ ?[A-Za-z]+(?:'[a-z]{1,2}\b)?
    | \ ?[\uac00-\ud7a3]+
    | \ ?[0-9]{1,3}
    | [\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+
    | \ ?[!-/:-@\[-`{-~]+
    | \ ?[^\W\d_A-Za-z\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7a3]+
    | [\r\n]+[\ \t]*
    | [\ \t]+
    | .
    """,
    re.VERBOSE | re.DOTALL,
)
SEAM = 32  # characters on each side of a border that are looked at again


def _jitter(piece: str) -> float:
    """A fixed fraction in [0, 1) per piece, so that equally long words do not all cost the same."""
    return (zlib.crc32(piece.encode("utf-8", "surrogatepass")) & 0xFF) / 256


@lru_cache(maxsize=200_000)
def piece_cost(piece: str) -> int:
    """Tokens of one piece of `PIECE`."""
    bare = piece.lstrip(" ") or piece
    first = bare[0]
    if first.isascii():
        return _ascii_cost(piece, bare, first)
    if "\uac00" <= first <= "\ud7a3":
        return max(1, int(len(bare) / 1.38 + _jitter(bare)))
    if "\u3040" <= first <= "\u9fff" or "\uf900" <= first <= "\ufaff":
        return max(1, int(len(bare) / 1.15 + _jitter(bare)))
    if bare.isalpha():
        return max(1, int(len(bare) / 2.4 + _jitter(bare)))
    return 1 if len(bare.encode("utf-8", "surrogatepass")) < 4 else 2


def _ascii_cost(piece: str, bare: str, first: str) -> int:
    size = len(bare)
    if first.isalpha():
        if size > 3 and bare.isupper():
            return -(-size // 3)
        return 1 if size <= 4 else int(1 + (size - 4) / 4.5 + _jitter(bare.lower()) * 0.95)
    if first.isdigit():
        return 1
    if first in "\r\n":
        return 1 + (piece.count("\n") - 1) // 3 + (len(piece) - piece.count("\n")) // 9
    if first.isspace():
        return 1 + (size - 1) // 8
    return 1 + (size - 1) // 3


@lru_cache(maxsize=20_000)
def count_text(text: str) -> int:
    """Tokens of a text alone."""
    return sum(piece_cost(piece) * times for piece, times in Counter(PIECE.findall(text)).items())


@lru_cache(maxsize=50_000)
def _seam(left: str, right: str) -> int:
    return count_text(left + right) - count_text(left) - count_text(right)


def seam(left: str, right: str) -> int:
    """How many tokens the count of `left + right` differs from the sum of both (usually ≤ 0)."""
    return _seam(left[-SEAM:], right[:SEAM])


def pieces(text: str) -> list[str]:
    """The pieces of a text in order; joined they are the text again."""
    return PIECE.findall(text)


def cut_to(text: str, limit: int) -> str:
    """The longest beginning of `text` that costs at most `limit` tokens, cut at a piece border."""
    spent = 0
    end = 0
    for piece in PIECE.finditer(text):
        spent += piece_cost(piece.group())
        if spent > limit:
            break
        end = piece.end()
    return text[:end]
