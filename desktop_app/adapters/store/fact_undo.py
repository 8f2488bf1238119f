"""Takes back a change of a fact: what stood before it stands again, as a new line of the history."""

from __future__ import annotations

from dataclasses import replace

from sqlalchemy import update
from sqlalchemy.orm import Session

from desktop_app.adapters.store import fact_changes, fact_rows
from desktop_app.adapters.store.fact_tables import FACT_CHANGES
from desktop_app.core.facts import Fact, FactAction, FactActor, FactChange, FactState


def undo(session: Session, profile: str, number: int | None) -> FactChange | None:
    """Takes back one change, the newest not yet undone by default; None when there is none.

    Changes of the same fact that came after it are taken back with it. Taking back an undo brings the change back.
    Raises BadInput when the key it would be active under belongs to another fact now.
    """
    if number is None:
        chosen = fact_rows.newest_to_undo(session, profile)
    else:
        chosen = fact_rows.change(session, profile, number)
    if chosen is None or chosen.undone:
        return None
    other = _other_half(session, profile, chosen)
    if other is None or other.undone:
        return _take_back(session, profile, chosen)
    taken, given = sorted((chosen, other), key=lambda half: half.number)
    _take_back(session, profile, taken)
    return _take_back(session, profile, given)


def _other_half(session: Session, profile: str, change: FactChange) -> FactChange | None:
    """The other change of an accept that gave an active fact the value of a pending one."""
    if change.action is not FactAction.ACCEPTED or change.before is None:
        return None
    if change.after.state is FactState.DELETED:
        return fact_rows.change(session, profile, change.number + 1)
    if change.before.state is FactState.ACTIVE:
        return fact_rows.change(session, profile, change.number - 1)
    return None


def _take_back(session: Session, profile: str, change: FactChange) -> FactChange:
    present = fact_rows.find(session, profile, change.fact_id)
    restored = _before(present, change)
    fact_changes.check_key(session, restored)
    session.execute(
        update(FACT_CHANGES)
        .where(FACT_CHANGES.c.fact_id == change.fact_id, FACT_CHANGES.c.number >= change.number)
        .values(undone=True)
    )
    return fact_changes.write(session, FactAction.UNDONE, FactActor.YOU, present, restored)


def _before(present: Fact, change: FactChange) -> Fact:
    """What stood before the change, with the uses counted since; deleted where nothing stood."""
    if change.before is None:
        return replace(present, state=FactState.DELETED)
    return replace(
        change.before,
        revision=present.revision,
        updated_at=present.updated_at,
        last_used_at=present.last_used_at,
        uses=present.uses,
    )
