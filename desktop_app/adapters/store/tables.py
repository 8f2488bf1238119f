"""The tables of the database as SQLModel classes; the migrations under `migrations/` create them.

Those of long-term facts are in `fact_tables`. Times are UTC ISO text with zone. Rows of messages and requests
carry a growing `number`: order comes from it, never from a clock. Bodies of blocks are TEXT, exactly the JSON
that is sent.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Dialect, Index, Integer, LargeBinary, Text, TypeDecorator, text
from sqlmodel import Field, SQLModel

SCHEMA = 5
"""The number of the newest migration; `PRAGMA user_version` of an up-to-date file."""
_BUSY = text("owner IS NOT NULL")


class UtcTime(TypeDecorator[datetime]):
    """A moment as text that sorts by time: `2026-01-31T09:00:00.000000+00:00`. Naive times are taken as UTC."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: datetime | None, _: Dialect) -> str | None:
        """Text for the database."""
        if value is None:
            return None
        aware = value if value.tzinfo else value.replace(tzinfo=UTC)
        return aware.astimezone(UTC).isoformat(timespec="microseconds")

    def process_result_value(self, value: Any | None, _: Dialect) -> datetime | None:
        """An aware moment in UTC."""
        return None if value is None else datetime.fromisoformat(value)


class InstallRow(SQLModel, table=True):
    """The one row with the key of the HMACs of this installation."""

    __tablename__ = "install"
    id: int = Field(primary_key=True)
    block_key: bytes = Field(sa_type=LargeBinary)


class ConversationRow(SQLModel, table=True):
    """A conversation; `excerpt` is kept up to date so that a list needs no messages.

    `owner` names the process whose turn runs here.
    """

    __tablename__ = "conversation"
    __table_args__ = (Index("ix_conversation_list", "profile", "updated_at"),)
    id: str = Field(primary_key=True)
    profile: str
    title: str
    created_at: datetime | None = Field(default=None, sa_type=UtcTime)
    updated_at: datetime | None = Field(default=None, sa_type=UtcTime)
    head_id: str | None = None
    excerpt: str = ""
    imported: bool = False
    simulated: bool = False
    owner: str | None = None
    deleted_at: datetime | None = Field(default=None, sa_type=UtcTime)


class MessageRow(SQLModel, table=True):
    """A node of the tree; `owner` names the process that is streaming it, `source_*` where it was imported from."""

    __tablename__ = "message"
    __table_args__ = (
        Index("ix_message_owner", "owner", sqlite_where=_BUSY),
        {"sqlite_autoincrement": True},
    )
    number: int | None = Field(default=None, sa_type=Integer, primary_key=True)
    id: str = Field(unique=True)
    conversation_id: str = Field(foreign_key="conversation.id", ondelete="CASCADE", index=True)
    # No cascade upwards: a chain of thousands would exceed SQLite's depth of triggers.
    parent_id: str | None = Field(default=None, foreign_key="message.id", index=True)
    role: str
    origin: str
    state: str
    created_at: datetime | None = Field(default=None, sa_type=UtcTime)
    model: str | None = None
    epoch: int | None = None
    request_id: str | None = None
    stop_reason: str | None = None
    seconds: float | None = None
    owner: str | None = None
    source_id: str | None = None
    source_hash: str | None = None


class BlockRow(SQLModel, table=True):
    """A content block, stored once; `tombstone` says why a body was taken away."""

    __tablename__ = "block"
    id: str = Field(primary_key=True)
    hmac: bytes = Field(sa_type=LargeBinary, unique=True)
    body: str = Field(sa_type=Text)
    tombstone: str | None = Field(default=None, sa_type=Text)


class MessageBlockRow(SQLModel, table=True):
    """Which blocks a message consists of."""

    __tablename__ = "message_block"
    __table_args__ = ({"sqlite_with_rowid": False},)
    message_number: int = Field(primary_key=True, foreign_key="message.number", ondelete="CASCADE")
    position: int = Field(primary_key=True)
    block_id: str = Field(foreign_key="block.id", index=True)


