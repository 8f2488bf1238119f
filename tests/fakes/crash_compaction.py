"""Killing a process while a conversation is compacted, committed or taken back, and looking at what is left on disk."""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import signal
import sqlite3
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from desktop_app.core import turn_events
from desktop_app.core.compaction.compaction import Compaction, CompactionState, Strategy
from desktop_app.core.compaction.memo import memo_block_text
from desktop_app.core.compaction.plan import FoldOrder
from desktop_app.core.conversation import Message
from desktop_app.core.request_log import RequestState
from tests.fakes.house import House, open_house
from tests.fakes.simulator import RunningSimulator

RULE = "From now on, please answer in English only."
TALK = (RULE, "write 400 words about the invoice INV-2025-00417", "Look at /srv/share/plan-7.pdf please.")
MORE = ("write 400 words about gate TCK-88213", "Meet me at 192.0.2.7:8443.")
LAST = "write 60 words about the reef"
LEAST = 50_000
"""Tokens from which the API compacts by itself."""
LARGE = "Keep this in mind: " + "The reef is quiet today. " * 9_500
PROFILE: dict[str, Any] = {"fold_keep": 150, "fold_automatically": False, "memory": False, "use_tools": False}
BY_API = PROFILE | {"fold_automatically": True, "fold_strategy": Strategy.SERVER.value, "fold_tokens": LEAST}
ACTS = ("fold", "commit", "undo", "adopt")
_BEGUN, _DONE = b"b", b"d"


@dataclass(frozen=True)
class FoldCrash:
    """What one kill left: whether the context is the new one; `faults` in words, empty when all is well."""

    seed: int
    act: str
    after: float
    new: bool
    faults: tuple[str, ...]


@dataclass(frozen=True)
class Context:
    """The compaction in use as far as it is the same in every run, and the messages."""

    until: str
    summary: str
    block: str
    state: str
    messages: tuple[str, ...]


@dataclass(frozen=True)
class Stage:
    """A prepared data folder for an act, the context before and after it, and the seconds it takes."""

    folder: Path
    before: Context
    after: Context
    seconds: float


class Stages:
    """A folder for each act, and what the act comes to when nobody interferes; each prepared when it is first used."""

    def __init__(self, folder: Path, url: str) -> None:
        self._folder = folder
        self._url = url
        self._ready: dict[str, Stage] = {}

    def of(self, act: str) -> Stage:
        """The stage of an act."""
        common = self._folder / "common"
        if not common.exists():
            asyncio.run(_talk_a_while(common, self._url))
        if act not in self._ready:
            self._ready[act] = _stage(act, common, self._folder / act, self._url)
        return self._ready[act]


async def _talk_a_while(folder: Path, url: str) -> None:
    """A conversation with one compaction, and turns behind it."""
    async with open_house(folder, url, **PROFILE) as house:
        talk = await house.ask(TALK[0])
        for text in TALK[1:]:
            await house.ask(text, talk)
        await _fold(house, talk, review=False)
        for text in MORE:
            await house.ask(text, talk)


def _stage(act: str, common: Path, folder: Path, url: str) -> Stage:
    start, end = folder / "start", folder / "end"
    shutil.copytree(common, start)

    async def ready() -> Context:
        async with open_house(start, url, **PROFILE) as house:
            talk = (await house.services.store.conversations("demo"))[0].id
            if act in ("commit", "undo"):
                await _fold(house, talk, review=act == "commit")
            if act == "adopt":
                await house.ask(LARGE, talk)
            return (await _context(house))[0]

    async def done() -> Context:
        async with open_house(end, url, **PROFILE) as house:
            return (await _context(house))[0]

    before = asyncio.run(ready())
    shutil.copytree(start, end)
    with _child(act, end, url) as (_, reader):
        began = time.monotonic()
        assert os.read(reader, 1) == _DONE
        seconds = time.monotonic() - began
    after = asyncio.run(done())
    if _is(before, after):
        raise RuntimeError(f"{act} changes nothing")
    return Stage(start, before, after, seconds)


def fold_crash_once(seed: int, stages: Stages, folder: Path, simulator: RunningSimulator) -> FoldCrash:
    """Forks a child that does one act, kills it after a seeded time, and opens its data folder again."""
    act = ACTS[seed % len(ACTS)]
    stage = stages.of(act)
    after = random.Random(seed).uniform(0, 1.2 * stage.seconds)
    shutil.copytree(stage.folder, folder, dirs_exist_ok=True)
    with _child(act, folder, simulator.url) as (child, _):
        time.sleep(after)
        os.kill(child, signal.SIGKILL)
    return asyncio.run(_look(seed, after, act, stage, folder, simulator))


