"""Takes back a change of a fact: what stood before it stands again, as a new line of the history."""

from __future__ import annotations

from dataclasses import replace

from sqlalchemy import update
from sqlalchemy.orm import Session

from desktop_app.adapters.store import fact_rows
from desktop_app.adapters.store.fact_tables import FACT_CHANGES
from desktop_app.adapters.store.fact_writing import check_key, write
from desktop_app.core.facts import Fact, FactAction, FactActor, FactChange, FactState


def undo(session: Session, profile: str, number: int | None) -> FactChange | None:
    """Takes back one change, the newest not yet undone by default; None when there is none.

    Those made as one with it are taken back too, and of each fact what came after it. What a fact had taken the place
    of stands again when its coming is taken back. Taking back an undo brings the change back. Raises BadInput when a
    key one would be active under belongs to another fact now.
    """
    if number is None:
        chosen = fact_rows.newest_to_undo(session, profile)
    else:
        chosen = fact_rows.change(session, profile, number)
    if chosen is None or chosen.undone:
        return None
    halves = [half for half in fact_rows.of_act(session, profile, chosen.act) if not half.undone]
    newest, *others = (half for half in reversed(halves))
    taken = _take_back(session, profile, newest)
    for half in others:
        _take_back(session, profile, half, taken.act)
    for half in halves:
        _give_back(session, profile, half, taken.act)
    return taken


def _give_back(session: Session, profile: str, change: FactChange, act: int) -> None:
    """What gave its place to a fact that came with a change taken back stands again."""
    if change.before is None or change.before.state is FactState.PENDING:
        for replaced in fact_rows.replaced_by(session, profile, change.fact_id):
            lines = fact_rows.changes_of(session, replaced.id)
            left = [one for one in lines if one.after.state is FactState.SUPERSEDED and not one.undone]
            if left:
                _take_back(session, profile, left[-1], act)


def _take_back(session: Session, profile: str, change: FactChange, act: int = 0) -> FactChange:
    present = fact_rows.find(session, profile, change.fact_id)
    restored = _before(present, change)
    check_key(session, restored)
    session.execute(
        update(FACT_CHANGES)
        .where(FACT_CHANGES.c.fact_id == change.fact_id, FACT_CHANGES.c.number >= change.number)
        .values(undone=True)
    )
    return write(session, FactAction.UNDONE, FactActor.YOU, present, restored, act)


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
        repeats=present.repeats,
        repeated_at=present.repeated_at,
    )
