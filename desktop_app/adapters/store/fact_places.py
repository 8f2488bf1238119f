"""Facts that give their place to another one, each with a link to it; and where a fact stood before it left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy.orm import Session

from desktop_app.adapters.store import fact_rows
from desktop_app.adapters.store.fact_writing import check_key, check_shown, with_value, write
from desktop_app.core.conversation import now
from desktop_app.core.errors import BadInput, FactPinned
from desktop_app.core.facts import AWAY, Fact, FactAction, FactActor, FactChange, FactState, ShownFacts, clean_key

_ACTIVE, _PAUSED, _PENDING = FactState.ACTIVE, FactState.PAUSED, FactState.PENDING
STANDING = (_ACTIVE, _PENDING, _PAUSED)


def pause(session: Session, profile: str, name: str, by: FactActor) -> FactChange:
    """Tells an active fact to nobody until it is resumed; raises NotFound, BadInput for another state."""
    fact = fact_rows.find_in(session, profile, name, (_ACTIVE,))
    return write(session, FactAction.PAUSED, by, fact, replace(fact, state=_PAUSED))


def resume(session: Session, profile: str, name: str, by: FactActor) -> FactChange:
    """Makes a paused one active again; raises NotFound, BadInput for another state, or a key in use."""
    fact = fact_rows.find_in(session, profile, name, (_PAUSED,))
    return bring_back(session, FactAction.RESUMED, by, fact, _ACTIVE)


def archive(session: Session, profile: str, name: str, by: FactActor) -> FactChange:
    """Puts an active or paused one away; raises NotFound, BadInput for another state."""
    fact = fact_rows.find_in(session, profile, name, (_ACTIVE, _PAUSED))
    return write(session, FactAction.ARCHIVED, by, fact, replace(fact, state=FactState.ARCHIVED))


def restore(session: Session, profile: str, name: str, by: FactActor, key: str | None = None) -> FactChange:
    """Brings back what was archived, superseded, deleted or denied, as it stood before; without an expiry that is over.

    With a `key` it comes back under that. Raises NotFound, BadInput for another state, or where the key is in use.
    """
    fact = fact_rows.find_in(session, profile, name, AWAY)
    stood = fact_rows.state_before_leaving(session, fact.id, STANDING)
    return bring_back(session, FactAction.RESTORED, by, fact, stood or _ACTIVE, key)


def supersede(
    session: Session,
    profile: str,
    old: str,
    new: str,
    by: FactActor,
    *,
    even_pinned: bool = False,
    shown: ShownFacts | None = None,
) -> FactChange:
    """An active fact takes the place of another one; raises NotFound, BadInput, FactPinned, FactChanged where one is
    not as it was `shown`."""
    taker = fact_rows.find_in(session, profile, new, (_ACTIVE,))
    check_shown(taker, shown)
    gone = _giving(session, taker, old, (_ACTIVE, _PAUSED, _PENDING), shown, even_pinned=even_pinned)
    if gone.id == taker.id:
        raise BadInput(what=taker.key, why="fact_itself")
    return _give_place(session, gone, taker, by)


def merge(
    session: Session,
    profile: str,
    kept: str,
    gone: Sequence[str],
    value: str | None,
    by: FactActor,
    *,
    even_pinned: bool = False,
    shown: ShownFacts | None = None,
) -> FactChange:
    """An active fact takes others in, with another value if given: one act. Raises as `supersede`."""
    taker = fact_rows.find_in(session, profile, kept, (_ACTIVE,))
    check_shown(taker, shown)
    merged = with_value(taker, value, by)
    states = (_ACTIVE, _PAUSED, _PENDING)
    act = give_places(session, merged, gone, by, states=states, even_pinned=even_pinned, shown=shown)
    if not act:
        raise BadInput(what=taker.key, why="fact_itself")
    return write(session, FactAction.MERGED, by, taker, merged, act)


def give_places(
    session: Session,
    taker: Fact,
    names: Sequence[str],
    by: FactActor,
    *,
    states: Sequence[FactState] = (_ACTIVE, _PAUSED),
    even_pinned: bool = False,
    shown: ShownFacts | None = None,
) -> int:
    """These give their place to `taker`, which need not be written yet; the number of the act, 0 for none.

    All are looked up before any is written. Raises NotFound, BadInput for one in another state, FactPinned,
    FactChanged.
    """
    found = [_giving(session, taker, name, states, shown, even_pinned=even_pinned) for name in names]
    act = 0
    for fact in {fact.id: fact for fact in found if fact.id != taker.id}.values():
        act = _give_place(session, fact, taker, by, act).act
    return act


def _giving(
    session: Session,
    taker: Fact,
    name: str,
    states: Sequence[FactState],
    shown: ShownFacts | None,
    *,
    even_pinned: bool,
) -> Fact:
    fact = fact_rows.find_in(session, taker.profile, name, states)
    check_shown(fact, shown)
    if fact.pinned and fact.state is not _PENDING and not even_pinned and fact.id != taker.id:
        raise FactPinned(name=fact.key)
    return fact


def _give_place(session: Session, fact: Fact, taker: Fact, by: FactActor, act: int = 0) -> FactChange:
    gone = replace(fact, state=FactState.SUPERSEDED, replaced_by=taker.id, replaced_at=now())
    return write(session, FactAction.SUPERSEDED, by, fact, gone, act)


def bring_back(
    session: Session, action: FactAction, by: FactActor, fact: Fact, state: FactState, key: str | None = None
) -> FactChange:
    """A fact that left stands again, nobody in its place, under another key if given; raises BadInput where the key is
    in use."""
    kept = fact.key if key is None else clean_key(key)
    back = replace(fact, key=kept, state=state, replaced_by=None, replaced_at=None)
    check_key(session, back)
    return write(session, action, by, fact, back)