@contextmanager
def _child(act: str, folder: Path, url: str) -> Iterator[tuple[int, int]]:
    """A forked process at the beginning of its act, and a pipe that tells when it is done; waited for at the end."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _run_child(act, folder, url, writer)
    os.close(writer)
    try:
        assert os.read(reader, 1) == _BEGUN
        yield child, reader
    finally:
        os.close(reader)
        os.waitpid(child, 0)


def _run_child(act: str, folder: Path, url: str, writer: int) -> None:
    async def run() -> None:
        async with open_house(folder, url, **(BY_API if act == "adopt" else PROFILE)) as house:
            talk = (await house.services.store.conversations("demo"))[0].id
            doing = await _ready(act, house, talk)
            os.write(writer, _BEGUN)
            await doing()
            os.write(writer, _DONE)

    try:
        asyncio.run(run())
    finally:
        os._exit(0)


async def _ready(act: str, house: House, talk: str) -> Callable[[], Awaitable[Any]]:
    """What is left to do of an act when all is looked up."""
    if act == "fold":
        return lambda: _fold(house, talk, review=False)
    if act == "commit":
        waiting = (await house.services.store.compactions(talk))[-1]
        return lambda: house.services.chat.commit_fold(waiting.id)
    if act == "undo":
        return lambda: house.services.chat.undo_fold(talk)
    return lambda: house.ask(LAST, talk)


async def _fold(house: House, talk: str, *, review: bool) -> None:
    order = FoldOrder(strategy=Strategy.MEMO, review=review)
    await house.services.chat.fold(talk, order, house.events.append, house.control)


async def _context(house: House) -> tuple[Context, Compaction | None, list[Message]]:
    store = house.services.store
    talk = (await store.conversations("demo"))[0].id
    path = await store.path(talk)
    used = await house.services.compaction.current(talk)
    texts = tuple(message.text for message in path)
    if used is None:
        return Context("", "", "", "", texts), None, path
    block = str((used.block or {}).get("content") or "")
    place = next(number for number, message in enumerate(path) if message.id == used.until_message_id)
    return Context(str(place), used.summary, block, used.state, texts), used, path


async def _look(
    seed: int, after: float, act: str, stage: Stage, folder: Path, simulator: RunningSimulator
) -> FoldCrash:
    faults = []
    async with open_house(folder, simulator.url, **PROFILE) as house:
        store = house.services.store
        await store.mark_interrupted()
        context, used, path = await _context(house)
        talk = path[0].conversation_id
        new = _is(context, stage.after)
        if not new and not _is(context, stage.before):
            faults.append(f"the context is neither the old nor the new one: {context}")
        if context.messages[: len(stage.before.messages)] != stage.before.messages:
            faults.append("messages are missing or changed")
        if any(record.state is RequestState.SENT for record in await store.requests(talk)):
            faults.append("a request still counts as under way")
        faults += _odd(await store.compactions(talk), path)
        await house.ask("Hello again", talk)
        if not house.of(turn_events.TurnFinished):
            faults.append("the conversation does not go on")
        else:
            faults += _sent(simulator, used, path)
    with sqlite3.connect(folder / "mnemoscope.db") as database:
        if database.execute("PRAGMA integrity_check").fetchone() != ("ok",):
            faults.append("the database is damaged")
    database.close()
    return FoldCrash(seed, act, after, new, tuple(faults))


def _is(context: Context, other: Context) -> bool:
    return (context.until, context.summary, context.block, context.state) == (
        other.until, other.summary, other.block, other.state,
    )  # fmt: skip


def _odd(compactions: list[Compaction], path: list[Message]) -> list[str]:
    """What no compaction may be: in use without its text, or built on one that is not there."""
    ids, places = {one.id for one in compactions}, {message.id for message in path}
    faults = []
    for one in compactions:
        if one.state in (CompactionState.ACTIVE, CompactionState.PROPOSED) and not (one.summary or one.block):
            faults.append(f"a compaction that is {one.state} has no text")
        if one.base_id is not None and one.base_id not in ids:
            faults.append("a compaction stands on one that is gone")
        if one.until_message_id not in places:
            faults.append("a compaction ends at a message that is gone")
    return faults


def _sent(simulator: RunningSimulator, used: Compaction | None, path: list[Message]) -> list[str]:
    """What the next request held: the summary in use and the messages behind it, none of those it stands for."""
    messages = simulator.bodies()[-1]["messages"]
    texts = [block.get("text") or block.get("content") or "" for one in messages for block in one["content"]]
    folded = 0 if used is None else [message.id for message in path].index(used.until_message_id) + 1
    kept = [message.text for message in path[folded:] if message.text]
    gone = {message.text for message in path[:folded] if message.text} - set(kept)
    faults = []
    if used is not None and used.block is None and texts[0] != memo_block_text(used.summary):
        faults.append("the request does not begin with the summary in use")
    if used is not None and used.block is not None and texts[0] != used.block["content"]:
        faults.append("the request does not begin with the API's summary")
    if any(text in texts for text in gone):
        faults.append("the request holds a message that is folded")
    if any(text not in texts for text in kept):
        faults.append("the request lacks a message that is not folded")
    return faults
