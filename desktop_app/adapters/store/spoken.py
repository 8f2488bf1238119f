"""Messages in which somebody speaks: typed by the person, or a reply; not results of tools, nor the app's own words."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import select
from sqlalchemy.orm import Session

from desktop_app.adapters.store import blocks, messages
from desktop_app.adapters.store.tables import MESSAGES
from desktop_app.core.conversation import Message, Origin

_SAID = (Origin.TYPED, Origin.REPLY)


def spoken(session: Session, numbers: Iterable[int]) -> list[tuple[int, Message]]:
    """Those of these messages in which somebody speaks, with their numbers."""
    found = []
    for some in blocks.chunks(sorted(set(numbers))):
        rows = session.execute(select(MESSAGES.c.number, MESSAGES.c.id).where(MESSAGES.c.number.in_(some)))
        by_id = {row.id: row.number for row in rows}
        found += [(by_id[one.id], one) for one in messages.numbered(session, some) if one.origin in _SAID]
    return found
