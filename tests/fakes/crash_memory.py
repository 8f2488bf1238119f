"""Killing a process while it works on memory, and looking whether database and index agree after it."""

from __future__ import annotations

import asyncio
import json
import math
import os
import random
import signal
import struct
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import select

from desktop_app.adapters.store.passage_tables import PASSAGES
from desktop_app.adapters.store.tables import MESSAGES
from desktop_app.core.facts import FactActor, FactDraft, FactState
from desktop_app.core.passages import PassageKind
from desktop_app.core.recall.values import Spread
from tests.adapters.fact_parts import NOT_OWED, faults
from tests.adapters.recall_parts import Memory, P
from tests.adapters.store_parts import add_chain

_SIZE = 16
_BEGUN = b"b"
_LONGEST = 0.4
"""Seconds of work before the kill, at most."""


class QuickEncoder:
    """Vectors that differ by text and cost nothing; the index under them is the real one."""

    name = f"quick/1/{_SIZE}"
    dimension = _SIZE
    unrelated = Spread(0, 0.0, 0.25)

    async def embed(self, texts: Sequence[str], *, asked: bool = False) -> list[bytes]:
        """One for each text."""
        return [_vector(text) for text in texts]

    async def close(self) -> None:
        """There is nothing to end."""


def _vector(text: str) -> bytes:
    numbers = [random.Random(f"{text}{place}").uniform(-1, 1) for place in range(_SIZE)]
    length = math.sqrt(sum(number * number for number in numbers))
    return struct.pack(f"<{_SIZE}f", *(number / length for number in numbers))


@dataclass(frozen=True)
class MemoryCrash:
    """What one kill left: acknowledged acts, and `faults` in words, empty when all is well."""

    seed: int
    after: float
    acts: int
    faults: tuple[str, ...]


def memory_crash_once(seed: int, folder: Path) -> MemoryCrash:
    """Forks a child that works on memory, kills it after a seeded time, and opens its data folder again."""
    after = random.Random(seed).uniform(0.02, _LONGEST)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _run_child(seed, folder, writer)
    os.close(writer)
    said = os.read(reader, 1)
    time.sleep(after)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    with os.fdopen(reader, "rb") as pipe:
        told = pipe.read()
    acts = [json.loads(line) for line in told.split(b"\n")[:-1]]
    found = ["the child never began"] if said != _BEGUN else asyncio.run(_look(folder, acts))
    return MemoryCrash(seed, after, len(acts), tuple(found))


def _run_child(seed: int, folder: Path, writer: int) -> None:
    try:
        asyncio.run(_work(random.Random(seed), folder, writer))
    finally:
        os._exit(0)


async def _work(chance: random.Random, folder: Path, writer: int) -> None:
    """Acts of every kind, one after the other; each is told of once it was acknowledged."""
    memory = Memory(folder, QuickEncoder())  # type: ignore[arg-type]
    facts = memory.store.facts
    await memory.index.open()
    memory.indexing.start()
    talk = await memory.store.create_conversation(P, "talk", simulated=False)
    os.write(writer, _BEGUN)
    live: list[str] = []
    for number in range(100_000):
        act = chance.choice(("add", "add", "add", "edit", "delete", "accept", "supersede", "say"))
        value = f"value {number} of {chance.random():.6f}"
        told: dict[str, Any] = {"number": number}
        if act == "say":
            (said,) = await add_chain(memory.store, talk.id, [f"said {value}"])
            told["said"] = said.id
        elif act == "edit" and live:
            told |= {"id": chance.choice(live), "value": value}
            await facts.edit(P, told["id"], FactActor.YOU, value=value)
        elif act == "delete" and live:
            told |= {"id": live.pop(chance.randrange(len(live))), "value": None}
            await facts.delete(P, told["id"], FactActor.YOU)
        else:
            waits = act == "accept"
            fact = (await facts.keep(P, FactDraft(f"key {number}", value), pending=waits)).after
            if waits:
                await facts.accept(P, fact.id)
            told |= {"id": fact.id, "value": value}
            if act == "supersede" and live:
                told["replaced"] = live.pop(chance.randrange(len(live)))
                await facts.supersede(P, told["replaced"], fact.id, FactActor.YOU)
            live.append(fact.id)
        memory.indexing.kick()
        os.write(writer, json.dumps(told).encode() + b"\n")


async def _look(folder: Path, acts: Sequence[dict[str, Any]]) -> list[str]:
    """What was acknowledged and is not there, and what index and database say each by itself."""
    memory = Memory(folder, QuickEncoder())  # type: ignore[arg-type]
    try:
        memory.indexing.start()
        found = await _kept(memory, acts)
        await memory.paid()
        if not await memory.index.open():
            found.append("the index does not open")
        for kind in (PassageKind.FACT, PassageKind.TURN):
            found += await _agrees(memory, kind)
    finally:
        await memory.indexing.close()
        await memory.store.close()
    # Everything was paid before this was looked at.
    return [*found, *(fault for fault in faults(folder) if fault != NOT_OWED)]


async def _kept(memory: Memory, acts: Sequence[dict[str, Any]]) -> list[str]:
    expected: dict[str, str | None] = {}
    found = []
    for act in acts:
        if "id" in act:
            expected[act["id"]] = act["value"]
        if "replaced" in act:
            expected[act["replaced"]] = None
    here = {fact.id: fact.value for fact in await memory.store.facts.facts(P, FactState.ACTIVE)}
    wrong = [fact_id for fact_id, value in expected.items() if here.get(fact_id) != value]
    # One more act may have been done and not told of.
    if len(wrong) > 1:
        found += [f"{fact_id} is {here.get(fact_id)!r}, not {expected[fact_id]!r}" for fact_id in wrong]
    said = {act["said"] for act in acts if "said" in act}
    while await memory.store.vectors.cut_messages(1_000):
        pass
    # Not by what may be recalled: what tells a deleted fact is withheld.
    cut = select(MESSAGES.c.id).join(PASSAGES, PASSAGES.c.message_number == MESSAGES.c.number)
    if said - set(await memory.store.threads.read(lambda session: session.execute(cut).scalars().all())):
        found.append("messages are missing")
    return found


async def _agrees(memory: Memory, kind: PassageKind) -> list[str]:
    """Whether the index holds what the database has vectors of, with these vectors."""
    pool = await memory.store.vectors.pool(P, memory.encoder.name, None, kind)
    if not pool.ids:
        return []
    near = await memory.index.nearest(P, pool.matrix[: 4 * _SIZE], len(pool.ids) + 10, (), kind)
    if set(near.cosines) != set(pool.ids):
        return [f"the index has {len(near.cosines)} of {kind}, the database {len(pool.ids)}"]
    return []
