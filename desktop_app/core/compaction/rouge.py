"""How much of a summary comes from its source: for each sentence the best ROUGE-L precision over single turns."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

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


def rouge_l(summary: str, turns: Sequence[str]) -> float:
    """From 0 to 1: each sentence's longest common subsequence of words with one turn, as a share of the sentence.

    Averaged by the length of the sentences; 0 where the summary has no words.

    Words that carry no meaning and Korean particles are left out, and a long turn counts as overlapping pieces: with
    them the summary of another conversation comes near an honest one.
    """
    sentences = [words for line in _sentences(summary) if (words := _telling_words(line))]
    if not sentences:
        return 0.0
    codes = {
        word: chr(_FIRST_CODE + at)
        for at, word in enumerate(dict.fromkeys(word for words in sentences for word in words))
    }
    pieces = [piece for turn in turns for piece in _pieces(turn, codes)]
    postings: dict[str, list[int]] = {}
    for number, piece in enumerate(pieces):
        for code in set(piece):
            postings.setdefault(code, []).append(number)
    found = sum(_best("".join(codes[word] for word in words), pieces, postings) for words in sentences)
    return found / sum(map(len, sentences))


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


def _pieces(turn: str, codes: Mapping[str, str]) -> Iterator[str]:
    """The words of a turn that the summary uses, each as its letter; a long turn in overlapping pieces."""
    words = _words(turn)
    if turn.isascii():
        kept = [codes.get(word, "") for word in words]
    else:
        begins = _beginnings(tuple(codes))
        kept = [(codes.get(word) or codes.get(_stem(word), "")) if word[:2] in begins else "" for word in words]
    if len(kept) <= _PIECE:
        yield "".join(kept)
        return
    for start in range(0, len(kept) - _PIECE // 2, _PIECE // 2):
        yield "".join(kept[start : start + _PIECE])


@lru_cache(maxsize=4)
def _beginnings(words: tuple[str, ...]) -> frozenset[str]:
    """The first two letters of the words: a source word that begins otherwise needs no closer look."""
    return frozenset(word[:2] for word in words)


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
        for number in where:
            shared[number] += counts[code]
    best = 0
    for number, most in shared.most_common(_CANDIDATES):
        if most + skipped <= best:
            break
        best = max(best, LCSseq.similarity(sentence, pieces[number]))
    return best
