"""Facts and passages by meaning on a Chroma server, which several workstations may share.

Beside a file, whoever holds the lock of its folder owns the server's collections as it would own a folder. Stores on a
database they share all search and teach it, one at a time by a lock of that database, and what is put is read anew
under that lock. Where the server cannot be reached every vector is compared instead.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

from desktop_app.adapters.fact_index.damage import IndexDamaged
from desktop_app.adapters.fact_index.index import FactIndex
from desktop_app.adapters.store.vectors import VectorStore
from desktop_app.core.errors import BadInput
from desktop_app.core.passages import PassageKind
from desktop_app.core.recall.values import Neighbours
from desktop_app.core.vectors import VectorPool

_FRESH_SECONDS = 30.0
_TRIED_AGAIN_SECONDS = 300.0
_LOG = logging.getLogger(__name__)


class ServerIndex(FactIndex):
    """Fulfils `core.ports.VectorIndex` at an address; `mark` tells this store's collections from those of others."""

    def __init__(self, data_dir: Path, url: str, mark: str, vectors: VectorStore, embedder: str) -> None:
        super().__init__(data_dir, vectors, embedder)
        self._host, self._port, self._ssl = address_of(url)
        self._mark = mark
        if vectors.shared:
            self._lock = _NoLock()
        self._told = False
        self._fresh_until = 0.0
        self._again_at = 0.0

    @property
    def _where(self) -> str:
        return f"{self._host}:{self._port}"

    async def open(self) -> bool:
        """As of a folder; a server that could not be reached is tried again after some minutes."""
        if self.trouble and time.monotonic() >= self._again_at:
            self._tries_left = 1
        opened = await super().open()
        if self.trouble:
            self._again_at = time.monotonic() + _TRIED_AGAIN_SECONDS
        return opened

    async def nearest(
        self,
        profile: str,
        vector: bytes,
        limit: int,
        also: Collection[str] = (),
        kind: PassageKind = PassageKind.FACT,
    ) -> Neighbours:
        """The nearest items of each script; what others have changed counts within half a minute in the spreads."""
        if time.monotonic() > self._fresh_until:
            self._fresh_until = time.monotonic() + _FRESH_SECONDS
            self._moments.clear()
        return await super().nearest(profile, vector, limit, also, kind)

    async def learn(
        self, profile: str, pool: VectorPool, gone: Sequence[str], kind: PassageKind = PassageKind.FACT
    ) -> bool:
        """Takes in how the items stand now; False also while another workstation teaches the server."""
        async with self._vectors.teaching() as alone:
            if not alone:
                return False
            items = [*pool.ids, *gone]
            now = await self._vectors.pool(profile, self._embedder, items, kind)
            return await super().learn(profile, now, sorted(set(items) - set(now.ids)), kind)

    async def _bring_in_step(self) -> None:
        async with self._vectors.teaching() as alone:
            if alone:  # otherwise another workstation does the same
                await super()._bring_in_step()

    def _open_chroma(self) -> None:
        try:
            from desktop_app.adapters.fact_index.chroma import ChromaServer

            self._chroma = ChromaServer(self._host, self._port, self._ssl, self._mark, self._embedder)
        except Exception as error:  # whatever keeps the library or the server away
            if not self._told:
                self._told = True
                _LOG.warning("The Chroma server %s:%s cannot be used, every vector is compared", self._host, self._port)
            raise IndexDamaged(str(error)) from error

    def _throw_away(self) -> None:
        with suppress(IndexDamaged):  # the opening that follows says so
            self._open_chroma()
            if self._chroma is not None:
                self._chroma.keep_only(())

    def _closed_in_order(self) -> None:
        """A server needs no seal."""


class _NoLock:
    """Stands where nothing is locked."""

    def take(self) -> bool:
        """Always."""
        return True

    def release(self) -> None:
        """Nothing is held."""


def address_of(url: str) -> tuple[str, int, bool]:
    """Host, port and whether TLS is spoken; raises BadInput."""
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError:
        raise BadInput(what=url, why="chroma_url") from None
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.path.strip("/") or parts.username:
        raise BadInput(what=parts.scheme or url, why="chroma_url")
    ssl = parts.scheme == "https"
    return parts.hostname, port or (443 if ssl else 8000), ssl
