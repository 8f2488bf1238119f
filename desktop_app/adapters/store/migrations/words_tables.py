"""Tables of words: FTS5 on SQLite, plain ones on PostgreSQL, which has two small tables more for what SQLite keeps."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op


def on_sqlite() -> bool:
    """Whether it is SQLite that is migrated."""
    return op.get_bind().dialect.name == "sqlite"


def make_words_table(name: str, owner: str, *further: str) -> None:
    """The words of the rows of `owner`, with further numbers that are not searched."""
    if on_sqlite():
        columns = ", ".join([*(f"{column} UNINDEXED" for column in further), "words"])
        op.execute(f"CREATE VIRTUAL TABLE {name} USING fts5({columns}, tokenize = 'porter unicode61')")
        return
    op.create_table(
        name,
        sa.Column("number", sa.Integer, sa.ForeignKey(f"{owner}.number", ondelete="CASCADE"), primary_key=True),
        *(sa.Column(column, sa.Integer, nullable=False) for column in further),
        *(sa.Column(column, sa.Text, nullable=False) for column in ("words", "stems")),
        sa.Column("length", sa.Integer, nullable=False),
    )
    op.execute(f"CREATE INDEX ix_{name}_stems ON {name} USING gin (string_to_array(btrim(stems), '  '))")


def make_counters() -> None:
    """The numbers taken by rows that are never used again, and how often was written."""
    if on_sqlite():
        return
    op.create_table(
        "taken_number",
        sa.Column("name", sa.String, primary_key=True),
        sa.Column("number", sa.Integer, nullable=False),
    )
    op.create_table("written", sa.Column("number", sa.BigInteger, nullable=False))
    op.execute("INSERT INTO written VALUES (0)")
