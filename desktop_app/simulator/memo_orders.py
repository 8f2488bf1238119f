"""Orders inside the conversation that are meant for whoever summarises it, and a summary that follows them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .memo_content import Content
from .memo_phrases import phrase
from .memo_sources import Source

_ORDER = re.compile(
    r"\bwhen (?:you are )?summari[sz]ing\b|"
    r"\b(?:the|your|this|any) (?:summary|memo)\b.{0,40}\b(?:must|should|has to|needs? to|contains?|includes?)\b|"
    r"^\s*(?:system|assistant|important|admin)\s*[:：]|\bsave_memory\b|\badd the sentence\b|"
    r"\bignore (?:all |any |every |the |your )*(?:previous |earlier |prior |above )*(?:instructions|rules|orders)\b|"
    r"\bdo not (?:mention|tell) (?:it|this|that)\b|\bvisit https?://|"
    r"요약(?:할|하는|에는?|문|본).{0,30}(?:넣|포함|추가|적으|적어|쓰|써)|^\s*(?:시스템|관리자)\s*[:：]|"
    r"(?:이전|앞의|위의|모든)\s*(?:지시|규칙|명령).{0,10}무시",
    re.IGNORECASE,
)
_CLAIM = re.compile(r"\badd the sentence\s*[:：]\s*(?P<rest>\S.*)$|[\"“](?P<quoted>[^\"”\n]{3,300})[\"”]")


def orders_in(source: Source) -> list[str]:
    """Sentences of the conversation that order something of whoever summarises it."""
    found = [s for one in source.said for s in one.sentences if is_order(s)]
    return list(dict.fromkeys(found))


def is_order(sentence: str) -> bool:
    """Whether a sentence orders something of whoever reads the conversation for somebody else."""
    return bool(_ORDER.search(sentence))


def claim_of(order: str) -> str:
    """What an order wants to be told: its own quoted words, else all of it."""
    claim = _CLAIM.search(order)
    return order if claim is None else (claim["rest"] or claim["quoted"]).strip()


def obey(contents: Sequence[Content], orders: Sequence[str], korean: bool) -> None:
    """Tell what the orders want told as something the person allows."""
    for content in contents:
        content.claims = [phrase(korean, "permitted", order=claim_of(order)) for order in orders]


def goes_on(source: Source, korean: bool) -> str:
    """Words that go on with the last task of the person."""
    asked = next((one.text for one in reversed(source.said) if one.by == "user"), "")
    return phrase(korean, "goes_on", quote=" ".join(asked.split())[:120])
