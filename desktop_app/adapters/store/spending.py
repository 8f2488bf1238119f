"""What requests cost, over all conversations: those that are here, and those whose conversation is gone for good."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import FromClause, Row, Select, case, exists, insert, literal, select
from sqlalchemy.orm import Session

from desktop_app.adapters.store import blocks
from desktop_app.adapters.store.tables import CONVERSATIONS, REQUESTS, SPENT_REQUESTS
from desktop_app.adapters.store.usage_columns import USAGE_COLUMNS, usage_of
from desktop_app.core.cache.forecast import CacheForecast
from desktop_app.core.conversation import from_json
from desktop_app.core.money.spending import SpentRequest
from desktop_app.core.request_log import RequestPurpose, RequestRecord, RequestState

# Fields of a record that are columns of the same name and type.
_PLAIN = (
    *("id", "conversation_id", "turn_id", "turn", "round", "sent_at", "host", "model", "answered_by"),
    *("estimated", "counted"),
)
_KEPT = (*_PLAIN, "purpose", "state", "predicted", "sides", *USAGE_COLUMNS)
_FAILED = RequestState.FAILED.value


def spent(session: Session, profile: str | None, since: datetime | None) -> list[SpentRequest]:
    """Those of a profile, or of all, sent at a moment or later, or ever; oldest first. Their rows and marks are left
    out."""
    here = _of(REQUESTS, CONVERSATIONS.c.profile, CONVERSATIONS.c.title, CONVERSATIONS.c.simulated).join(
        CONVERSATIONS, CONVERSATIONS.c.id == REQUESTS.c.conversation_id
    )
    here = here.order_by(REQUESTS.c.number)
    gone = _of(SPENT_REQUESTS, SPENT_REQUESTS.c.profile, literal(None), SPENT_REQUESTS.c.simulated)
    found: list[SpentRequest] = []
    for query, table, owner in ((here, REQUESTS, CONVERSATIONS), (gone, SPENT_REQUESTS, SPENT_REQUESTS)):
        chosen = query if profile is None else query.where(owner.c.profile == profile)
        if since is not None:
            chosen = chosen.where(table.c.sent_at >= since)
        found += [_value(row) for row in session.execute(chosen)]
    return sorted(found, key=lambda one: one.record.sent_at)


def keep_spent(session: Session, conversation_ids: Sequence[str]) -> None:
    """Keeps the figures of all requests of conversations that are about to be removed, so that no sum shrinks."""
    # Why a model declined is told in words of its own, which go with the conversation.
    error = case((REQUESTS.c.error.like("{%"), None), else_=REQUESTS.c.error)
    others = {"error": error, "profile": CONVERSATIONS.c.profile, "simulated": CONVERSATIONS.c.simulated}
    for some in blocks.chunks(conversation_ids):
        rows = (
            select(*(REQUESTS.c[name] for name in _KEPT), *others.values())
            .join(CONVERSATIONS, CONVERSATIONS.c.id == REQUESTS.c.conversation_id)
            .where(REQUESTS.c.conversation_id.in_(some), ~exists().where(SPENT_REQUESTS.c.id == REQUESTS.c.id))
        )
        session.execute(insert(SPENT_REQUESTS).from_select([*_KEPT, *others], rows))


def _of(table: FromClause, profile: Any, title: Any, simulated: Any) -> Select[Any]:
    columns = [table.c[name] for name in (*_KEPT, "error")]
    return select(*columns, profile.label("profile"), title.label("title"), simulated.label("simulated")).select_from(
        table
    )


def _value(row: Row[Any]) -> SpentRequest:
    record = RequestRecord(
        **{name: getattr(row, name) for name in _PLAIN},
        digest="",
        reserve=0,
        window=None,
        rows=(),
        state=RequestState(row.state),
        purpose=RequestPurpose(row.purpose),
        predicted=CacheForecast(*from_json(row.predicted)) if row.predicted else None,
        usage=usage_of(row),
        error=row.error if row.state == _FAILED else None,
    )
    return SpentRequest(record, row.profile, row.title or "", bool(row.simulated), gone=row.title is None)
