"""The index on a Chroma server: the same answers, shared by workstations, done without where it is away."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import pytest

from desktop_app.adapters.fact_index.chroma import ChromaServer
from desktop_app.adapters.fact_index.server import ServerIndex, address_of
from desktop_app.core.errors import BadInput
from desktop_app.core.facts import FactActor
from tests.adapters.fact_parts import P
from tests.adapters.test_fact_index import EMBEDDER, House, unit
from tests.fakes.chroma_server import chroma_server, free_port


@pytest.fixture(scope="module")
def chroma(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with chroma_server(tmp_path_factory.mktemp("chroma")) as url:
        yield url


@asynccontextmanager
async def house(folder: Path, url: str) -> AsyncIterator[House]:
    """A store on the database of a folder, and its index on the server."""
    made = House(folder)
    made.index = ServerIndex(folder, url, made.store.mark, made.store.vectors, EMBEDDER)
    try:
        yield made
    finally:
        await made.close()


def kept(url: str, mark: str) -> list[Any]:
    """What a store keeps on the server, past the index: ids, documents and metadata by collection."""
    with closing(ChromaServer(*address_of(url), mark, EMBEDDER)) as server:
        mine = [one for one in server._client.list_collections() if one.name.startswith(mark)]
        return [one.get(include=["documents", "metadatas"]) for one in mine]


@pytest.mark.usefixtures("database")
def test_a_server_answers_as_comparing_all_does_and_holds_ids_and_vectors_only(tmp_path: Path, chroma: str) -> None:
    async def work() -> None:
        async with house(tmp_path, chroma) as mine:
            facts = await mine.fill(40)
            assert await mine.index.open() and mine.index.owned
            await mine.pay()
            await mine.agrees()
            edited = (await mine.store.facts.edit(P, facts[0].id, FactActor.YOU, value="another")).after
            await mine.store.facts.delete(P, facts[1].id, FactActor.YOU)
            await mine.embed([edited])
            await mine.pay()
            await mine.agrees()
            there = kept(chroma, mine.store.mark)
            assert sum(len(one["ids"]) for one in there) == 39
            assert {text for one in there for name in ("documents", "metadatas") for text in one[name] or []} <= {None}
        async with house(tmp_path, chroma) as again:  # opened in step with the database
            assert await again.index.open()
            await again.agrees()
            assert await again.index.rebuild()
            await again.agrees()

    asyncio.run(work())


@pytest.mark.parametrize("database", ["postgresql"], indirect=True)
def test_two_workstations_teach_and_search_one_server(database: str, tmp_path: Path, chroma: str) -> None:
    async def work() -> None:
        async with house(tmp_path, chroma) as one, house(tmp_path, chroma) as two:
            assert await one.index.open() and await two.index.open()
            (fact, *_) = await one.fill(9)
            await one.pay()
            await two.agrees()
            edited = (await two.store.facts.edit(P, fact.id, FactActor.YOU, value="another")).after
            stale = await one.store.vectors.pool(P, EMBEDDER)
            await two.embed([edited])
            await two.pay()
            # One read how things stood before the other taught the server: what is put is read anew.
            assert await one.index.learn(P, stale, [fact.id])
            found = await one.index.nearest(P, unit((fact.id, edited.revision)), 3)
            assert found.cosines[fact.id] == pytest.approx(1.0, abs=1e-5)
            async with one.store.vectors.teaching() as alone:
                assert alone
                assert not await two.index.learn(P, stale, [])
                assert two.index.owned

    asyncio.run(work())


def test_stores_that_share_a_server_leave_each_other_alone(tmp_path: Path, chroma: str) -> None:
    async def work() -> None:
        async with house(tmp_path / "one", chroma) as one, house(tmp_path / "two", chroma) as two:
            await one.fill(6)
            assert await one.index.open()
            await one.pay()
            assert await two.index.open()
            assert sum(len(shelf["ids"]) for shelf in kept(chroma, one.store.mark)) == 6
            assert (await two.index.nearest(P, unit(1), 5)).cosines == {}

    asyncio.run(work())


def test_a_server_that_comes_back_is_used_after_some_minutes(
    tmp_path: Path, chroma: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work() -> None:
        async with house(tmp_path, chroma) as mine:
            await mine.fill(5)
            with monkeypatch.context() as away:
                away.setattr(mine.index, "_port", free_port())
                assert not await mine.index.open() and mine.index.trouble
            assert not await mine.index.open()
            monkeypatch.setattr(mine.index, "_again_at", 0.0)
            assert await mine.index.open() and not mine.index.trouble
            await mine.agrees()

    asyncio.run(work())


def test_a_server_that_is_away_is_done_without_and_said_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def work() -> None:
        port = free_port()
        async with house(tmp_path, f"http://127.0.0.1:{port}") as mine:
            assert not mine.index.trouble
            facts = await mine.fill(5)
            with caplog.at_level(logging.WARNING):
                assert not await mine.index.open()
                assert not await mine.index.open()
            assert mine.index.trouble == f"127.0.0.1:{port}"
            found = await mine.index.nearest(P, unit((facts[2].id, facts[2].revision)), 3)
            assert max(found.cosines, key=lambda item: found.cosines[item]) == facts[2].id

    asyncio.run(work())
    assert len([record for record in caplog.records if "Chroma" in record.getMessage()]) == 1


@pytest.mark.parametrize(
    "url", ["localhost:8000", "ftp://x", "http://", "http://a:b@host", "http://x/path", "http://h:x"]
)
def test_what_is_no_address_of_a_server_is_said(url: str) -> None:
    with pytest.raises(BadInput):
        address_of(url)


def test_addresses_of_servers() -> None:
    assert address_of("http://10.0.0.1:9000/") == ("10.0.0.1", 9000, False)
    assert address_of("https://chroma.example") == ("chroma.example", 443, True)
