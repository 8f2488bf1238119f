"""Every change of a fact, each with all that follows from it in the caller's transaction.

With the row change its line of history, its search words, its vectors (of an older text: gone), and what the vector
index is owed. Only active facts have words and vectors.
"""

from __future__ import annotations

from dataclasses import replace

from sqlalchemy import delete, insert, select, update
from sqlalchemy.orm import Session

from desktop_app.adapters.store import fact_rows, fact_words
from desktop_app.adapters.store.fact_guard import guarded, guarded_draft
from desktop_app.adapters.store.fact_tables import FACT_CHANGES, FACT_VECTORS, FACTS, OWED
from desktop_app.core.conversation import clean_title, new_id, now, well_formed
from desktop_app.core.errors import BadInput
from desktop_app.core.facts import (
    Fact,
    FactAction,
    FactActor,
    FactChange,
    FactDraft,
    FactSource,
    FactState,
    clean_key,
    clean_value,
)
from desktop_app.core.passages import PassageKind

_STANDING = (FactState.ACTIVE, FactState.PENDING)


def keep(session: Session, profile: str, draft: FactDraft, *, pending: bool) -> FactChange:
    """Adds a fact, or gives the active one of its key the new value.

    A pending one never touches what is there; what waits already in the same words is not added twice.
    """
    draft = _clean(draft)
    if pending:
        for waiting in fact_rows.with_key(session, profile, draft.key, FactState.PENDING):
            if (waiting.value, waiting.category) == (draft.value, draft.category):
                return fact_rows.history(session, profile, waiting.id)[-1]
        return write(session, FactAction.PROPOSED, draft.by, None, _new(profile, draft, FactState.PENDING))
    for active in fact_rows.with_key(session, profile, draft.key, FactState.ACTIVE):
        return write(session, FactAction.EDITED, draft.by, active, _with_draft(active, draft))
    return write(session, FactAction.ADDED, draft.by, None, _new(profile, draft, FactState.ACTIVE))


def edit(
    session: Session,
    profile: str,
    name: str,
    by: FactActor,
    key: str | None,
    value: str | None,
    category: str | None,
    *,
    keeps_secrets: bool = False,
) -> FactChange:
    """Changes what is given; raises NotFound, BadInput for the key of another fact."""
    fact = fact_rows.find(session, profile, name, _STANDING)
    edited = replace(
        fact,
        key=fact.key if key is None else clean_key(key),
        value=fact.value if value is None else clean_value(value),
        category=fact.category if category is None else clean_title(category),
        keeps_secrets=keeps_secrets,
    )
    check_key(session, edited)
    return write(session, FactAction.EDITED, by, fact, edited)


def pin(session: Session, profile: str, name: str, *, pinned: bool) -> FactChange:
    """Pins or unpins; raises NotFound."""
    fact = fact_rows.find(session, profile, name, _STANDING)
    action = FactAction.PINNED if pinned else FactAction.UNPINNED
    return write(session, action, FactActor.YOU, fact, replace(fact, pinned=pinned))


def remove(session: Session, profile: str, name: str, by: FactActor) -> FactChange:
    """Deletes it, to be brought back for 30 days; raises NotFound."""
    fact = fact_rows.find(session, profile, name, _STANDING)
    return write(session, FactAction.DELETED, by, fact, replace(fact, state=FactState.DELETED))


def accept(session: Session, profile: str, fact_id: str, value: str | None) -> FactChange:
    """Makes a pending fact active; raises NotFound.

    An active one of its key takes over what was proposed and stays the fact it is: two changes with following
    numbers, that of the pending one (deleted) first. The change of the active one is returned.
    """
    pending = fact_rows.find(session, profile, fact_id, (FactState.PENDING,))
    said = pending.value if value is None else clean_value(value)
    for active in fact_rows.with_key(session, profile, pending.key, FactState.ACTIVE):
        gone = replace(pending, state=FactState.DELETED)
        write(session, FactAction.ACCEPTED, FactActor.YOU, pending, gone)
        draft = FactDraft(pending.key, said, pending.category, pending.pinned, pending.origin, pending.source)
        return write(session, FactAction.ACCEPTED, FactActor.YOU, active, _with_draft(active, draft))
    accepted = replace(pending, value=said, state=FactState.ACTIVE)
    return write(session, FactAction.ACCEPTED, FactActor.YOU, pending, accepted)


