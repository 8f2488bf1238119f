"""What the user tells the assistant to remember: the statements of a message, each as a key and a value.

The value is a run of the user's own words, the key the thing it is said of.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .intents import GREETING, THANKS, tells_nothing
from .lookup import SENTENCE, keywords, terms

LONGEST_KEY = 80  # characters
_LONGEST = 8_000  # characters of a sentence that can be told to remember
_KEY_WORDS = 3  # of a statement that says nothing of one named thing
_POLITE = r"(?:(?:please|also|and|now|so|then|ok|okay|hi|hello|hey)[\s,]+)*"
_ASK = r"(?:(?:can|could|would|will) you\s+|i(?:'d like| would like| want) you to\s+)?(?:please\s+)?"
_IT = r"(?:that|this|it)"
_KEEP = (
    rf"(?:remember|don['’]t forget|keep {_IT} in mind|keep in mind|"
    rf"save {_IT} (?:to|in) (?:your |my |long-term )*memory)"
)
_FIRST_EN = re.compile(
    rf"^{_POLITE}(?P<ask>{_ASK}){_KEEP}\b(?!\s+(?:when|how|what|who|where|why|if|whether)\b)"
    r"(?P<mark>(?:\s+(?:this|it|the following))?\s*[:,]|\s+that\b)?\s*(?P<rest>.*)$",
    re.IGNORECASE | re.DOTALL,
)
_LAST_EN = re.compile(
    rf"^(?P<told>.+?)\s*[,;–—-]\s*(?:and |so )?(?:please\s+)?{_KEEP}(?:\s+{_IT})?(?:,?\s*please)?[.!~]*$",
    re.IGNORECASE | re.DOTALL,
)
_ONLY_IT = re.compile(rf"^(?:{_IT})?(?:,?\s*please)?[.!~]*$", re.IGNORECASE)
_KOREAN = re.compile(
    r"(?:기억해\s?(?:줘요?|주세요|주십시오|주실래요|줄래요?|둬요?|두세요|놔요?|놔줘)|기억해(?=\s*(?:[.!~,:：]|$))|기억하(?:세요|십시오|렴)|기억해라|"
    r"잊지\s?(?:마|마세요|말아\s?(?:줘|주세요))|외워\s?(?:줘|둬|두세요|주세요)|"
    r"(?:메모리|기억|장기 기억)에\s(?:저장해|넣어)\s?(?:줘|둬|두세요|주세요))(?![가-힣])"
)
_BEFORE_KOREAN = re.compile(
    r"(?:[,.!]|(?<=[가-힣A-Za-z0-9\"”’)])(?:이라고|라고)|(?<=다)고|(?:이라|라)는\s?(?:걸|것을|것|거|점을|점|사실을)|"
    r"(?<=다)는\s?(?:걸|것을|것|거|점을|점|사실을))?\s*(?:(?:이걸|이것을|이거|그걸|그거|꼭|좀|잘|제발|앞으로)\s*)*$"
)
_PAIR = re.compile(r"^(?P<key>[^:=：]{1,60}?)(?:\s=\s|\s*[:：]\s)\s*(?P<value>\S.*)$", re.DOTALL)
_IS = re.compile(
    r"^(?:(?:my|our|the|a|an|his|her|their|this)\s+)?"
    r"(?P<key>(?!(?:i|he|she|it|this|that|there|we|you|they|who|what)\b)[\w'’./-]+(?:\s+[\w'’./-]+){0,6}?)\s+"
    r"(?:is|are|was|were)\s+(?:now\s+)?(?P<value>\S.*)$",
    re.IGNORECASE | re.DOTALL,
)
_LEAD = re.compile(r"^(?:(?:앞으로|그리고|참고로|저기|참|아)[\s,]+)+")
_OWN = re.compile(r"^(?:my|our|the|내|제)\s+", re.IGNORECASE)
_OWNER = r"^(?:(?:내|제|나의|저의|우리|저희)\s+)?(?!(?:나|저|난|전)[는은가]?\s)"
_LETTER = r"(?P<last>[가-힣A-Za-z0-9])"
_TOPIC = re.compile(_OWNER + rf"(?P<key>[^,.:]{{0,40}}?{_LETTER})(?P<particle>[은는])\s+(?P<value>\S.*)$", re.DOTALL)
_SUBJECT = re.compile(_OWNER + rf"(?P<key>[^,.:]{{0,40}}{_LETTER})(?P<particle>[이가])\s+(?P<value>\S.*)$", re.DOTALL)
_HANGUL = re.compile(r"[가-힣]")
_PREDICATE = re.compile(r"[다요어아야해지음임함됨줘]$")


def tellings(message: str, known_keys: Iterable[str] = ()) -> list[tuple[str, str]]:
    """The facts a message tells to remember as (key, value), [] where it tells none.

    A key that says the same as one of `known_keys` is written like it, so that the fact is corrected.
    """
    known = {frozenset(terms(key)): key for key in known_keys if terms(key)}
    found = {}
    for statement in _statements(
        [part.strip() for part in SENTENCE.split(message) if 0 < len(part.strip()) <= _LONGEST]
    ):
        key, value = as_fact(statement)
        if key and value:
            found[known.get(frozenset(terms(key)), key)] = value
    return list(found.items())


def _statements(sentences: list[str]) -> Iterator[str]:
    listing = False
    before = ""
    for sentence in sentences:
        order = _english(sentence) or _korean(sentence)
        if order is not None:
            told = order.told or ("" if order.lists else before)
            listing = order.lists or not told
            if told and not _empties(told):
                yield told
        elif listing and not tells_nothing(sentence) and not _empties(sentence):
            yield sentence
        else:
            listing = False
        before = sentence


def _empties(sentence: str) -> bool:
    return bool(GREETING.match(sentence) or THANKS.match(sentence))


@dataclass(frozen=True)
class _Order:
    """A sentence that says to remember: what it tells itself, and whether what follows is meant too."""

    told: str = ""
    lists: bool = False


def _english(sentence: str) -> _Order | None:
    if first := _FIRST_EN.match(sentence):
        rest, mark = first["rest"].strip(), (first["mark"] or "").strip()
        if sentence.rstrip().endswith("?"):
            return _Order(rest.rstrip("? ")) if first["ask"] and mark else None
        told = "" if _ONLY_IT.match(rest) else re.sub(r"^to\s+", "", rest)
        return _Order(told, lists=mark.endswith(":"))
    last = _LAST_EN.match(sentence)
    return _Order(last["told"]) if last else None


def _korean(sentence: str) -> _Order | None:
    order = _KOREAN.search(sentence)
    if order is None:
        return None
    after = sentence[order.end() :].strip()
    if after.startswith((":", "：")):
        return _Order(after[1:].strip(), lists=True)
    before = _BEFORE_KOREAN.sub("", sentence[: order.start()]).strip()
    return _Order(before or after.strip(".!~,?？ "))


def as_fact(statement: str) -> tuple[str, str]:
    """A statement as key and value, both "" where it is a mere name of something."""
    bare = _LEAD.sub("", statement.lstrip("-*•· ").strip())
    bare = re.sub(r"(?<=[^.])[.!~。]$", "", bare).strip()
    if len(bare) > 1 and bare[0] + bare[-1] in ('""', "“”", "''", "‘’"):
        bare = bare[1:-1].strip()
    for pattern in (_PAIR, _IS):
        if found := pattern.match(bare):
            return _short(_OWN.sub("", found["key"])), found["value"]
    for pattern in (_TOPIC, _SUBJECT):
        found = pattern.match(bare)
        if found and _fits(found["last"], found["particle"]):
            return _short(found["key"]), found["value"]
    if _HANGUL.search(bare) and not _PREDICATE.search(bare):
        return "", ""
    return _short(" ".join(keywords(bare).split()[:_KEY_WORDS])), bare


def _short(key: str) -> str:
    return key.strip().strip("\"“”'")[:LONGEST_KEY].strip()


def _fits(last: str, particle: str) -> bool:
    """Whether a particle can follow a letter: 은 and 이 follow a closed syllable, 는 and 가 an open one."""
    if not "가" <= last <= "힣":
        return True
    closed = (ord(last) - ord("가")) % 28 > 0
    return closed == (particle in "은이")
