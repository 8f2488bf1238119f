"""Facts and passages by meaning: through Chroma where this process owns the index, else by comparing with every vector.

The database is the truth. The index is built from its vectors, and built anew where it was not closed in order, was
changed by others, or holds vectors of another embedder (see `seal`).
"""

from __future__ import annotations

import asyncio
import secrets
from collections import Counter
from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from desktop_app.adapters.fact_index.damage import IndexDamaged
from desktop_app.adapters.fact_index.seal import break_seal, clear, seal
from desktop_app.adapters.fact_index.shelf import Shelf, by_shelf
from desktop_app.adapters.file_lock import FileLock
from desktop_app.adapters.store.vectors import VectorStore
from desktop_app.adapters.worker_thread import WorkerThread
from desktop_app.core.passages import PassageKind
from desktop_app.core.recall.selection import Likeness
from desktop_app.core.recall.values import Neighbours
from desktop_app.core.vectors import NO_VECTORS, ItemIds, VectorPool, embedder_of

if TYPE_CHECKING:
    from desktop_app.adapters.fact_index.chroma import Chroma
    from desktop_app.adapters.fact_index.closeness import Moments

FOLDER_NAME = "index"
LOCK_NAME = "index.lock"
_MOST_TRIES = 3
_AT_ONCE = 500
_STALE_SHARE = 0.01
_Pool = tuple[str, PassageKind]


class _Lock(Protocol):
    def take(self) -> bool:
        """Whether it is held now."""

    def release(self) -> None:
        """Gives it up."""


class FactIndex:
    """Fulfils `core.ports.VectorIndex`. Chroma and numpy are imported in its own thread, when first needed."""

    def __init__(self, data_dir: Path, vectors: VectorStore, embedder: str) -> None:
        self._place = self._folder = data_dir / FOLDER_NAME
        self._lock: _Lock = FileLock(data_dir / LOCK_NAME)
        self._vectors = vectors
        self._embedder = embedder
        self._thread = WorkerThread("fact-index")
        self._chroma: Chroma | None = None
        self._owned: Chroma | None = None
        self._opening = asyncio.Lock()
        self._tries_left = _MOST_TRIES
        self._moments: dict[_Pool, dict[bool, Moments]] = {}
        self._changes: Counter[_Pool] = Counter()

    @property
    def owned(self) -> bool:
        """Whether this process searches through the index."""
        return self._owned is not None

    @property
    def trouble(self) -> str:
        """Its folder or address after it could not be used; empty where that is not so."""
        return "" if self._tries_left or self.owned else self._where

    @property
    def _where(self) -> str:
        return str(self._place)

    async def open(self) -> bool:
        """Opens the index in step with the vectors that are kept; False where it is another's, or cannot be used."""
        async with self._opening:
            while self._owned is None and self._tries_left and self._lock.take():
                self._tries_left -= 1
                embedder = self._embedder
                try:
                    await self._close_chroma()  # an earlier opening may have been cut
                    await self._thread.run(self._open_chroma)
                    await self._bring_in_step()
                except (IndexDamaged, OSError):
                    continue
                if self._embedder == embedder:
                    self._owned = self._chroma
            if not self._tries_left and self._owned is None:
                self._lock.release()
            return self.owned

    def switch(self, embedder: str) -> None:
        """From now on it finds by vectors of another embedder, comparing all until it is opened again.

        The folder is built anew then: its seal is broken, and the last opening ends with a look at the embedder.
        """
        if embedder != self._embedder:
            self._embedder, self._owned, self._tries_left = embedder, None, _MOST_TRIES
            self._moments.clear()
            self._changes.clear()

    async def rebuild(self) -> bool:
        """Throws the folder away and builds it from the vectors that are kept; False where it is another's."""
        async with self._opening:
            self._owned, self._tries_left = None, _MOST_TRIES
            await self._close_chroma()
            if not self._lock.take():
                return False
            await self._thread.run(self._throw_away)
        return await self.open()

    async def learn(
        self, profile: str, pool: VectorPool, gone: Sequence[str], kind: PassageKind = PassageKind.FACT
    ) -> bool:
        """Takes in vectors, in place of older ones of the same items, and forgets the items in `gone`."""
        chroma = self._owned
        if chroma is None:
            return False
        mine = (profile, kind)
        self._changes[mine] += len(pool.ids) + len(gone)
        if not set(pool.hangul) <= self._moments.get(mine, {}).keys():
            self._moments.pop(mine, None)  # the first items of a script count from now on, however few they are
        try:
            await self._thread.run(_learn, chroma, mine, pool, gone)
        except IndexDamaged:
            await self._let_go(chroma)
        return self.owned

    async def nearest(
        self,
        profile: str,
        vector: bytes,
        limit: int,
        also: Collection[str] = (),
        kind: PassageKind = PassageKind.FACT,
    ) -> Neighbours:
        """The nearest items of each script, at most `limit` of each, and those in `also`; none for the vector of
        another embedder."""
        if embedder_of(vector, self._embedder) != self._embedder:
            return Neighbours({}, frozenset(), {})
        chroma = self._owned
        if chroma is not None:
            moments = await self._moments_of((profile, kind))
            pool = await self._vectors.pool(profile, self._embedder, sorted(also), kind) if also else NO_VECTORS
            try:
                return await self._thread.run(_ask, chroma, (profile, kind), vector, limit, moments, pool)
            except IndexDamaged:
                await self._let_go(chroma)
        pool = await self._vectors.pool(profile, self._embedder, None, kind)
        return await self._thread.run(_scan, pool, vector, limit, also)

    async def likeness(self, profile: str, finds: ItemIds, held: ItemIds, *, korean: bool) -> Likeness:
        """How alike passages that were found are, and how close each comes to what is `held`."""
        own, there = [await self._pools(profile, some) for some in (finds, held)]
        return await self._thread.run(_likeness, own, there, korean) if any(pool.ids for pool in own) else Likeness()

    async def _pools(self, profile: str, some: ItemIds) -> list[VectorPool]:
        return [
            await self._vectors.pool(profile, self._embedder, sorted(ids), kind) for kind, ids in some.items() if ids
        ]

    async def close(self) -> None:
        """Ends its thread; the index is free for others only after what was going on there."""
        self._owned = None

        def last() -> None:
            with suppress(IndexDamaged, OSError):
                if self._chroma is not None:
                    self._chroma.close()
                    if self._chroma.embedder == self._embedder:
                        self._closed_in_order()
            self._lock.release()

        await self._thread.close(last)

    def _open_chroma(self) -> None:
        try:
            from desktop_app.adapters.fact_index.chroma import ChromaFolder
        except Exception as error:  # whatever keeps the library from loading on this machine
            raise IndexDamaged(str(error)) from error
        folder = break_seal(self._place, self._embedder)
        if folder is None:
            clear(self._place)
            # A new name, since Chroma remembers for each path what it had open there.
            folder = self._place / secrets.token_hex(4)
        self._folder = folder
        self._chroma = ChromaFolder(folder, self._embedder)

    def _throw_away(self) -> None:
        clear(self._place)

    def _closed_in_order(self) -> None:
        seal(self._folder, self._embedder)

    async def _bring_in_step(self) -> None:
        """Makes it hold the items it should hold, all of them where it is new."""
        chroma = self._chroma
        assert chroma is not None
        kept = by_shelf(await self._vectors.scripts(self._embedder))
        await self._thread.run(chroma.keep_only, kept)
        for shelf, ids in kept.items():
            there = await self._thread.run(chroma.ids, shelf)
            await self._thread.run(chroma.remove, shelf, there - ids)
            missing = sorted(ids - there)
            for start in range(0, len(missing), _AT_ONCE):
                some = missing[start : start + _AT_ONCE]
                pool = await self._vectors.pool(shelf.profile, self._embedder, some, shelf.kind)
                await self._thread.run(chroma.put, shelf.profile, shelf.kind, pool)
        self._moments.clear()

    async def _let_go(self, damaged: Chroma) -> None:
        """Without its seal the next opening builds it anew."""
        if self._owned is damaged:
            self._owned = None
            await self._close_chroma()

    async def _close_chroma(self) -> None:
        chroma, self._chroma = self._chroma, None
        if chroma is not None:
            with suppress(IndexDamaged):
                await self._thread.run(chroma.close)

    async def _moments_of(self, mine: _Pool) -> dict[bool, Moments]:
        """Over the whole pool; a few changes among many items hardly move them."""
        known = self._moments.get(mine)
        if known is None or self._changes[mine] > _STALE_SHARE * sum(one.count for one in known.values()):
            self._changes[mine] = 0
            pool = await self._vectors.pool(mine[0], self._embedder, None, mine[1])
            self._moments[mine] = known = await self._thread.run(_moments, pool)
        return known


