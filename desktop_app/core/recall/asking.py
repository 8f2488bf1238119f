"""Which sentences ask, in English and Korean; Korean ones often without a question mark."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from desktop_app.core.lazy_pattern import lazy_pattern

_SENTENCE = lazy_pattern(r"(?<=[.!?。？！…])\s+|\n+")
_MARKS = "?？"
_ASKS = lazy_pattern(
    r"(언제|어디|누구|누가|뭐|뭘|뭔|무엇|무슨|어느|어떤|어떻게|어땠|왜|몇|얼마)|"
    r"\b(who|whom|whose|what|when|where|which|why|how)\b",
    re.IGNORECASE,
)
_KOREAN_ENDING = lazy_pattern(r"(?:나요|니까|는가|은가|인가|던가|가요|까요|까|냐|니|지|지요|죠|어|아|해|야|요)$")
# What stands in statements as well asks only where a word such as 언제 asks with it.
_CERTAIN = lazy_pattern(r"(?:나요|냐|[인은는던]가요?)$")
_NOUNS = ("어머니", "할머니", "아주머니", "주머니", "언니", "아니")
_FINAL_B, _FINAL_L, _FINAL_SS = 17, 8, 20


@lru_cache(maxsize=8192)
def sentences(text: str) -> tuple[tuple[str, bool], ...]:
    """The sentences of a text, each with whether it asks."""
    return tuple((one, asks(one)) for one in _SENTENCE.split(text) if one.strip())


def asks(sentence: str) -> bool:
    """Whether a sentence asks: by its mark, or by the way a Korean one ends."""
    bare = unicodedata.normalize("NFC", sentence).rstrip().rstrip(".!…~ㅋㅎ\"'”’)]* ")
    if not bare:
        return False
    if bare[-1] in _MARKS:
        return True
    return "가" <= bare[-1] <= "힣" and _korean_asks(bare)


def _korean_asks(bare: str) -> bool:
    if _CERTAIN.search(bare) or _ends_certain(bare):
        return True
    return bool(_KOREAN_ENDING.search(bare) and _ASKS.search(bare)) and not bare.endswith(_NOUNS)


def _ends_certain(bare: str) -> bool:
    """합니까, 할까(요), 했니; not 하니까, which gives a reason."""
    stem = bare.removesuffix("요")
    if len(stem) < 2 or stem.endswith(_NOUNS):
        return False
    if stem.endswith("니까"):
        return len(stem) > 2 and _final(stem[-3]) == _FINAL_B
    return (stem[-1] == "까" and _final(stem[-2]) == _FINAL_L) or (stem[-1] == "니" and _final(stem[-2]) == _FINAL_SS)


def _final(syllable: str) -> int:
    """The number of the consonant a syllable of Hangul ends with; 0 for none."""
    return (ord(syllable) - 0xAC00) % 28 if "가" <= syllable <= "힣" else 0
