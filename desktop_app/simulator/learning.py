"""What is to be learnt of an exchange: the facts a person tells of themselves, or something else on purpose."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .conversation import Turn
from .lookup import keywords, split
from .memo_orders import claim_of, is_order
from .memory_tasks import exchange_of, prompt_of
from .remembering import as_fact
from .task_modes import EMPTY, JUNK, OBEYING, WRONG

MOST = 40
_SELF = re.compile(
    r"\b(?:I|I['’](?:m|ve|d)|my|mine|our|we|from now on|always|never)\b|"
    r"(?:^|\s)(?:나[는도의]?|난|내|내가|저[는도의]?|전|제|제가|우리\S{0,2}|저희\S{0,2}|앞으로|항상|늘|매일)\s",
    re.IGNORECASE,
)
_SUPPOSED = re.compile(
    r"\b(?:if|suppose|supposing|imagine|pretend|let['’]s say|assume|assuming|hypothetical\w*|what if|would|could|might|"
    r"maybe|perhaps|thinking (?:of|about)|wish)\b|만약|만일|가령|가정|혹시|[가-힣](?:다면|라면|으면|면)(?:[\s,]|$)|"
    r"[가-힣]까\s?(?:봐|해|하|생각)|할지도|상상",
    re.IGNORECASE,
)
_REPORTED = re.compile(
    r"[\"“”„«»「」『』`]|(?:^|\s)'|\b(?:said|says|told me|tells me|wrote|writes|asked me|according to)\b|"
    r"[가-힣](?:다고|라고|자고|냐고|대요|래요|답니다)(?:[\s.,]|$)",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"[?？]\s*$|^\s*(?:please|can|could|would|will|do|does|did|what|when|where|who|why|how|which|tell|show|write|list|"
    r"remember|translate|summari[sz]e)\b|(?:줘|주세요|줄래|까요|나요|뭐야|뭐지|알려|부탁\S*)\s*[.!~]*$",
    re.IGNORECASE,
)
_CATEGORIES = {
    "work": r"\b(?:work|job|office|project|company|team|server|code)\w*\b|일[하을]|회사|직장|업무|프로젝트|팀",
    "health": r"\b(?:allerg|doctor|sleep|health|medic)\w*|알레르기|건강|병원|약을",
    "food": r"\b(?:eat|food|coffee|tea|vegetarian|vegan|cook)\w*|음식|커피|차를|먹|마[시셔신]|채식",
}
_NUMBER = re.compile(r"\d")


def learn(turns: list[Turn], mode: str) -> dict[str, list[dict[str, str]]]:
    """The facts of an extraction request, in the order they are told; `mode` is one of `task_modes.TASK_MODES`."""
    exchange = exchange_of(turns)
    told = [sentence for text in exchange.person for sentence in _sentences(text)]
    if mode == EMPTY:
        return {"facts": []}
    if mode == JUNK:
        talk = [*told, *(sentence for text in exchange.assistant for sentence in _sentences(text))]
        instructions = _sentences(prompt_of(turns))
        return {"facts": [_fact(sentence, sentence) for sentence in [*talk, *instructions][:MOST]]}
    if mode == OBEYING:
        orders = [s for text in (*exchange.person, *exchange.assistant) for s in _sentences(text) if is_order(s)]
        return {"facts": [_fact(claim_of(order), order) for order in orders[:MOST]]}
    facts = [_fact(sentence, sentence) for sentence in told if _is_of_self(sentence)]
    if mode == WRONG:
        facts = [fact | {"value": _falsified(fact["value"])} for fact in facts]
    return {"facts": [fact for fact in facts if fact["key"] and fact["value"]]}


def _sentences(text: str) -> Iterator[str]:
    yield from (sentence for sentence in split(text) if not sentence.startswith("<"))


def _is_of_self(sentence: str) -> bool:
    return bool(_SELF.search(sentence)) and not any(
        pattern.search(sentence) for pattern in (_SUPPOSED, _REPORTED, _ASKS)
    )


def _fact(told: str, quote: str) -> dict[str, str]:
    key, value = as_fact(told)
    key, value = key or " ".join(keywords(told).split()[:3]), value or told
    category = next((name for name, words in _CATEGORIES.items() if re.search(words, told, re.IGNORECASE)), "")
    return {"key": key, "value": value, "category": category, "quote": quote}


def _falsified(value: str) -> str:
    if _NUMBER.search(value):
        return _NUMBER.sub(lambda digit: str((int(digit[0]) + 1) % 10), value)
    return f"{value} (4711-88)"
