"""Several processes at one database: locks, crashes, changes made elsewhere."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from desktop_app.adapters.store import Store
from desktop_app.adapters.store.postgres import engine as postgres_engine
from desktop_app.adapters.store.sqlite import engine
from desktop_app.core.conversation import MessageState
from desktop_app.core.errors import StoreUnavailable
from desktop_app.core.request_log import RequestState
from tests.adapters.child_processes import ROOT, child, end, first_line
from tests.adapters.store_parts import ask, opened, user, with_store

pytestmark = pytest.mark.usefixtures("database")


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs fork and SIGKILL")
@pytest.mark.of_file
def test_what_was_acknowledged_survives_a_kill_at_any_moment(tmp_path: Path) -> None:
    end(child("crash", tmp_path, 10))
    kinds = set()
    for seed in range(10):
        folder = tmp_path / str(seed)
        told = [json.loads(line) for line in (folder / "acknowledged").read_text().splitlines()]
        assert told
        kinds.add(told[-1][0])
        assert ask(folder, "PRAGMA integrity_check") == [("ok",)]
        with_store(folder, lambda store, told=told: everything_is_there(store, told))
    assert len(kinds) >= 3


async def everything_is_there(store: Store, told: list[tuple[str, str, str]]) -> None:
    interrupted = await store.mark_interrupted()
    path = {message.id: message for message in await store.path(told[0][1])}
    states = [message.state for message in path.values()]
    assert states.count(MessageState.INTERRUPTED) == interrupted <= 1
    assert MessageState.STREAMING not in states
    latest = {identity: (kind, text) for kind, identity, text in told}
    for identity, (kind, text) in latest.items():
        if kind in ("question", "finished"):
            assert (path[identity].text, path[identity].state) == (text, MessageState.COMPLETE)
        elif kind == "partial":
            assert path[identity].text.startswith(text)
        elif kind == "request":
            record, request = await store.request(identity)
            assert request.body_bytes().decode() == text
            assert record.state is not RequestState.SENT


def test_a_write_waits_for_another_process_and_succeeds(tmp_path: Path) -> None:
    async def work() -> None:
        async with opened(tmp_path) as store:
            chat = await store.create_conversation("default", "x", False)
            holder = child("hold", tmp_path, 1)
            assert first_line(holder) == "held"
            start = time.monotonic()
            waiting = asyncio.ensure_future(store.add_message(user(chat.id, None, "patient")))
            assert await store.path(chat.id) == []  # reading goes on
            assert not waiting.done()
            added = await waiting
            assert time.monotonic() - start > 0.5
            assert await store.path(chat.id) == [added]
            end(holder)

    asyncio.run(work())


def test_a_lock_that_stays_is_said_and_nothing_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for one in (engine, postgres_engine):
        monkeypatch.setattr(one, "BUSY_MILLISECONDS", 100)

    async def work() -> None:
        async with opened(tmp_path) as store:
            chat = await store.create_conversation("default", "x", False)
            before = await store.add_message(user(chat.id, None, "before"))
            holder = child("hold", tmp_path, 1)
            assert first_line(holder) == "held"
            refused = user(chat.id, before, "now")
            with pytest.raises(StoreUnavailable) as caught:
                await store.add_message(refused)
            assert caught.value.params == {"path": store.place}
            assert "now" not in caught.value.details
            assert await store.path(chat.id) == [before]
            end(holder)
            assert await store.path(chat.id) == [before]
            added = await store.add_message(refused)
            assert await store.path(chat.id) == [before, added]

    asyncio.run(work())


@pytest.mark.of_file
def test_two_processes_write_at_once(tmp_path: Path) -> None:
    with_store(tmp_path, lambda store: store.conversations("default"))
    writers = [child("write", tmp_path, name, 100) for name in ("left", "right")]
    assert [first_line(writer) for writer in writers] == ["ready", "ready"]
    for writer in writers:
        assert writer.stdin
        writer.stdin.write("go\n")
        writer.stdin.flush()
    for writer in writers:
        end(writer)

    async def look(store: Store) -> dict[str, list[str]]:
        chats = await store.conversations("default")
        return {chat.title: [message.text for message in await store.path(chat.id)] for chat in chats}

    assert with_store(tmp_path, look) == {
        name: [f"{name} {number}" for number in range(100)] for name in ("left", "right")
    }


def test_the_version_changes_with_writes_of_others_only(tmp_path: Path) -> None:
    async def work() -> None:
        async with opened(tmp_path) as mine:
            chat = await mine.create_conversation("default", "x", False)
            start = await mine.data_version()
            await mine.rename(chat.id, "y")
            assert await mine.data_version() == start
            writer = child("write", tmp_path, "other", 1)
            assert first_line(writer) == "ready"
            between = await mine.data_version()
            assert between != start
            end(writer, "go\n")
            assert await mine.data_version() != between
            assert len(await mine.conversations("default")) == 2

    asyncio.run(work())


def test_a_live_stream_of_another_process_is_not_interrupted(tmp_path: Path) -> None:
    code = (
        "import asyncio, sys; from pathlib import Path\n"
        "from tests.adapters.store_parts import opened, streaming\n"
        "async def work():\n"
        "    async with opened(Path(sys.argv[1])) as store:\n"
        "        chat = await store.create_conversation('default', 'x', False)\n"
        "        await store.add_message(streaming(chat.id, None, 'half'))\n"
        "        print(chat.id, flush=True)\n"
        "        sys.stdin.readline()\n"
        "asyncio.run(work())"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", code, tmp_path],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )

    async def states(store: Store, chat_id: str) -> list[MessageState]:
        await store.mark_interrupted()
        return [message.state for message in await store.path(chat_id)]

    chat_id = first_line(other)
    assert with_store(tmp_path, lambda store: states(store, chat_id)) == [MessageState.STREAMING]
    end(other, "\n")
    assert with_store(tmp_path, lambda store: states(store, chat_id)) == [MessageState.INTERRUPTED]


def test_a_caller_that_is_cancelled_does_not_take_its_write_along(tmp_path: Path) -> None:
    async def work() -> None:
        async with opened(tmp_path) as store:
            chat = await store.create_conversation("default", "x", False)
            calls = [asyncio.ensure_future(store.rename(chat.id, f"name {number}")) for number in range(20)]
            await asyncio.sleep(0)
            for call in calls:
                call.cancel()
            await asyncio.wait(calls)
            await store.data_version()  # stands behind them in the writer's queue
            assert (await store.conversation(chat.id)).title == "name 19"

    asyncio.run(work())


@pytest.mark.of_file
def test_a_full_disk_is_said_and_nothing_is_lost(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        chat = await store.create_conversation("default", "x", False)
        before = await store.add_message(user(chat.id, None, "before"))

        def limit(pages: int) -> None:
            store.threads._writing(
                lambda session: session.connection().exec_driver_sql(f"PRAGMA max_page_count = {pages}")
            )

        limit(1)  # never below what is in use: full from now on
        with pytest.raises(StoreUnavailable) as caught:
            await store.add_message(user(chat.id, before, "too long " * 5000))
        assert caught.value.params == {"path": store.place}
        assert await store.path(chat.id) == [before]
        limit(10_000)
        added = await store.add_message(user(chat.id, before, "too long " * 5000))
        assert await store.path(chat.id) == [before, added]

    with_store(tmp_path, work)
