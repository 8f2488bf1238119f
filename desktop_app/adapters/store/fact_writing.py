"""One change of a fact as rows, with all that follows from it in the caller's transaction.

With the row change its line of history, its search words, its vectors (of an older text: gone), what the vector index
is owed, and what was said of it. Only active facts have words and vectors.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from sqlalchemy import delete, insert, select, update
from sqlalchemy.orm import Session

from desktop_app.adapters.store import fact_rows, fact_words, withholding
from desktop_app.adapters.store.fact_guard import checked_by, guarded
from desktop_app.adapters.store.fact_tables import FACT_CHANGES, FACT_VECTORS, FACTS, OWED
from desktop_app.core.conversation import now
from desktop_app.core.errors import BadInput, FactChanged
from desktop_app.core.facts import (
    AWAY,
    GONE,
    Fact,
    FactAction,
    FactActor,
    FactChange,
    FactOrigin,
    FactState,
    ShownFacts,
    clean_value,
    same_words,
)
from desktop_app.core.passages import PassageKind

_ORIGINS = {FactActor.YOU: FactOrigin.YOU, FactActor.IMPORT: FactOrigin.IMPORTED}
"""Whose words a value is by who gave it; everyone else infers."""


def write(
    session: Session, action: FactAction, by: FactActor, before: Fact | None, after: Fact, act: int = 0
) -> FactChange:
    """Stores a fact as it is after a change, and all that follows; revision and time are set where they are new.

    `act` is the first change of those made as one with it, 0 when it is the first.
    """
    number, moment = fact_rows.next_change(session), now()
    act = act or number
    after = guarded(before, after, by)
    if before is None:
        after = replace(after, created_at=moment)
    if before is None or _text(before) != _text(after) or _came_back(before, after) or _reaches_further(before, after):
        after = replace(after, revision=number, updated_at=moment)
    elif before.category != after.category:
        after = replace(after, updated_at=moment)
    if before is not None and before.state in AWAY and after.state not in AWAY:
        after = without_past_expiry(after, moment)
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
            act=act,
            checked_by=checked_by(*([before] if before else []), after),
        )
    )
    row = fact_rows.columns(after) | {"checked_by": checked_by(after)}
    if before is None or before.state is not after.state:
        row["deleted_at"] = moment if after.state in GONE else None
    if before is None:
        session.execute(insert(FACTS).values(**row))
    else:
        session.execute(update(FACTS).where(FACTS.c.id == after.id).values(**row))
    _index(session, before, after)
    _withhold(session, before, after)
    return FactChange(number, after.id, action, by, moment, before, after, act=act)


def check_key(session: Session, fact: Fact) -> None:
    """Raises BadInput when it would be active under the key of another active fact."""
    if fact.state is FactState.ACTIVE:
        for other in fact_rows.with_key(session, fact.profile, fact.key, FactState.ACTIVE):
            if other.id != fact.id:
                raise BadInput(what=fact.key, why="fact_key_taken")


def check_shown(fact: Fact, shown: ShownFacts | None) -> None:
    """Raises FactChanged for a fact that is not as it was shown; None where nothing was."""
    if shown is not None and shown.get(fact.id) != fact.revision:
        raise FactChanged(name=fact.key)


def with_value(fact: Fact, value: str | None, by: FactActor) -> Fact:
    """The fact with the value `by` gives it, if any; of another one nobody said that a secret in it may stay.

    Other words are of whoever gave them: the message the earlier ones stood in does not say them.
    """
    said = fact.value if value is None else clean_value(value)
    kept = replace(fact, value=said, keeps_secrets=fact.keeps_secrets and said == fact.value)
    if same_words(said, fact.value):
        return kept
    return replace(kept, origin=_ORIGINS.get(by, FactOrigin.ASSISTANT), source=None)


def without_past_expiry(fact: Fact, moment: datetime) -> Fact:
    """The fact without an expiry that is over: what is taken up again holds again."""
    over = fact.expires_at is not None and fact.expires_at <= moment
    return replace(fact, expires_at=None) if over else fact


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
    if not (found and was and was.revision == after.revision):
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


def _withhold(session: Session, before: Fact | None, after: Fact) -> None:
    """What was said of a fact is not recalled while it is deleted: it would come back through its own words."""
    if before is None or before.state is after.state:
        return
    if after.state is FactState.DELETED:
        withholding.withhold(session, after)
    elif before.state is FactState.DELETED:
        withholding.release(session, after.id)


def _text(fact: Fact) -> tuple[str, str]:
    return fact.key, fact.value


def _came_back(before: Fact, after: Fact) -> bool:
    """Whether it is told again, or waits again, after it was gone; or was accepted."""
    if after.state is FactState.ACTIVE:
        return before.state is not FactState.ACTIVE
    return after.state is FactState.PENDING and before.state in AWAY


def _reaches_further(before: Fact, after: Fact) -> bool:
    """Whether it holds in conversations now that could not be told it before: it is new to them."""
    return before.scope not in ("", after.scope)
