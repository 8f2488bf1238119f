"""What was recalled for which message: a list of [kind, source, passage, score, parts, fate] as JSON, no text."""

from __future__ import annotations

from sqlalchemy import insert, select
from sqlalchemy.orm import Session

from desktop_app.adapters.store.passage_tables import RECOLLECTIONS
from desktop_app.adapters.store.tables import CONVERSATIONS, MESSAGES
from desktop_app.core.conversation import from_json, to_json
from desktop_app.core.passages import PassageKind
from desktop_app.core.recall.recollection import Fate, Recalled, Recollection

_DIGITS = 3


def add(session: Session, message_number: int, found: Recollection) -> None:
    """Keeps what was recalled for a message."""
    finds = [
        [
            *(one.kind.value, one.source_id, one.passage_id, round(one.score, _DIGITS)),
            {name: round(value, _DIGITS) for name, value in one.parts.items()},
            one.fate.value,
        ]
        for one in found.finds
    ]
    body = to_json({"finds": finds, "embedder": found.embedder, "in_block": found.in_block})
    session.execute(insert(RECOLLECTIONS).values(message_number=message_number, body=body))


def of(session: Session, profile: str, message_id: str) -> Recollection | None:
    """What was recalled for a message of a profile; None where nothing was looked for."""
    body = session.execute(
        select(RECOLLECTIONS.c.body)
        .join(MESSAGES, MESSAGES.c.number == RECOLLECTIONS.c.message_number)
        .join(CONVERSATIONS, CONVERSATIONS.c.id == MESSAGES.c.conversation_id)
        .where(MESSAGES.c.id == message_id, CONVERSATIONS.c.profile == profile)
    ).scalar()
    if body is None:
        return None
    kept = from_json(body)
    return Recollection(
        tuple(
            Recalled(PassageKind(kind), source, score, parts, Fate(fate), passage)
            for kind, source, passage, score, parts, fate in kept["finds"]
        ),
        kept["embedder"],
        kept["in_block"],
    )
