"""Which facts bear on a text: words and meaning fused into one order, each part of the score kept to be shown.

The score of a fact is z + 3 · n · c: z is its cosine to the text in standard deviations above the facts of its script,
c the share of the text's words it holds (BM25 over that of an ideal fact), n how much the pool knows of these words.
"""

from __future__ import annotations

from desktop_app.core.recall.meaning import ENOUGH_FOR_STATISTICS, clear_from, meanings
from desktop_app.core.recall.values import Neighbours, Part, Scored, Spread, WordMatches
from desktop_app.core.recall.words import holding_most, word_scores

_WORDS_WEIGHT = 3.0
_WORD_IN_SMALL_POOL = 1.0
_LEAST_WORDS = 0.1


def fuse(matches: WordMatches, near: Neighbours | None, unrelated: Spread, common_words: int = 2) -> list[Scored]:
    """The facts that hold a telling word of the text or most of its words, or whose meaning stands clearly above the
    rest; best first.

    From `common_words` on words may be as common as they like. `unrelated` says how close texts that have nothing to
    do with each other lie for this embedder. *Clearly* is 1 to 2.5 standard deviations above the mean, see
    `clear_from`.
    """
    # Among few facts every word is frequent; it tells all the same.
    least = _WORD_IN_SMALL_POOL if matches.total < ENOUGH_FOR_STATISTICS else 0.0
    words = {fact_id: max(score, least) for fact_id, score in word_scores(matches, _WORDS_WEIGHT).items()}
    most = holding_most(matches, common_words)
    close = meanings(near, unrelated)
    found = []
    for fact_id in {**words, **close}:
        parts: dict[str, float] = {Part.WORDS: words[fact_id]} if fact_id in words else {}
        clear = False
        if fact_id in close:
            parts[Part.MEANING], count = close[fact_id]
            clear = parts[Part.MEANING] >= clear_from(min(count, matches.total))
        if clear or fact_id in most or words.get(fact_id, 0.0) >= _LEAST_WORDS:
            found.append(Scored(fact_id, parts))
    return sorted(found, key=lambda hit: (-hit.score, hit.id))
