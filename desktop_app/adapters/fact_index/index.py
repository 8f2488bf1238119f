"""Facts by meaning: through Chroma where this process owns the index, else by comparing with every vector.

The database is the truth. The folder of Chroma is built from its vectors, and built anew when it is damaged or holds
those of another embedder.
"""

from __future__ import annotations

import asyncio
import shutil
from collections import Counter
from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from desktop_app.adapters.fact_index.damage import IndexDamaged
from desktop_app.adapters.fact_index.lock import IndexLock
from desktop_app.adapters.fact_index.shelf import Shelf, by_shelf
from desktop_app.adapters.store.vectors import VectorStore
from desktop_app.adapters.worker_thread import WorkerThread
from desktop_app.core.fact_vectors import VectorPool
from desktop_app.core.recall import Neighbours

if TYPE_CHECKING:
    from desktop_app.adapters.fact_index.chroma import ChromaFolder
    from desktop_app.adapters.fact_index.closeness import Moments

FOLDER_NAME = "index"
LOCK_NAME = "index.lock"
_MOST_REBUILDS = 2
_TRIED = 5
_AT_ONCE = 500
_STALE_SHARE = 0.01


class FactIndex:
    """Fulfils `core.ports.VectorIndex`. Chroma and numpy are imported in its own thread, when first needed."""

    def __init__(self, data_dir: Path, vectors: VectorStore, embedder: str) -> None:
        self._folder = data_dir / FOLDER_NAME
        self._lock = IndexLock(data_dir / LOCK_NAME)
        self._vectors = vectors
        self._embedder = embedder
        self._thread = WorkerThread("fact-index")
        self._chroma: ChromaFolder | None = None
        self._owned: ChromaFolder | None = None
        self._opening = asyncio.Lock()
        self._rebuilds = 0
        self._moments: dict[str, dict[bool, Moments]] = {}
        self._changes: Counter[str] = Counter()

    @property
    def owned(self) -> bool:
        """Whether this process searches through the index."""
        return self._owned is not None

    async def open(self) -> bool:
        """Opens the index in step with the vectors that are kept; False where it is another's, or cannot be used."""
        async with self._opening:
            if self._owned is None and self._rebuilds <= _MOST_REBUILDS and self._lock.take():
                await self._close_chroma()  # an earlier opening may have been cut
                try:
                    self._owned = await self._open(self._folder)
                except (IndexDamaged, OSError):
                    self._owned = await self._rebuilt()
            return self.owned

    async def learn(self, profile: str, pool: VectorPool, gone: Sequence[str]) -> bool:
        """Takes in vectors, in place of older ones of the same facts, and forgets the facts in `gone`."""
        chroma = self._owned
        if chroma is None:
            return False
        self._changes[profile] += len(pool.ids) + len(gone)
        try:
            await self._thread.run(_learn, chroma, profile, pool, gone)
        except IndexDamaged:
            await self._let_go(chroma)
        return self.owned

    async def nearest(self, profile: str, vector: bytes, limit: int, also: Collection[str] = ()) -> Neighbours:
        """The nearest facts of each script, at most `limit` of each, and those in `also`."""
        chroma = self._owned
        if chroma is not None:
            moments = await self._moments_of(profile)
            pool = await self._vectors.pool(profile, self._embedder, sorted(also))
            try:
                return await self._thread.run(_ask, chroma, profile, vector, limit, moments, pool)
            except IndexDamaged:
                await self._let_go(chroma)
        pool = await self._vectors.pool(profile, self._embedder)
        return await self._thread.run(_scan, pool, vector, limit, also)

    async def close(self) -> None:
        """Ends its thread; the index is free for others only after what was going on there."""
        self._owned = None

        def last() -> None:
            if self._chroma is not None:
                with suppress(IndexDamaged):
                    self._chroma.close()
            self._lock.release()

        await self._thread.close(last)

    async def _open(self, folder: Path) -> ChromaFolder:
        """Opens a folder, an empty one where there is none, and brings it in step."""
        await self._thread.run(self._open_chroma, folder)
        chroma = self._chroma
        assert chroma is not None
        kept = by_shelf(await self._vectors.scripts(self._embedder))
        for shelf, ids in kept.items():  # all is tried before anything is written
            there = await self._thread.run(chroma.ids, shelf)
            both = sorted(ids & there)
            sample = await self._vectors.pool(shelf.profile, self._embedder, both[:: max(1, len(both) // _TRIED)])
            await self._thread.run(chroma.try_out, shelf, sample)
        await self._thread.run(chroma.keep_only, kept)
        for shelf, ids in kept.items():
            there = await self._thread.run(chroma.ids, shelf)
            await self._thread.run(chroma.remove, shelf, there - ids)
            missing = sorted(ids - there)
            for start in range(0, len(missing), _AT_ONCE):
                some = missing[start : start + _AT_ONCE]
                pool = await self._vectors.pool(shelf.profile, self._embedder, some)
                await self._thread.run(chroma.put, shelf.profile, pool)
        self._moments.clear()
        return chroma

    def _open_chroma(self, folder: Path) -> None:
        try:
            from desktop_app.adapters.fact_index.chroma import ChromaFolder
        except Exception as error:  # whatever keeps the library from loading on this machine
            raise IndexDamaged(str(error)) from error
        for left in (_beside(folder, "new"), _beside(folder, "old")):
            _clear(left)
        self._chroma = ChromaFolder(folder, self._embedder)

    async def _rebuilt(self) -> ChromaFolder | None:
        """Builds a new folder beside the old one and puts it in its place; gives up for this run where that fails."""
        self._rebuilds += 1
        fresh = _beside(self._folder, "new")
        try:
            await self._close_chroma()
            await self._open(fresh)
            await self._close_chroma()
            await self._thread.run(_swap, fresh, self._folder)
            return await self._open(self._folder)
        except (IndexDamaged, OSError):
            self._rebuilds = _MOST_REBUILDS + 1
            await self._close_chroma()
            self._lock.release()
            return None

    async def _let_go(self, damaged: ChromaFolder) -> None:
        """The next opening looks at the folder again."""
        if self._owned is damaged:
            self._owned = None
            await self._close_chroma()

    async def _close_chroma(self) -> None:
        chroma, self._chroma = self._chroma, None
        if chroma is not None:
            with suppress(IndexDamaged):
                await self._thread.run(chroma.close)

    async def _moments_of(self, profile: str) -> dict[bool, Moments]:
        """Over the whole pool; a few changes among many facts hardly move them."""
        known = self._moments.get(profile)
        if known is None or self._changes[profile] > _STALE_SHARE * sum(one.count for one in known.values()):
            self._changes[profile] = 0
            pool = await self._vectors.pool(profile, self._embedder)
            self._moments[profile] = known = await self._thread.run(_moments, pool)
        return known


def _learn(chroma: ChromaFolder, profile: str, pool: VectorPool, gone: Sequence[str]) -> None:
    for hangul in (True, False):
        chroma.remove(Shelf(profile, hangul), gone)
    chroma.put(profile, pool)


def _ask(
    chroma: ChromaFolder, profile: str, vector: bytes, limit: int, moments: dict[bool, Moments], also: VectorPool
) -> Neighbours:
    from desktop_app.adapters.fact_index.closeness import cosines, vector_of

    asked = vector_of(vector)
    found = dict(zip(also.ids, cosines(also, asked), strict=True))
    hangul = {fact_id for fact_id, own in zip(also.ids, also.hangul, strict=True) if own}
    for script in moments:
        near = chroma.nearest(Shelf(profile, script), asked, limit)
        found |= near
        if script:
            hangul |= near.keys()
    return Neighbours(found, frozenset(hangul), {script: one.spread(asked) for script, one in moments.items()})


def _scan(pool: VectorPool, vector: bytes, limit: int, also: Collection[str]) -> Neighbours:
    from desktop_app.adapters.fact_index.closeness import scan

    return scan(pool, vector, limit, also)


def _moments(pool: VectorPool) -> dict[bool, Moments]:
    from desktop_app.adapters.fact_index.closeness import moments

    return moments(pool)


def _beside(folder: Path, name: str) -> Path:
    return folder.with_name(f"{FOLDER_NAME}.{name}")


def _swap(fresh: Path, folder: Path) -> None:
    old = _beside(folder, "old")
    _clear(old)
    if folder.exists() or folder.is_symlink():
        folder.rename(old)
    fresh.rename(folder)
    _clear(old)


def _clear(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
