"""Which turns and passages of documents bear on a question at all: ranking orders whatever there is, also where nothing
fits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from desktop_app.core.lone_letters import lone_letters
from desktop_app.core.recall.meaning import ENOUGH_FOR_STATISTICS, clear_from, meanings
from desktop_app.core.recall.values import Neighbours, Part, Scored, Spread, WordMatches
from desktop_app.core.recall.words import holding_most, word_scores
from desktop_app.core.search_words import search_words

_LEAST_WORDS = 0.2
"""Of n · c, see `recall.facts`: about one telling word of a question."""
_COMMON_WORDS = 2
"""That many of its words, most of those it has, tell also where nearly every message holds them."""
_LEAST_MEANING = 2.0
"""Standard deviations above the rest."""
_ONLY_ASKS = -0.44
"""What ranking takes from a message that is nothing but a question: it was asked before, which answers nothing."""
_LEAST_BESIDE = 0.2
"""Taken from a message right before or behind that matches: it may be asked there and answered here."""
_SHARE, _SHORT = 0.25, 3
"""Of a question's words, of which a passage among few has to hold so many, and two of more than three."""


def only_asks(turn: Scored) -> bool:
    """Whether ranking found it to be nothing but a question, which answers none."""
    return turn.parts.get(Part.ASKING, 0.0) <= _ONLY_ASKS


def bears_on(
    ranked: Sequence[Scored], matches: WordMatches, near: Neighbours | None, unrelated: Spread
) -> frozenset[str]:
    """Those that hold enough of the question's words, or most of them, or stand clearly above the rest in meaning, or
    right beside such a one."""
    # Among few turns every word is frequent; it tells all the same.
    few = matches.total < ENOUGH_FOR_STATISTICS
    words = dict.fromkeys(matches.scores, _LEAST_WORDS) if few else word_scores(matches, 1.0)
    close = meanings(near, unrelated)
    most = holding_most(matches, _COMMON_WORDS)
    own = {
        one.id
        for one in ranked
        if close.get(one.id, (0.0, 0))[0] >= _LEAST_MEANING or words.get(one.id, 0.0) >= _LEAST_WORDS or one.id in most
    }
    # Parts of a score are shares of the best one: where nothing fits, that is no match either.
    beside = {one.id for one in ranked if own and _beside(one) >= _LEAST_BESIDE}
    return frozenset(one.id for one in ranked if one.id in own | beside and not only_asks(one))


def passages_that_bear(
    words: Sequence[str], texts: Mapping[str, str], matches: WordMatches, near: Neighbours | None, unrelated: Spread
) -> frozenset[str]:
    """Those of these passages of documents, by id, that hold enough of the `words` of a question, lone letters and
    signs among them, or whose meaning stands clearly above the rest and above what unrelated texts reach: one document
    on one matter is close in itself.
    """
    # Among few passages no word is rare: how many of the question they hold is all there is to go by.
    few = matches.total < ENOUGH_FOR_STATISTICS
    scores = {} if few else word_scores(matches, 1.0)
    most = holding_most(matches, _COMMON_WORDS)
    close = meanings(near, unrelated)
    return frozenset(
        one
        for one, text in texts.items()
        if scores.get(one, 0.0) >= _LEAST_WORDS
        or one in most
        or (few and _holds_enough(words, text))
        or (near is not None and one in close and _is_close(close[one], near.cosines[one], matches.total, unrelated))
    )


def _holds_enough(words: Sequence[str], text: str) -> bool:
    asked = set(words)
    held = len(
        asked.intersection(search_words(text)).union(one for one in lone_letters(" ".join(asked)) if one in text)
    )
    return held >= max(_SHARE * len(asked), 1 if len(asked) <= _SHORT else 2)


def _is_close(meaning: tuple[float, int], cosine: float, total: int, unrelated: Spread) -> bool:
    above, count = meaning
    least = max(_LEAST_MEANING, clear_from(min(count, total)))
    return above >= least and cosine >= unrelated.mean + _LEAST_MEANING * unrelated.deviation


def _beside(turn: Scored) -> float:
    return max(turn.parts.get(Part.ANSWER, 0.0), turn.parts.get(Part.BESIDE, 0.0))
