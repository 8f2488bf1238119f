"""Long-term facts with their history, words and vectors; notes beside messages; compactions."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from desktop_app.adapters.store.migrations.words_tables import make_words_table

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds the tables of memory, and what epochs and requests tell of it."""
    _facts()
    _index()
    _conversations()


def _facts() -> None:
    op.create_table(
        "fact",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("id", sa.String, nullable=False, unique=True),
        sa.Column("profile", sa.String, nullable=False),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("key", "same_key", "value")),
        *(sa.Column(name, sa.String, nullable=False) for name in ("category", "scope", "state", "origin")),
        sa.Column("pinned", sa.Boolean, nullable=False),
        sa.Column("revision", sa.Integer, nullable=False),
        sa.Column("source_message_id", sa.String),
        sa.Column("source_conversation_id", sa.String),
        sa.Column("source_quote", sa.Text),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("created_at", "updated_at")),
        *(sa.Column(name, sa.Text) for name in ("last_used_at", "expires_at")),
        sa.Column("uses", sa.Integer, nullable=False),
        sa.Column("deleted_at", sa.Text),
        sqlite_autoincrement=True,
    )
    key = ["profile", "same_key"]
    op.create_index("ix_fact_key", "fact", key)
    active, gone = sa.text("state = 'active'"), sa.text("deleted_at IS NOT NULL")
    op.create_index("ix_fact_active_key", "fact", key, unique=True, sqlite_where=active, postgresql_where=active)
    op.create_index("ix_fact_deleted_at", "fact", ["deleted_at"], sqlite_where=gone, postgresql_where=gone)
    op.create_table(
        "fact_change",
        sa.Column("number", sa.Integer, primary_key=True),
        *(sa.Column(name, sa.String, nullable=False) for name in ("fact_id", "profile", "action", "by")),
        sa.Column("at", sa.Text, nullable=False),
        sa.Column("before", sa.Text),
        sa.Column("after", sa.Text, nullable=False),
        sa.Column("undone", sa.Boolean, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_fact_change_fact_id", "fact_change", ["fact_id"])


def _index() -> None:
    """What facts are found by, and what the vector index has yet to learn."""
    make_words_table("fact_words", "fact")
    op.create_table(
        "fact_vector",
        sa.Column("fact_number", sa.Integer, sa.ForeignKey("fact.number", ondelete="CASCADE"), primary_key=True),
        sa.Column("embedder", sa.String, primary_key=True),
        sa.Column("revision", sa.Integer, nullable=False),
        sa.Column("vector", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "owed",
        sa.Column("number", sa.Integer, primary_key=True),
        *(sa.Column(name, sa.String, nullable=False) for name in ("profile", "fact_id", "action")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_owed_fact_id", "owed", ["fact_id"])


def _conversations() -> None:
    op.create_table(
        "message_note",
        sa.Column("message_number", sa.Integer, sa.ForeignKey("message.number", ondelete="CASCADE"), primary_key=True),
        sa.Column("epoch", sa.Integer, nullable=False),
        sa.Column("notes", sa.Text, nullable=False),
    )
    op.create_table(
        "compaction",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("id", sa.String, nullable=False, unique=True),
        sa.Column("conversation_id", sa.String, sa.ForeignKey("conversation.id", ondelete="CASCADE"), nullable=False),
        sa.Column("until_message_id", sa.String, nullable=False),
        sa.Column("memo", sa.Text, nullable=False),
        *(sa.Column(name, sa.Integer, nullable=False) for name in ("folded", "before", "after")),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.Column("model", sa.String, nullable=False),
        sa.Column("seconds", sa.Float, nullable=False),
        sa.Column("request_id", sa.String, nullable=False),
        sa.Column("cause", sa.String, nullable=False),
        sa.Column("focus", sa.Text, nullable=False),
        sa.Column("state", sa.String, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_compaction_conversation_id", "compaction", ["conversation_id"])
    for name, empty in (("facts", ""), ("fact_revisions", "[]"), ("dropped", "[]")):
        op.add_column("epoch", sa.Column(name, sa.Text, nullable=False, server_default=empty))
    op.add_column("epoch", sa.Column("facts_upto", sa.Integer, nullable=False, server_default="0"))
    op.add_column("epoch", sa.Column("compaction_id", sa.String))
    op.add_column("request", sa.Column("purpose", sa.String, nullable=False, server_default="chat"))
    op.add_column("request_block", sa.Column("segment", sa.String))
