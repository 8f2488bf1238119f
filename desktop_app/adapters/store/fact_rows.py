"""Facts and their history as rows: found by id or key, listed, marked as used, purged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import Row, case, delete, func, select, update
from sqlalchemy.orm import Session

from desktop_app.adapters.store import blocks
from desktop_app.adapters.store.backend import backend_of
from desktop_app.adapters.store.conversations import RESTORABLE
from desktop_app.adapters.store.fact_tables import FACT_CHANGES, FACTS
from desktop_app.core.conversation import from_json, now, to_json, well_formed
from desktop_app.core.errors import BadInput, FactNotFound
from desktop_app.core.facts import (
    GONE,
    Fact,
    FactAction,
    FactActor,
    FactChange,
    FactOrigin,
    FactSource,
    FactState,
    same_key,
)

# Fields of a fact that are columns of the same name and type.
_PLAIN = (
    *("id", "profile", "key", "value", "category", "scope", "pinned", "revision", "uses", "replaced_by", "repeats"),
    "keeps_secrets",
    *("created_at", "updated_at", "last_used_at", "expires_at", "replaced_at", "repeated_at"),
)
_TIMES = ("created_at", "updated_at", "last_used_at", "expires_at", "replaced_at", "repeated_at")
_SAID = ("source_message_id", "source_conversation_id", "source_quote", "source_start", "source_end")
_READ = [FACTS.c[name] for name in (*_PLAIN, "state", "origin", *_SAID)]
_ANY = tuple(FactState)
# Order comes from the growing numbers of changes, never from a clock.
# The sum keeps PostgreSQL from going through all changes from the newest down for the greatest number of one fact.
_NEWEST_CHANGE = (
    select(func.max(FACT_CHANGES.c.number + 0)).where(FACT_CHANGES.c.fact_id == FACTS.c.id).scalar_subquery().desc()
)


def listed(session: Session, profile: str, states: Sequence[FactState]) -> list[Fact]:
    """Those in these states: pinned first, then newest change first."""
    return [fact for fact, _ in listed_with_marks(session, profile, states)]


def listed_with_marks(
    session: Session, profile: str, states: Sequence[FactState], conversation_id: str | None = None
) -> list[tuple[Fact, int]]:
    """The same, each with the version of the detector it was `checked_by`.

    With a conversation only those that hold in it, with an empty one those that hold everywhere.
    """
    wanted = (
        select(*_READ, FACTS.c.checked_by)
        .where(FACTS.c.profile == profile, FACTS.c.state.in_([state.value for state in states]))
        .order_by(FACTS.c.pinned.desc(), _NEWEST_CHANGE)
    )
    if conversation_id is not None:
        wanted = wanted.where(FACTS.c.scope.in_(("", conversation_id)))
    return [(_fact(row), checked_by) for *row, checked_by in session.execute(wanted)]


def find(session: Session, profile: str, name: str, states: Sequence[FactState] = _ANY) -> Fact:
    """One by id, or by key: the active one, else a pending one, else the last deleted; raises NotFound."""
    name = well_formed(name)
    row = session.execute(
        select(*_READ)
        .where(
            FACTS.c.profile == profile,
            (FACTS.c.id == name) | (FACTS.c.same_key == same_key(" ".join(name.split()))),
            FACTS.c.state.in_([state.value for state in states]),
        )
        .order_by(
            (FACTS.c.id == name).desc(),
            case({state.value: rank for rank, state in enumerate(FactState)}, value=FACTS.c.state),
            _NEWEST_CHANGE,
        )
        .limit(1)
    ).one_or_none()
    if row is None:
        raise FactNotFound(name=name)
    return _fact(row)


def by_id(session: Session, fact_id: str) -> Fact:
    """The fact of an id that was just read."""
    return _fact(session.execute(select(*_READ).where(FACTS.c.id == fact_id)).one())


def find_in(session: Session, profile: str, name: str, states: Sequence[FactState]) -> Fact:
    """One by id or key in one of these states; raises NotFound, BadInput that tells the state it is in instead."""
    try:
        return find(session, profile, name, states)
    except FactNotFound:
        fact = find(session, profile, name)
        if fact.state in GONE:
            raise
        raise BadInput(what=fact.key, why=f"fact_is_{fact.state}") from None


def active(session: Session, profile: str, ids: Sequence[str]) -> dict[str, Fact]:
    """Those of these facts that are active, by id."""
    found: dict[str, Fact] = {}
    for some in blocks.chunks(ids):
        rows = session.execute(select(*_READ).where(FACTS.c.id.in_(some), FACTS.c.state == FactState.ACTIVE.value))
        found |= {fact.id: fact for fact in map(_fact, rows) if fact.profile == profile}
    return found


def of_other_conversations(session: Session, profile: str, conversation_id: str) -> list[str]:
    """Ids of the active facts that hold in another conversation only."""
    wanted = select(FACTS.c.id).where(
        FACTS.c.profile == profile,
        FACTS.c.state == FactState.ACTIVE.value,
        FACTS.c.scope > "",  # not as "other than", so that those without a scope are not looked at
        FACTS.c.scope != conversation_id,
    )
    return list(session.execute(wanted).scalars())


def replaced_by(session: Session, profile: str, fact_id: str) -> list[Fact]:
    """Those that gave their place to a fact and were not brought back."""
    rows = session.execute(
        select(*_READ)
        .where(
            FACTS.c.profile == profile,
            FACTS.c.replaced_by == fact_id,
            FACTS.c.state == FactState.SUPERSEDED.value,
        )
        .order_by(FACTS.c.number)
    )
    return [_fact(row) for row in rows]


def with_key(session: Session, profile: str, key: str, state: FactState) -> list[Fact]:
    """Those in this state whose key names the same; at most one is active."""
    rows = session.execute(
        select(*_READ)
        .where(FACTS.c.profile == profile, FACTS.c.same_key == same_key(key), FACTS.c.state == state.value)
        .order_by(FACTS.c.number)
    )
    return [_fact(row) for row in rows]


def history(session: Session, profile: str, name: str) -> list[FactChange]:
    """All changes of a fact, oldest first; raises NotFound."""
    return changes_of(session, find(session, profile, name).id)


def changes_of(session: Session, fact_id: str) -> list[FactChange]:
    """All changes of a fact, oldest first."""
    rows = session.execute(
        select(FACT_CHANGES).where(FACT_CHANGES.c.fact_id == fact_id).order_by(FACT_CHANGES.c.number)
    )
    return [_change(row) for row in rows]


def unchecked_changes(session: Session, profile: str, version: int) -> list[FactChange]:
    """The changes of a profile this version of the detector has found nothing in yet, oldest first."""
    mine = (FACT_CHANGES.c.profile == profile) & (FACT_CHANGES.c.checked_by < version)
    return [_change(row) for row in session.execute(select(FACT_CHANGES).where(mine).order_by(FACT_CHANGES.c.number))]


def state_before_leaving(session: Session, fact_id: str, standing: Sequence[FactState]) -> FactState | None:
    """Which of these states it was in last; None where it never was in any."""
    for change in reversed(changes_of(session, fact_id)):
        for fact in (change.after, change.before):
            if fact is not None and fact.state in standing:
                return fact.state
    return None


def change(session: Session, profile: str, number: int) -> FactChange | None:
    """One change by its number, None where the profile has none of it."""
    row = session.execute(
        select(FACT_CHANGES).where(FACT_CHANGES.c.profile == profile, FACT_CHANGES.c.number == number)
    ).one_or_none()
    return None if row is None else _change(row)


def of_act(session: Session, profile: str, act: int) -> list[FactChange]:
    """The changes that were made as one, oldest first."""
    rows = session.execute(
        select(FACT_CHANGES)
        .where(FACT_CHANGES.c.profile == profile, FACT_CHANGES.c.act == act)
        .order_by(FACT_CHANGES.c.number)
    )
    return [_change(row) for row in rows]


def newest_to_undo(session: Session, profile: str) -> FactChange | None:
    """The newest change of the person's own that was not taken back and takes none back itself."""
    row = session.execute(
        select(FACT_CHANGES)
        .where(
            FACT_CHANGES.c.profile == profile,
            FACT_CHANGES.c.undone.is_(False),
            FACT_CHANGES.c.action != FactAction.UNDONE.value,
            FACT_CHANGES.c.by == FactActor.YOU.value,
        )
        .order_by(FACT_CHANGES.c.number.desc())
        .limit(1)
    ).one_or_none()
    return None if row is None else _change(row)


