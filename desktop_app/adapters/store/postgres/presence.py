"""Tells which stores are connected to a database: each holds a lock of its own for as long as it is.

The server gives the lock back when the connection ends, however it ends; so it holds over machines, where process
numbers mean nothing.
"""

from __future__ import annotations

from sqlalchemy import text
from sqlalchemy.orm import Session

SPACE = 0x4D4E454D
"""The first number of all locks of ours that stores are known by."""
_HELD = text(
    """
    SELECT 1 FROM pg_locks JOIN pg_database ON pg_database.oid = pg_locks.database
    WHERE locktype = 'advisory' AND pg_database.datname = current_database() AND objsubid = 2 AND granted
    AND classid = :space AND CAST(objid AS bigint) = :mark LIMIT 1
    """
)


def mark_of(owner: str) -> int:
    """The number a store is known by: the mark in its name, as four bytes without sign."""
    return int(owner.rsplit(":", 1)[1], 16)


def is_there(session: Session, owner: str) -> bool:
    """Whether the store of this name is connected."""
    return session.execute(_HELD, {"space": SPACE, "mark": mark_of(owner)}).first() is not None
