"""Facts written by several processes at once, under a lock, and by one that is killed."""

from __future__ import annotations

import asyncio
import json
import signal
import time
from itertools import pairwise
from pathlib import Path

import pytest

from desktop_app.adapters.store import Store
from desktop_app.core.facts import FactActor, FactState
from tests.adapters.child_processes import child, end, first_line
from tests.adapters.fact_parts import P, add, faults, values
from tests.adapters.store_parts import ask, opened, with_store

pytestmark = pytest.mark.usefixtures("database")


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs fork and SIGKILL")
@pytest.mark.of_file
def test_a_kill_at_any_moment_leaves_everything_in_step(tmp_path: Path) -> None:
    end(child("crash_facts", tmp_path, 10))
    kinds = set()
    for seed in range(10):
        folder = tmp_path / str(seed)
        told = [json.loads(line) for line in (folder / "acknowledged").read_text().splitlines()]
        assert told
        kept = {
            number: (fact_id, after["state"], after["value"])
            for number, fact_id, after in (
                (number, fact_id, json.loads(after))
                for number, fact_id, after in ask(folder, "SELECT number, fact_id, after FROM fact_change")
            )
        }
        act_of = dict(ask(folder, "SELECT number, act FROM fact_change"))
        for number, *fact in told:
            assert kept[number] == tuple(fact)
        kinds |= {state for _, _, state, _ in told}
        # At most one change reached the disk without an answer, with all the lines that were made as one.
        last = max(number for number, *_ in told)
        assert len({act for number, act in act_of.items() if act > act_of[last]}) <= 1
        assert faults(folder) == []
        with_store(folder, goes_on)
        assert faults(folder) == []
    assert kinds >= {"active", "pending", "deleted"}


async def goes_on(store: Store) -> None:
    before = await store.facts.last_change()
    assert (await add(store, "new", "after the crash")).revision == before + 1


def test_two_processes_keep_facts_at_once(tmp_path: Path) -> None:
    async def work() -> None:
        async with opened(tmp_path) as store:
            other = child("keep", tmp_path, "other", 60)
            assert first_line(other) == "ready"
            version = await store.data_version()
            assert other.stdin
            other.stdin.write("go\n")
            other.stdin.flush()
            for number in range(60):
                await add(store, f"mine {number}", "value")
                await add(store, "shared", f"mine {number}")
            end(other)
            assert await store.data_version() != version
            found = await values(store)
            assert len(found) == 121 and found["shared"] == "mine 59"
            assert [found[f"other {number}"] for number in range(60)] == [
                f"other {'edited' if number % 2 else 'value'} {number}" for number in range(60)
            ]
            changes = ask(tmp_path, "SELECT number FROM fact_change ORDER BY number")
            assert [number for (number,) in changes] == list(range(1, 60 + 30 + 120 + 1))

    asyncio.run(work())
    assert faults(tmp_path) == []


def test_a_fact_two_processes_change_has_one_history(tmp_path: Path) -> None:
    async def work() -> None:
        async with opened(tmp_path) as one, opened(tmp_path) as two:
            fact = await add(one, "dog", "Bori")
            await asyncio.gather(
                *(
                    store.facts.edit(P, fact.id, FactActor.YOU, value=f"{name} {number}")
                    for number in range(20)
                    for name, store in (("one", one), ("two", two))
                )
            )
            history = await one.facts.history(P, "dog")
            assert history == await two.facts.history(P, "dog") and len(history) == 41
            for before, after in pairwise(history):
                assert after.before == before.after
            with_key = [add(store, "new", name) for name, store in (("one", one), ("two", two))]
            first, second = await asyncio.gather(*with_key)
            assert first.id == second.id

    asyncio.run(work())
    assert faults(tmp_path) == []


@pytest.mark.of_file
def test_four_writers_and_a_lock_lose_nothing(tmp_path: Path) -> None:
    async def work() -> None:
        async with opened(tmp_path) as store:
            await add(store, "here", "before")
            writers = [child(what, tmp_path, f"{what} {place}", 40) for what in ("keep", "write") for place in "ab"]
            assert [first_line(writer) for writer in writers] == ["ready"] * 4
            holder = child("hold", tmp_path, 1)
            assert first_line(holder) == "held"
            for writer in writers:
                assert writer.stdin
                writer.stdin.write("go\n")
                writer.stdin.flush()
            slowest = 0.0
            while holder.poll() is None or any(writer.poll() is None for writer in writers):
                start = time.monotonic()
                assert "here" in await values(store)
                await store.facts.word_matches(P, ["before", "value"])
                slowest = max(slowest, time.monotonic() - start)
                await asyncio.sleep(0.02)
            for process in (holder, *writers):
                end(process)
            assert slowest < 1  # nobody waits to read
            await add(store, "here", "after")
            found = await values(store)
            assert len(found) == 81
            assert {value for value in found.values() if "edited" in value} == {
                f"keep {place} edited {number}" for place in "ab" for number in range(1, 40, 2)
            }
            chats = await store.conversations("default")
            texts = {chat.title: [message.text for message in await store.path(chat.id)] for chat in chats}
            assert texts == {f"write {place}": [f"write {place} {number}" for number in range(40)] for place in "ab"}
            assert await store.facts.facts(P, FactState.DELETED) == []

    asyncio.run(work())
    assert faults(tmp_path) == []
