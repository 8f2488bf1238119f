"""What the two databases do each in its own way inside a transaction: numbers, full text, who is still at work.

Tables of words hold for a row number the search words of a text; see `sql` for how they are asked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, cast

from sqlalchemy.orm import Session

from desktop_app.adapters.store.postgres import backend as postgres
from desktop_app.adapters.store.sqlite import backend as sqlite

Phrase = Sequence[str]
"""Search words that stand one behind the other; mostly one."""


class Backend(Protocol):
    """Fulfilled by the modules `sqlite.backend` and `postgres.backend`."""

    def last_number(self, session: Session, table: str) -> int:
        """The greatest number a row of `message` or `fact_change` ever had; 0 before the first."""

    def take_numbers(self, session: Session, table: str, count: int) -> range:
        """The numbers of the next rows, which the caller inserts."""

    def seen_version(self, session: Session) -> int | None:
        """A number that is the same for this connection for as long as nothing was written; None where none is told."""

    def lives(self, session: Session, owner: str | None, own: str) -> bool:
        """Whether whoever is named so (see `owners`) can still be writing; `own` names the caller's store."""

    def put_words(self, session: Session, table: str, rows: Sequence[Mapping[str, object]]) -> None:
        """Adds rows of number, words (with spaces between them) and the table's further columns."""

    def replace_words(self, session: Session, table: str, number: int, words: str) -> None:
        """Gives a row other words, where there is one."""

    def remove_words(self, session: Session, table: str, numbers: Sequence[int]) -> None:
        """Removes rows, where there are any."""

    def tidy_words(self, session: Session, table: str) -> None:
        """Lets nothing be left of rows that were removed, as far as the database can."""

    def asked(self, phrases: Sequence[Phrase], *, together: bool = False) -> str:
        """The parameter `asked` for rows that hold any of these phrases, or all of them `together`."""

    def asked_each(self, phrases: Sequence[Phrase]) -> str:
        """The parameter `asked` for each of these phrases by itself."""


def backend_of(session: Session) -> Backend:
    """That of the database a session works on."""
    return cast(Backend, postgres if session.get_bind().dialect.name == "postgresql" else sqlite)
