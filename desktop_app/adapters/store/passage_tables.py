"""The tables of documents and passages: pieces of messages and documents, their vectors, and what was recalled when.

No passage holds a text of its own: it is a span of a message's text or of a document. `METADATA` describes all tables.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Index, Integer, LargeBinary, Text
from sqlmodel import Field, SQLModel

from desktop_app.adapters.store import fact_tables
from desktop_app.adapters.store.tables import UtcTime


class DocumentRow(SQLModel, table=True):
    """A document as text; `digest` tells whether it is the same again, `place` where it was read from.

    `size` is that of the file in bytes, `letters` that of the text. A removed one has no passages.
    """

    __tablename__ = "document"
    __table_args__ = (
        Index("ix_document_list", "profile", "deleted_at"),
        {"sqlite_autoincrement": True},
    )
    number: int | None = Field(default=None, sa_type=Integer, primary_key=True)
    id: str = Field(unique=True)
    profile: str
    name: str
    media_type: str
    place: str
    digest: str
    size: int
    letters: int
    text: str = Field(sa_type=Text)
    pages: int | None = None
    added_at: datetime = Field(sa_type=UtcTime)
    deleted_at: datetime | None = Field(default=None, sa_type=UtcTime)


class PassageRow(SQLModel, table=True):
    """A span of a message or a document; `echo` where it repeats what was recalled, so that it is no evidence of it."""

    __tablename__ = "passage"
    __table_args__ = (
        Index("ix_passage_pool", "profile", "kind"),
        {"sqlite_autoincrement": True},
    )
    number: int | None = Field(default=None, sa_type=Integer, primary_key=True)
    profile: str
    kind: str
    message_number: int | None = Field(default=None, foreign_key="message.number", ondelete="CASCADE", index=True)
    document_number: int | None = Field(default=None, foreign_key="document.number", ondelete="CASCADE", index=True)
    part: int
    start: int
    end: int
    hangul: bool
    echo: bool = False


class WithheldRow(SQLModel, table=True):
    """A passage that tells a deleted fact. The mark outlives the fact's row: what was deleted for good stays untold."""

    __tablename__ = "withheld"
    passage_number: int = Field(primary_key=True, foreign_key="passage.number", ondelete="CASCADE")
    fact_id: str = Field(primary_key=True, index=True)


class PassageVectorRow(SQLModel, table=True):
    """The meaning of a passage by one embedder: float32, little endian, length 1."""

    __tablename__ = "passage_vector"
    passage_number: int = Field(primary_key=True, foreign_key="passage.number", ondelete="CASCADE")
    embedder: str = Field(primary_key=True)
    vector: bytes = Field(sa_type=LargeBinary)


class MessageUncutRow(SQLModel, table=True):
    """A message that was not cut into passages yet."""

    __tablename__ = "message_uncut"
    message_number: int = Field(sa_type=Integer, primary_key=True, foreign_key="message.number", ondelete="CASCADE")


class EmbedderRow(SQLModel, table=True):
    """An embedder there are vectors of, or are to be; the one that is `serving` is searched with.

    `kind`, `url` and `model` are what was chosen; `mean` and `deviation` say how close unrelated texts lie.
    """

    __tablename__ = "embedder"
    name: str = Field(primary_key=True)
    dimension: int
    kind: str
    url: str
    model: str
    mean: float
    deviation: float
    korean: bool
    serving: bool
    since: datetime = Field(sa_type=UtcTime)


class UnembeddedRow(SQLModel, table=True):
    """A text an embedder could not take, as it was at `revision`: found by its words, and tried again later."""

    __tablename__ = "unembedded"
    embedder: str = Field(primary_key=True)
    kind: str = Field(primary_key=True)
    item_id: str = Field(primary_key=True)
    revision: int
    tried_at: datetime = Field(sa_type=UtcTime)


class RecollectionRow(SQLModel, table=True):
    """What was recalled for a message and what came near: ids and parts of scores as JSON, no text."""

    __tablename__ = "recollection"
    message_number: int = Field(sa_type=Integer, primary_key=True, foreign_key="message.number", ondelete="CASCADE")
    body: str = Field(sa_type=Text)


METADATA = fact_tables.METADATA
DOCUMENTS = METADATA.tables["document"]
PASSAGES = METADATA.tables["passage"]
WITHHELD = METADATA.tables["withheld"]
PASSAGE_VECTORS = METADATA.tables["passage_vector"]
MESSAGES_UNCUT = METADATA.tables["message_uncut"]
EMBEDDERS = METADATA.tables["embedder"]
UNEMBEDDED = METADATA.tables["unembedded"]
RECOLLECTIONS = METADATA.tables["recollection"]
