"""BM25 by full text as a profile by itself would have it.

The database weighs a word by how many rows of the whole table hold it, those of other profiles included. Its score for
one word is that weight times a part that only the row decides; the weight is taken out and the profile's own put in.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from heapq import nlargest
from operator import itemgetter
from typing import NamedTuple

from sqlalchemy import TextClause
from sqlalchemy.orm import Session

from desktop_app.adapters.store import blocks
from desktop_app.adapters.store.backend import backend_of
from desktop_app.core.recall.values import WordMatches

_LEAST_WEIGHT = 1e-6
"""What the database gives a word that stands in half of the rows or more."""
_TOO_MANY = 500
"""A word of the least weight in more rows than this scores nobody while another word does: it costs time only."""
_ROWS_SCORED = 12_000
"""Where only the best are wanted, the rarest words are scored by up to so many rows: SQLite scores 1,300 in a ms."""
_WORDS_AT_ONCE = 64


class LoneStatements(NamedTuple):
    """The same where all rows are of one profile: `mine` by `word`, and the `score` by `item` of the best `most` rows
    that hold any of the words."""

    counts: TextClause
    scores: TextClause


class Statements(NamedTuple):
    """What to ask a full-text table and the rows behind it, of a `profile`, for each word of `asked` (see `sql`).

    `totals` gives `everywhere` and `mine`, the numbers of rows; `counts` the same by place of the `word` that they
    hold; `scores` a `score` by `word` and `item`.
    """

    totals: TextClause
    counts: TextClause
    scores: TextClause
    lone: LoneStatements | None = None


def matches(
    session: Session, statements: Statements, profile: str, words: Sequence[str], most: int | None = None
) -> WordMatches:
    """BM25 (k1 1.2, b 0.75) of the profile's rows that hold any of the words, larger is better.

    The weight of a word is max(1e-6, ln((N - n + 0.5) / (n + 0.5))), N and n counted in the profile. Of the rows the
    best `most` are wanted, or all; then frequent words beside rarer ones are left out where they cost time.
    """
    totals = session.execute(statements.totals, {"profile": profile}).one()
    lone = statements.lone if totals.everywhere == totals.mine and len(words) <= _WORDS_AT_ONCE else None
    counts = lone.counts if lone else statements.counts
    frequency = dict.fromkeys(words, 0)
    own: dict[str, float] = {}
    shared: dict[str, float] = {}
    for some in blocks.chunks(list(frequency)):
        for row in session.execute(counts, _asked(session, profile, some)):
            word = some[row.word]
            frequency[word] = row.mine
            own[word] = _weight(totals.mine, row.mine)
            shared[word] = own[word] if lone else _weight(totals.everywhere, row.everywhere)
    telling = _telling(own, frequency)
    if most is not None:
        telling = _rarest(telling, frequency)
    if lone:
        scores = _lone_scores(session, lone, telling, totals.mine if most is None else most)
        return WordMatches(totals.mine, frequency, scores)
    found: dict[str, float] = defaultdict(float)
    for some in blocks.chunks(telling):
        for row in session.execute(statements.scores, _asked(session, profile, some)):
            word = some[row.word]
            found[str(row.item)] += row.score / shared[word] * own[word]
    best = dict(found) if most is None else dict(nlargest(most, found.items(), key=itemgetter(1)))
    return WordMatches(totals.mine, frequency, best)


def _lone_scores(session: Session, lone: LoneStatements, words: Sequence[str], most: int) -> dict[str, float]:
    """What the database itself makes of all words together: its weights are those of the profile."""
    if not words:
        return {}
    asked = backend_of(session).asked([[word] for word in words])
    rows = session.execute(lone.scores, {"asked": asked, "most": most})
    return {str(row.item): row.score for row in rows}


def _rarest(words: Sequence[str], frequency: Mapping[str, int]) -> list[str]:
    """The rarest of these words, as many as can be scored in good time; at least one."""
    chosen: list[str] = []
    left = _ROWS_SCORED
    for word in sorted(words, key=lambda word: frequency[word]):
        left -= frequency[word]
        if chosen and left < 0:
            break
        chosen.append(word)
    return chosen


def _telling(weights: Mapping[str, float], frequency: Mapping[str, int]) -> list[str]:
    """The words to score by."""
    held = [word for word in weights if frequency[word]]
    rare = [word for word in held if frequency[word] <= _TOO_MANY or weights[word] > _LEAST_WEIGHT]
    return rare or held


def _asked(session: Session, profile: str, words: Sequence[str]) -> dict[str, str]:
    return {"profile": profile, "asked": backend_of(session).asked_each([[word] for word in words])}


def _weight(total: int, holding: int) -> float:
    return max(_LEAST_WEIGHT, math.log((total - holding + 0.5) / (holding + 0.5)))
