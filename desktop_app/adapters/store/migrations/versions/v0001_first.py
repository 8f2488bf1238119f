"""The first schema: conversations as trees of messages, blocks stored once, requests as they were sent."""

from __future__ import annotations

import secrets

import sqlalchemy as sa
from alembic import op

from desktop_app.adapters.store.migrations.words_tables import make_counters

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Makes every table, and the key of this installation."""
    install = op.create_table(
        "install",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("block_key", sa.LargeBinary, nullable=False),
    )
    op.bulk_insert(install, [{"id": 1, "block_key": secrets.token_bytes(32)}])
    op.create_table(
        "calibration",
        sa.Column("model_key", sa.String, primary_key=True),
        sa.Column("state", sa.Text, nullable=False),
    )
    _conversations()
    _messages()
    _requests()
    make_counters()


def _conversations() -> None:
    op.create_table(
        "conversation",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("profile", sa.String, nullable=False),
        sa.Column("title", sa.String, nullable=False),
        sa.Column("created_at", sa.Text),
        sa.Column("updated_at", sa.Text),
        sa.Column("head_id", sa.String),
        sa.Column("excerpt", sa.String, nullable=False),
        sa.Column("imported", sa.Boolean, nullable=False),
        sa.Column("simulated", sa.Boolean, nullable=False),
        sa.Column("owner", sa.String),
        sa.Column("deleted_at", sa.Text),
    )
    op.create_index("ix_conversation_list", "conversation", ["profile", "updated_at"])
    op.create_table(
        "epoch",
        _inside("conversation_id", "conversation.id", primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("endpoint", sa.String, nullable=False),
        sa.Column("model", sa.String, nullable=False),
        sa.Column("system", sa.Text, nullable=False),
        sa.Column("tools", sa.Text, nullable=False),
    )
    op.create_table(
        "import_source",
        sa.Column("profile", sa.String, primary_key=True),
        sa.Column("source_id", sa.String, primary_key=True),
        sa.Column("conversation_id", sa.String, sa.ForeignKey("conversation.id", ondelete="SET NULL")),
    )
    op.create_index("ix_import_source_conversation_id", "import_source", ["conversation_id"])


def _messages() -> None:
    op.create_table(
        "block",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("hmac", sa.LargeBinary, nullable=False, unique=True),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("tombstone", sa.Text),
    )
    op.create_table(
        "message",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("id", sa.String, nullable=False, unique=True),
        _inside("conversation_id", "conversation.id"),
        sa.Column("parent_id", sa.String, sa.ForeignKey("message.id")),
        sa.Column("role", sa.String, nullable=False),
        sa.Column("origin", sa.String, nullable=False),
        sa.Column("state", sa.String, nullable=False),
        sa.Column("created_at", sa.Text),
        sa.Column("model", sa.String),
        sa.Column("epoch", sa.Integer),
        sa.Column("request_id", sa.String),
        sa.Column("stop_reason", sa.String),
        sa.Column("seconds", sa.Float),
        sa.Column("owner", sa.String),
        sa.Column("source_id", sa.String),
        sa.Column("source_hash", sa.String),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_message_conversation_id", "message", ["conversation_id"])
    op.create_index("ix_message_parent_id", "message", ["parent_id"])
    _index_owner("message")
    op.create_table(
        "message_block",
        _inside("message_number", "message.number", sa.Integer, primary_key=True),
        sa.Column("position", sa.Integer, primary_key=True),
        sa.Column("block_id", sa.String, sa.ForeignKey("block.id"), nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_message_block_block_id", "message_block", ["block_id"])


def _requests() -> None:
    op.create_table(
        "request",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("id", sa.String, nullable=False, unique=True),
        _inside("conversation_id", "conversation.id"),
        sa.Column("base", sa.Integer, sa.ForeignKey("request.number")),
        sa.Column("shared", sa.Integer, nullable=False),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("params", "marks", "betas")),
        sa.Column("turn_id", sa.String, nullable=False),
        sa.Column("turn", sa.Integer, nullable=False),
        sa.Column("round", sa.Integer, nullable=False),
        sa.Column("sent_at", sa.Text, nullable=False),
        *(sa.Column(name, sa.String, nullable=False) for name in ("host", "model", "digest")),
        sa.Column("reserve", sa.Integer, nullable=False),
        sa.Column("window", sa.Integer),
        sa.Column("estimated", sa.Integer, nullable=False),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("rows", "spans")),
        sa.Column("state", sa.String, nullable=False),
        *(
            sa.Column(name, sa.Integer)
            for name in ("counted", "uncached", "write_5m", "write_1h", "read", "output", "thinking")
        ),
        sa.Column("split_known", sa.Boolean),
        sa.Column("output_estimated", sa.Boolean),
        *(sa.Column(name, sa.String) for name in ("answered_by", "stop_reason", "remote_id", "error")),
        sa.Column("seconds", sa.Float),
        sa.Column("owner", sa.String),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_request_base", "request", ["base"])
    _index_owner("request")
    op.create_index("ix_request_digest", "request", ["conversation_id", "digest"])
    op.create_table(
        "request_block",
        _inside("request_number", "request.number", sa.Integer, primary_key=True),
        sa.Column("position", sa.Integer, primary_key=True),
        sa.Column("slot", sa.Integer, nullable=False),
        sa.Column("role", sa.String),
        sa.Column("block_id", sa.String, sa.ForeignKey("block.id")),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_request_block_block_id", "request_block", ["block_id"])


def _index_owner(table: str) -> None:
    """Finds the few rows that some process is still working on."""
    busy = sa.text("owner IS NOT NULL")
    op.create_index(f"ix_{table}_owner", table, ["owner"], sqlite_where=busy, postgresql_where=busy)


def _inside(
    name: str,
    target: str,
    kind: type[sa.String | sa.Integer] = sa.String,
    *,
    primary_key: bool = False,
) -> sa.Column[str | int]:
    """A reference to a row that takes this one along when it goes."""
    reference = sa.ForeignKey(target, ondelete="CASCADE")
    return sa.Column(name, kind, reference, primary_key=primary_key, nullable=False)
