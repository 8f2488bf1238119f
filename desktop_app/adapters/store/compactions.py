"""Compactions of conversations as rows; an undone one stays."""

from __future__ import annotations

from dataclasses import asdict, fields

from sqlalchemy import insert, select, update
from sqlalchemy.orm import Session

from desktop_app.adapters.store import conversations
from desktop_app.adapters.store.tables import COMPACTIONS
from desktop_app.core.compaction.compaction import Compaction, CompactionCause, CompactionState
from desktop_app.core.conversation import well_formed
from desktop_app.core.errors import NotFound

_COLUMNS = [COMPACTIONS.c[part.name] for part in fields(Compaction)]


def all_of(session: Session, conversation_id: str) -> list[Compaction]:
    """All of a conversation, oldest first; raises NotFound."""
    conversations.row_of(session, conversation_id)
    rows = session.execute(
        select(*_COLUMNS).where(COMPACTIONS.c.conversation_id == conversation_id).order_by(COMPACTIONS.c.number)
    )
    return [
        Compaction(**{**row._mapping, "cause": CompactionCause(row.cause), "state": CompactionState(row.state)})
        for row in rows
    ]


def add(session: Session, compaction: Compaction) -> None:
    """Keeps one; raises NotFound for its conversation."""
    conversations.row_of(session, compaction.conversation_id)
    columns = asdict(compaction) | {
        "memo": well_formed(compaction.memo),
        "focus": well_formed(compaction.focus),
        "cause": compaction.cause.value,
        "state": compaction.state.value,
    }
    session.execute(insert(COMPACTIONS).values(**columns))


def replace_state(session: Session, compaction: Compaction) -> None:
    """Replaces state and `after`, nothing else; raises NotFound."""
    changed = session.execute(
        update(COMPACTIONS)
        .where(COMPACTIONS.c.id == compaction.id)
        .values(state=compaction.state.value, after=compaction.after)
        .returning(COMPACTIONS.c.number)
    )
    if changed.first() is None:
        raise NotFound(what="compaction")
