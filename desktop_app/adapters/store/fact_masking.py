"""Secrets in facts that were kept before there was a guard: where they are, and how they are masked for good."""

from __future__ import annotations

from sqlalchemy import update
from sqlalchemy.orm import Session

from desktop_app.adapters.store import fact_rows
from desktop_app.adapters.store.fact_guard import masked, told
from desktop_app.adapters.store.fact_tables import FACT_CHANGES
from desktop_app.adapters.store.fact_writing import write
from desktop_app.core.facts import Fact, FactAction, FactActor, FactChange, FactState


def suspected(session: Session, profile: str) -> list[Fact]:
    """Facts of any state with an unmasked secret in their text or history, newest change first."""
    changes = fact_rows.changes(session, profile)
    behind = {change.fact_id for change in changes if any(told(fact) is not fact for fact in _both(change))}
    facts = fact_rows.listed(session, profile, list(FactState))
    return [fact for fact in facts if fact.id in behind or told(fact) is not fact]


def mask(session: Session, profile: str, name: str) -> Fact:
    """Masks a fact, also one that was kept as it is, and every line of its history; raises NotFound."""
    fact = fact_rows.find(session, profile, name)
    if masked(fact) != fact:
        write(session, FactAction.EDITED, FactActor.YOU, fact, masked(fact))
    for change in fact_rows.history(session, profile, fact.id):
        if any(masked(one) != one for one in _both(change)):
            session.execute(
                update(FACT_CHANGES)
                .where(FACT_CHANGES.c.number == change.number)
                .values(
                    before=change.before and fact_rows.snapshot(masked(change.before)),
                    after=fact_rows.snapshot(masked(change.after)),
                )
            )
    return fact_rows.find(session, profile, fact.id)


def _both(change: FactChange) -> list[Fact]:
    return [change.after, *([change.before] if change.before else [])]
