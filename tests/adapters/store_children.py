"""Other processes at the store: `python -m tests.adapters.store_children crash|write|hold FOLDER …`."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import sqlite3
import sys
import time
from dataclasses import replace
from pathlib import Path

from desktop_app.adapters.store import Store
from desktop_app.core.conversation import MessageState, text_block
from desktop_app.core.request_log import RequestState
from tests.adapters.store_parts import opened, record_of, request_of, streaming, user


async def talk(folder: Path, acknowledge: int) -> None:
    """Turns without end; a line to `acknowledge` after each write that returned."""

    def told(kind: str, message_id: str, text: str) -> None:
        os.write(acknowledge, (json.dumps([kind, message_id, text]) + "\n").encode())

    store = Store.open(folder)
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


def crash(folder: Path, times: int) -> None:
    """Forks a talking child `times` times, each in a folder of its own, and kills it after some acknowledged writes."""
    for seed in range(times):
        dice = random.Random(seed)
        data = folder / str(seed)
        data.mkdir()
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            os.close(reading)
            asyncio.run(talk(data, writing))
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


def hold(folder: Path, seconds: float) -> None:
    """Holds the write lock for a while, from a line on until `seconds` later."""
    connection = sqlite3.connect(folder / "mnemoscope.db", isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    print("held", flush=True)
    time.sleep(seconds)
    connection.execute("COMMIT")
    connection.close()


if __name__ == "__main__":
    what, where, *rest = sys.argv[1:]
    if what == "crash":
        crash(Path(where), int(rest[0]))
    elif what == "write":
        asyncio.run(write(Path(where), rest[0], int(rest[1])))
    else:
        hold(Path(where), float(rest[0]))
