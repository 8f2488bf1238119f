"""Full text over the active facts: their search words, and what scores they have for a profile."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy.orm import Session

from desktop_app.adapters.store import word_scores
from desktop_app.adapters.store.backend import backend_of
from desktop_app.adapters.store.sql import sql
from desktop_app.core.facts import Fact
from desktop_app.core.recall.values import WordMatches
from desktop_app.core.search_words import search_words

_TABLE = "fact_words"
_COUNTS = sql(
    """
    SELECT found.word, count(*) AS everywhere, count(*) FILTER (WHERE fact.profile = :profile) AS mine
    FROM {each_holding:fact_words} {then} fact ON fact.number = found.number
    GROUP BY found.word
    """
)
_SCORES = sql(
    """
    SELECT found.word, fact.id AS item, found.score
    FROM {each_found:fact_words} {then} fact ON fact.number = found.number
    WHERE fact.profile = :profile
    """
)
_TOTALS = sql(
    "SELECT count(*) AS everywhere, count(*) FILTER (WHERE profile = :profile) AS mine FROM fact WHERE state = 'active'"
)
_LONE_COUNTS = sql("SELECT found.word, count(*) AS mine FROM {each_holding:fact_words} GROUP BY found.word")
# The best are chosen before the facts are looked up.
_LONE_SCORES = sql(
    """
    SELECT fact.id AS item, best.score
    FROM (SELECT found.number, found.score FROM {found:fact_words} ORDER BY found.score DESC LIMIT :most) AS best
    {then} fact ON fact.number = best.number
    """
)
_LONE = word_scores.LoneStatements(_LONE_COUNTS, _LONE_SCORES)
_STATEMENTS = word_scores.Statements(_TOTALS, _COUNTS, _SCORES, _LONE)


def put(session: Session, number: int, fact: Fact) -> None:
    """Makes the fact of this row number be found by its present words only."""
    remove(session, number)
    words = " ".join(search_words("\n".join((fact.key, fact.value, fact.category))))
    backend_of(session).put_words(session, _TABLE, [{"number": number, "words": words}])


def remove(session: Session, number: int) -> None:
    """Makes it be found no more."""
    backend_of(session).remove_words(session, _TABLE, [number])


def matches(session: Session, profile: str, words: Sequence[str], most: int | None = None) -> WordMatches:
    """BM25 of the profile's active facts that hold any of the words, of all or the best `most` (`word_scores`)."""
    return word_scores.matches(session, _STATEMENTS, profile, words, most)
