"""Facts with more states and sources, passages of messages and documents, and what was recalled when."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from desktop_app.adapters.store.migrations.words_tables import make_words_table, on_sqlite

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds columns to facts and epochs, and the tables of what can be recalled besides them."""
    _facts()
    op.add_column("epoch", sa.Column("memory_rules", sa.Text, nullable=False, server_default=""))
    _documents()
    _passages()
    op.create_table(
        "recollection",
        sa.Column("message_number", sa.Integer, sa.ForeignKey("message.number", ondelete="CASCADE"), primary_key=True),
        sa.Column("body", sa.Text, nullable=False),
    )


def _facts() -> None:
    for column in (
        sa.Column("source_start", sa.Integer),
        sa.Column("source_end", sa.Integer),
        sa.Column("replaced_by", sa.String),
        sa.Column("replaced_at", sa.Text),
        sa.Column("repeats", sa.Integer, nullable=False, server_default="0"),
        sa.Column("repeated_at", sa.Text),
        sa.Column("keeps_secrets", sa.Boolean, nullable=False, server_default="0"),
        sa.Column("told_at", sa.Text),
        sa.Column("checked_by", sa.Integer, nullable=False, server_default="0"),
    ):
        op.add_column("fact", column)
    for name in ("act", "checked_by"):
        op.add_column("fact_change", sa.Column(name, sa.Integer, nullable=False, server_default="0"))
    if on_sqlite():  # PostgreSQL came later and has no lines yet
        op.execute("UPDATE fact_change SET act = number")
        # An accepted proposal gave its value to an active fact: the second line of the two.
        op.execute(
            "UPDATE fact_change SET act = number - 1"
            " WHERE action = 'accepted' AND json_extract(before, '$.state') = 'active'"
        )
    op.create_index("ix_fact_scope", "fact", ["profile", "state", "scope"])
    ending = sa.text("expires_at IS NOT NULL")
    over = ["profile", "state", "expires_at"]
    op.create_index("ix_fact_expires_at", "fact", over, sqlite_where=ending, postgresql_where=ending)
    op.create_index("ix_fact_change_act", "fact_change", ["act"])
    op.create_table(
        "fact_relation",
        sa.Column("fact_number", sa.Integer, sa.ForeignKey("fact.number", ondelete="CASCADE"), primary_key=True),
        sa.Column("other_number", sa.Integer, sa.ForeignKey("fact.number", ondelete="CASCADE"), primary_key=True),
        *(sa.Column(name, sa.String, nullable=False) for name in ("relation", "judged_by")),
        sa.Column("at", sa.Text, nullable=False),
    )
    op.create_index("ix_fact_relation_other_number", "fact_relation", ["other_number"])
    op.add_column("owed", sa.Column("kind", sa.String, nullable=False, server_default="fact"))
    op.execute("ALTER TABLE owed RENAME COLUMN fact_id TO item_id")
    op.drop_index("ix_owed_fact_id", "owed")
    op.create_index("ix_owed_item_id", "owed", ["item_id"])


def _documents() -> None:
    op.create_table(
        "document",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("id", sa.String, nullable=False, unique=True),
        *(sa.Column(name, sa.String, nullable=False) for name in ("profile", "name", "media_type", "place", "digest")),
        *(sa.Column(name, sa.Integer, nullable=False) for name in ("size", "letters")),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("pages", sa.Integer),
        sa.Column("added_at", sa.Text, nullable=False),
        sa.Column("deleted_at", sa.Text),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_document_list", "document", ["profile", "deleted_at"])


def _passages() -> None:
    """Pieces of what was said and of documents; messages there are get theirs later, a few at a time."""
    op.create_table(
        "passage",
        sa.Column("number", sa.Integer, primary_key=True),
        *(sa.Column(name, sa.String, nullable=False) for name in ("profile", "kind")),
        sa.Column("message_number", sa.Integer, sa.ForeignKey("message.number", ondelete="CASCADE")),
        sa.Column("document_number", sa.Integer, sa.ForeignKey("document.number", ondelete="CASCADE")),
        *(sa.Column(name, sa.Integer, nullable=False) for name in ("part", "start", "end")),
        *(sa.Column(name, sa.Boolean, nullable=False) for name in ("hangul", "echo")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_passage_pool", "passage", ["profile", "kind"])
    op.create_index("ix_passage_message_number", "passage", ["message_number"])
    op.create_index("ix_passage_document_number", "passage", ["document_number"])
    make_words_table("document_words", "passage")
    op.create_table(
        "withheld",
        sa.Column("passage_number", sa.Integer, sa.ForeignKey("passage.number", ondelete="CASCADE"), primary_key=True),
        sa.Column("fact_id", sa.String, primary_key=True),
    )
    op.create_index("ix_withheld_fact_id", "withheld", ["fact_id"])
    op.create_table(
        "passage_vector",
        sa.Column("passage_number", sa.Integer, sa.ForeignKey("passage.number", ondelete="CASCADE"), primary_key=True),
        sa.Column("embedder", sa.String, primary_key=True),
        sa.Column("vector", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "message_uncut",
        sa.Column("message_number", sa.Integer, sa.ForeignKey("message.number", ondelete="CASCADE"), primary_key=True),
    )
    op.execute("INSERT INTO message_uncut SELECT number FROM message")
    op.create_table(
        "embedder",
        sa.Column("name", sa.String, primary_key=True),
        sa.Column("dimension", sa.Integer, nullable=False),
        *(sa.Column(name, sa.String, nullable=False) for name in ("kind", "url", "model")),
        *(sa.Column(name, sa.Float, nullable=False) for name in ("mean", "deviation")),
        *(sa.Column(name, sa.Boolean, nullable=False) for name in ("korean", "serving")),
        sa.Column("since", sa.Text, nullable=False),
    )
    op.create_table(
        "unembedded",
        *(sa.Column(name, sa.String, primary_key=True) for name in ("embedder", "kind", "item_id")),
        sa.Column("revision", sa.Integer, nullable=False),
        sa.Column("tried_at", sa.Text, nullable=False),
    )
