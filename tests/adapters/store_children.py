"""Other processes at the store: `python -m tests.adapters.store_children WHAT FOLDER …`; `WHAT` is a name below."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import sqlite3
import sys
import time
from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg

from desktop_app.adapters.store import Store
from desktop_app.adapters.store.postgres.engine import WRITING
from desktop_app.core.conversation import MessageState, text_block
from desktop_app.core.errors import AppError
from desktop_app.core.facts import FactActor, FactChange, FactDraft
from desktop_app.core.request_log import RequestState
from tests.adapters.fact_parts import P, add, give_vectors
from tests.adapters.store_parts import opened, record_of, request_of, streaming, user
from tests.fakes.postgres_server import plain, url_of


async def talk(folder: Path, acknowledge: int) -> None:
    """Turns without end; a line to `acknowledge` after each write that returned."""

    def told(kind: str, message_id: str, text: str) -> None:
        os.write(acknowledge, (json.dumps([kind, message_id, text]) + "\n").encode())

    store = Store.open(folder, url_of(folder))
    chat = await store.create_conversation("default", "crash", False)
    told("conversation", chat.id, "")
    path = []
    while True:
        question = await store.add_message(user(chat.id, path[-1] if path else None, f"question {len(path)}"))
        told("question", question.id, question.text)
        path.append(question)
        request = request_of(path)
        record = record_of(chat.id, request)
        await store.save_request(record, request)
        told("request", record.id, request.body_bytes().decode())
        answer = await store.add_message(streaming(chat.id, question, request_id=record.id))
        for words in range(1, 5):
            answer = replace(answer, blocks=(text_block("word " * words * 400),))
            await store.flush_partial(answer)
            told("partial", answer.id, answer.text)
        answer = replace(answer, blocks=(text_block("word " * 2000),), state=MessageState.COMPLETE)
        await store.finish(answer, replace(record, state=RequestState.ANSWERED))
        told("finished", answer.id, answer.text)
        path.append(answer)


async def curate(folder: Path, acknowledge: int) -> None:
    """Changes facts without end; a line to `acknowledge` after each change that returned."""
    store = Store.open(folder, url_of(folder))
    dice = random.Random(str(folder))
    while True:
        key = dice.choice(["강아지", "cat", "bird"])
        try:
            change = await some_change(store, key, dice)
        except AppError:
            continue
        if change is not None:
            line = [change.number, change.fact_id, change.after.state.value, change.after.value]
            os.write(acknowledge, (json.dumps(line) + "\n").encode())
        if dice.random() < 0.3:
            give_vectors(store)


async def some_change(store: Store, key: str, dice: random.Random) -> FactChange | None:
    facts, value = store.facts, f"{key} {dice.random()} " + "많은 말 " * dice.randint(0, 500)
    match dice.randint(0, 8):
        case 0:
            return await facts.edit(P, key, FactActor.YOU, value=value)
        case 1:
            return await facts.delete(P, key, FactActor.YOU)
        case 2:
            return await facts.undo(P)
        case 3:
            return await facts.keep(P, FactDraft(key, value), pending=True)
        case 4:
            return await facts.accept(P, key)
        case 5:
            return await facts.pin(P, key, dice.random() < 0.5)
        case 6:
            return await facts.restore(P, key, FactActor.YOU)
        case 7:
            other = dice.choice(["강아지", "cat"])
            return await facts.keep(P, FactDraft(key, value), replacing=[other], even_pinned=True)
        case _:
            return await facts.keep(P, FactDraft(key, value))


_Endless = Callable[[Path, int], Coroutine[Any, Any, None]]


def crash(folder: Path, times: int, endless: _Endless) -> None:
    """Forks a writing child `times` times, each in a folder of its own, and kills it after some acknowledged writes."""
    for seed in range(times):
        dice = random.Random(seed)
        data = folder / str(seed)
        data.mkdir()
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            os.close(reading)
            asyncio.run(endless(data, writing))
        os.close(writing)
        with os.fdopen(reading) as lines:
            told = [lines.readline() for _ in range(dice.randint(1, 40))]
            time.sleep(dice.random() * 0.006)  # somewhere inside the next write
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            told += lines.readlines()
        (data / "acknowledged").write_text("".join(told))


async def write(folder: Path, name: str, count: int) -> None:
    """Adds messages as fast as it can, once told to begin."""
    async with opened(folder) as store:
        chat = await store.create_conversation("default", name, False)
        print("ready", flush=True)
        sys.stdin.readline()
        last = None
        for number in range(count):
            last = await store.add_message(user(chat.id, last, f"{name} {number}"))


async def keep(folder: Path, name: str, count: int) -> None:
    """Adds facts as fast as it can, once told to begin, and gives every second another value."""
    async with opened(folder) as store:
        print("ready", flush=True)
        sys.stdin.readline()
        for number in range(count):
            await add(store, f"{name} {number}", f"{name} value {number}")
            if number % 2:
                await store.facts.edit(P, f"{name} {number}", FactActor.ASSISTANT, value=f"{name} edited {number}")


async def repeat(folder: Path, count: int) -> None:
    """Keeps the same fact over and over, once told to begin."""
    async with opened(folder) as store:
        print("ready", flush=True)
        sys.stdin.readline()
        await asyncio.gather(*(store.facts.keep(P, FactDraft("dog", "Bori")) for _ in range(count)))


def hold(folder: Path, seconds: float) -> None:
    """Holds the database for a while, from a line on until `seconds` later."""
    if url := url_of(folder):
        with psycopg.connect(plain(url)) as server:
            server.execute(f"SELECT pg_advisory_xact_lock({WRITING})")
            print("held", flush=True)
            time.sleep(seconds)
        return
    connection = sqlite3.connect(folder / "mnemoscope.db", isolation_level=None)
    connection.execute("BEGIN EXCLUSIVE")
    print("held", flush=True)
    time.sleep(seconds)
    connection.execute("COMMIT")
    connection.close()


if __name__ == "__main__":
    what, where, *rest = sys.argv[1:]
    match what:
        case "crash":
            crash(Path(where), int(rest[0]), talk)
        case "crash_facts":
            crash(Path(where), int(rest[0]), curate)
        case "write":
            asyncio.run(write(Path(where), rest[0], int(rest[1])))
        case "keep":
            asyncio.run(keep(Path(where), rest[0], int(rest[1])))
        case "repeat":
            asyncio.run(repeat(Path(where), int(rest[0])))
        case _:
            hold(Path(where), float(rest[0]))
