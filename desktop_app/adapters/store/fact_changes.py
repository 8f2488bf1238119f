"""What is kept, edited, pinned, deleted, accepted: the changes of facts in which their text is in question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from types import EllipsisType

from sqlalchemy.orm import Session

from desktop_app.adapters.store import fact_rows
from desktop_app.adapters.store.fact_guard import guarded_draft, masked
from desktop_app.adapters.store.fact_places import bring_back, give_places
from desktop_app.adapters.store.fact_writing import check_key, without_past_expiry, write
from desktop_app.core.conversation import clean_title, new_id, now, well_formed
from desktop_app.core.errors import BadInput, FactChanged, FactPinned
from desktop_app.core.facts import (
    Fact,
    FactAction,
    FactActor,
    FactChange,
    FactDraft,
    FactState,
    clean_key,
    clean_value,
    same_words,
)
from desktop_app.core.memory_files.outcomes import Move

_EDITABLE = (FactState.ACTIVE, FactState.PENDING, FactState.PAUSED, FactState.ARCHIVED)
_PINNABLE = (FactState.ACTIVE, FactState.PENDING, FactState.PAUSED)
_ASIDE = (FactState.PAUSED, FactState.SUPERSEDED, FactState.ARCHIVED)
_KEPT = tuple(state for state in FactState if state is not FactState.DELETED)


def keep(
    session: Session,
    profile: str,
    draft: FactDraft,
    *,
    pending: bool = False,
    replacing: Sequence[str] = (),
    expected: int | None = None,
    even_pinned: bool = False,
) -> FactChange:
    """Adds a fact, or gives the active one of its key the new value; those in `replacing` give their place to it.

    What is there already in the same words is counted and not written again (`_again`). A pending one touches nothing
    there is. Raises BadInput, FactPinned, FactChanged.
    """
    draft = _clean(draft)
    active = next(iter(fact_rows.with_key(session, profile, draft.key, FactState.ACTIVE)), None)
    if not replacing and (again := _again(session, active, profile, draft, pending=pending)) is not None:
        return again
    if pending:
        return write(session, FactAction.PROPOSED, draft.by, None, _new(profile, draft, FactState.PENDING))
    if expected is not None and expected != (active.revision if active else 0):
        raise FactChanged(name=draft.key)
    if active is not None:
        _check_pin(active, draft, even_pinned=even_pinned)
    kept = _new(profile, draft, FactState.ACTIVE) if active is None else _with_draft(active, draft)
    act = give_places(session, kept, replacing, draft.by, even_pinned=even_pinned)
    action = FactAction.ADDED if active is None else FactAction.EDITED
    return write(session, action, draft.by, active, kept, act)


def edit(
    session: Session,
    profile: str,
    name: str,
    by: FactActor,
    *,
    key: str | None = None,
    value: str | None = None,
    category: str | None = None,
    scope: str | None = None,
    expires_at: datetime | EllipsisType | None = ...,
    expected: int | None = None,
    keeps_secrets: bool = False,
    act: int = 0,
) -> FactChange:
    """Changes what is given; raises NotFound, BadInput for the key of another fact or an expiry that is over,
    FactChanged where its revision is not `expected`. Secrets that were allowed stay so while no text is given."""
    fact = fact_rows.find_in(session, profile, name, _EDITABLE)
    if expected is not None and fact.revision != expected:
        raise FactChanged(name=fact.key)
    edited = replace(
        fact,
        key=fact.key if key is None else clean_key(key),
        value=fact.value if value is None else clean_value(value),
        category=fact.category if category is None else clean_title(category),
        scope=fact.scope if scope is None else scope,
        expires_at=fact.expires_at if isinstance(expires_at, EllipsisType) else _ahead(expires_at, fact.key),
        keeps_secrets=keeps_secrets or (value is None and fact.keeps_secrets),
    )
    check_key(session, edited)
    return write(session, FactAction.EDITED, by, fact, edited, act)


def move(session: Session, profile: str, moves: Sequence[Move], by: FactActor) -> None:
    """Gives facts other keys or categories, as one act: all of them or none. Raises as `edit`."""
    act = 0
    for one in moves:
        seen, key, category = one.fact, one.key, one.category
        act = edit(session, profile, seen.id, by, key=key, category=category, expected=seen.revision, act=act).act


def pin(session: Session, profile: str, name: str, *, pinned: bool) -> FactChange:
    """Pins or unpins; raises NotFound."""
    fact = fact_rows.find_in(session, profile, name, _PINNABLE)
    action = FactAction.PINNED if pinned else FactAction.UNPINNED
    return write(session, action, FactActor.YOU, fact, replace(fact, pinned=pinned))


def remove(session: Session, profile: str, name: str, by: FactActor) -> FactChange:
    """Deletes it, to be brought back for 30 days; raises NotFound."""
    fact = fact_rows.find(session, profile, name, _KEPT)
    return write(session, FactAction.DELETED, by, fact, replace(fact, state=FactState.DELETED))


def remove_together(session: Session, profile: str, facts: Sequence[Fact], by: FactActor) -> None:
    """Deletes facts as one act; raises NotFound, FactChanged for one that is not as it was seen."""
    act = 0
    for seen in facts:
        fact = fact_rows.find(session, profile, seen.id, _KEPT)
        if fact.revision != seen.revision:
            raise FactChanged(name=fact.key)
        act = write(session, FactAction.DELETED, by, fact, replace(fact, state=FactState.DELETED), act).act


def accept(
    session: Session,
    profile: str,
    fact_id: str,
    value: str | None = None,
    *,
    replacing: Sequence[str] = (),
    key: str | None = None,
    even_pinned: bool = False,
) -> FactChange:
    """Makes a pending fact active; those in `replacing` give their place to it. Raises NotFound, FactPinned.

    An active one of its key takes over what was proposed and stays the fact it is: the pending one is deleted with
    it, and the change of the active one returned. With a `key` it is kept under that, beside whatever there is:
    BadInput where another has it.
    """
    pending = fact_rows.find(session, profile, fact_id, (FactState.PENDING,))
    said = replace(
        pending,
        key=pending.key if key is None else clean_key(key),
        value=pending.value if value is None else clean_value(value),
        state=FactState.ACTIVE,
    )
    said = without_past_expiry(said, now())
    active = next(iter(fact_rows.with_key(session, profile, said.key, FactState.ACTIVE)), None) if key is None else None
    kept = said if active is None else _with_draft(active, _draft_of(said))
    check_key(session, kept)
    act = give_places(session, kept, replacing, FactActor.YOU, even_pinned=even_pinned)
    if active is not None:
        gone = replace(pending, state=FactState.DELETED)
        act = write(session, FactAction.ACCEPTED, FactActor.YOU, pending, gone, act).act
    return write(session, FactAction.ACCEPTED, FactActor.YOU, active or pending, kept, act)


def _again(
    session: Session, active: Fact | None, profile: str, draft: FactDraft, *, pending: bool
) -> FactChange | None:
    """What comes of a draft in the words of a fact there is; None where there is none.

    One that is active, waits, is paused or was superseded stays where it is and counts the repeat: who tells it again
    may not know that it was replaced. The person's own words bring it back, and anybody's one that was archived; a
    proposal of that waits like any other.
    """
    states = [FactState.PENDING] if pending else []
    if active is None:
        states += [state for state in _ASIDE if not (pending and state is FactState.ARCHIVED)]
    others = [fact for state in states for fact in fact_rows.with_key(session, profile, draft.key, state)]
    for fact in (*([active] if active else []), *others):
        if _is_repeat(fact, draft):
            wanted = draft.by is FactActor.YOU or fact.state is FactState.ARCHIVED
            if fact.state in _ASIDE and wanted and not pending:
                action = FactAction.RESUMED if fact.state is FactState.PAUSED else FactAction.RESTORED
                return bring_back(session, action, draft.by, fact, FactState.ACTIVE)
            return _repeat(session, fact, draft.by)
    return None


def _is_repeat(fact: Fact, draft: FactDraft) -> bool:
    """Whether a draft tells nothing that is not kept in this fact already."""
    return (
        _same_value(fact, draft)
        and draft.category in ("", fact.category)
        and draft.scope == fact.scope
        and draft.expires_at in (None, fact.expires_at)
        and (fact.pinned or not draft.pinned)
    )


def _same_value(fact: Fact, draft: FactDraft) -> bool:
    """A secret the person keeps is told again masked, by whoever else tells it."""
    said = [fact.value, *([masked(fact).value] if fact.keeps_secrets else [])]
    return any(same_words(value, draft.value) for value in said)


def _repeat(session: Session, fact: Fact, by: FactActor) -> FactChange:
    moment = now()
    fact_rows.mark_repeated(session, fact.id, moment)
    again = replace(fact, repeats=fact.repeats + 1, repeated_at=moment)
    return FactChange(0, fact.id, FactAction.REPEATED, by, moment, fact, again)


def _check_pin(active: Fact, draft: FactDraft, *, even_pinned: bool) -> None:
    """Nobody but the person gives a pinned fact another value."""
    if active.pinned and not even_pinned and draft.by is not FactActor.YOU and active.value != draft.value:
        raise FactPinned(name=active.key)


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
        scope=draft.scope,
        pinned=draft.pinned,
        source=draft.source,
        expires_at=draft.expires_at,
        keeps_secrets=draft.keeps_secrets,
    )


def _with_draft(fact: Fact, draft: FactDraft) -> Fact:
    """The fact with another value; what the draft does not tell stays. One for the whole profile holds everywhere.

    Raises BadInput for a draft of one conversation where the fact holds in others as well, or in another one.
    """
    if draft.scope not in ("", fact.scope):
        raise BadInput(what=fact.key, why="fact_key_elsewhere")
    kept = without_past_expiry(fact, now())
    return replace(
        kept,
        value=draft.value,
        category=draft.category or fact.category,
        scope=draft.scope,
        pinned=draft.pinned or fact.pinned,
        source=draft.source or fact.source,
        expires_at=draft.expires_at or kept.expires_at,
        keeps_secrets=draft.keeps_secrets,
    )


def _draft_of(fact: Fact) -> FactDraft:
    return FactDraft(
        key=fact.key,
        value=fact.value,
        category=fact.category,
        pinned=fact.pinned,
        origin=fact.origin,
        source=fact.source,
        scope=fact.scope,
        expires_at=fact.expires_at,
        keeps_secrets=fact.keeps_secrets,
    )


def _clean(draft: FactDraft) -> FactDraft:
    source, key = draft.source, clean_key(draft.key)
    cleaned = replace(
        draft,
        key=key,
        value=clean_value(draft.value),
        category=clean_title(draft.category),
        source=source and replace(source, quote=well_formed(source.quote)),
        expires_at=_ahead(draft.expires_at, key),
    )
    return guarded_draft(cleaned)


def _ahead(moment: datetime | None, key: str) -> datetime | None:
    """An expiry as it is stored; raises BadInput for one that is over."""
    if moment is None:
        return None
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    if aware <= now():
        raise BadInput(what=key, why="fact_expiry_over")
    return aware
