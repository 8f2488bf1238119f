"""Whether a sentence of the person tells something of themselves: no supposition, no question, no report, no role.

These are signs, in English and Korean, that a fact found by a model is none. They err on the side of losing one: what
is lost can be said again, what is made up is believed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum

from desktop_app.core.lazy_pattern import lazy_pattern
from desktop_app.core.standing_rules.own_words import Sentence, sentences


class Doubt(StrEnum):
    """Why a sentence tells nothing of the person."""

    SUPPOSED = "supposed"
    ASKED = "asked"
    REPORTED = "reported"
    """It tells what others say or want."""
    ROLE = "role"
    """It tells the assistant who it is, or begins like words of a system."""


# A Korean sign is a word or an ending, never letters inside a word: what stands before and behind it is looked at too.
_FROM, _TO = r"(?<![가-힣])", r"(?![가-힣])"
_FIRST, _LAST, _FINALS = ord("가"), ord("힣"), 28


def _syllables(final: int) -> str:
    """The syllables that end in a consonant, by its place among the finals of Unicode; 0: in none."""
    return "[" + "".join(map(chr, range(_FIRST + final, _LAST + 1, _FINALS))) + "]"


_OPEN, _N, _L = _syllables(0), _syllables(4), _syllables(8)
# "If it is" follows a vowel or 이, so that 신라면 and 냉면 are food by their consonant; these are what is left of food.
_NOODLES = "".join(
    f"(?<!{food})"
    for food in ("김치", "치즈", "만두", "고추", "참깨", "카레", "오뚜기", "팔도", "사리", "미소", "봉지", "너구리")
)

_SUPPOSED = lazy_pattern(
    r"\b(?:suppos(?:e|ed|ing)|imagin(?:e|ing)|pretend|let['’]?s say|assum(?:e|ing)|hypothetical\w*|what if|"
    r"maybe|perhaps|possibly|probably|i wish|as if|thinking (?:of|about)|considering|in theory)\b"
    r"|\bwould(?:n['’]t)?\b(?!\s+(?:like|prefer|rather|love|appreciate)\b)|\b(?:could|might)\b|\bif (?:i|we|my|our)\b"
    rf"|{_FROM}(?:만약|만일(?:에|의)?{_TO}|가령{_TO}|혹시|아마(?:도|두)?요?{_TO}|가정(?:하|해(?!체))"
    r"|상상(?:을|만)?\s?(?:해\s?[보봐라]|하[고면자]))"
    rf"|(?:[가-힣]다면|{_OPEN}{_NOODLES}라면)(?=[\s,]|$)|[가-힣]지도\s?(?:모르|몰)"
    rf"|{_L}까\s?(?:봐|해{_TO}|해[서요]|하[고는]|생각|고민)"
    rf"|(?:{_OPEN}(?<![화수표라])|{_L})면[\s,].{{0,80}}"
    rf"(?:겠|{_L}\s?텐데|것 같|{_L}\s?(?:거야|거[예에]요|겁니다))",
    re.IGNORECASE,
)
# Verbs that end in 나 themselves: 만나요 tells, 있나요 asks.
_NOT_OF_ASKED = "".join(
    f"(?<!{stem})" for stem in ("만", "끝", "떠", "신", "화", "빛", "혼", "겁", "일어", "태어", "늘어", "생각", "기억")
)
_ASKED = lazy_pattern(
    r"[?？]\s*$|^\s*(?:(?:and|so|but|ok|okay|hi|hello|hey|well)[\s,]+)*(?:can|could|would|will|do|does|did|is|are|was|were|"
    r"what|when|where|who|whom|whose|which|why|how|should|may)\b(?!\s+n[o']t\b)"
    rf"|(?:{_L}까요|[가-힣]{_NOT_OF_ASKED}나요|{_N}(?<!안)가요|는지요|뭐야|뭐지|언제야|어디야|누구야|얼마야|뭐였지"
    r"|(?:뭐|무엇|무슨|어디|어떤|어떻게|누구|누가|언제|얼마|몇|왜).{0,30}더라)[\s.!~]*$",
    re.IGNORECASE,
)
_REPORTED = lazy_pattern(
    r"(?<!\bi )(?<!\bi['’]ve )\b(?:said|says|wrote|writes|claims?|claimed|insists?|insisted|argues?)\b"
    r"|\b(?:told|tells|asked|asks|ordered|orders|wants?|wanted|expects?|requires?)\s+(?:me|us|you|him|her|them)\b"
    r"|\baccording to\b|\bthe (?:article|page|e-?mail|document|file|text|log|readme|website|book) (?:is|was|has)\b"
    r"|[가-힣](?:다고|라고|자고|냐고|래고)\s*(?:했|하셨|하더|말(?:했|하|해|씀|을|이)|그[랬러]|들었|적혀|쓰여|주장|전했)"
    rf"|(?:[가-힣](?<![군십기침무시세현])대요|(?!{_L})[가-힣](?<![노빨원미고모그])래요|[가-힣]답니다"
    rf"|[가-힣](?<![바자놀])랍니다|[가-힣]다던데요?){_TO}"
    r"|에 따르면|에 의하면",
    re.IGNORECASE,
)
_ROLE = lazy_pattern(
    r"^\s*(?:system|assistant|user|human|admin|developer|important|note|instructions?|시스템|관리자|어시스턴트)\s*[:：>\]]"
    r"|^\s*(?:you are|you['’]re|you will be|you must|act as|behave as|your (?:task|role|job|name|goal|purpose)\b)"
    r"|^\s*(?:너는|넌|당신은|네 이름은|당신의 (?:역할|이름|임무))\s"
    r"|\b(?:save_memory|tool_use|system prompt|ignore (?:all|any|previous|the|your)\b.{0,30}(?:instructions|rules))",
    re.IGNORECASE,
)
_SIGNS = ((Doubt.ROLE, _ROLE), (Doubt.SUPPOSED, _SUPPOSED), (Doubt.REPORTED, _REPORTED), (Doubt.ASKED, _ASKED))
_WORD = lazy_pattern(r"\S+")
_SELF = lazy_pattern(
    r"\b(?:i|i['’](?:m|ve|d|ll)|im|me|my|mine|myself|we|we['’](?:re|ve)|our|ours|us|always|never|from now on|prefer|"
    r"call me|remember|don['’]t forget)\b|[가-힣]",
    re.IGNORECASE,
)
_ORDERED = lazy_pattern(r"(?:줘|줘요|주세요|주십시오|줄래요?|해라|하시오|부탁\S*|바랍니다)[\s.!~]*$")
_LASTING = lazy_pattern(
    r"\b(?:always|never|from now on|remember|prefer|every time|whenever)\b"
    rf"|{_FROM}(?:(?:앞으로|항상|언제나|늘상?|매번|지금부터|이제부터)(?:는|도|의)?{_TO}"
    r"|기억(?:을|에|도|만)?\s?(?:좀\s?)?(?:해|하[고도여]|남|넣|담|새|저장|부탁))",
    re.IGNORECASE,
)
_HANGUL = lazy_pattern(r"[가-힣]")
_LATIN = lazy_pattern(r"[^\W\d_]+")
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