def last_change(session: Session) -> int:
    """The number of the newest change there ever was, purged ones included; 0 before the first."""
    return backend_of(session).last_number(session, "fact_change")


def next_change(session: Session) -> int:
    """The number of the change that is about to be kept."""
    return backend_of(session).take_numbers(session, "fact_change", 1)[0]


def mark_used(session: Session, fact_ids: Sequence[str]) -> None:
    """They were recalled now, once each."""
    for some in blocks.chunks(sorted(set(fact_ids))):
        session.execute(update(FACTS).where(FACTS.c.id.in_(some)).values(uses=FACTS.c.uses + 1, last_used_at=now()))


def mark_repeated(session: Session, fact_id: str, moment: datetime) -> None:
    """It was told again in the same words."""
    session.execute(update(FACTS).where(FACTS.c.id == fact_id).values(repeats=FACTS.c.repeats + 1, repeated_at=moment))


def long_deleted(session: Session) -> list[str]:
    """Ids of those that can no longer be brought back."""
    return list(session.execute(select(FACTS.c.id).where(FACTS.c.deleted_at < now() - RESTORABLE)).scalars())


def purge(session: Session) -> None:
    """Removes what was deleted too long ago, with its history."""
    remove(session, long_deleted(session))


def remove(session: Session, fact_ids: Sequence[str]) -> None:
    """Removes facts that are no longer searched by, with their history."""
    for some in blocks.chunks(fact_ids):
        session.execute(delete(FACT_CHANGES).where(FACT_CHANGES.c.fact_id.in_(some)))
        session.execute(update(FACTS).where(FACTS.c.replaced_by.in_(some)).values(replaced_by=None))
        session.execute(delete(FACTS).where(FACTS.c.id.in_(some)))


