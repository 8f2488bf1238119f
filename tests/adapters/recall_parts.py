"""Search by meaning with its real parts: store, sentence encoder, Chroma in a folder, and the services on top."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from desktop_app.adapters.embedding.sentence_encoder import SentenceEncoder
from desktop_app.adapters.fact_index.index import FactIndex
from desktop_app.adapters.store import Store
from desktop_app.core.facts import FactDraft
from desktop_app.services.indexing import IndexingService
from desktop_app.services.question_vectors import QuestionVectors
from desktop_app.services.recall import RecallService
from tests.fakes.postgres_server import url_of

P = "default"
DATA = Path(__file__).parent / "data"


class SharedEncoder(SentenceEncoder):
    """One for many tests, since its model takes a second to load; services that close it do not end it."""

    async def close(self) -> None:
        """Left to `end`."""

    async def end(self) -> None:
        """Ends it."""
        await super().close()


@contextmanager
def shared_encoder() -> Iterator[SharedEncoder]:
    encoder = SharedEncoder()
    yield encoder
    asyncio.run(encoder.end())


class Memory:
    """Everything search is made of, on one data folder."""

    def __init__(self, folder: Path, encoder: SentenceEncoder) -> None:
        self.store = Store.open(folder, url_of(folder))
        self.encoder = encoder
        self.index = FactIndex(folder, self.store.vectors, encoder.name)
        self.indexing = IndexingService(self.store.vectors, encoder, self.index)
        self.indexing.rest = 0.01
        self.recall = RecallService(self.store.facts, encoder, self.index, QuestionVectors(encoder, self.indexing))

    async def add(self, facts: Mapping[str, str], profile: str = P) -> dict[str, str]:
        """Keeps facts; their ids by key."""
        return {
            key: (await self.store.facts.keep(profile, FactDraft(key, value))).fact_id for key, value in facts.items()
        }

    async def found(self, query: str, limit: int = 10, profile: str = P, without: Sequence[str] = ()) -> list[str]:
        """Keys of what is found."""
        return [hit.fact.key for hit in await self.recall.search(profile, query, limit, without)]

    async def paid(self, seconds: float = 15.0) -> None:
        """Waits until nothing is owed any more."""
        async with asyncio.timeout(seconds):
            while await self.store.vectors.debts(1) or await self.store.vectors.lacking(self.encoder.name, 1):
                await asyncio.sleep(0.01)

    async def indexed(self, profile: str = P) -> dict[str, float]:
        """Ids the open index holds, each with the cosine between its vector there and the one that is kept."""
        assert self.index.owned
        pool = await self.store.vectors.pool(profile, self.encoder.name)
        size = 4 * self.encoder.dimension
        found: dict[str, float] = {}
        for place in range(len(pool.ids)):
            vector = pool.matrix[place * size : (place + 1) * size]
            near = await self.index.nearest(profile, vector, 10_000)
            found |= dict.fromkeys(near.cosines.keys() - found.keys(), 0.0)
            found[pool.ids[place]] = near.cosines.get(pool.ids[place], 0.0)
        return found


@asynccontextmanager
async def remembering(folder: Path, encoder: SentenceEncoder, *, start: bool = False) -> AsyncIterator[Memory]:
    """Memory in a folder; with `start` it works in the background, as in a window."""
    memory = Memory(folder, encoder)
    if start:
        memory.indexing.start()
    try:
        yield memory
    finally:
        await memory.indexing.close()
        await memory.store.close()


def with_memory(
    folder: Path, encoder: SentenceEncoder, work: Callable[[Memory], Coroutine[Any, Any, Any]], *, start: bool = False
) -> Any:
    """Runs `work` on a memory of its own."""

    async def run() -> Any:
        async with remembering(folder, encoder, start=start) as memory:
            return await work(memory)

    return asyncio.run(run())


def sample(name: str) -> Any:
    """A file of questions and facts."""
    return json.loads((DATA / name).read_text(encoding="utf-8"))
