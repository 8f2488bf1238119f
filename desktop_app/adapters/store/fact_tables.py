"""The tables of long-term facts: the facts, their history, their vectors, and what the vector index is still owed.

The full-text tables `fact_words` (row id: `fact.number`), `message_words` (`message.number`) and `document_words`
(`passage.number`) are virtual ones that SQLModel cannot describe; they and the tables SQLite keeps for them are left
out of every comparison with the database.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from datetime import datetime
from typing import Any

from sqlalchemy import Index, Integer, LargeBinary, Text, text
from sqlmodel import Field, SQLModel

from desktop_app.adapters.store.tables import UtcTime

# The same holds on PostgreSQL, where the migrations say so: naming its options here would load its dialect each time.
_ACTIVE, _GONE, _ENDING = text("state = 'active'"), text("deleted_at IS NOT NULL"), text("expires_at IS NOT NULL")
COUNTERS = ("taken_number", "written")
"""Two tables that only PostgreSQL has."""
WORDS_TABLES = ("fact_words", "message_words", "document_words")


class FactRow(SQLModel, table=True):
    """A fact. `same_key` is its key as keys are compared; of the active facts of a profile no two share one.

    `told_at` is when it last stood in the prefix of a request, to the day: what is told is not unused. `checked_by` is
    the version of the detector that has looked through it as it stands and left no secret, 0 for none.
    """

    __tablename__ = "fact"
    __table_args__ = (
        Index("ix_fact_key", "profile", "same_key"),
        Index("ix_fact_scope", "profile", "state", "scope"),
        Index(*("ix_fact_active_key", "profile", "same_key"), unique=True, sqlite_where=_ACTIVE),
        Index("ix_fact_deleted_at", "deleted_at", sqlite_where=_GONE),
        # With profile and state before it, or the index of these would be chosen, which every fact is in.
        Index(*("ix_fact_expires_at", "profile", "state", "expires_at"), sqlite_where=_ENDING),
        {"sqlite_autoincrement": True},
    )
    number: int | None = Field(default=None, sa_type=Integer, primary_key=True)
    id: str = Field(unique=True)
    profile: str
    key: str = Field(sa_type=Text)
    same_key: str = Field(sa_type=Text)
    value: str = Field(sa_type=Text)
    category: str
    scope: str
    state: str
    origin: str
    pinned: bool
    revision: int
    # No references: a fact outlives the conversation it was said in.
    source_message_id: str | None = None
    source_conversation_id: str | None = None
    source_quote: str | None = Field(default=None, sa_type=Text)
    source_start: int | None = None
    source_end: int | None = None
    created_at: datetime = Field(sa_type=UtcTime)
    updated_at: datetime = Field(sa_type=UtcTime)
    last_used_at: datetime | None = Field(default=None, sa_type=UtcTime)
    expires_at: datetime | None = Field(default=None, sa_type=UtcTime)
    uses: int
    deleted_at: datetime | None = Field(default=None, sa_type=UtcTime)
    replaced_by: str | None = None
    replaced_at: datetime | None = Field(default=None, sa_type=UtcTime)
    repeats: int = 0
    repeated_at: datetime | None = Field(default=None, sa_type=UtcTime)
    keeps_secrets: bool = False
    told_at: datetime | None = Field(default=None, sa_type=UtcTime)
    checked_by: int = 0


class FactChangeRow(SQLModel, table=True):
    """One line of the history; `before` and `after` are the whole fact as JSON. Lines of one `act` were made as one.

    `checked_by` is the version of the detector that found no secret in either, 0 where none has looked.
    """

    __tablename__ = "fact_change"
    __table_args__ = ({"sqlite_autoincrement": True},)
    number: int | None = Field(default=None, sa_type=Integer, primary_key=True)
    fact_id: str = Field(index=True)
    profile: str
    action: str
    by: str
    at: datetime = Field(sa_type=UtcTime)
    before: str | None = Field(default=None, sa_type=Text)
    after: str = Field(sa_type=Text)
    undone: bool = False
    act: int = Field(default=0, index=True)
    checked_by: int = 0


class FactVectorRow(SQLModel, table=True):
    """The meaning of a fact's text by one embedder: float32, little endian. `revision` is that of the text."""

    __tablename__ = "fact_vector"
    fact_number: int = Field(primary_key=True, foreign_key="fact.number", ondelete="CASCADE")
    embedder: str = Field(primary_key=True)
    revision: int
    vector: bytes = Field(sa_type=LargeBinary)


class OwedRow(SQLModel, table=True):
    """What the vector index has yet to learn of a fact or a passage: `put` its present text, or `remove` it."""

    __tablename__ = "owed"
    __table_args__ = ({"sqlite_autoincrement": True},)
    number: int | None = Field(default=None, sa_type=Integer, primary_key=True)
    profile: str
    kind: str = "fact"
    item_id: str = Field(index=True)
    action: str


class FactRelationRow(SQLModel, table=True):
    """How a fact that waits stands to another one, as it was judged when it came: see `core.fact_relations`."""

    __tablename__ = "fact_relation"
    fact_number: int = Field(primary_key=True, foreign_key="fact.number", ondelete="CASCADE")
    other_number: int = Field(primary_key=True, foreign_key="fact.number", ondelete="CASCADE", index=True)
    relation: str
    judged_by: str
    at: datetime = Field(sa_type=UtcTime)


def is_described(name: str | None, kind: str, _parents: MutableMapping[Any, str | None]) -> bool:
    """Whether a thing in the database is one these classes describe; `include_name` of Alembic."""
    return not (kind == "table" and name is not None and (_of_words(name) or name in COUNTERS))


def _of_words(name: str) -> bool:
    return any(name == table or name.startswith(f"{table}_") for table in WORDS_TABLES)


METADATA = SQLModel.metadata
FACTS = METADATA.tables["fact"]
FACT_CHANGES = METADATA.tables["fact_change"]
FACT_VECTORS = METADATA.tables["fact_vector"]
OWED = METADATA.tables["owed"]
FACT_RELATIONS = METADATA.tables["fact_relation"]
