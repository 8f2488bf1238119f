"""Fulfils `backend.Backend` with what PostgreSQL has: a table of numbers, words in tables, locks of those at work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import text
from sqlalchemy.orm import Session

from desktop_app.adapters.store.postgres.presence import is_there
from desktop_app.adapters.store.postgres.stems import stems
from desktop_app.core.conversation import to_json

_TAKE = text(
    """
    INSERT INTO taken_number (name, number) VALUES (:table, :count)
    ON CONFLICT (name) DO UPDATE SET number = taken_number.number + excluded.number RETURNING number
    """
)


def last_number(session: Session, table: str) -> int:
    """The greatest number a row ever had."""
    last = session.execute(text("SELECT number FROM taken_number WHERE name = :table"), {"table": table}).scalar()
    return last or 0


def take_numbers(session: Session, table: str, count: int) -> range:
    """The numbers of the next rows, taken in this transaction: a sequence would tell them before they are there."""
    last = session.execute(_TAKE, {"table": table, "count": count}).scalar_one()
    return range(last + 1 - count, last + 1)


def seen_version(_session: Session) -> int | None:
    """There is none."""
    return None


def lives(session: Session, owner: str | None, own: str) -> bool:
    """Whether the store that is named so is connected, from whatever machine."""
    return owner is not None and (owner == own or is_there(session, owner))


def put_words(session: Session, table: str, rows: Sequence[Mapping[str, object]]) -> None:
    """Adds rows."""
    if rows:
        columns = ", ".join([*rows[0], "stems", "length"])
        values = ", ".join(f":{name}" for name in [*rows[0], "stems", "length"])
        statement = text(f"INSERT INTO {table} ({columns}) VALUES ({values})")
        session.execute(statement, [{**row, **_stemmed(str(row["words"]))} for row in rows])


def replace_words(session: Session, table: str, number: int, words: str) -> None:
    """Gives a row other words."""
    statement = text(f"UPDATE {table} SET words = :words, stems = :stems, length = :length WHERE number = :number")
    session.execute(statement, {"number": number, "words": words, **_stemmed(words)})


def remove_words(session: Session, table: str, numbers: Sequence[int]) -> None:
    """Removes rows."""
    session.execute(text(f"DELETE FROM {table} WHERE number = ANY(:numbers)"), {"numbers": list(numbers)})


def tidy_words(_session: Session, _table: str) -> None:
    """Left to the server, which writes over what was removed in its own time."""


def asked(phrases: Sequence[Sequence[str]], *, together: bool = False) -> str:
    """A JSON object: the phrases, and how many of them a row must hold."""
    wanted = list(dict.fromkeys(filter(None, map(_phrase, phrases))))
    return to_json({"of": wanted, "least": len(wanted) if together else 1})


def asked_each(phrases: Sequence[Sequence[str]]) -> str:
    """A JSON list of phrases; one without a letter is empty and finds nothing."""
    return to_json([_phrase(phrase) for phrase in phrases])


def _phrase(words: Sequence[str]) -> str:
    return _spaced(stems(" ".join(words)))


def _stemmed(words: str) -> dict[str, object]:
    found = stems(words)
    return {"stems": _spaced(found), "length": len(found)}


def _spaced(found: Sequence[str]) -> str:
    """Each stem between two spaces of its own: ` one  two `."""
    return f" {'  '.join(found)} " if found else ""
