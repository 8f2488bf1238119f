"""Compactions of every kind, limits of tool results, what the API left out, and the words of messages."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from desktop_app.adapters.store.migrations.words_tables import make_words_table, on_sqlite

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Tells more of each compaction; adds columns to epochs and requests, and the tables messages are found by."""
    _compactions()
    _words_of_messages()
    op.add_column("epoch", sa.Column("result_limit", sa.Integer, nullable=False, server_default="0"))
    op.add_column("request", sa.Column("edits", sa.Text, nullable=False, server_default="[]"))


def _compactions() -> None:
    # Renamed where it stands: a table built anew would have its texts written a second time.
    op.execute("ALTER TABLE compaction RENAME COLUMN memo TO summary")
    op.execute("ALTER TABLE compaction RENAME COLUMN request_id TO request_ids")
    if on_sqlite():  # PostgreSQL came later and has none
        op.execute(
            "UPDATE compaction SET request_ids = CASE request_ids WHEN '' THEN '[]' ELSE json_array(request_ids) END"
        )
    for column in (
        sa.Column("strategy", sa.String, nullable=False, server_default="memo"),
        sa.Column("written_by", sa.String, nullable=False, server_default="fork"),
        sa.Column("base_id", sa.String),
        sa.Column("folded_tokens", sa.Integer, nullable=False, server_default="0"),
        sa.Column("summary_tokens", sa.Integer, nullable=False, server_default="0"),
        sa.Column("predicted", sa.Integer),
        sa.Column("block", sa.Text),
        sa.Column("edited", sa.Boolean, nullable=False, server_default="0"),
        sa.Column("failure", sa.Text, nullable=False, server_default=""),
        sa.Column("result_limit", sa.Integer),
    ):
        op.add_column("compaction", column)


def _words_of_messages() -> None:
    """Where messages are found by their words; those there are get theirs later, a few at a time."""
    make_words_table("message_words", "message", "turn", "place")
    op.create_table(
        "message_unindexed",
        sa.Column("message_number", sa.Integer, sa.ForeignKey("message.number", ondelete="CASCADE"), primary_key=True),
    )
    op.execute("INSERT INTO message_unindexed SELECT number FROM message")
