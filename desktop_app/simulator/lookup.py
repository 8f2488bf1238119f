"""Finding the sentence of the request that answers a question, by weighted word overlap."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from .intents import tells_nothing
from .passages import Passage

ENOUGH = 0.44  # share of the question's weight a sentence must cover
ASSISTANT_SHARE = 0.85  # its own earlier words count a little less than what it was told
KEY_COVERED = 0.6  # least score of a fact when every word of its key stands in the question
_TITLES = "".join(rf"(?<!\b{title}\.)" for title in ("Dr", "Mr", "Mrs", "Ms", "No", "vs", "e.g", "i.e"))
SENTENCE = re.compile(rf"(?<=[.!?。！？]){_TITLES}[\"'”’)\]]*\s+|\n+")
_WORD = re.compile(r"[A-Za-zÀ-ɏ]+|[가-힣]+|\d+|[\u3040-\u30ff\u3400-\u9fff]+")
_ENGLISH_STOPS = (
    "a an and are as at be been by can could did do does for from had has have he her his how i if in is it its me "
    "my of on or our please remind say said she so tell that the their them they this to told us was we were what "
    "when where which who whom whose why will with would you your about again know remember there any anything "
    "something mine ever also just call called"
)
_KOREAN_STOPS = (
    "나 내 내가 나의 나는 제 제가 저 저는 저의 너 네 당신 우리 그 이 것 거 게 건 뭐 뭐야 뭐지 뭐였지 무엇 뭔가요 "
    "무엇인가요 무슨 어떤 언제 어디 어디야 누구 누구야 왜 어떻게 얼마 몇 알려 알려줘 알려주세요 말해 말해줘 말했 "
    "기억 기억해 기억나 있 있어 있나요 있지 이야 야 인가 인가요 입니까 였지 였더라 했지 했더라 하는 한 할 해 좀 "
    "다시 혹시 대해 대해서 관해 라고 다고 그럼 그리고"
)
_STOP = frozenset(_ENGLISH_STOPS.split())
_STOP_KOREAN = frozenset(_KOREAN_STOPS.split())
_PARTICLES = re.compile(
    r"(?<=[가-힣])(?:에서는|에게서|으로는|이라고|이에요|이었지|이었어|입니다|입니까|인가요|이라는|까지|부터|에서|에게|한테|으로|"
    r"이랑|처럼|보다|라는|이다|이고|이야|예요|에요|였어|이지|은|는|이|가|을|를|의|에|도|로|와|과|랑|만|야|께|요|지)$"
)
_ASKING = re.compile(r"언제|어디|누구|무엇|뭐|얼마|어떻|어떤|무슨|알려|말해")
_CORRECTED = re.compile(r"\b(?:now|no longer|instead|changed|anymore)\b|이제|더 이상|바꿨|바뀌|말고", re.IGNORECASE)
_DOUBT = re.compile(r"I do not know|nothing in this request|모릅니다|적혀 있지 않습니다", re.IGNORECASE)


@dataclass(frozen=True)
class Finding:
    """A sentence, where it stands and how much of the question it covers (0 to 1)."""

    sentence: str
    passage: Passage
    score: float


def find(question: str, passages: Iterable[Passage]) -> Finding | None:
    """The best sentence for a question; None where nothing fits well.

    Of equally good ones a long-term fact or a correction by the user wins, then the later.
    """
    asked = set(terms(question))
    if not asked:
        return None
    known = [(sentence, passage, set(terms(sentence))) for passage in passages for sentence in _told(passage)]
    spread = Counter(term for _, _, own in known for term in own & asked)
    weight = {term: _weight(term) * (1 + math.log(1 + len(known) / (1 + spread[term]))) for term in asked}
    whole = sum(weight.values())
    best: tuple[float, bool, Finding] | None = None
    for sentence, passage, own in known:
        share = sum(weight[term] for term in asked & own) / whole
        score = round(share * (ASSISTANT_SHARE if passage.origin == "assistant" else 1.0), 9)
        if passage.key and (named := set(terms(passage.key))) and named <= asked:
            score = max(score, KEY_COVERED)
        firm = passage.kept or (passage.origin == "user" and bool(_CORRECTED.search(sentence)))
        if score >= ENOUGH and (best is None or (score, firm) >= best[:2]):
            best = (score, firm, Finding(sentence.strip(), passage, score))
    return best[2] if best else None


def _told(passage: Passage) -> list[str]:
    """The sentences of a passage that tell something; a fact is one sentence, whatever stands in it."""
    if passage.key:
        return [passage.text]
    own = passage.origin == "user"
    return [sentence for sentence in split(passage.text) if _tells(sentence) and not (own and tells_nothing(sentence))]


def keywords(text: str) -> str:
    """The words of a text that carry its meaning, as they stand there, Korean ones without their particles."""
    found = []
    for word in _WORD.findall(text):
        if "가" <= word[0] <= "힣":
            bare = _PARTICLES.sub("", word)
            found += [bare] if _korean(word) else []
        elif terms(word):
            found.append(word)
    return " ".join(dict.fromkeys(found))


@lru_cache(maxsize=10_000)
def split(text: str) -> tuple[str, ...]:
    """Sentences and lines of a text, list signs and heading signs taken off."""
    parts = (part.strip().lstrip("#*->•").strip() for part in SENTENCE.split(text))
    return tuple(part for part in parts if part)


def _tells(sentence: str) -> bool:
    return not sentence.rstrip("\"'”’) ").endswith(("?", "？")) and not _DOUBT.search(sentence)


def _weight(term: str) -> float:
    return 0.5 if len(term) == 2 and "가" <= term[0] <= "힣" else 1.0


@lru_cache(maxsize=50_000)
def terms(text: str) -> tuple[str, ...]:
    """Words without endings and stop words; Korean words as pairs of syllables."""
    found: list[str] = []
    for word in _WORD.findall(text):
        if "가" <= word[0] <= "힣":
            found += _korean(word)
        elif (low := word.lower()) not in _STOP and len(low) > (0 if low.isdigit() else 1):
            found.append(_stem(low))
    return tuple(found)


def _stem(word: str) -> str:
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            word = word[: -len(ending)]
            break
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


def _korean(word: str) -> list[str]:
    if word in _STOP_KOREAN:
        return []
    bare = _PARTICLES.sub("", word)
    if bare in _STOP_KOREAN or _ASKING.match(word):
        return []
    if len(bare) <= 2:
        return [bare]
    return [bare[n : n + 2] for n in range(len(bare) - 1)]
