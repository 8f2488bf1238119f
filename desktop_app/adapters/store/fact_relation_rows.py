"""How facts that wait stand to others, as rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from sqlalchemy import delete, insert, select
from sqlalchemy.orm import Session

from desktop_app.adapters.store import blocks, fact_rows
from desktop_app.adapters.store.fact_tables import FACT_RELATIONS, FACTS
from desktop_app.core.conversation import now
from desktop_app.core.fact_relations import JudgedBy, Related, Relation
from desktop_app.core.facts import GONE, FactState

_SHOWN = tuple(state.value for state in FactState if state not in GONE)


def put(session: Session, profile: str, fact_id: str, relations: Sequence[Related]) -> None:
    """Keeps how a fact stands to others, in place of what was kept of it; raises NotFound."""
    fact_rows.find(session, profile, fact_id)
    others = {one.fact.id: one for one in relations if one.fact.id != fact_id}
    numbers = _numbers(session, profile, [fact_id, *others])
    number = numbers[fact_id]
    session.execute(delete(FACT_RELATIONS).where(FACT_RELATIONS.c.fact_number == number))
    for other_id, one in others.items():
        if other_id in numbers:
            session.execute(
                insert(FACT_RELATIONS).values(
                    fact_number=number,
                    other_number=numbers[other_id],
                    relation=one.relation.value,
                    judged_by=one.judged_by.value,
                    at=now(),
                )
            )


def of(session: Session, profile: str, fact_ids: Sequence[str]) -> dict[str, tuple[Related, ...]]:
    """By id how these facts stand to others that are not deleted, each other as it is now."""
    found: dict[str, list[Related]] = defaultdict(list)
    other = FACTS.alias("other")
    for some in blocks.chunks(list(fact_ids)):
        rows = session.execute(
            select(FACTS.c.id, other.c.id, FACT_RELATIONS.c.relation, FACT_RELATIONS.c.judged_by)
            .join(FACT_RELATIONS, FACT_RELATIONS.c.fact_number == FACTS.c.number)
            .join(other, other.c.number == FACT_RELATIONS.c.other_number)
            .where(FACTS.c.id.in_(some), FACTS.c.profile == profile, other.c.state.in_(_SHOWN))
            .order_by(FACTS.c.number, FACT_RELATIONS.c.other_number)
        ).all()
        for fact_id, other_id, relation, judged_by in rows:
            related = Related(fact_rows.by_id(session, other_id), Relation(relation), JudgedBy(judged_by))
            found[fact_id].append(related)
    return {fact_id: tuple(related) for fact_id, related in found.items()}


def _numbers(session: Session, profile: str, fact_ids: Sequence[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for some in blocks.chunks(list(fact_ids)):
        wanted = select(FACTS.c.id, FACTS.c.number).where(FACTS.c.id.in_(some), FACTS.c.profile == profile)
        found |= {row.id: row.number for row in session.execute(wanted)}
    return found
