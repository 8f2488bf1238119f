"""Passages of messages and documents as rows: their vectors, and which of them can be found.

What is found is said in conversations and stands in documents that are not deleted; an echo of what was recalled is
never found, nor what was said of a fact before the person deleted it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import Row, delete, insert, select
from sqlalchemy.orm import Session

from desktop_app.adapters.store import blocks
from desktop_app.adapters.store.fact_tables import OWED
from desktop_app.adapters.store.passage_tables import MESSAGES_UNCUT, PASSAGES
from desktop_app.adapters.store.sql import sql
from desktop_app.adapters.store.tables import MESSAGES
from desktop_app.core.conversation import to_json
from desktop_app.core.passages import PassageKind
from desktop_app.core.vectors import ItemVector, bytes_of

_RECALLED = """
    NOT {0}.echo AND NOT EXISTS (SELECT 1 FROM withheld WHERE withheld.passage_number = {0}.number)
"""
RECALLED = _RECALLED.format("passage")
"""Of a passage: no echo, and not withheld for a deleted fact (`withholding`)."""
LEADING = f"""
    (passage.part = 0 OR NOT EXISTS (SELECT 1 FROM passage AS earlier
        WHERE earlier.message_number = passage.message_number AND earlier.part < passage.part
        AND {_RECALLED.format("earlier")}))
"""
"""Of such a passage of a message: the first one, whichever of its passages these are."""
FINDABLE = f"""
    {RECALLED} AND (
        EXISTS (SELECT 1 FROM message JOIN conversation ON conversation.id = message.conversation_id
                WHERE message.number = passage.message_number AND conversation.deleted_at IS NULL)
        OR EXISTS (SELECT 1 FROM document
                   WHERE document.number = passage.document_number AND document.deleted_at IS NULL))
