"""Whether an answer only gives again what it was told: memory told once more is no evidence of itself."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator

from desktop_app.core.search_words import query_words
from desktop_app.core.word_stems import stem

_SENTENCE = re.compile(r"(?<=[.!?。？！…])[\"'”’」』)\]]*\s+|\n+|\\n")
_RUN = re.compile(r"[가-힣]+|[^\W가-힣]+")
_STEM_LETTERS = 2
"""A Korean word begins with its stem: 사물함을, 사물함이; longer ones are parted by what they end with."""
_VALUE_WEIGHT = 2
"""What an exact value counts in words: it is what an answer of memory is about."""

# What an answer is given with says nothing of its own.
_FRAME_WORDS = (
    "accordingly according above based certainly chat conversation conversations correct course currently document "
    "documents earlier fact facts file files found here indeed information know last list listed long memories memory "
    "mention mentioned mentions message messages note noted notes ok okay past previous previously quote recall "
    "recorded records remember remembered remembering result results said save saved say saying says search see stated "
    "states store stored sure system talk talked tell tells term told user well wrote yes yep"
)
_KOREAN_FRAME_WORDS = (
    "이전 지난 예전 전에 저번 대화 말씀 알려 기억 저장 기록 메모 메시 시스 사용 고객 당신 문서 파일 검색 결과 정보 "
    "확인 따르 의하 따라 의해 찾아 찾은 보니 보면 참고 언급 이야 얘기 내용 네네 물론 맞아 맞습 그렇 "
    "있습 있어 있었 있는 입니 이에 예요 이었 였어 였습 합니 해요 했어 했습 하셨 하신 하고 드릴 드립 "
    "드려 되어 됩니 돼요 계신 계시 계십 계세"
)
_FRAME, _KOREAN_FRAME = frozenset(_FRAME_WORDS.split()), frozenset(_KOREAN_FRAME_WORDS.split())


class Recited:
    """Texts an answer was given: notes beside the question, the facts block, results of tools that read memory."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._told: list[frozenset[str]] = []
        self._holding: dict[str, list[int]] = defaultdict(list)
        for words in dict.fromkeys(one for text in texts for one in _sentences(text)):
            for word in words:
                self._holding[word].append(len(self._told))
            self._told.append(words)

    def holds(self, text: str) -> bool:
        """Whether most telling words and exact values of a text stand in them, and no exact value is a new one.

        Sentence by sentence, for in all facts of a person nearly any word stands somewhere: a text counts for a
        sentence that holds half of its telling words, or of which it holds more than half.
        """
        known = total = 0
        for words in _sentences(text):
            shared = words & self._bearing(words)
            if any(map(_is_value, words - shared)):
                return False
            known += sum(map(_weight, shared))
            total += sum(map(_weight, words))
        return 2 * known > total

    def _bearing(self, words: frozenset[str]) -> set[str]:
        """All words of the texts that bear on a sentence."""
        bearing: set[str] = set()
        whole = sum(map(_weight, words))
        for place in {place for word in words for place in self._holding.get(word, ())}:
            told = self._told[place]
            shared = sum(map(_weight, told & words))
            if 2 * shared >= sum(map(_weight, told)) or 2 * shared > whole:
                bearing |= told
        return bearing


def _sentences(text: str) -> Iterator[frozenset[str]]:
    for sentence in _SENTENCE.split(unicodedata.normalize("NFC", text).lower()):
        words = frozenset(_telling(sentence))
        if words:
            yield words


def _telling(sentence: str) -> Iterator[str]:
    end = -1
    for found in _RUN.finditer(sentence):
        run, joined = found[0], found.start() == end
        end = found.end()
        if "가" <= run[0] <= "힣":
            # Behind a number or a name stands a particle.
            if len(run) > 1 and not joined and run[:_STEM_LETTERS] not in _KOREAN_FRAME:
                yield run[:_STEM_LETTERS]
        else:
            yield from (stem(word) for word in query_words(run) if word not in _FRAME)


def _is_value(word: str) -> bool:
    return any(char.isdigit() for char in word)


def _weight(word: str) -> int:
    return _VALUE_WEIGHT if _is_value(word) else 1
