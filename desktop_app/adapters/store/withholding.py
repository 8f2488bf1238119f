"""What was said of a fact is not recalled while the fact is deleted: it would come back through its own words.

A passage is withheld for each deleted fact it tells, and found again when the last of them comes back. That goes for
what was said before the deletion; what the person says anew is theirs to say.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from sqlalchemy import delete, insert, select
from sqlalchemy.orm import Session

from desktop_app.adapters.store import blocks, fact_rows, passages
from desktop_app.adapters.store.backend import backend_of
from desktop_app.adapters.store.fact_tables import FACT_CHANGES, FACTS
from desktop_app.adapters.store.passage_tables import PASSAGES, WITHHELD
from desktop_app.adapters.store.spoken import spoken
from desktop_app.adapters.store.sql import sql
from desktop_app.adapters.store.tables import MESSAGES
from desktop_app.core.conversation import Message, to_json
from desktop_app.core.fact_traces import FactTraces
from desktop_app.core.facts import Fact, FactState

_PLACE = 'SELECT passage.number, passage.message_number, passage.start, passage."end" FROM '
_OF_SOURCES = sql(
    f"""
    {_PLACE} {{each:sources}} {{then}} message ON message.id = asked.value
    {{then}} passage ON passage.message_number = message.number WHERE passage.profile = :profile
    UNION
    {_PLACE} {{each:sources}} {{then}} message ON message.parent_id = asked.value
    {{then}} passage ON passage.message_number = message.number WHERE passage.profile = :profile
    """
)
_HOLDING = sql(
    f"{_PLACE} {{holding:message_words}} "
    "JOIN passage ON passage.message_number = found.number WHERE passage.profile = :profile"
)


def withhold(session: Session, fact: Fact) -> None:
    """Withholds what was said so far of a fact that is deleted now; one that was only proposed withholds nothing."""
    revisions = _revisions(session, fact)
    if all(one.state is not FactState.ACTIVE for one in revisions):
        return
    traces = FactTraces(revisions)
    rows = session.execute(_OF_SOURCES, {"profile": fact.profile, "sources": to_json(traces.sources)}).all()
    if traces.phrases:
        asked = {"profile": fact.profile, "asked": backend_of(session).asked(traces.phrases)}
        rows = [*rows, *session.execute(_HOLDING, asked)]
    said = dict(spoken(session, {row.message_number for row in rows}))
    _keep(
        session,
        {
            (row.number, fact.id)
            for row in rows
            if row.message_number in said and traces.tells(said[row.message_number], row.start, row.end)
        },
    )


def withhold_cut(session: Session, profile: str, said: Mapping[int, Message]) -> None:
    """Withholds what was just cut of messages of a profile, by their numbers, and tells a fact deleted since."""
    deleted = _deleted(session, profile)
    if not deleted:
        return
    doomed = set()
    for some in blocks.chunks(list(said)):
        columns = (PASSAGES.c.number, PASSAGES.c.message_number, PASSAGES.c.start, PASSAGES.c.end)
        for row in session.execute(select(*columns).where(PASSAGES.c.message_number.in_(some))):
            message = said[row.message_number]
            doomed |= {
                (row.number, fact_id)
                for fact_id, deleted_at, traces in deleted
                if message.created_at is not None
                and message.created_at < deleted_at
                and traces.tells(message, row.start, row.end)
            }
    _keep(session, doomed)


def release(session: Session, fact_id: str) -> None:
    """A deleted fact came back: what was withheld for it alone can be found again."""
    mine = WITHHELD.c.fact_id == fact_id
    numbers = session.execute(select(WITHHELD.c.passage_number).where(mine)).scalars().all()
    session.execute(delete(WITHHELD).where(mine))
    passages.owe(session, numbers)


def withheld(session: Session, passage_ids: Iterable[str]) -> set[str]:
    """Those of these passages that are withheld."""
    found: set[str] = set()
    for some in blocks.chunks(sorted({int(one) for one in passage_ids})):
        rows = session.execute(select(WITHHELD.c.passage_number).where(WITHHELD.c.passage_number.in_(some)))
        found |= {str(number) for number in rows.scalars()}
    return found


def untitled(session: Session, conversation_ids: Iterable[str]) -> set[str]:
    """Those of these conversations whose first message is withheld: their title may tell what it told."""
    found: set[str] = set()
    firsts = (
        select(MESSAGES.c.conversation_id)
        .join(PASSAGES, PASSAGES.c.message_number == MESSAGES.c.number)
        .join(WITHHELD, WITHHELD.c.passage_number == PASSAGES.c.number)
        .where(MESSAGES.c.parent_id.is_(None))
    )
    for some in blocks.chunks(sorted(set(conversation_ids))):
        found |= set(session.execute(firsts.where(MESSAGES.c.conversation_id.in_(some))).scalars())
    return found


def _keep(session: Session, pairs: set[tuple[int, str]]) -> None:
    if pairs:
        rows = [{"passage_number": number, "fact_id": fact_id} for number, fact_id in sorted(pairs)]
        session.execute(insert(WITHHELD), rows)
        passages.owe(session, sorted({number for number, _ in pairs}))


def _deleted(session: Session, profile: str) -> list[tuple[str, datetime, FactTraces]]:
    """The deleted facts of a profile that were kept once: id, when it was deleted, what tells it."""
    kept = select(FACT_CHANGES.c.fact_id).where(
        FACT_CHANGES.c.profile == profile, FACT_CHANGES.c.after.like('%"state":"active"%')
    )
    gone = (FACTS.c.profile == profile) & (FACTS.c.state == FactState.DELETED.value) & FACTS.c.id.in_(kept)
    rows = session.execute(select(FACTS.c.id, FACTS.c.deleted_at).where(gone)).all()
    return [(row.id, row.deleted_at, FactTraces(_revisions(session, fact_rows.by_id(session, row.id)))) for row in rows]


def _revisions(session: Session, fact: Fact) -> Sequence[Fact]:
    """A fact as it is and as it ever was."""
    changes = fact_rows.changes_of(session, fact.id)
    return [fact, *(one for change in changes for one in (change.before, change.after) if one is not None)]
