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
from desktop_app.adapters.store.fact_writing import check_key, check_shown, with_value, without_past_expiry, write
from desktop_app.core.conversation import new_id, now, well_formed
from desktop_app.core.errors import BadInput, FactChanged, FactPinned
from desktop_app.core.facts import (
    GONE,
    MOST_YEAR,
    Fact,
    FactAction,
    FactActor,
    FactChange,
    FactDraft,
    FactState,
    ShownFacts,
    clean_category,
    clean_key,
    clean_value,
    same_words,
)
from desktop_app.core.memory_files.outcomes import Move

_EDITABLE = (FactState.ACTIVE, FactState.PENDING, FactState.PAUSED, FactState.ARCHIVED)
_PINNABLE = (FactState.ACTIVE, FactState.PENDING, FactState.PAUSED)
_ASIDE = (FactState.PAUSED, FactState.SUPERSEDED, FactState.ARCHIVED)
_NOT_PROPOSED = (FactState.PENDING, FactState.PAUSED)
"""States in which the person knows of a fact: it is not proposed to them again."""
_KEPT = tuple(state for state in FactState if state not in GONE)


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

    What is there already in the same words is counted or brought back, and not written again. A pending one touches
    nothing there is. Raises BadInput, FactPinned, FactChanged.
    """
    draft = _clean(draft)
    active = _active_of(session, profile, draft.key)
    if active is not None and not replacing and _is_repeat(active, draft, exactly=expected is not None):
        return _repeat(session, active, draft.by)
    if pending:
        return _propose(session, profile, draft, active)
    if expected is not None and expected != (active.revision if active else 0):
        raise FactChanged(name=draft.key)
    if active is not None:
        _check_pin(active, draft, even_pinned=even_pinned)
    elif not replacing and (aside := _in_these_words(session, profile, draft, _ASIDE)) is not None:
        action = FactAction.RESUMED if aside.state is FactState.PAUSED else FactAction.RESTORED
        return bring_back(session, action, draft.by, aside, FactState.ACTIVE)
    kept = _new(profile, draft, FactState.ACTIVE) if active is None else _with_draft(active, draft)
    act = give_places(session, kept, replacing, draft.by, even_pinned=even_pinned)
    action = FactAction.ADDED if active is None else FactAction.EDITED
    return write(session, action, draft.by, active, kept, act)


def repeat(session: Session, profile: str, fact_id: str, revision: int, by: FactActor) -> FactChange:
    """Counts that an active fact was told again; raises NotFound, FactChanged where it is not in this revision."""
    fact = fact_rows.find(session, profile, fact_id)
    if fact.state is not FactState.ACTIVE or fact.revision != revision:
        raise FactChanged(name=fact.key)
    return _repeat(session, fact, by)


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
        with_value(fact, value, by),
        key=fact.key if key is None else clean_key(key),
        category=fact.category if category is None else clean_category(category),
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


def deny(session: Session, profile: str, fact_id: str) -> FactChange:
    """Refuses a pending fact, which never was one; raises NotFound, FactChanged where it does not wait any more."""
    fact = fact_rows.find(session, profile, fact_id, _KEPT)
    if fact.state is not FactState.PENDING:
        raise FactChanged(name=fact.key)
    return write(session, FactAction.DENIED, FactActor.YOU, fact, replace(fact, state=FactState.DENIED))


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
    shown: ShownFacts | None = None,
    keeps_secrets: bool = False,
) -> FactChange:
    """Makes a pending fact active; those in `replacing` give their place to it. Raises NotFound, FactPinned,
    FactChanged where one of these facts is not as it was `shown`. Secrets in the value given stay where the person
    wants them (`keeps_secrets`); those of the proposal are masked already.

    An active one of its key takes over what was proposed and stays the fact it is: the pending one is deleted with
    it, and the change of the active one returned. With a `key` it is kept under that, beside whatever there is:
    BadInput where another has it.
    """
    pending = fact_rows.find(session, profile, fact_id, (FactState.PENDING,))
    check_shown(pending, shown)
    said = without_past_expiry(with_value(pending, value, FactActor.YOU), now())
    said = replace(
        said,
        key=said.key if key is None else clean_key(key),
        state=FactState.ACTIVE,
        keeps_secrets=said.keeps_secrets or (keeps_secrets and value is not None),
    )
    active = _active_of(session, profile, said.key) if key is None else None
    kept = said if active is None else _with_draft(active, _draft_of(said))
    if active is not None:
        check_shown(active, shown)
        if active.pinned and not even_pinned and active.value != kept.value:
            raise FactPinned(name=active.key)
    check_key(session, kept)
    act = give_places(session, kept, replacing, FactActor.YOU, even_pinned=even_pinned, shown=shown)
    if active is not None:
        gone = replace(pending, state=FactState.DELETED)
        act = write(session, FactAction.ACCEPTED, FactActor.YOU, pending, gone, act).act
    return write(session, FactAction.ACCEPTED, FactActor.YOU, active or pending, kept, act)


def _propose(session: Session, profile: str, draft: FactDraft, active: Fact | None) -> FactChange:
    """Lets a draft wait. One in the words of a fact that waits or is paused is counted there; one in the words of a
    fact that was put away or replaced waits, for it may hold again."""
    known = _in_these_words(session, profile, draft, _NOT_PROPOSED if active is None else (FactState.PENDING,))
    if known is not None:
        return _repeat(session, known, draft.by)
    return write(session, FactAction.PROPOSED, draft.by, None, _new(profile, draft, FactState.PENDING))


def _active_of(session: Session, profile: str, key: str) -> Fact | None:
    return next(iter(fact_rows.with_key(session, profile, key, FactState.ACTIVE)), None)


def _in_these_words(session: Session, profile: str, draft: FactDraft, states: Sequence[FactState]) -> Fact | None:
    """The first fact in these states that says all a draft does."""
    there = (fact for state in states for fact in fact_rows.with_key(session, profile, draft.key, state))
    return next((fact for fact in there if _is_repeat(fact, draft)), None)


def _is_repeat(fact: Fact, draft: FactDraft, *, exactly: bool = False) -> bool:
    """Whether a draft tells nothing that is not kept in this fact already; `exactly`: white space counts too."""
    return (
        _same_value(fact, draft, exactly=exactly)
        and draft.category in ("", fact.category)
        and draft.scope == fact.scope
        and draft.expires_at in (None, fact.expires_at)
        and (fact.pinned or not draft.pinned)
    )


def _same_value(fact: Fact, draft: FactDraft, *, exactly: bool) -> bool:
    """A secret the person keeps is told again masked, by whoever else tells it."""
    said = [fact.value, *([masked(fact).value] if fact.keeps_secrets else [])]
    return any(value == draft.value if exactly else same_words(value, draft.value) for value in said)


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

    Origin and source are those of the words: the draft's, unless they are the words there were.

    Raises BadInput for a draft of one conversation where the fact holds in others as well, or in another one.
    """
    if draft.scope not in ("", fact.scope):
        raise BadInput(what=fact.key, why="fact_key_elsewhere")
    kept = without_past_expiry(fact, now())
    said = fact if same_words(fact.value, draft.value) else draft
    return replace(
        kept,
        value=draft.value,
        category=draft.category or fact.category,
        scope=draft.scope,
        pinned=draft.pinned or fact.pinned,
        origin=said.origin,
        source=said.source,
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
        category=clean_category(draft.category),
        source=source and replace(source, quote=well_formed(source.quote)),
        expires_at=_ahead(draft.expires_at, key),
    )
    return guarded_draft(cleaned)


def _ahead(moment: datetime | None, key: str) -> datetime | None:
    """An expiry as it is stored; raises BadInput for one that is over, or beyond what every zone can show."""
    if moment is None:
        return None
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    if aware <= now():
        raise BadInput(what=key, why="fact_expiry_over")
    if aware.year > MOST_YEAR:
        raise BadInput(what=key, why="fact_expiry_far")
    return aware
