"""What was expected of the cache, what the API said of it, and what outlives a conversation of its costs."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds columns to requests, and the table of what is kept of them in the end."""
    for column in (
        sa.Column("points", sa.Text, nullable=False, server_default="[]"),
        sa.Column("predicted", sa.Text),
        sa.Column("diagnosis", sa.Text),
        sa.Column("app_version", sa.String, nullable=False, server_default=""),
        sa.Column("sides", sa.Text, nullable=False, server_default="[]"),
    ):
        op.add_column("request", column)
    op.create_index("ix_request_sent_at", "request", ["sent_at"])
    op.create_table(
        "spent_request",
        sa.Column("id", sa.String, primary_key=True),
        *(sa.Column(name, sa.String, nullable=False) for name in ("profile", "conversation_id", "turn_id")),
        *(sa.Column(name, sa.Integer, nullable=False) for name in ("turn", "round")),
        sa.Column("sent_at", sa.Text, nullable=False),
        *(sa.Column(name, sa.String, nullable=False) for name in ("host", "model")),
        sa.Column("answered_by", sa.String),
        *(sa.Column(name, sa.String, nullable=False) for name in ("purpose", "state")),
        sa.Column("error", sa.String),
        sa.Column("simulated", sa.Boolean, nullable=False),
        sa.Column("estimated", sa.Integer, nullable=False),
        *(sa.Column(name, sa.Integer) for name in ("counted", "uncached", "write_5m", "write_1h", "read")),
        *(sa.Column(name, sa.Integer) for name in ("output", "thinking")),
        *(sa.Column(name, sa.Boolean) for name in ("split_known", "output_estimated")),
        sa.Column("predicted", sa.Text),
        sa.Column("sides", sa.Text, nullable=False),
    )
    op.create_index("ix_spent_request_sent_at", "spent_request", ["sent_at"])
