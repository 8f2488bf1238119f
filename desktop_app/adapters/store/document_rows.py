"""Documents and their passages as rows: added, replaced, removed, brought back, purged, and read.

With the row of a document change its passages, their search words, and what the vector index has to forget. A removed
document keeps its text but has no passages, so nothing finds it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Row, delete, func, insert, select, update
from sqlalchemy.orm import Session

from desktop_app.adapters.secret_detector import SecretDetector
from desktop_app.adapters.store import blocks, document_words
from desktop_app.adapters.store.conversations import RESTORABLE
from desktop_app.adapters.store.passage_tables import DOCUMENTS, PASSAGES
from desktop_app.adapters.store.passages import owe_removal
from desktop_app.adapters.store.sql import instr
from desktop_app.core.conversation import new_id, now
from desktop_app.core.documents import AddedAs, Document, DocumentAdded, DocumentPassage, DocumentText, page_of
from desktop_app.core.errors import DocumentNotFound
from desktop_app.core.passages import Passage, PassageKind, passages_of
from desktop_app.core.scripts import holds_hangul
from desktop_app.core.search_words import search_words
from desktop_app.core.secrets.long_texts import masked_piece

_find = SecretDetector().find
_KIND = PassageKind.DOCUMENT.value
_TOLD = ("name", "media_type", "place", "size", "pages")
_COUNTED = select(func.count()).where(PASSAGES.c.document_number == DOCUMENTS.c.number).scalar_subquery()
_LISTED = [
    *(DOCUMENTS.c[name] for name in ("number", "id", "profile", *_TOLD, "letters", "added_at", "deleted_at")),
    _COUNTED.label("passages"),
]


class Piece(NamedTuple):
    """A passage with what it is found by."""

    passage: Passage
    hangul: bool
    words: str


def pieces_of(name: str, text: str) -> list[Piece]:
    """The passages of a document; the first is found by its name as well. Takes a second for a million letters."""
    pieces = []
    for passage in passages_of(text):
        said = text[passage.start : passage.end]
        words = search_words(said if passage.part else f"{name}\n{said}")
        pieces.append(Piece(passage, holds_hangul(said), " ".join(words)))
    return pieces


def same(session: Session, profile: str, digest: str) -> Document | None:
    """The document of this text that is kept already."""
    return next(iter(_found(session, profile, DOCUMENTS.c.digest == digest, DOCUMENTS.c.deleted_at.is_(None))), None)


def add(session: Session, profile: str, read: DocumentText, pieces: Sequence[Piece]) -> DocumentAdded:
    """Keeps a document; see `core.ports.DocumentStore.add`."""
    digest = read.digest
    if (known := same(session, profile, digest)) is not None:
        return DocumentAdded(known, AddedAs.SAME)
    replaced = _make_way(session, profile, read.place)
    row = {name: getattr(read, name) for name in _TOLD} | {"added_at": now(), "deleted_at": None}
    gone = _found(session, profile, DOCUMENTS.c.digest == digest)
    document_id = gone[0].id if gone else new_id()
    if gone:
        session.execute(update(DOCUMENTS).where(DOCUMENTS.c.id == document_id).values(**row))
    else:
        text = {"text": read.text, "letters": len(read.text), "digest": digest}
        session.execute(insert(DOCUMENTS).values(id=document_id, profile=profile, **row, **text))
    _cut(session, profile, document_id, pieces)
    return DocumentAdded(one(session, profile, document_id), AddedAs.REPLACED if replaced else AddedAs.NEW)


def listed(session: Session, profile: str, *, deleted: bool) -> list[Document]:
    """Those there are, or those that were removed, newest first."""
    if deleted:
        found = _found(session, profile, DOCUMENTS.c.deleted_at.is_not(None))
        return sorted(found, key=lambda document: document.deleted_at or document.added_at, reverse=True)
    return _found(session, profile, DOCUMENTS.c.deleted_at.is_(None))


def one(session: Session, profile: str, document_id: str) -> Document:
    """One by its id, also a removed one; raises DocumentNotFound."""
    found = _found(session, profile, DOCUMENTS.c.id == document_id)
    if not found:
        raise DocumentNotFound(name=document_id)
    return found[0]


def text_of(session: Session, profile: str, document_id: str) -> tuple[str, str]:
    """Name and text of one; raises DocumentNotFound."""
    document = one(session, profile, document_id)
    text: str = session.execute(select(DOCUMENTS.c.text).where(DOCUMENTS.c.id == document_id)).scalar_one()
    return document.name, text


def remove(session: Session, profile: str, document_id: str) -> Document:
    """Takes one out of everything but the list of removed ones; raises DocumentNotFound."""
    document = one(session, profile, document_id)
    if document.deleted_at is not None:
        raise DocumentNotFound(name=document.name)
    moment = now()
    session.execute(update(DOCUMENTS).where(DOCUMENTS.c.id == document_id).values(deleted_at=moment))
    number = _number(session, document_id)
    document_words.remove(session, number)
    passages = list(session.execute(select(PASSAGES.c.number).where(PASSAGES.c.document_number == number)).scalars())
    owe_removal(session, [(passage, profile, _KIND) for passage in passages])
    session.execute(delete(PASSAGES).where(PASSAGES.c.document_number == number))
    return one(session, profile, document_id)


def restore(session: Session, profile: str, document_id: str, pieces: Sequence[Piece]) -> Document:
    """Brings a removed one back; raises DocumentNotFound."""
    document = one(session, profile, document_id)
    if document.deleted_at is None:
        return document
    _make_way(session, profile, document.place)
    session.execute(update(DOCUMENTS).where(DOCUMENTS.c.id == document_id).values(deleted_at=None))
    _cut(session, profile, document_id, pieces)
    return one(session, profile, document_id)


def long_deleted(session: Session) -> list[str]:
    """Ids of those that can no longer be brought back."""
    return list(session.execute(select(DOCUMENTS.c.id).where(DOCUMENTS.c.deleted_at < now() - RESTORABLE)).scalars())


def purge(session: Session) -> None:
    """Removes what was removed too long ago, its text and the last of its words included."""
    if doomed := long_deleted(session):
        for some in blocks.chunks(doomed):
            session.execute(delete(DOCUMENTS).where(DOCUMENTS.c.id.in_(some)))
        document_words.rewrite(session)


def texts(session: Session, profile: str, passage_ids: Sequence[str]) -> dict[str, DocumentPassage]:
    """Those of these passages there are, by id; the text of each document is read once."""
    columns = [PASSAGES.c[name] for name in ("number", "document_number", "part", "start", "end")]
    found: list[Row[Any]] = []
    for some in blocks.chunks([int(one) for one in passage_ids if one.isdecimal()]):
        own = (PASSAGES.c.profile == profile) & (PASSAGES.c.kind == _KIND) & PASSAGES.c.number.in_(some)
        found += session.execute(select(*columns).where(own)).all()
    documents = _texts(session, {row.document_number for row in found})
    return {str(row.number): _passage(row, documents[row.document_number]) for row in found}


def holding(session: Session, profile: str, sign: str) -> list[str]:
    """Numbers, as text, of the passages of a profile in whose text a sign stands, which full text does not index."""
    held = (DOCUMENTS.c.profile == profile) & DOCUMENTS.c.deleted_at.is_(None) & (instr(DOCUMENTS.c.text, sign) > 0)
    known = {row.number: row.text for row in session.execute(select(DOCUMENTS.c.number, DOCUMENTS.c.text).where(held))}
    columns = [PASSAGES.c[name] for name in ("number", "document_number", "start", "end")]
    asked = select(*columns).where(PASSAGES.c.document_number.in_(sorted(known))).order_by(PASSAGES.c.number)
    return [
        str(row.number)
        for row in session.execute(asked)
        if known[row.document_number].find(sign, row.start, row.end) >= 0
    ]


def _texts(session: Session, numbers: set[int]) -> Mapping[int, Any]:
    columns = [DOCUMENTS.c[name] for name in ("number", "id", "name", "pages", "text")]
    asked = select(*columns, _COUNTED.label("parts")).where(DOCUMENTS.c.number.in_(sorted(numbers)))
    return {row.number: row for row in session.execute(asked)}


def _passage(row: Row[Any], document: Any) -> DocumentPassage:
    text = document.text
    page = page_of(text, row.start) if document.pages else None
    # A passage is told to models; the document itself is kept as it is, for it is the person's own file.
    said = masked_piece(text, row.start, row.end, _find).replace("\f", "")
    return DocumentPassage(str(row.number), document.id, document.name, row.part + 1, document.parts, said, page)


def _make_way(session: Session, profile: str, place: str) -> bool:
    """Removes what was added from this place before; whether there was any."""
    old = _found(session, profile, DOCUMENTS.c.place == place, DOCUMENTS.c.deleted_at.is_(None))
    for document in old:
        remove(session, profile, document.id)
    return bool(old)


def _cut(session: Session, profile: str, document_id: str, pieces: Sequence[Piece]) -> None:
    """Gives a document its passages and these their words; the index is owed them when they have vectors."""
    number = _number(session, document_id)
    told = {"profile": profile, "kind": _KIND, "document_number": number, "echo": False}
    rows = [
        {**told, "part": passage.part, "start": passage.start, "end": passage.end, "hangul": hangul}
        for passage, hangul, _ in pieces
    ]
    session.execute(insert(PASSAGES), rows)
    kept = select(PASSAGES.c.number).where(PASSAGES.c.document_number == number).order_by(PASSAGES.c.part)
    numbers = list(session.execute(kept).scalars())
    document_words.add(session, {made: piece.words for made, piece in zip(numbers, pieces, strict=True)})


def _number(session: Session, document_id: str) -> int:
    number: int = session.execute(select(DOCUMENTS.c.number).where(DOCUMENTS.c.id == document_id)).scalar_one()
    return number


def _found(session: Session, profile: str, *conditions: Any) -> list[Document]:
    """Last added first."""
    asked = select(*_LISTED).where(DOCUMENTS.c.profile == profile, *conditions)
    rows = session.execute(asked.order_by(DOCUMENTS.c.added_at.desc(), DOCUMENTS.c.number.desc()))
    return [_document(row) for row in rows]


def _document(row: Row[Any]) -> Document:
    added_at: datetime = row.added_at
    return Document(
        id=row.id,
        profile=row.profile,
        name=row.name,
        media_type=row.media_type,
        place=row.place,
        size=row.size,
        letters=row.letters,
        passages=row.passages,
        added_at=added_at,
        pages=row.pages,
        deleted_at=row.deleted_at,
    )
