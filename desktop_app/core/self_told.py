"""Whether a sentence of the person tells something of themselves: no supposition, no question, no report, no role.

These are signs, in English and Korean, that a fact found by a model is none. They err on the side of losing one: what
is lost can be said again, what is made up is believed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum

from desktop_app.core.standing_rules.own_words import Sentence, sentences


class Doubt(StrEnum):
    """Why a sentence tells nothing of the person."""

    SUPPOSED = "supposed"
    ASKED = "asked"
    REPORTED = "reported"
    """It tells what others say or want."""
    ROLE = "role"
    """It tells the assistant who it is, or begins like words of a system."""


_SUPPOSED = re.compile(
    r"\b(?:suppos(?:e|ed|ing)|imagin(?:e|ing)|pretend|let['’]?s say|assum(?:e|ing)|hypothetical\w*|what if|"
    r"maybe|perhaps|possibly|probably|i wish|as if|thinking (?:of|about)|considering|in theory)\b"
    r"|\bwould(?:n['’]t)?\b(?!\s+(?:like|prefer|rather|love|appreciate)\b)|\b(?:could|might)\b|\bif (?:i|we|my|our)\b"
    r"|만약|만일|가령|혹시|상상|가정하|[가-힣](?:다면|라면)(?=[\s,]|$)|[가-힣]지도\s?(?:모르|몰)|아마"
    r"|[가-힣](?:까|ㄹ까)\s?(?:봐|해|하[고는]|생각|고민)|[가-힣]면[\s,].{0,80}(?:겠|텐데|것 같|거야|거예요|겁니다)",
    re.IGNORECASE,
)
_ASKED = re.compile(
    r"[?？]\s*$|^\s*(?:(?:and|so|but|ok|okay|hi|hello|hey|well)[\s,]+)*(?:can|could|would|will|do|does|did|is|are|was|were|"
    r"what|when|where|who|whom|whose|which|why|how|should|may)\b(?!\s+n[o']t\b)"
    r"|(?:까요|나요|가요|는지요|뭐야|뭐지|언제야|어디야|누구야|얼마야|뭐였지|더라)[\s.!~]*$",
    re.IGNORECASE,
)
_REPORTED = re.compile(
    r"(?<!\bi )(?<!\bi['’]ve )\b(?:said|says|wrote|writes|claims?|claimed|insists?|insisted|argues?)\b"
    r"|\b(?:told|tells|asked|asks|ordered|orders|wants?|wanted|expects?|requires?)\s+(?:me|us|you|him|her|them)\b"
    r"|\baccording to\b|\bthe (?:article|page|e-?mail|document|file|text|log|readme|website|book) (?:is|was|has)\b"
    r"|[가-힣](?:다고|라고|자고|냐고|래고)\s*(?:했|하셨|하더|말|그[랬러]|들었|적혀|쓰여|주장|전했)"
    r"|[가-힣](?:대요|래요|답니다|랍니다|다던데)"
    r"|에 따르면|에 의하면",
    re.IGNORECASE,
)
_ROLE = re.compile(
    r"^\s*(?:system|assistant|user|human|admin|developer|important|note|instructions?|시스템|관리자|어시스턴트)\s*[:：>\]]"
    r"|^\s*(?:you are|you['’]re|you will be|you must|act as|behave as|your (?:task|role|job|name|goal|purpose)\b)"
    r"|^\s*(?:너는|넌|당신은|네 이름은|당신의 (?:역할|이름|임무))\s"
    r"|\b(?:save_memory|tool_use|system prompt|ignore (?:all|any|previous|the|your)\b.{0,30}(?:instructions|rules))",
    re.IGNORECASE,
)
_SIGNS = ((Doubt.ROLE, _ROLE), (Doubt.SUPPOSED, _SUPPOSED), (Doubt.REPORTED, _REPORTED), (Doubt.ASKED, _ASKED))
_WORD = re.compile(r"\S+")
_SELF = re.compile(
    r"\b(?:i|i['’](?:m|ve|d|ll)|im|me|my|mine|myself|we|we['’](?:re|ve)|our|ours|us|always|never|from now on|prefer|"
    r"call me|remember|don['’]t forget)\b|[가-힣]",
    re.IGNORECASE,
)
_ORDERED = re.compile(r"(?:줘|줘요|주세요|주십시오|줄래요?|해라|하시오|부탁\S*|바랍니다)[\s.!~]*$")
_LASTING = re.compile(
    r"\b(?:always|never|from now on|remember|prefer|every time|whenever)\b"
    r"|앞으로|항상|언제나|늘|매번|기억|지금부터|이제부터",
    re.IGNORECASE,
)
_HANGUL = re.compile(r"[가-힣]")
_LATIN = re.compile(r"[^\W\d_]+")
_LEAST_WORDS = 3.0


def own_sentences(text: str, start: int = 0, end: int | None = None) -> Iterator[Sentence]:
    """The sentences of the person's own words that lie in a part of a message, in order."""
    places = [word.start() for word in _WORD.finditer(text, start, len(text) if end is None else end)]
    return sentences(text, places)


def doubt_of(said: str) -> Doubt | None:
    """Why a sentence, its quoted words blanked, tells nothing of the person; None where nothing speaks against it."""
    return next((doubt for doubt, sign in _SIGNS if sign.search(said)), None)


def tells_of_self(said: str) -> bool:
    """Whether a sentence may tell of the person: it names them or wishes something to last. Korean names nobody."""
    if not _SELF.search(said):
        return False
    return not (_ORDERED.search(said) and not _LASTING.search(said))


def why_nothing(text: str) -> str | None:
    """Why a message surely tells nothing of the person: `short`, `quoted`, `doubtful` or `task`; None where it may."""
    own = [sentence.said for sentence in own_sentences(text)]
    if not own:
        return "quoted" if text.strip() else "short"
    if sum(map(_words, own)) < _LEAST_WORDS:
        return "short"
    told = [said for said in own if doubt_of(said) is None]
    if not told:
        return "doubtful"
    return None if any(tells_of_self(said) for said in told) else "task"


def _words(text: str) -> float:
    """Words: a syllable of Hangul is half of one."""
    hangul = len(_HANGUL.findall(text))
    return hangul / 2 + sum(1 for word in _LATIN.findall(text) if not _HANGUL.search(word))