def check_key(session: Session, fact: Fact) -> None:
    """Raises BadInput when it would be active under the key of another active fact."""
    if fact.state is FactState.ACTIVE:
        for other in fact_rows.with_key(session, fact.profile, fact.key, FactState.ACTIVE):
            if other.id != fact.id:
                raise BadInput(what=fact.key, why="fact_key_taken")


def write(session: Session, action: FactAction, by: FactActor, before: Fact | None, after: Fact) -> FactChange:
    """Stores a fact as it is after a change, and all that follows; revision and time are set where they are new."""
    number, moment = fact_rows.last_change(session) + 1, now()
    after = guarded(before, after, by)
    if before is None:
        after = replace(after, created_at=moment)
    if before is None or _text(before) != _text(after) or _came_back(before, after):
        after = replace(after, revision=number, updated_at=moment)
    elif before.category != after.category:
        after = replace(after, updated_at=moment)
    session.execute(
        insert(FACT_CHANGES).values(
            number=number,
            fact_id=after.id,
            profile=after.profile,
            action=action.value,
            by=by.value,
            at=moment,
            before=None if before is None else fact_rows.snapshot(before),
            after=fact_rows.snapshot(after),
        )
    )
    row = fact_rows.columns(after) | {"deleted_at": moment if after.state is FactState.DELETED else None}
    if before is None:
        session.execute(insert(FACTS).values(**row))
    else:
        session.execute(update(FACTS).where(FACTS.c.id == after.id).values(**row))
    _index(session, before, after)
    return FactChange(number, after.id, action, by, moment, before, after)


def _index(session: Session, before: Fact | None, after: Fact) -> None:
    """What a fact is found by: words at once, vectors by whoever owns them."""
    was = before if before is not None and before.state is FactState.ACTIVE else None
    found = after.state is FactState.ACTIVE
    if not (was or found):
        return
    row = session.execute(select(FACTS.c.number).where(FACTS.c.id == after.id)).scalar_one()
    if not found:
        fact_words.remove(session, row)
    elif was is None or (*_text(was), was.category) != (*_text(after), after.category):
        fact_words.put(session, row, after)
    if not (found and was and _text(was) == _text(after)):
        session.execute(delete(FACT_VECTORS).where(FACT_VECTORS.c.fact_number == row))
        # The newest debt holds all that the older ones of this fact would have told.
        session.execute(delete(OWED).where((OWED.c.kind == PassageKind.FACT.value) & (OWED.c.item_id == after.id)))
        debt = {
            "profile": after.profile,
            "kind": PassageKind.FACT.value,
            "item_id": after.id,
            "action": "put" if found else "remove",
        }
        session.execute(insert(OWED).values(**debt))


def _text(fact: Fact) -> tuple[str, str]:
    return fact.key, fact.value


def _came_back(before: Fact, after: Fact) -> bool:
    """Whether it is told again, or waits again, after it was gone; or was accepted."""
    if after.state is FactState.ACTIVE:
        return before.state is not FactState.ACTIVE
    return after.state is FactState.PENDING and before.state is FactState.DELETED


def _new(profile: str, draft: FactDraft, state: FactState) -> Fact:
    moment = now()
    return Fact(
        id=new_id(),
        profile=profile,
        key=draft.key,
        value=draft.value,
        state=state,
        origin=draft.origin,
        revision=0,
        created_at=moment,
        updated_at=moment,
        category=draft.category,
        pinned=draft.pinned,
        source=draft.source,
        keeps_secrets=draft.keeps_secrets,
    )


def _with_draft(fact: Fact, draft: FactDraft) -> Fact:
    """The fact with another value; what the draft does not tell stays."""
    return replace(
        fact,
        value=draft.value,
        category=draft.category or fact.category,
        pinned=draft.pinned or fact.pinned,
        source=draft.source or fact.source,
        keeps_secrets=draft.keeps_secrets,
    )


def _clean(draft: FactDraft) -> FactDraft:
    source = draft.source
    cleaned = replace(
        draft,
        key=clean_key(draft.key),
        value=clean_value(draft.value),
        category=clean_title(draft.category),
        source=source and FactSource(source.message_id, source.conversation_id, well_formed(source.quote)),
    )
    return guarded_draft(cleaned)
