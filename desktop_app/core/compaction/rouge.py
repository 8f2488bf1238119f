"""How much of a summary comes from its source: for each sentence the best ROUGE-L precision over single turns."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache

from rapidfuzz.distance import LCSseq

from desktop_app.core.exact_values.particles import without_particle

_PIECE = 120
"""Words of a turn that count as one: in a longer one any sentence would find its words in order somewhere."""
_CANDIDATES = 48
"""Pieces with the most shared words that a sentence is compared with."""
_COMMON = 400
"""Pieces a word may stand in and still lead to candidates, where rarer words do."""
_WORDS = re.compile(r"\w+")
_SENTENCE_END = re.compile(r"(?<=[.!?。…])[\"'”’)\]]*\s+|\n+")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s")
_FIRST_CODE = 0xE000
_STOP_WORDS_TEXT = (
    "a about all also am an and any are as at be been but by can could d did do does doing for from get got "
    "had has have he her here him his how i if in into is it its just let like ll m me more my no not now of "
    "on one or our out re s shall she should so some such t than that the their them then there these they "
    "this those to too up us ve very was we were what when where which while who whom whose why will with "
    "would you your"
)
_STOP_WORDS = frozenset(_STOP_WORDS_TEXT.split())


class TurnWords:
    """Turns that summaries are held against; their words are read once, however many summaries there are."""

    def __init__(self, turns: Sequence[str]) -> None:
        self._turns = turns

    @cached_property
    def _words(self) -> list[list[str]]:
        return [_words(turn) for turn in self._turns]

    def rouge_l(self, summary: str) -> float:
        """From 0 to 1: each sentence's longest common subsequence of words with one turn, as a share of the sentence.

        Averaged by the length of the sentences; 0 where the summary has no words.

        Words that carry no meaning and Korean particles are left out, and a long turn counts as overlapping pieces:
        with them the summary of another conversation comes near an honest one.
        """
        sentences = [words for line in _sentences(summary) if (words := _telling_words(line))]
        if not sentences:
            return 0.0
        codes = {
            word: chr(_FIRST_CODE + at)
            for at, word in enumerate(dict.fromkeys(word for words in sentences for word in words))
        }
        code_of = _Codes(codes)
        pieces = [piece for words in self._words for piece in _pieces(words, code_of)]
        postings: defaultdict[str, list[int]] = defaultdict(list)
        for number, piece in enumerate(pieces):
            for code in set(piece):
                postings[code].append(number)
        found = sum(_best("".join(codes[word] for word in words), pieces, postings) for words in sentences)
        return found / sum(map(len, sentences))


def rouge_l(summary: str, turns: Sequence[str]) -> float:
    """The same for a single summary."""
    return TurnWords(turns).rouge_l(summary)


def _sentences(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        if not _HEADING.match(line):
            yield from _SENTENCE_END.split(line)


def _telling_words(text: str) -> list[str]:
    return [_stem(word) for word in _words(text) if word not in _STOP_WORDS]


def _words(text: str) -> list[str]:
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    return _WORDS.findall(text.lower())


@lru_cache(maxsize=16384)
def _stem(word: str) -> str:
    return without_particle(word) if "가" <= word[-1] <= "힣" else word


class _Codes(dict[str, str]):
    """The letter of each word of a summary; empty for a word it does not use, with or without a particle."""

    def __init__(self, codes: Mapping[str, str]) -> None:
        super().__init__(codes)
        self._beginnings = frozenset(word[:2] for word in codes)

    def __missing__(self, word: str) -> str:
        # A source word that begins otherwise needs no closer look.
        code = self.get(_stem(word), "") if word[-1] >= "가" and word[:2] in self._beginnings else ""
        self[word] = code
        return code


def _pieces(words: Sequence[str], codes: _Codes) -> Iterator[str]:
    """The words of a turn that the summary uses, each as its letter; a long turn in overlapping pieces."""
    kept = [codes[word] for word in words]
    if len(kept) <= _PIECE:
        yield "".join(kept)
        return
    for start in range(0, len(kept) - _PIECE // 2, _PIECE // 2):
        yield "".join(kept[start : start + _PIECE])


def _best(sentence: str, pieces: Sequence[str], postings: Mapping[str, list[int]]) -> int:
    """The longest common subsequence of the sentence with any one piece, in words."""
    shared: Counter[int] = Counter()
    skipped = 0
    counts = Counter(sentence)
    for code in sorted(counts, key=lambda code: len(postings.get(code, ()))):
        where = postings.get(code, ())
        if len(where) > _COMMON and len(shared) >= _CANDIDATES:
            skipped += counts[code]
            continue
        if counts[code] == 1:
            shared.update(where)
            continue
        for number in where:
            shared[number] += counts[code]
    best = 0
    for number, most in shared.most_common(_CANDIDATES):
        if most + skipped <= best:
            break
        best = max(best, LCSseq.similarity(sentence, pieces[number]))
    return best
