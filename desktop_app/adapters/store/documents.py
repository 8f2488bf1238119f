"""The asynchronous face of documents; works on the threads of the store."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from sqlalchemy.orm import Session

from desktop_app.adapters.store import document_rows, document_words
from desktop_app.adapters.store.threads import StoreThreads
from desktop_app.core.documents import AddedAs, Document, DocumentAdded, DocumentPassage, DocumentText
from desktop_app.core.recall.values import WordMatches


class DocumentStore:
    """Fulfils `core.ports.DocumentStore`. A text is cut before the transaction begins, so that no turn waits for it."""

    def __init__(self, threads: StoreThreads) -> None:
        self._threads = threads

    async def add(self, profile: str, read: DocumentText) -> DocumentAdded:
        """Keeps a document."""
        digest = await asyncio.to_thread(lambda: read.digest)
        known = await self._threads.read(lambda session: document_rows.same(session, profile, digest))
        if known is not None:
            return DocumentAdded(known, AddedAs.SAME)
        pieces = await asyncio.to_thread(document_rows.pieces_of, read.name, read.text)
        return await self._threads.write(lambda session: document_rows.add(session, profile, read, pieces))

    async def documents(self, profile: str, *, deleted: bool = False) -> list[Document]:
        """Those there are, or those that can be brought back."""
        return await self._threads.read(lambda session: document_rows.listed(session, profile, deleted=deleted))

    async def remove(self, profile: str, document_id: str) -> Document:
        """Takes it out of list, search and index; restorable for 30 days."""
        return await self._threads.write(lambda session: document_rows.remove(session, profile, document_id))

    async def restore(self, profile: str, document_id: str) -> Document:
        """Brings a removed one back."""
        kept = await self._threads.read(lambda session: document_rows.text_of(session, profile, document_id))
        pieces = await asyncio.to_thread(document_rows.pieces_of, *kept)
        return await self._threads.write(lambda session: document_rows.restore(session, profile, document_id, pieces))

    async def word_matches(self, profile: str, words: Sequence[str]) -> WordMatches:
        """BM25 of the passages that hold any of these search words."""
        return await self._threads.read(lambda session: document_words.matches(session, profile, words))

    async def holding(self, profile: str, letters: Sequence[str]) -> dict[str, list[str]]:
        """By each of these letters or signs the passages that hold it."""

        def read(session: Session) -> dict[str, list[str]]:
            return {
                one: document_words.starting(session, profile, one)
                if one.isalnum()
                else document_rows.holding(session, profile, one)
                for one in letters
            }

        return await self._threads.read(read)

    async def texts(self, profile: str, passage_ids: Sequence[str]) -> dict[str, DocumentPassage]:
        """Those of these passages there are, by id."""
        return await self._threads.read(lambda session: document_rows.texts(session, profile, passage_ids))
