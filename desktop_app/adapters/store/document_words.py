"""Full text over the passages of documents: their search words, and what scores they have for a profile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from desktop_app.adapters.store import word_scores
from desktop_app.adapters.store.backend import backend_of
from desktop_app.adapters.store.passage_tables import PASSAGES
from desktop_app.adapters.store.sql import sql
from desktop_app.core.recall.values import WordMatches

_TABLE = "document_words"
_COUNTS = sql(
    """
    SELECT found.word, count(*) AS everywhere, count(*) FILTER (WHERE passage.profile = :profile) AS mine
    FROM {each_holding:document_words} {then} passage ON passage.number = found.number
    GROUP BY found.word
    """
)
_SCORES = sql(
    """
    SELECT found.word, passage.number AS item, found.score
    FROM {each_found:document_words} {then} passage ON passage.number = found.number
    WHERE passage.profile = :profile
    """
)
_TOTALS = sql(
    """
    SELECT count(*) AS everywhere, count(*) FILTER (WHERE profile = :profile) AS mine
    FROM passage WHERE kind = 'document'
    """
)
_LETTERS = sql(
    "SELECT passage.number FROM {starting:document_words} JOIN passage ON passage.number = found.number "
    "WHERE passage.profile = :profile ORDER BY passage.number"
)
_STATEMENTS = word_scores.Statements(_TOTALS, _COUNTS, _SCORES)


def add(session: Session, words: Mapping[int, str]) -> None:
    """Makes passages (by number) be found by these words."""
    rows = [{"number": number, "words": said} for number, said in words.items()]
    backend_of(session).put_words(session, _TABLE, rows)


def remove(session: Session, document_number: int) -> None:
    """Makes the passages of a document be found no more; they have to be there still."""
    passages = select(PASSAGES.c.number).where(PASSAGES.c.document_number == document_number)
    backend_of(session).remove_words(session, _TABLE, list(session.execute(passages).scalars()))


def rewrite(session: Session) -> None:
    """Takes what was removed out of the index itself, which keeps it until it is rewritten."""
    backend_of(session).tidy_words(session, _TABLE)


def matches(session: Session, profile: str, words: Sequence[str]) -> WordMatches:
    """BM25 of the profile's passages of documents that hold any of the words (`word_scores`), by number as text."""
    return word_scores.matches(session, _STATEMENTS, profile, words)


def starting(session: Session, profile: str, letters: str) -> list[str]:
    """Numbers, as text, of the profile's passages that hold a word beginning with these letters (no signs)."""
    return [str(one) for one in session.scalars(_LETTERS, {"profile": profile, "letters": letters})]
