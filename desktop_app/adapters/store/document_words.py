"""Full text over the passages of documents: their search words, and what scores they have for a profile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import text
from sqlalchemy.orm import Session

from desktop_app.adapters.store import word_scores
from desktop_app.core.recall.values import WordMatches

_COUNTS = text(
    """
    SELECT asked.key AS word, count(*) AS everywhere, sum(passage.profile = :profile) AS mine
    FROM json_each(:asked) AS asked
    CROSS JOIN document_words ON document_words MATCH asked.value
    CROSS JOIN passage ON passage.number = document_words.rowid
    GROUP BY asked.key
    """
)
_SCORES = text(
    """
    SELECT asked.key AS word, passage.number AS item, bm25(document_words) AS score
    FROM json_each(:asked) AS asked
    CROSS JOIN document_words ON document_words MATCH asked.value
    CROSS JOIN passage ON passage.number = document_words.rowid
    WHERE passage.profile = :profile
    """
)
_TOTALS = text(
    """
    SELECT count(*) AS everywhere, count(*) FILTER (WHERE profile = :profile) AS mine
    FROM passage WHERE kind = 'document'
    """
)
_STATEMENTS = word_scores.Statements(_TOTALS, _COUNTS, _SCORES)
_REMOVE = text("DELETE FROM document_words WHERE rowid IN (SELECT number FROM passage WHERE document_number = :number)")


def add(session: Session, words: Mapping[int, str]) -> None:
    """Makes passages (by number) be found by these words."""
    rows = [{"number": number, "words": said} for number, said in words.items()]
    session.execute(text("INSERT INTO document_words (rowid, words) VALUES (:number, :words)"), rows)


def remove(session: Session, document_number: int) -> None:
    """Makes the passages of a document be found no more; they have to be there still."""
    session.execute(_REMOVE, {"number": document_number})


def rewrite(session: Session) -> None:
    """Takes what was removed out of the index itself, which keeps it until it is rewritten."""
    session.execute(text("INSERT INTO document_words (document_words) VALUES ('optimize')"))


def matches(session: Session, profile: str, words: Sequence[str]) -> WordMatches:
    """BM25 of the profile's passages of documents that hold any of the words (`word_scores`), by number as text."""
    return word_scores.matches(session, _STATEMENTS, profile, words)
