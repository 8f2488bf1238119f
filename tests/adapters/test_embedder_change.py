"""Another embedder: everything gets a new vector while the old one serves, whatever comes in between."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from desktop_app.core.embedders import EmbedderKind
from desktop_app.core.errors import BadInput, EmbedderUnreachable
from desktop_app.core.passages import PassageKind
from desktop_app.services.embedders import Outcome
from tests.fakes.embedder_room import EmbedderRoom, P, embedder_room

ROOT = Path(__file__).parents[2]
COUNT = 80
A, B, C = "toy-use/1/8", "toy-e5/1/16", "toy-openai/1/8"


def with_room(folder: Path, work: Callable[[EmbedderRoom], Awaitable[None]], version: str = "1") -> None:
    async def run() -> None:
        async with embedder_room(folder, version) as room:
            await work(room)

    asyncio.run(run())


async def begun(room: EmbedderRoom, count: int = COUNT) -> list[str]:
    """Facts with vectors of the first embedder, and an index over them."""
    ids = await room.add(count)
    await room.embedders.follow()
    for _ in range(2):
        await room.nearest(0)
    assert await room.index.open()
    await room.nearest(0)
    return ids


async def all_found(room: EmbedderRoom, ids: list[str]) -> None:
    for number in (0, 7, len(ids) - 1):
        assert (await room.nearest(number))[0] == ids[number]


@pytest.mark.parametrize(
    ("kind", "url", "name"),
    [("e5", "", B), ("openai", "http://127.0.0.1:9", C)],
    ids=["another size", "the same size"],
)
def test_the_old_one_serves_until_the_new_one_is_whole(tmp_path: Path, kind: str, url: str, name: str) -> None:
    async def work(room: EmbedderRoom) -> None:
        ids = await begun(room)
        await room.embedders.choose(kind, url)
        seen: list[tuple[int, int]] = []
        toy = room.toys.made[EmbedderKind(kind)]
        embed = toy.embed

        async def searching(texts: list[str], *, asked: bool = False) -> list[bytes]:
            assert room.serving.name == A and room.index.owned
            await all_found(room, ids)
            return await embed(texts, asked=asked)

        toy.embed = searching  # type: ignore[method-assign, assignment]
        status = await room.embedders.status()
        assert status.changing and status.wanted is not None and status.wanted.name == name
        assert await room.embedders.run(lambda done, total: seen.append((done, total))) is Outcome.DONE
        toy.embed = embed  # type: ignore[method-assign]
        assert seen[-1] == (COUNT, COUNT) and len(toy.embedded) == COUNT
        assert room.serving.name == name
        assert await room.vectors() == {name: COUNT}
        await all_found(room, ids)
        assert await room.index.open()
        await all_found(room, ids)
        status = await room.embedders.status()
        assert (status.serving.name, status.changing) == (name, False)
        assert status.counts[PassageKind.FACT].done == status.counts[PassageKind.FACT].total == COUNT
        assert [one.name for one in await room.store.embedders.known()] == [name]

    with_room(tmp_path, work)

    async def again(room: EmbedderRoom) -> None:
        assert room.serving.name == name
        assert await room.embedders.run() is Outcome.DONE

    with_room(tmp_path, again)


def test_a_change_that_is_killed_half_way_goes_on_where_it_was(tmp_path: Path) -> None:
    ids: list[str] = []

    async def begin(room: EmbedderRoom) -> None:
        ids.extend(await begun(room))
        await room.embedders.choose("e5")

    with_room(tmp_path, begin)
    with subprocess.Popen(
        [sys.executable, "-m", "tests.fakes.embedder_room", str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    ) as child:
        assert child.stdout is not None and child.stdin is not None
        while int(child.stdout.readline()) < COUNT // 2:
            child.stdin.write("\n")
            child.stdin.flush()
        child.send_signal(signal.SIGKILL)

    async def go_on(room: EmbedderRoom) -> None:
        kept = (await room.vectors())[B]
        assert COUNT // 2 <= kept < COUNT
        assert room.serving.name == A
        await all_found(room, ids)
        assert await room.embedders.run() is Outcome.DONE
        assert len(room.toys.made[EmbedderKind.E5].embedded) == COUNT - kept
        assert await room.vectors() == {B: COUNT}
        await all_found(room, ids)

    with_room(tmp_path, go_on)


def test_pause_switch_back_and_another_one_half_way(tmp_path: Path) -> None:
    async def work(room: EmbedderRoom) -> None:
        ids = await begun(room)
        toy = room.toys.made[EmbedderKind.E5]
        embed = toy.embed

        async def one_batch(texts: list[str], *, asked: bool = False) -> list[bytes]:
            room.embedders.pause(True)
            return await embed(texts, asked=asked)

        toy.embed = one_batch  # type: ignore[method-assign, assignment]
        await room.embedders.choose("e5")
        assert await room.embedders.run() is Outcome.PAUSED
        assert await room.embedders.run() is Outcome.PAUSED
        assert await room.vectors() == {A: COUNT, B: 32}
        status = await room.embedders.status()
        assert status.paused and status.progress is not None
        assert (status.progress[PassageKind.FACT].done, status.progress[PassageKind.FACT].total) == (32, COUNT)
        await all_found(room, ids)
        toy.embed = embed  # type: ignore[method-assign]
        assert (await room.embedders.cancel()).name == A
        assert await room.embedders.run() is Outcome.DONE
        assert await room.vectors() == {A: COUNT}
        assert not (await room.embedders.status()).changing

        async def another(texts: list[str], *, asked: bool = False) -> list[bytes]:
            await room.embedders.choose("openai", "http://127.0.0.1:9")
            return await embed(texts, asked=asked)

        toy.embed = another  # type: ignore[method-assign, assignment]
        await room.embedders.choose("e5")
        assert await room.embedders.run() is Outcome.TURNED
        assert await room.embedders.run() is Outcome.DONE
        assert await room.vectors() == {C: COUNT}
        await all_found(room, ids)

    with_room(tmp_path, work)


def test_facts_that_come_during_a_change_are_found_at_once_and_part_of_it(tmp_path: Path) -> None:
    async def work(room: EmbedderRoom) -> None:
        ids = await begun(room, 64)
        toy = room.toys.made[EmbedderKind.E5]
        embed = toy.embed

        async def coming(texts: list[str], *, asked: bool = False) -> list[bytes]:
            if len(ids) == 64:
                ids.extend(await room.add(1, start=64))
                await all_found(room, ids)
            return await embed(texts, asked=asked)

        toy.embed = coming  # type: ignore[method-assign, assignment]
        await room.embedders.choose("e5")
        assert await room.embedders.run() is Outcome.DONE
        assert await room.vectors() == {B: 65}
        await all_found(room, ids)

    with_room(tmp_path, work)


def test_another_process_follows_the_one_that_changed(tmp_path: Path) -> None:
    async def work(room: EmbedderRoom) -> None:
        ids = await begun(room)
        async with embedder_room(tmp_path) as other:
            await other.embedders.choose("openai", "http://127.0.0.1:9")
            assert other.embedders._lock.take()
            room.settings.refresh()
            assert await room.embedders.run() is Outcome.ELSEWHERE
            other.embedders._lock.release()
            assert await other.embedders.run() is Outcome.DONE
            assert room.serving.name == A
            await all_found(room, ids)
            assert room.serving.name == C
            assert await room.index.open()
            await all_found(room, ids)
            (vector,) = await room.toys.made[EmbedderKind.USE].embed(["사실 7"])
            assert (await room.index.nearest(P, vector, 5)).cosines, "bytes that know no name are taken for its own"

    with_room(tmp_path, work)


def test_a_question_that_was_asked_of_the_old_one_is_not_compared_with_vectors_of_the_new(tmp_path: Path) -> None:
    async def work(room: EmbedderRoom) -> None:
        await begun(room)
        (vector,) = await room.serving.embed(["사실 7"], asked=True)
        await room.embedders.choose("openai", "http://127.0.0.1:9")
        assert await room.embedders.run() is Outcome.DONE
        assert (await room.index.nearest(P, vector, 5)).cosines == {}

    with_room(tmp_path, work)


def test_a_text_that_cannot_be_taken_holds_up_no_other(tmp_path: Path) -> None:
    async def work(room: EmbedderRoom) -> None:
        room.toys.made[EmbedderKind.USE].refuses = "사실 3:"
        ids = await room.add(40)
        await all_found(room, ids)
        assert await room.vectors() == {A: 39}
        counts = (await room.embedders.status()).counts[PassageKind.FACT]
        assert (counts.total, counts.done, counts.failed) == (40, 39, 1)
        room.toys.made[EmbedderKind.E5].refuses = "사실 5:"
        await room.embedders.choose("e5")
        assert await room.embedders.run() is Outcome.DONE
        assert await room.vectors() == {B: 39}
        await all_found(room, ids)
        assert (await room.nearest(3))[0] == ids[3]

    with_room(tmp_path, work)


def test_an_embedder_that_fails_changes_nothing_and_is_tried_again(tmp_path: Path) -> None:
    async def work(room: EmbedderRoom) -> None:
        ids = await begun(room)
        toy = room.toys.made[EmbedderKind.E5]
        toy.down = True
        with pytest.raises(EmbedderUnreachable):
            await room.embedders.choose("e5")
        with pytest.raises(BadInput):
            await room.embedders.choose("openai", "http://example.com")
        assert room.settings.settings.embedder == "use"
        toy.down = False
        await room.embedders.choose("e5")
        toy.down = True
        room.embedders.start()
        async with asyncio.timeout(10):
            while room.embedders.trouble is None:
                await asyncio.sleep(0.01)
            await all_found(room, ids)
            toy.down = False
            room.embedders.kick()
            while room.serving.name != B:
                await asyncio.sleep(0.01)
        await all_found(room, ids)

    with_room(tmp_path, work)


def test_a_new_version_of_a_model_on_this_machine_takes_the_place_of_the_old(tmp_path: Path) -> None:
    async def begin(room: EmbedderRoom) -> None:
        await begun(room)

    with_room(tmp_path, begin)

    async def updated(room: EmbedderRoom) -> None:
        ids = [fact.id for fact in sorted(await room.store.facts.facts(P), key=lambda fact: int(fact.key.split()[1]))]
        await all_found(room, ids)
        assert await room.embedders.run() is Outcome.DONE
        assert await room.vectors() == {"toy-use/2/8": COUNT}

    with_room(tmp_path, updated, version="2")


def test_vectors_and_index_are_made_anew_when_asked(tmp_path: Path) -> None:
    async def work(room: EmbedderRoom) -> None:
        ids = await begun(room)
        seen: list[tuple[int, int]] = []
        await room.embedders.embed_anew(lambda done, total: seen.append((done, total)))
        assert seen[-1] == (COUNT, COUNT)
        assert len(room.toys.made[EmbedderKind.USE].embedded) > 2 * COUNT
        assert await room.embedders.rebuild_index() and room.index.owned
        await all_found(room, ids)
        async with embedder_room(tmp_path) as other:
            assert not await other.embedders.rebuild_index()

    with_room(tmp_path, work)


def test_whoever_wants_none_has_no_vectors(tmp_path: Path) -> None:
    async def work(room: EmbedderRoom) -> None:
        ids = await begun(room)
        await room.embedders.choose("none")
        assert await room.embedders.run() is Outcome.DONE
        assert await room.vectors() == {}
        await room.embedders.choose("use")
        assert await room.embedders.run() is Outcome.DONE
        assert await room.vectors() == {A: COUNT}
        await all_found(room, ids)

    with_room(tmp_path, work)
