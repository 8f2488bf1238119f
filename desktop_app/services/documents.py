"""Documents of the profile in use: added from files, listed, removed and brought back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from desktop_app.core.documents import Document, DocumentAdded, document_named
from desktop_app.core.errors import AppError, DocumentUnusable
from desktop_app.core.ports import DocumentReader, DocumentStore, SecretDetector
from desktop_app.core.secrets.kinds import SecretKind
from desktop_app.core.secrets.long_texts import count_secrets
from desktop_app.services.settings import SettingsService


@dataclass(frozen=True, slots=True)
class FileDone:
    """A file of several that were asked to be added, the `number`-th of `files`: what was added, or why it was not.

    `secrets` is how many keys, passwords and numbers of persons its text seems to hold: it is kept as it is, for it is
    the person's own file, and they are masked where a passage is told to a model.
    """

    path: Path
    number: int
    files: int
    added: DocumentAdded | None = None
    error: AppError | None = None
    secrets: Mapping[SecretKind, int] = field(default_factory=dict)


class DocumentService:
    """Works on the profile in use. What a document says is data: it becomes no fact, and nobody follows it."""

    def __init__(
        self, store: DocumentStore, reader: DocumentReader, settings: SettingsService, secrets: SecretDetector
    ) -> None:
        self._secrets = secrets
        self._store = store
        self._reader = reader
        self._settings = settings

    @property
    def profile(self) -> str:
        """The name of the profile in use."""
        return self._settings.settings.profile

    async def add(self, paths: Sequence[Path], progress: Callable[[FileDone], None] = lambda _: None) -> list[FileDone]:
        """Adds files one after the other and tells each when it is done; one that cannot be read keeps no other back.

        All go to the profile that is in use at the beginning. When this is cancelled, those that were told are kept
        whole, and of the one at hand all or nothing. Raises StoreUnavailable.
        """
        profile, done = self.profile, []
        for number, path in enumerate(paths, 1):
            try:
                document = await self._reader.read(path)
                added = await self._store.add(profile, document)
                secrets = await asyncio.to_thread(count_secrets, document.text, self._secrets.find)
                done.append(FileDone(path, number, len(paths), added, secrets=secrets))
            except DocumentUnusable as error:
                done.append(FileDone(path, number, len(paths), error=error))
            progress(done[-1])
        return done

    async def documents(self, *, deleted: bool = False) -> list[Document]:
        """Those there are, or those that can be brought back; newest first."""
        return await self._store.documents(self.profile, deleted=deleted)

    async def remove(self, name: str) -> Document:
        """Takes one (name, id or beginning of an id) out of list, search and index for good in 30 days; raises
        DocumentNotFound, BadInput where several are meant."""
        profile = self.profile
        document = document_named(await self._store.documents(profile), name)
        return await self._store.remove(profile, document.id)

    async def restore(self, name: str) -> Document:
        """Brings a removed one back; the last removed of several of this name. Raises DocumentNotFound, BadInput."""
        profile = self.profile
        removed = await self._store.documents(profile, deleted=True)
        newest = {document.name: document for document in reversed(removed)}
        document = newest.get(name) or document_named(removed, name)
        return await self._store.restore(profile, document.id)