class MessageUnindexedRow(SQLModel, table=True):
    """A message whose words are not found yet: it was written before there was a place for them."""

    __tablename__ = "message_unindexed"
    message_number: int = Field(sa_type=Integer, primary_key=True, foreign_key="message.number", ondelete="CASCADE")


class MessageNoteRow(SQLModel, table=True):
    """What was told beside a message of the person, as it was sent: a list of [fact id, revision, kind, line],
    or an object of `facts` (such a list) and `passages`, a list of [kind, source id, passage id, line]."""

    __tablename__ = "message_note"
    message_number: int = Field(sa_type=Integer, primary_key=True, foreign_key="message.number", ondelete="CASCADE")
    epoch: int
    notes: str = Field(sa_type=Text)


class EpochRow(SQLModel, table=True):
    """The stored prefix of a stretch of a conversation."""

    __tablename__ = "epoch"
    conversation_id: str = Field(primary_key=True, foreign_key="conversation.id", ondelete="CASCADE")
    number: int = Field(primary_key=True)
    endpoint: str
    model: str
    system: str = Field(sa_type=Text)
    tools: str = Field(sa_type=Text)
    facts: str = Field(default="", sa_type=Text)
    fact_revisions: str = Field(default="[]", sa_type=Text)
    dropped: str = Field(default="[]", sa_type=Text)
    facts_upto: int = 0
    compaction_id: str | None = None
    result_limit: int = 0
    memory_rules: str = Field(default="", sa_type=Text)


class CompactionRow(SQLModel, table=True):
    """What stands in place of the beginning of a path; `request_ids` is a list, `block` the API's own as it came."""

    __tablename__ = "compaction"
    __table_args__ = ({"sqlite_autoincrement": True},)
    number: int | None = Field(default=None, sa_type=Integer, primary_key=True)
    id: str = Field(unique=True)
    conversation_id: str = Field(foreign_key="conversation.id", ondelete="CASCADE", index=True)
    until_message_id: str
    summary: str = Field(sa_type=Text)
    folded: int
    before: int
    after: int
    created_at: datetime = Field(sa_type=UtcTime)
    model: str
    seconds: float
    request_ids: str
    cause: str
    focus: str = Field(sa_type=Text)
    state: str
    strategy: str = "memo"
    written_by: str = "fork"
    base_id: str | None = None
    folded_tokens: int = 0
    summary_tokens: int = 0
    predicted: int | None = None
    block: str | None = Field(default=None, sa_type=Text)
    edited: bool = False
    failure: str = Field(default="", sa_type=Text)
    result_limit: int | None = None


class UsageColumns(SQLModel):
    """The usage of a request, in every table that keeps one; `sides` is a list of [kind, uncached, write_5m, write_1h,
    read, output]."""

    uncached: int | None = None
    write_5m: int | None = None
    write_1h: int | None = None
    read: int | None = None
    output: int | None = None
    thinking: int | None = None
    # NULL in both means that no usage was reported at all.
    split_known: bool | None = None
    output_estimated: bool | None = None
    sides: str = Field(default="[]", sa_type=Text)


