"""Facts that put themselves away: those whose time is over, and those nobody has used for long."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, and_, or_, select, update
from sqlalchemy.orm import Session

from desktop_app.adapters.store import blocks, fact_rows
from desktop_app.adapters.store.fact_tables import FACTS
from desktop_app.adapters.store.fact_writing import write
from desktop_app.core.conversation import now
from desktop_app.core.facts import FactAction, FactActor, FactState

_A_DAY = timedelta(days=1)


def expired(session: Session, profile: str) -> list[str]:
    """Ids of the facts of a profile whose time is over, and that were not put away yet."""
    standing = (FactState.ACTIVE.value, FactState.PAUSED.value)
    over = (FACTS.c.expires_at <= now()) & FACTS.c.state.in_(standing)
    return list(session.execute(select(FACTS.c.id).where(FACTS.c.profile == profile, over)).scalars())


def expire(session: Session, profile: str, fact_ids: Sequence[str]) -> int:
    """Archives those of these facts whose time is over still; how many."""
    return _archive(session, sorted(set(expired(session, profile)).intersection(fact_ids)))


def unused(session: Session, profile: str, since: datetime) -> list[str]:
    """Ids of active facts that were neither used, told, changed nor pinned since a moment."""
    return list(session.execute(select(FACTS.c.id).where(FACTS.c.profile == profile, _is_unused(since))).scalars())


def archive_unused(session: Session, profile: str, since: datetime, fact_ids: Sequence[str]) -> int:
    """Archives those of these facts that are unused still; how many."""
    return _archive(session, sorted(set(unused(session, profile, since)).intersection(fact_ids)))


def to_be_told(session: Session, fact_ids: Collection[str]) -> list[str]:
    """Those of these facts that were not marked as told for a day."""
    found: list[str] = []
    for some in blocks.chunks(sorted(set(fact_ids))):
        late = or_(FACTS.c.told_at.is_(None), FACTS.c.told_at < now() - _A_DAY)
        found += session.execute(select(FACTS.c.id).where(FACTS.c.id.in_(some), late)).scalars()
    return found


def mark_told(session: Session, fact_ids: Sequence[str]) -> None:
    """They stand in the prefix of a request now."""
    for some in blocks.chunks(fact_ids):
        session.execute(update(FACTS).where(FACTS.c.id.in_(some)).values(told_at=now()))


def _archive(session: Session, fact_ids: Sequence[str]) -> int:
    for fact_id in fact_ids:
        fact = fact_rows.by_id(session, fact_id)
        write(session, FactAction.ARCHIVED, FactActor.RULE, fact, replace(fact, state=FactState.ARCHIVED))
    return len(fact_ids)


def _is_unused(since: datetime) -> ColumnElement[bool]:
    moments = (FACTS.c.last_used_at, FACTS.c.told_at, FACTS.c.repeated_at)
    return and_(
        FACTS.c.state == FactState.ACTIVE.value,
        FACTS.c.pinned.is_(False),
        FACTS.c.updated_at < since,
        *(or_(moment.is_(None), moment < since) for moment in moments),
    )
