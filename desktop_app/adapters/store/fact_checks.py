"""Facts as they are told, each looked through for secrets once only: all of a profile are read in every turn."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import bindparam, update
from sqlalchemy.orm import Session

from desktop_app.adapters.secret_detector import VERSION
from desktop_app.adapters.store import fact_rows
from desktop_app.adapters.store.fact_guard import told
from desktop_app.adapters.store.fact_tables import FACTS
from desktop_app.core.facts import Fact, FactState

Checked = list[tuple[str, int]]
"""Ids of facts that held no secret, each with the revision that was looked through."""


def listed(
    session: Session, profile: str, states: Sequence[FactState], conversation_id: str | None
) -> tuple[list[Fact], Checked]:
    """The facts of `fact_rows.listed_with_marks`, and those among them that want a mark."""
    facts: list[Fact] = []
    clean: Checked = []
    for fact, checked_by in fact_rows.listed_with_marks(session, profile, states, conversation_id):
        if checked_by >= VERSION or fact.keeps_secrets:
            facts.append(fact)
            continue
        facts.append(told(fact))
        if facts[-1] is fact:
            clean.append((fact.id, fact.revision))
    return facts, clean


def mark(session: Session, clean: Checked) -> None:
    """Marks those that still stand as they were looked through; what is written is marked as it is written."""
    those = (FACTS.c.id == bindparam("which")) & (FACTS.c.revision == bindparam("as_of"))
    rows = [{"which": fact_id, "as_of": revision} for fact_id, revision in clean]
    session.execute(update(FACTS).where(those & (FACTS.c.checked_by < VERSION)).values(checked_by=VERSION), rows)
