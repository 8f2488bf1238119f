"""What was told beside a message of the person, kept as it was sent."""

from __future__ import annotations

from sqlalchemy import insert, select
from sqlalchemy.orm import Session

from desktop_app.adapters.store import recollections
from desktop_app.adapters.store.tables import MESSAGE_NOTES, MESSAGES
from desktop_app.core.conversation import from_json, to_json, well_formed
from desktop_app.core.errors import Busy, NotFound
from desktop_app.core.fact_notes import FactNote, MessageNotes, NoteKind, PassageNote
from desktop_app.core.passages import PassageKind


def add(session: Session, message_id: str, notes: MessageNotes) -> None:
    """Keeps the notes of a message; raises NotFound, and Busy when it has other ones already."""
    number = session.execute(select(MESSAGES.c.number).where(MESSAGES.c.id == message_id)).scalar()
    if number is None:
        raise NotFound(what="message")
    lines = well_formed(to_json(_written(notes)))
    before = session.execute(select(MESSAGE_NOTES).where(MESSAGE_NOTES.c.message_number == number)).one_or_none()
    if before is None:
        session.execute(insert(MESSAGE_NOTES).values(message_number=number, epoch=notes.epoch, notes=lines))
        if notes.recollection is not None:
            recollections.add(session, number, notes.recollection)
    elif (before.epoch, before.notes) != (notes.epoch, lines):
        raise Busy()


def value_of(epoch: int | None, lines: str | None) -> MessageNotes | None:
    """The value of the columns; None where a message has no notes."""
    if epoch is None or lines is None:
        return None
    kept = from_json(lines)
    facts, said = (kept, []) if isinstance(kept, list) else (kept["facts"], kept["passages"])
    return MessageNotes(
        epoch,
        tuple(FactNote(fact_id, revision, NoteKind(kind), line) for fact_id, revision, kind, line in facts),
        tuple(PassageNote(PassageKind(kind), source, passage, line) for kind, source, passage, line in said),
    )


def _written(notes: MessageNotes) -> object:
    """A list of facts as [id, revision, kind, line]; with passages an object of both."""
    facts = [[note.fact_id, note.revision, note.kind.value, note.line] for note in notes.notes]
    if not notes.passages:
        return facts
    said = [[note.kind.value, note.source_id, note.passage_id, note.line] for note in notes.passages]
    return {"facts": facts, "passages": said}
