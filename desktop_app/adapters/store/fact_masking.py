"""Secrets in facts that were kept before there was a guard: where they are, and how they are masked for good."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import update
from sqlalchemy.orm import Session

from desktop_app.adapters.secret_detector import VERSION
from desktop_app.adapters.store import blocks, fact_rows
from desktop_app.adapters.store.fact_guard import masked, told
from desktop_app.adapters.store.fact_tables import FACT_CHANGES
from desktop_app.adapters.store.fact_writing import write
from desktop_app.core.facts import Fact, FactAction, FactActor, FactChange, FactState


def suspected(session: Session, profile: str) -> tuple[list[Fact], list[int]]:
    """Facts of any state with an unmasked secret in their text or history, newest change first; and the numbers of the
    changes in which none was found."""
    changes = fact_rows.unchecked_changes(session, profile, VERSION)
    behind = {change.fact_id for change in changes if any(told(fact) is not fact for fact in _both(change))}
    kept = {change.fact_id for change in changes if any(fact.keeps_secrets for fact in _both(change))}
    clean = [change.number for change in changes if change.fact_id not in behind | kept]
    facts = fact_rows.listed_with_marks(session, profile, list(FactState))
    found = [fact for fact, checked in facts if fact.id in behind or (checked < VERSION and told(fact) is not fact)]
    return found, clean


def mark_clean(session: Session, clean: Sequence[int]) -> None:
    """These changes need not be looked through again."""
    for some in blocks.chunks(clean):
        session.execute(update(FACT_CHANGES).where(FACT_CHANGES.c.number.in_(some)).values(checked_by=VERSION))


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
