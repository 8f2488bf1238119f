"""Facts that hold in one conversation only go with it: archived while it is deleted, removed when it is for good.

While such a fact stood, it would keep its key from every other fact, and nobody could be told it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from desktop_app.adapters.store import blocks, conversations, fact_rows
from desktop_app.adapters.store.fact_places import STANDING, bring_back
from desktop_app.adapters.store.fact_tables import FACT_CHANGES, FACTS
from desktop_app.adapters.store.fact_writing import write
from desktop_app.core.errors import BadInput
from desktop_app.core.facts import Fact, FactAction, FactActor, FactState

_HOLDING = (FactState.ACTIVE, FactState.PAUSED)


def delete(session: Session, conversation_id: str) -> None:
    """Takes a conversation out of the list, and archives the facts that hold only in it."""
    conversations.mark_deleted(session, conversation_id)
    _archive(session, [conversation_id])


def restore(session: Session, conversation_id: str) -> None:
    """Undoes a deletion; of what was archived with it stands again what nobody took the key of."""
    deleted_at = conversations.row_of(session, conversation_id).deleted_at
    conversations.restore(session, conversation_id)
    for fact in _of(session, [conversation_id], [FactState.ARCHIVED]):
        if deleted_at is not None and _left_with_it(session, fact, deleted_at):
            stood = fact_rows.state_before_leaving(session, fact.id, STANDING) or FactState.ACTIVE
            try:
                bring_back(session, FactAction.RESTORED, FactActor.RULE, fact, stood)
            except BadInput:
                continue  # another fact has its key by now


def long_deleted(session: Session) -> list[str]:
    """Ids of the conversations that can no longer be restored."""
    return conversations.long_deleted(session)


def purge(session: Session) -> None:
    """Removes conversations that were deleted too long ago, and with its history every fact that holds only in one."""
    doomed = long_deleted(session)
    _archive(session, doomed)
    fact_rows.remove(session, [fact.id for fact in _of(session, doomed, list(FactState))])
    conversations.purge(session)


def _archive(session: Session, conversation_ids: Sequence[str]) -> None:
    for fact in _of(session, conversation_ids, _HOLDING):
        write(session, FactAction.ARCHIVED, FactActor.RULE, fact, replace(fact, state=FactState.ARCHIVED))


def _of(session: Session, conversation_ids: Sequence[str], states: Sequence[FactState]) -> list[Fact]:
    """The facts in these states that hold in one of these conversations only, oldest first."""
    found: list[str] = []
    for some in blocks.chunks(conversation_ids):
        mine = FACTS.c.scope.in_(some) & FACTS.c.state.in_([state.value for state in states])
        found += session.execute(select(FACTS.c.id).where(mine).order_by(FACTS.c.number)).scalars()
    return [fact_rows.by_id(session, fact_id) for fact_id in found]


def _left_with_it(session: Session, fact: Fact, deleted_at: datetime) -> bool:
    """Whether the last that happened to a fact is that it was archived when its conversation was deleted."""
    newest = select(FACT_CHANGES).where(FACT_CHANGES.c.fact_id == fact.id).order_by(FACT_CHANGES.c.number.desc())
    last = session.execute(newest.limit(1)).one()
    return (last.action, last.by) == (FactAction.ARCHIVED.value, FactActor.RULE.value) and last.at >= deleted_at
