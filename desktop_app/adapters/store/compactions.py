"""Compactions of conversations as rows; one that is not in use any more stays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from sqlalchemy import insert, select, update
from sqlalchemy.orm import Session

from desktop_app.adapters.store import blocks, conversations
from desktop_app.adapters.store.tables import COMPACTIONS
from desktop_app.core.compaction.compaction import Compaction, CompactionCause, CompactionState, Strategy, WrittenBy
from desktop_app.core.conversation import from_json, to_json, well_formed
from desktop_app.core.errors import Busy, NotFound

_NAMES = tuple(part.name for part in fields(Compaction))
_COLUMNS = [COMPACTIONS.c[name] for name in _NAMES]
_TEXTS = ("summary", "focus", "failure")
_WORDS = {"cause": CompactionCause, "state": CompactionState, "strategy": Strategy, "written_by": WrittenBy}
_CHANGING = ("state", "after", "predicted", "summary", "summary_tokens", "edited")


def all_of(session: Session, conversation_id: str) -> list[Compaction]:
    """All of a conversation, oldest first; raises NotFound."""
    conversations.row_of(session, conversation_id)
    rows = session.execute(
        select(*_COLUMNS).where(COMPACTIONS.c.conversation_id == conversation_id).order_by(COMPACTIONS.c.number)
    )
    return [_value(row._mapping) for row in rows]


def one(session: Session, compaction_id: str) -> Compaction:
    """One by its id; raises NotFound."""
    row = session.execute(select(*_COLUMNS).where(COMPACTIONS.c.id == compaction_id)).first()
    if row is None:
        raise NotFound(what="compaction")
    return _value(row._mapping)


def add(session: Session, compaction: Compaction, rejecting: Sequence[Compaction] = ()) -> None:
    """Keeps one, and rejects those that are proposals still; raises NotFound for its conversation."""
    conversations.row_of(session, compaction.conversation_id)
    for some in blocks.chunks([one.id for one in rejecting]):
        session.execute(
            update(COMPACTIONS)
            .where(COMPACTIONS.c.id.in_(some), COMPACTIONS.c.state == CompactionState.PROPOSED.value)
            .values(state=CompactionState.REJECTED.value)
        )
    session.execute(insert(COMPACTIONS).values(**_columns(compaction)))


def replace_states(session: Session, compactions: Sequence[Compaction]) -> None:
    """Replaces that of each (`replace_state`); raises NotFound."""
    for compaction in compactions:
        replace_state(session, compaction)


def replace_state(session: Session, compaction: Compaction) -> None:
    """Replaces its state and what may change of its text and its figures, nothing else; raises NotFound."""
    columns = _columns(compaction)
    changed = session.execute(
        update(COMPACTIONS)
        .where(COMPACTIONS.c.id == compaction.id)
        .values({name: columns[name] for name in _CHANGING})
        .returning(COMPACTIONS.c.number)
    )
    if changed.first() is None:
        raise NotFound(what="compaction")


def activate(session: Session, compaction: Compaction) -> Compaction:
    """Puts a proposed one into use; raises NotFound, and Busy when it is a proposal no more."""
    state = session.execute(select(COMPACTIONS.c.state).where(COMPACTIONS.c.id == compaction.id)).scalar()
    if state is not None and state != CompactionState.PROPOSED.value:
        raise Busy()
    active = replace(compaction, state=CompactionState.ACTIVE)
    replace_state(session, active)
    return active


def _columns(compaction: Compaction) -> dict[str, Any]:
    columns = {name: getattr(compaction, name) for name in _NAMES}
    return columns | {
        **{name: well_formed(columns[name]) for name in _TEXTS},
        **{name: columns[name].value for name in _WORDS},
        "request_ids": to_json(list(compaction.request_ids)),
        "block": None if compaction.block is None else blocks.encoded(compaction.block),
    }


def _value(columns: Mapping[Any, Any]) -> Compaction:
    block = columns["block"]
    shaped = {
        **{name: kind(columns[name]) for name, kind in _WORDS.items()},
        "request_ids": tuple(from_json(columns["request_ids"])),
        "block": None if block is None else from_json(block),
    }
    return Compaction(**{**columns, **shaped})
