"""Memory with toy embedders over a real store and index, and as a program: a change that tells how far it got."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from desktop_app.adapters.fact_index.index import FactIndex
from desktop_app.adapters.file_lock import FileLock
from desktop_app.adapters.settings_file import SettingsFile
from desktop_app.adapters.store import Store
from desktop_app.core.embedders import EmbedderKind
from desktop_app.core.facts import FactDraft
from desktop_app.services.embedders import EmbedderService
from desktop_app.services.indexing import IndexingService
from desktop_app.services.serving_embedder import ServingEmbedder
from desktop_app.services.settings import SettingsService
from tests.fakes.toy_embedders import ToyEmbedders

P = "default"


class EmbedderRoom:
    """Everything a change of embedders is made of, on one data folder."""

    def __init__(self, folder: Path, version: str = "1") -> None:
        self.folder = folder
        self.toys = ToyEmbedders(version)
        self.store = Store.open(folder)
        known = self.store.embedders.serving_at_start()
        self.serving = ServingEmbedder(self.toys.made[known.choice.kind if known else EmbedderKind.USE])
        self.index = FactIndex(folder, self.store.vectors, self.serving.name)
        self.indexing = IndexingService(self.store.vectors, self.serving, self.index)
        self.indexing.rest = 0.01
        self.settings = SettingsService(SettingsFile(folder))
        self.embedders = EmbedderService(
            self.settings,
            self.toys,
            self.store.embedders,
            self.store.vectors,
            self.serving,
            self.index,
            self.indexing,
            FileLock(folder / "embedding.lock"),
        )

    async def add(self, count: int, start: int = 0) -> list[str]:
        """So many facts; their ids."""
        return [
            (await self.store.facts.keep(P, FactDraft(f"사실 {number}", f"value {number * 7919}"))).fact_id
            for number in range(start, start + count)
        ]

    async def nearest(self, number: int) -> list[str]:
        """The ids of the facts nearest to the text of one of them, as a search finds them."""
        await self.indexing.catch_up(P)
        (vector,) = await self.serving.embed([f"사실 {number}: value {number * 7919}"], asked=True)
        near = await self.index.nearest(P, vector, 5)
        return sorted(near.cosines, key=lambda fact_id: -near.cosines[fact_id])

    async def vectors(self) -> dict[str, int]:
        """How many vectors of facts there are by embedder."""

        def work(session: object) -> Sequence[tuple[str, int]]:
            from sqlalchemy import text

            asked = text("SELECT embedder, count(*) FROM fact_vector GROUP BY embedder")
            return session.execute(asked).all()  # type: ignore[attr-defined, no-any-return]

        return dict(await self.store.threads.read(work))

    async def close(self) -> None:
        await self.embedders.close()
        await self.indexing.close()
        await self.store.close()


@asynccontextmanager
async def embedder_room(folder: Path, version: str = "1") -> AsyncIterator[EmbedderRoom]:
    room = EmbedderRoom(folder, version)
    try:
        yield room
    finally:
        await room.close()


async def change(folder: Path) -> None:
    """Changes to the embedder the settings say; a line for each batch, and no more than a batch ahead of its reader."""
    async with embedder_room(folder) as room:
        toy = room.toys.made[EmbedderKind.E5]
        embed = toy.embed

        async def told(texts: Sequence[str], *, asked: bool = False) -> list[bytes]:
            print(len(toy.embedded), flush=True)
            await asyncio.to_thread(sys.stdin.readline)
            return await embed(texts, asked=asked)

        toy.embed = told  # type: ignore[method-assign]
        print(await room.embedders.run(), flush=True)


if __name__ == "__main__":
    asyncio.run(change(Path(sys.argv[1])))
