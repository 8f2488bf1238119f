"""Killing a process in the middle of a turn, and looking at what is left on disk."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import sqlite3
import time
from dataclasses import dataclass
from pathlib import Path

from desktop_app.core import turn_events
from desktop_app.core.conversation import MessageState, Role
from desktop_app.core.request_log import RequestState
from desktop_app.services.turn import TurnControl
from tests.fakes.house import open_house

QUESTION = "긴 글 400, please with words of both languages"
FLUSH_SECONDS = 1.0
"""The most that may be lost of what had arrived."""


@dataclass(frozen=True)
class Crash:
    """What one kill left. `lost` seconds of arrived text; `faults` in words, empty when all is well."""

    seed: int
    after: float
    arrived: int
    kept: int
    lost: float
    faults: tuple[str, ...]


def crash_once(seed: int, folder: Path, url: str) -> Crash:
    """Forks a child that runs a turn, kills it after a seeded time, and opens its data folder again."""
    after = random.Random(seed).uniform(0.02, 2.2)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _child(folder, url, writer)
    os.close(writer)
    with os.fdopen(reader, encoding="utf-8") as pipe:
        pipe.readline()  # the message is on disk
        time.sleep(after)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        end = time.time()
        lines = [json.loads(line) for line in pipe if line.endswith("\n")]
    return _look(seed, after, folder, url, end, lines)


def _child(folder: Path, url: str, writer: int) -> None:
    def tell(event: turn_events.TurnEvent) -> None:
        if isinstance(event, turn_events.TurnOpened):
            os.write(writer, b"opened\n")
        elif isinstance(event, turn_events.TextArrived):
            os.write(writer, (json.dumps([time.time(), event.text]) + "\n").encode())

    async def turn() -> None:
        async with open_house(folder, url) as house:
            talk = await house.services.chat.new_conversation(QUESTION)
            await house.services.chat.send(talk.id, QUESTION, tell, TurnControl())

    try:
        asyncio.run(turn())
    finally:
        os._exit(0)


def _look(seed: int, after: float, folder: Path, url: str, end: float, lines: list[list[float | str]]) -> Crash:
    async def look() -> Crash:
        async with open_house(folder, url) as house:
            store = house.services.store
            await store.mark_interrupted()
            faults = []
            talks = await store.conversations("demo")
            path = await store.path(talks[0].id)
            if path[0].text != QUESTION:
                faults.append("the person's message is not whole")
            arrived = "".join(str(text) for _, text in lines)
            reply = path[-1] if path[-1].role is Role.ASSISTANT else None
            kept = "".join(block.get("text", "") for block in reply.blocks) if reply else ""
            if not arrived.startswith(kept):
                faults.append("the kept text is not what had arrived")
            if reply is not None and reply.state is not MessageState.INTERRUPTED:
                faults.append(f"the answer is {reply.state}, not interrupted")
            if any(record.state is RequestState.SENT for record in await store.requests(talks[0].id)):
                faults.append("a request still counts as under way")
            lost = _seconds_lost(lines, len(kept), end)
            await house.ask("Hello again", talks[0].id)
            if not house.of(turn_events.TurnFinished):
                faults.append("the conversation does not go on")
        with sqlite3.connect(folder / "mnemoscope.db") as database:
            if database.execute("PRAGMA integrity_check").fetchone() != ("ok",):
                faults.append("the database is damaged")
        database.close()
        return Crash(seed, after, len(arrived), len(kept), lost, tuple(faults))

    return asyncio.run(look())


def _seconds_lost(lines: list[list[float | str]], kept: int, end: float) -> float:
    """How long before the kill the first piece arrived that is not on disk; 0 when nothing is missing."""
    so_far = 0
    for moment, text in lines:
        so_far += len(str(text))
        if so_far > kept:
            return end - float(moment)
    return 0.0
