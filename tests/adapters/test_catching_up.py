"""What a search waits for at most, and that nothing it waited for is lost or asked for twice."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic

import pytest

from desktop_app.adapters.embedding.opening import EmbedderOpener
from desktop_app.adapters.fact_index.index import FactIndex
from desktop_app.adapters.secret_detector import SecretDetector
from desktop_app.adapters.store import Store
from desktop_app.core.embedders import EmbedderKind, KnownEmbedder, embedder_choice
from desktop_app.core.facts import FactDraft
from desktop_app.core.passages import PassageKind
from desktop_app.core.ports import Embedder
from desktop_app.core.recall.values import Spread
from desktop_app.services import indexing as indexing_module
from desktop_app.services.indexing import IndexingService
from desktop_app.services.passage_search import PassageSearch
from desktop_app.services.question_vectors import QuestionVectors
from desktop_app.services.recall import RecallService
from desktop_app.services.recalling import Question, Recalling
from tests.adapters.store_parts import add_chain
from tests.fakes.embedding_server import vectors_server
from tests.fakes.toy_embedders import ToyEmbedder

P = "default"


class SlowToy(ToyEmbedder):
    """Takes so many seconds for each text."""

    seconds = 0.1

    async def embed(self, texts: Sequence[str], *, asked: bool = False) -> list[bytes]:
        await asyncio.sleep(self.seconds * len(texts))
        return await super().embed(texts, asked=asked)


class Room:
    """All of recall on one data folder."""

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        self.store = store = Store.open(folder)
        self.index = FactIndex(folder, store.vectors, embedder.name)
        self.indexing = IndexingService(store.vectors, embedder, self.index)
        self.vectors = QuestionVectors(embedder, self.indexing)
        search = RecallService(store.facts, embedder, self.index, self.vectors)
        passages = PassageSearch(store.said, store.documents, embedder, self.index, self.vectors, SecretDetector())
        self.recalling = Recalling(
            search,
            passages,
            store.facts,
            store.said,
            store.documents,
            embedder,
            self.index,
            self.vectors,
            SecretDetector(),
        )
        self.name = embedder.name

    async def lacking(self) -> int:
        return len(await self.store.vectors.lacking(self.name, 1_000))

    async def recall(self, text: str) -> tuple[list[PassageKind], float]:
        """Of which kinds finds are, and the seconds it took."""
        started = monotonic()
        asked = Question(P, text, budget=2_000, now=datetime.now(UTC))
        found = await self.recalling.recall(asked, len)
        return [one.kind for one in found.recollection.finds], monotonic() - started

    async def fill(self) -> None:
        """Facts and something said that hold the word kettle."""
        for number in range(6):
            await self.store.facts.keep(P, FactDraft(f"kettle {number}", f"it is number {number * 7919}"))
        chat = await self.store.create_conversation(P, "chat", simulated=False)
        await add_chain(self.store, chat.id, ["Where is the blue kettle?", "In the cellar."])

    async def close(self) -> None:
        await self.indexing.close()
        await self.store.close()


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexing_module, "_SECONDS_BEFORE_SEARCH", 0.5)
    monkeypatch.setattr(indexing_module, "_SECONDS_BESIDE_OTHERS", 0.1)


def test_a_slow_model_gets_through_however_often_it_is_cut(tmp_path: Path) -> None:
    toy = SlowToy(EmbedderKind.USE)

    async def work() -> None:
        left = []
        for start in range(12):  # each a program of its own
            room = Room(tmp_path, toy)
            if not start:
                await room.fill()
            await room.indexing.catch_up(P)
            left.append(await room.lacking())
            await room.close()
            if not left[-1]:
                return
        raise AssertionError(left)

    asyncio.run(work())
    assert len(toy.embedded) == len(set(toy.embedded)) == 8


def test_a_recall_waits_once_for_facts_turns_and_documents(tmp_path: Path) -> None:
    async def work() -> None:
        toy = SlowToy(EmbedderKind.USE)
        room = Room(tmp_path, toy)
        await room.fill()
        toy.seconds = 0.4
        found, seconds = await room.recall("kettle")
        assert {*found} == {PassageKind.FACT, PassageKind.TURN} and seconds < 0.4 + 3 * 0.5
        await room.close()

    asyncio.run(work())


def test_a_search_hardly_waits_for_vectors_that_are_made_already(tmp_path: Path) -> None:
    async def work() -> None:
        room = Room(tmp_path, SlowToy(EmbedderKind.USE))
        await room.fill()
        async with room.indexing.alone():
            started = monotonic()
            await room.indexing.catch_up(P)
            await room.indexing.catch_up(P)
            assert monotonic() - started < 0.4
        await room.close()

    asyncio.run(work())


def test_a_quick_model_is_given_more_at_once_and_does_all(tmp_path: Path) -> None:
    async def work() -> None:
        room = Room(tmp_path, ToyEmbedder(EmbedderKind.USE))
        for number in range(150):
            await room.store.facts.keep(P, FactDraft(f"key {number}", f"value {number * 7919}"))
        await room.indexing.catch_up(P)
        assert await room.lacking() == 0
        await room.close()

    asyncio.run(work())


def test_a_silent_server_costs_one_wait_and_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("desktop_app.adapters.embedding.embedding_server.QUESTION_SECONDS", 0.3)

    async def work() -> None:
        with vectors_server(hold=threading.Event()) as server:
            choice = embedder_choice("openai", server.url)
            room = Room(tmp_path, EmbedderOpener(no_key).open(KnownEmbedder("s/24", 24, choice, Spread(0, 0, 1), True)))
            await room.fill()
            found, seconds = await room.recall("blue kettle")
            assert PassageKind.TURN in found and seconds < 1.0
            assert room.recalling.meaning_trouble is not None
            assert room.recalling.meaning_trouble.params == {"host": f"127.0.0.1:{server.port}"}
            _, seconds = await room.recall("another kettle")
            assert seconds < 0.3 and len(server.asked) == 1
            await room.close()

    asyncio.run(work())


def test_a_vector_of_the_wrong_length_is_lacking_and_ends_no_search(tmp_path: Path) -> None:
    async def work() -> None:
        room = Room(tmp_path, ToyEmbedder(EmbedderKind.USE))
        await room.fill()
        first, _ = await room.recall("blue kettle")
        await room.store.threads.write(spoil)
        assert await room.lacking() == 2
        second, _ = await room.recall("blue kettle")
        assert second == first and await room.lacking() == 0
        await room.close()

    def spoil(session: object) -> None:
        from sqlalchemy import text

        for table, column in (("passage_vector", "passage_number"), ("fact_vector", "fact_number")):
            first = f"(SELECT min({column}) FROM {table})"
            session.execute(text(f"UPDATE {table} SET vector = x'0102' WHERE {column} = {first}"))  # type: ignore[attr-defined]

    asyncio.run(work())


@pytest.mark.parametrize("name", ["nearest", "likeness"])
def test_whatever_goes_wrong_in_the_index_words_find_what_was_said(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object, **__: object) -> None:
        raise ValueError("a fault of the library")

    async def work() -> None:
        room = Room(tmp_path, ToyEmbedder(EmbedderKind.USE))
        await room.fill()
        monkeypatch.setattr(room.index, name, fail)
        found, _ = await room.recall("blue kettle")
        assert PassageKind.TURN in found
        await room.close()

    asyncio.run(work())


async def no_key(_name: str) -> str | None:
    return None
