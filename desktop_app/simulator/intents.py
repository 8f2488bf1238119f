"""What the user's words are: a greeting, thanks, a statement, a question, a wish for a long text, code or the rest."""

from __future__ import annotations

import re

GREETING = re.compile(
    r"^\s*(?:hi|hello|hey|good (?:morning|evening|afternoon)|안녕\S*|반가\S*)(?: there| claude)?[\s!.,~?]*$|"
    r"\bwho are you\b|(?:넌|너는|당신은)\s*누구",
    re.IGNORECASE,
)
THANKS = re.compile(
    r"^\s*(?:thanks|thank you|ok|okay|great|good|고마\S*|감사\S*|좋아\S*|네|응)[\s!.,~]*$", re.IGNORECASE
)
PLAIN_CONTINUE = re.compile(r"^\s*(?:please )?(?:continue|go on|계속\S*|이어서)[\s.!…]*$", re.IGNORECASE)
CODE = re.compile(
    r"\bshow me (?:some |the )?code\b|코드\S*\s?(?:\S+\s)?(?:보여|써|짜|작성|줘|주세요)|예시 코드|^\s*코드\S*[\s.!?]*$",
    re.IGNORECASE,
)
_CONTINUE = re.compile(r"\b(?:continue|go on|keep going|carry on)\b|계속|이어서|이어\s", re.IGNORECASE)
_LONGEST_CONTINUE = 120  # characters of a message that asks for the rest of a cut answer
_LONG = re.compile(
    r"\bwrite\b\D{0,40}?(?P<a>\d[\d,]*)[\s-]*(?P<ua>words?|paragraphs?)|"
    r"(?:\blong answer\b|긴 글|긴 답\S*)(?:\D{0,20}?(?P<b>\d[\d,]*)\s*(?P<ub>words?|paragraphs?|단어|문단)?)?|"
    r"(?<!\d)(?P<c>\d[\d,]{0,9})\s*(?P<uc>단어|문단)\D{0,30}(?:써|쓰|작성)",
    re.IGNORECASE,
)
_USUAL_LENGTH = 200  # words
_LONGEST = 100_000  # words
_STATEMENT = re.compile(
    r"^\s*(?:please )?remember\b|^\s*(?:my|our|i|i'm|we)\b|^[\w\s'’,-]{1,80}\b(?:is|are|was|were|lives?|likes?)\b|"
    r"기억해|^\s*(?:내|제|나는|저는|우리)\s|[가-힣](?:다|야|어|요|해|아)[\s.!]*$",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    r"[?？]\s*$|^\s*(?:what|when|where|who|whom|whose|which|why|how|do|does|did|is|are|was|were|can|could|tell|list)\b|"
    r"(?:까요?|나요|가요|뭐야|뭐지|언제야|어디야|누구야|얼마야|뭐였지|였지|더라)[\s.?!]*$|"
    r"(?:알려|말해|보여|찾아|설명해|써|해)\s?(?:줘|주세요|줄래)\S*[\s.?!]*$",
    re.IGNORECASE,
)
_ORDER = re.compile(
    r"[?？]\s*$|^\s*(?:please )?(?:tell me|show me|list|what|when|where|who|whose|which|why|how|use the|call the)\b|"
    r"(?:까요|나요|뭐야|뭐지|언제야|어디야|누구야|얼마야|뭐였지)[\s.!]*$|"
    r"(?:알려|말해|보여|찾아|설명해|계산해)\s?(?:줘|주세요)\S*[\s.!]*$",
    re.IGNORECASE,
)


def is_statement(words: str) -> bool:
    """Whether the user tells something and asks nothing."""
    return bool(_STATEMENT.search(words)) and not _QUESTION.search(words)


def is_question(words: str) -> bool:
    """Whether the user asks something."""
    return bool(_QUESTION.search(words))


def tells_nothing(sentence: str) -> bool:
    """Whether a sentence of the user only asks or orders, so that no answer can be taken from it."""
    return bool(_ORDER.search(sentence) or _LONG.search(sentence) or CODE.search(sentence))


def wants_rest(words: str) -> bool:
    """Whether the user asks for the rest of a cut answer."""
    return len(words) <= _LONGEST_CONTINUE and bool(_CONTINUE.search(words))


def wanted_length(words: str) -> int | None:
    """The words (number of them) of the long text the user asks for; None where none is asked for."""
    wanted = _LONG.search(words)
    if wanted is None:
        return None
    given = next((wanted[name] for name in "abc" if wanted[name]), str(_USUAL_LENGTH))
    unit = next((wanted[name] for name in ("ua", "ub", "uc") if wanted[name]), "").lower()
    return min(int(given.replace(",", "")) * (50 if unit in ("paragraph", "paragraphs", "문단") else 1), _LONGEST)
