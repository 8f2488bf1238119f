"""What was told beside a message of the person, kept as it was sent."""

from __future__ import annotations

from sqlalchemy import insert, select
from sqlalchemy.orm import Session

from desktop_app.adapters.store.tables import MESSAGE_NOTES, MESSAGES
from desktop_app.core.conversation import from_json, to_json, well_formed
from desktop_app.core.errors import Busy, NotFound
from desktop_app.core.fact_notes import FactNote, MessageNotes, NoteKind


def add(session: Session, message_id: str, notes: MessageNotes) -> None:
    """Keeps the notes of a message; raises NotFound, and Busy when it has other ones already."""
    number = session.execute(select(MESSAGES.c.number).where(MESSAGES.c.id == message_id)).scalar()
    if number is None:
        raise NotFound(what="message")
    lines = well_formed(to_json([[note.fact_id, note.revision, note.kind.value, note.line] for note in notes.notes]))
    before = session.execute(select(MESSAGE_NOTES).where(MESSAGE_NOTES.c.message_number == number)).one_or_none()
    if before is None:
        session.execute(insert(MESSAGE_NOTES).values(message_number=number, epoch=notes.epoch, notes=lines))
    elif (before.epoch, before.notes) != (notes.epoch, lines):
        raise Busy()


def value_of(epoch: int | None, lines: str | None) -> MessageNotes | None:
    """The value of the columns; None where a message has no notes."""
    if epoch is None or lines is None:
        return None
    return MessageNotes(
        epoch,
        tuple(FactNote(fact_id, revision, NoteKind(kind), line) for fact_id, revision, kind, line in from_json(lines)),
    )