def columns(fact: Fact) -> dict[str, Any]:
    """The columns of a fact, without those that number or date its row."""
    source = fact.source
    return {
        **{name: getattr(fact, name) for name in _PLAIN},
        "same_key": same_key(fact.key),
        "state": fact.state.value,
        "origin": fact.origin.value,
        "source_message_id": source and source.message_id,
        "source_conversation_id": source and source.conversation_id,
        "source_quote": source and source.quote,
        "source_start": source and source.start,
        "source_end": source and source.end,
    }


def snapshot(fact: Fact) -> str:
    """The whole fact as JSON."""
    fields = asdict(fact)
    for name in _TIMES:
        moment: datetime | None = fields[name]
        fields[name] = moment and moment.isoformat()
    return to_json(fields)


def _from_snapshot(kept: str) -> Fact:
    fields = from_json(kept)
    for name in _TIMES:
        # Snapshots of earlier versions lack what came later.
        fields[name] = datetime.fromisoformat(fields[name]) if fields.get(name) else None
    fields["state"], fields["origin"] = FactState(fields["state"]), FactOrigin(fields["origin"])
    fields["source"] = FactSource(**fields["source"]) if fields["source"] else None
    return Fact(**fields)


def _fact(row: Sequence[Any]) -> Fact:
    """The fact of a row of the columns `_READ`."""
    *plain, state, origin, message_id, conversation_id, quote, start, end = row
    source = None if message_id is None else FactSource(message_id, conversation_id, quote, start, end)
    fields = dict(zip(_PLAIN, plain, strict=True))
    return Fact(**fields, state=FactState(state), origin=FactOrigin(origin), source=source)


def _change(row: Row[Any]) -> FactChange:
    return FactChange(
        number=row.number,
        fact_id=row.fact_id,
        action=FactAction(row.action),
        by=FactActor(row.by),
        at=row.at,
        before=None if row.before is None else _from_snapshot(row.before),
        after=_from_snapshot(row.after),
        undone=row.undone,
        act=row.act,
    )