"""
_ROW = "SELECT CAST(passage.number AS TEXT), passage.hangul, vector FROM "
_OWN = f"passage.profile = :profile AND passage.kind = :kind AND passage_vector.embedder = :embedder AND {FINDABLE}"
_ALL = sql(f"{_ROW} passage JOIN passage_vector ON passage_number = passage.number WHERE {_OWN}")
# The order of the joins is forced: ids first, where SQLite would read the whole profile.
_SOME = sql(
    f"{_ROW} {{each:asked}} {{then}} passage ON passage.number = CAST(asked.value AS INTEGER) "
    f"{{then}} passage_vector ON passage_number = passage.number WHERE {_OWN}"
)
_SCRIPTS = sql(
    "SELECT passage.profile, passage.kind, CAST(passage.number AS TEXT), passage.hangul FROM passage "
    f"JOIN passage_vector ON passage_number = passage.number WHERE embedder = :embedder AND {FINDABLE}"
)
_LACKING = sql(
    f"""
    SELECT passage.number, passage.kind, passage.message_number, passage.start, passage."end",
        substr(document.text, passage.start + 1, passage."end" - passage.start) AS said
    FROM passage LEFT JOIN document ON document.number = passage.document_number
    WHERE (CAST(:profile AS TEXT) IS NULL OR passage.profile = :profile) AND {FINDABLE} AND NOT EXISTS
        (SELECT 1 FROM passage_vector WHERE passage_number = passage.number AND embedder = :embedder
         AND (:bytes = 0 OR length(vector) = :bytes))
    AND NOT EXISTS (SELECT 1 FROM unembedded WHERE unembedded.embedder = :embedder AND unembedded.kind = passage.kind
        AND unembedded.item_id = CAST(passage.number AS TEXT) AND unembedded.tried_at > :tried_since)
    ORDER BY passage.number LIMIT :limit
    """
)
_PUT = sql(
    "INSERT INTO passage_vector (passage_number, embedder, vector) "
    "SELECT number, :embedder, :vector FROM passage WHERE number = :number "
    "ON CONFLICT (passage_number, embedder) DO UPDATE SET vector = excluded.vector"
)
_OWE = sql(
    """
    INSERT INTO owed (profile, kind, item_id, action)
    SELECT profile, kind, CAST(number AS TEXT), 'put' FROM passage WHERE number = :number AND NOT EXISTS
        (SELECT 1 FROM owed WHERE owed.kind = passage.kind AND item_id = CAST(passage.number AS TEXT))
    """
)


def owe_cutting(session: Session, message_numbers: Sequence[int]) -> None:
    """Messages are to be cut into passages, those that were cut before anew."""
    for some in blocks.chunks(message_numbers):
        session.execute(delete(MESSAGES_UNCUT).where(MESSAGES_UNCUT.c.message_number.in_(some)))
        session.execute(insert(MESSAGES_UNCUT), [{"message_number": number} for number in some])


def owe_conversation(session: Session, conversation_id: str) -> None:
    """The passages of a conversation can be found no more, or again: the index is to learn it."""
    numbers = select(PASSAGES.c.number).join(MESSAGES, MESSAGES.c.number == PASSAGES.c.message_number)
    mine = session.execute(numbers.where(MESSAGES.c.conversation_id == conversation_id)).scalars().all()
    owe(session, mine)


def owe(session: Session, numbers: Sequence[int]) -> None:
    """Whether these passages can be found changed: the index is to learn it."""
    if numbers:
        session.execute(_OWE, [{"number": number} for number in numbers])


def drop(session: Session, message_numbers: Sequence[int]) -> None:
    """Removes the passages of messages; the index is to forget them."""
    for some in blocks.chunks(message_numbers):
        own = PASSAGES.c.message_number.in_(some)
        rows = session.execute(select(PASSAGES.c.number, PASSAGES.c.profile, PASSAGES.c.kind).where(own))
        owe_removal(session, [(row.number, row.profile, row.kind) for row in rows])
        session.execute(delete(PASSAGES).where(own))


def owe_removal(session: Session, gone: Sequence[tuple[int, str, str]]) -> None:
    """The index is to forget passages that go: number, profile and kind of each."""
    for some in blocks.chunks([str(number) for number, _, _ in gone]):
        session.execute(delete(OWED).where(OWED.c.kind != PassageKind.FACT.value, OWED.c.item_id.in_(some)))
    debts = [
        {"profile": profile, "kind": kind, "item_id": str(number), "action": "remove"} for number, profile, kind in gone
    ]
    if debts:
        session.execute(insert(OWED), debts)


def lacking(session: Session, embedder: str, limit: int, profile: str | None, tried_since: str) -> Sequence[Row[Any]]:
    """Passages that can be found and have no vector of this embedder, oldest first; `said` is that of a document."""
    values = {"embedder": embedder, "limit": limit, "profile": profile, "tried_since": tried_since}
    values["bytes"] = bytes_of(embedder)
    return session.execute(_LACKING, values).all()


def put_vectors(session: Session, embedder: str, vectors: Sequence[ItemVector], *, owe: bool = True) -> None:
    """Keeps vectors of passages that are still there, and that the index has yet to learn of them."""
    for one in vectors:
        session.execute(_PUT, {"number": int(one.item_id), "embedder": embedder, "vector": one.vector})
        if owe:
            session.execute(_OWE, {"number": int(one.item_id)})


def pool(
    session: Session, profile: str, kind: PassageKind, embedder: str, ids: Sequence[str] | None
) -> Sequence[Row[Any]]:
    """Rows of (id, whether it holds Hangul, vector) of a profile's passages of a kind, all or some."""
    values = {"profile": profile, "kind": kind.value, "embedder": embedder}
    if ids is None:
        return session.execute(_ALL, values).all()
    return session.execute(_SOME, {**values, "asked": to_json(list(ids))}).all()


def scripts(session: Session, embedder: str) -> Iterator[tuple[str, PassageKind, str, bool]]:
    """Profile, kind, id and script of every passage with a vector that can be found."""
    for profile, kind, item_id, hangul in session.execute(_SCRIPTS, {"embedder": embedder}):
        yield profile, PassageKind(kind), item_id, bool(hangul)