def _learn(chroma: Chroma, mine: _Pool, pool: VectorPool, gone: Sequence[str]) -> None:
    for hangul in (True, False):
        chroma.remove(Shelf(*mine, hangul), gone)
    chroma.put(*mine, pool)


def _ask(
    chroma: Chroma, mine: _Pool, vector: bytes, limit: int, moments: dict[bool, Moments], also: VectorPool
) -> Neighbours:
    from desktop_app.adapters.fact_index.closeness import cosines, vector_of

    asked = vector_of(vector)
    found = dict(zip(also.ids, cosines(also, asked), strict=True))
    hangul = {item for item, own in zip(also.ids, also.hangul, strict=True) if own}
    for script, one in moments.items():
        near = chroma.nearest(Shelf(*mine, script), asked, min(limit, one.count))
        found |= near
        if script:
            hangul |= near.keys()
    return Neighbours(found, frozenset(hangul), {script: one.spread(asked) for script, one in moments.items()})


def _scan(pool: VectorPool, vector: bytes, limit: int, also: Collection[str]) -> Neighbours:
    from desktop_app.adapters.fact_index.closeness import scan

    return scan(pool, vector, limit, also)


def _likeness(finds: Sequence[VectorPool], held: Sequence[VectorPool], korean: bool) -> Likeness:
    from desktop_app.adapters.fact_index.closeness import likeness

    return likeness(finds, held, korean)


def _moments(pool: VectorPool) -> dict[bool, Moments]:
    from desktop_app.adapters.fact_index.closeness import moments

    return moments(pool)