class RequestRow(UsageColumns, table=True):
    """A request without its blocks; its first `shared` blocks are those of the request `base`.

    `spans` holds those of the current message only, the others stand with their blocks. `error` is the word
    of a failure, or the JSON object an answer says of its `stop_reason`. `points` is a list of [place, digest, tokens,
    lifetime, part], `predicted` [read, write_5m, write_1h, uncached], `diagnosis` [kind, missed tokens, told],
    `edits` a list of objects as the API reported them.
    """

    __tablename__ = "request"
    __table_args__ = (
        Index("ix_request_digest", "conversation_id", "digest"),
        Index("ix_request_sent_at", "sent_at"),
        Index("ix_request_owner", "owner", sqlite_where=_BUSY),
        {"sqlite_autoincrement": True},
    )
    number: int | None = Field(default=None, sa_type=Integer, primary_key=True)
    id: str = Field(unique=True)
    conversation_id: str = Field(foreign_key="conversation.id", ondelete="CASCADE")
    base: int | None = Field(default=None, foreign_key="request.number", index=True)
    shared: int
    params: str = Field(sa_type=Text)
    marks: str = Field(sa_type=Text)
    betas: str = Field(sa_type=Text)
    turn_id: str
    turn: int
    round: int
    sent_at: datetime = Field(sa_type=UtcTime)
    host: str
    model: str
    digest: str
    reserve: int
    window: int | None = None
    estimated: int
    rows: str = Field(sa_type=Text)
    spans: str = Field(sa_type=Text)
    state: str
    counted: int | None = None
    answered_by: str | None = None
    stop_reason: str | None = None
    remote_id: str | None = None
    error: str | None = None
    seconds: float | None = None
    owner: str | None = None
    purpose: str = "chat"
    points: str = Field(default="[]", sa_type=Text)
    predicted: str | None = Field(default=None, sa_type=Text)
    diagnosis: str | None = Field(default=None, sa_type=Text)
    app_version: str = ""
    edits: str = Field(default="[]", sa_type=Text)


class SpentRequestRow(UsageColumns, table=True):
    """What a request cost, kept when its conversation is deleted for good: figures without a word of what was said.

    Columns mean what they mean in `request`.
    """

    __tablename__ = "spent_request"
    id: str = Field(primary_key=True)
    profile: str
    conversation_id: str
    turn_id: str
    turn: int
    round: int
    sent_at: datetime = Field(sa_type=UtcTime, index=True)
    host: str
    model: str
    answered_by: str | None = None
    purpose: str
    state: str
    error: str | None = None
    simulated: bool
    estimated: int
    counted: int | None = None
    predicted: str | None = Field(default=None, sa_type=Text)


class RequestBlockRow(SQLModel, table=True):
    """A block of a request at its place in the prefix; `slot` is -2 for tools, -1 for system, else the message.

    A message without blocks is one row without `block_id`. `segment` names a segment that does not follow
    from the place.
    """

    __tablename__ = "request_block"
    __table_args__ = ({"sqlite_with_rowid": False},)
    request_number: int = Field(primary_key=True, foreign_key="request.number", ondelete="CASCADE")
    position: int = Field(primary_key=True)
    slot: int
    role: str | None = None
    block_id: str | None = Field(default=None, foreign_key="block.id", index=True)
    segment: str | None = None


class CalibrationRow(SQLModel, table=True):
    """The state of the token estimator for a model of an endpoint."""

    __tablename__ = "calibration"
    model_key: str = Field(primary_key=True)
    state: str = Field(sa_type=Text)


class ImportSourceRow(SQLModel, table=True):
    """A conversation that was imported once; kept without its conversation after that was deleted for good."""

    __tablename__ = "import_source"
    profile: str = Field(primary_key=True)
    source_id: str = Field(primary_key=True)
    conversation_id: str | None = Field(default=None, foreign_key="conversation.id", ondelete="SET NULL", index=True)


METADATA = SQLModel.metadata
CONVERSATIONS = METADATA.tables["conversation"]
MESSAGES = METADATA.tables["message"]
BLOCKS = METADATA.tables["block"]
EPOCHS = METADATA.tables["epoch"]
MESSAGE_BLOCKS = METADATA.tables["message_block"]
MESSAGES_UNINDEXED = METADATA.tables["message_unindexed"]
MESSAGE_NOTES = METADATA.tables["message_note"]
COMPACTIONS = METADATA.tables["compaction"]
REQUESTS = METADATA.tables["request"]
REQUEST_BLOCKS = METADATA.tables["request_block"]
SPENT_REQUESTS = METADATA.tables["spent_request"]
