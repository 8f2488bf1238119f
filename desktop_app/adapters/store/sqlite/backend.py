"""Fulfils `backend.Backend` with what SQLite has: its own table of numbers, FTS5, and processes of this machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import text
from sqlalchemy.orm import Session

from desktop_app.adapters.store import owners
from desktop_app.core.conversation import to_json


def last_number(session: Session, table: str) -> int:
    """The greatest number a row ever had."""
    return session.execute(text("SELECT seq FROM sqlite_sequence WHERE name = :table"), {"table": table}).scalar() or 0


def take_numbers(session: Session, table: str, count: int) -> range:
    """The numbers of the next rows; SQLite notes them when they are inserted."""
    last = last_number(session, table)
    return range(last + 1, last + 1 + count)


def seen_version(session: Session) -> int | None:
    """The number SQLite keeps for each connection; a reading one has no commits of its own, which it does not count."""
    return int(session.execute(text("PRAGMA data_version")).scalar_one())


def lives(_session: Session, owner: str | None, own: str) -> bool:
    """Whether the process that is named so lives."""
    return owners.lives(owner, own)


def put_words(session: Session, table: str, rows: Sequence[Mapping[str, object]]) -> None:
    """Adds rows."""
    if rows:
        others = [name for name in rows[0] if name != "number"]
        columns, values = ", ".join(others), ", ".join(f":{name}" for name in others)
        session.execute(text(f"INSERT INTO {table} (rowid, {columns}) VALUES (:number, {values})"), list(rows))


def replace_words(session: Session, table: str, number: int, words: str) -> None:
    """Gives a row other words."""
    statement = text(f"UPDATE {table} SET words = :words WHERE rowid = :number")
    session.execute(statement, {"number": number, "words": words})


def remove_words(session: Session, table: str, numbers: Sequence[int]) -> None:
    """Removes rows."""
    statement = text(f"DELETE FROM {table} WHERE rowid IN (SELECT value FROM json_each(:numbers))")
    session.execute(statement, {"numbers": to_json(list(numbers))})


def tidy_words(session: Session, table: str) -> None:
    """Rewrites the index, which keeps words of removed rows until then."""
    session.execute(text(f"INSERT INTO {table} ({table}) VALUES ('optimize')"))


def asked(phrases: Sequence[Sequence[str]], *, together: bool = False) -> str:
    """An expression of FTS5; without phrases it is empty, which FTS5 refuses."""
    return (" AND " if together else " OR ").join(map(_phrase, phrases))


def asked_each(phrases: Sequence[Sequence[str]]) -> str:
    """A JSON list of expressions."""
    return to_json([_phrase(phrase) for phrase in phrases])


def _phrase(words: Sequence[str]) -> str:
    """Words one behind the other, as FTS5 takes them literally."""
    return '"' + " ".join(words).replace('"', '""').replace("\0", " ") + '"'
