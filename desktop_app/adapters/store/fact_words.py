"""Full text over the active facts: their search words, and what scores they have for a profile."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import text
from sqlalchemy.orm import Session

from desktop_app.adapters.store import word_scores
from desktop_app.core.facts import Fact
from desktop_app.core.recall.values import WordMatches
from desktop_app.core.search_words import search_words

_COUNTS = text(
    """
    SELECT asked.key AS word, count(*) AS everywhere, sum(fact.profile = :profile) AS mine
    FROM json_each(:asked) AS asked
    CROSS JOIN fact_words ON fact_words MATCH asked.value
    CROSS JOIN fact ON fact.number = fact_words.rowid
    GROUP BY asked.key
    """
)
_SCORES = text(
    """
    SELECT asked.key AS word, fact.id AS item, bm25(fact_words) AS score
    FROM json_each(:asked) AS asked
    CROSS JOIN fact_words ON fact_words MATCH asked.value
    CROSS JOIN fact ON fact.number = fact_words.rowid
    WHERE fact.profile = :profile
    """
)
_TOTALS = text(
    "SELECT count(*) AS everywhere, count(*) FILTER (WHERE profile = :profile) AS mine FROM fact WHERE state = 'active'"
)
_STATEMENTS = word_scores.Statements(_TOTALS, _COUNTS, _SCORES)


def put(session: Session, number: int, fact: Fact) -> None:
    """Makes the fact of this row number be found by its present words only."""
    remove(session, number)
    words = " ".join(search_words("\n".join((fact.key, fact.value, fact.category))))
    session.execute(
        text("INSERT INTO fact_words (rowid, words) VALUES (:number, :words)"), {"number": number, "words": words}
    )


def remove(session: Session, number: int) -> None:
    """Makes it be found no more."""
    session.execute(text("DELETE FROM fact_words WHERE rowid = :number"), {"number": number})


def matches(session: Session, profile: str, words: Sequence[str]) -> WordMatches:
    """BM25 of the profile's active facts that hold any of the words (`word_scores`)."""
    return word_scores.matches(session, _STATEMENTS, profile, words)
