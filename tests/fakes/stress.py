"""A window that streams, imports, learns facts and searches at once, while a process holds its database."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QApplication

from desktop_app.adapters.store import Store
from desktop_app.bridge.app_session import AppSession
from desktop_app.core.conversation import Message, MessageState, text_block
from desktop_app.core.facts import FactActor, FactDraft, FactState
from desktop_app.core.request_log import RequestState
from desktop_app.services.all_services import Services
from tests.adapters.child_processes import child, end, first_line
from tests.adapters.fact_parts import NOT_OWED, faults
from tests.adapters.store_parts import record_of, request_of, streaming, user

HELD_SECONDS = 3.0
_BETWEEN_HOLDS = 9.0
_FLUSH_SECONDS = 0.05
_FLUSHES = 20
_CHATS_AT_ONCE = 20


@dataclass
class Told:
    """What was acknowledged, how often by which writer, and what of it is not there; times in seconds."""

    done: Counter[str] = field(default_factory=Counter)
    texts: dict[str, str] = field(default_factory=dict)
    facts: dict[str, str] = field(default_factory=dict)
    chats: set[str] = field(default_factory=set)
    holds: int = 0
    errors: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    slowest_write: float = 0.0
    slowest_search: float = 0.0
    slowest_recall: float = 0.0
    """By meaning: what was written before gets its vectors first, and these are written, too."""
    slowest_ping: float = 0.0


class _Writers:
    """Each goes on until the time is over; what fails is told, and the next piece of work is begun."""

    def __init__(self, services: Services, folder: Path, seconds: float, told: Told) -> None:
        self._services, self._folder, self._told = services, folder, told
        self._profile = services.settings.settings.profile
        self._until = time.monotonic() + seconds

    async def all(self) -> None:
        """Ends when all have ended."""
        asyncio.get_running_loop().set_exception_handler(lambda _, what: self._told.errors.append(str(what)))
        writers = (self._stream, self._import, self._learn, self._search, self._hold)
        await asyncio.gather(*(self._on_and_on(writer) for writer in writers))

    async def _on_and_on(self, work: Callable[[int], Coroutine[Any, Any, None]]) -> None:
        number = 0
        while time.monotonic() < self._until:
            number += 1
            try:
                await work(number)
            except Exception as error:
                self._told.errors.append(f"{work.__name__}: {error!r}")
                await asyncio.sleep(_FLUSH_SECONDS)

    async def _timed(self, writing: Coroutine[Any, Any, Any]) -> Any:
        began = time.monotonic()
        result = await writing
        self._told.slowest_write = max(self._told.slowest_write, time.monotonic() - began)
        return result

    async def _stream(self, number: int) -> None:
        """An answer of a second that is saved twenty times, and its end."""
        store = self._services.store
        talk = await self._timed(store.create_conversation(self._profile, f"stream {number}", True))
        question = await self._timed(store.add_message(user(talk.id, None, f"question {number}")))
        request = request_of([question])
        record = record_of(talk.id, request)
        await self._timed(store.save_request(record, request))
        answer: Message = await self._timed(store.add_message(streaming(talk.id, question, request_id=record.id)))
        for words in range(1, _FLUSHES + 1):
            due = time.monotonic() + _FLUSH_SECONDS
            answer = replace(answer, blocks=(text_block(f"말 {number} " * words * 20),))
            await self._timed(store.flush_partial(answer))
            self._told.texts[answer.id] = answer.text
            self._told.done["partial answers"] += 1
            await asyncio.sleep(max(0.0, due - time.monotonic()))
        answer = replace(answer, state=MessageState.COMPLETE)
        await self._timed(store.finish(answer, replace(record, state=RequestState.ANSWERED)))
        self._told.done["answers"] += 1

    async def _import(self, number: int) -> None:
        """An export of twenty conversations."""
        titles = [f"export {number}-{place}" for place in range(_CHATS_AT_ONCE)]
        file = self._folder / "export.json"
        await asyncio.to_thread(file.write_text, json.dumps([_exported(title) for title in titles]), "utf-8")
        report = await self._timed(self._services.importing.import_file(file, self._profile))
        if report.conversations_added != _CHATS_AT_ONCE:
            self._told.lost.append(f"{report} of {number}")
        self._told.chats.update(titles)
        self._told.done["imported conversations"] += _CHATS_AT_ONCE

    async def _learn(self, number: int) -> None:
        """A fact of the person, one that was found in what they said, and a change of each."""
        memory, facts = self._services.memory, self._told.facts
        mine, found = f"mine {number}", f"found {number}"
        await self._timed(memory.add(mine, f"mark{number} old"))
        facts[mine] = f"mark{number} old"
        draft = FactDraft(found, f"trace{number} 그대로", by=FactActor.EXTRACTION)
        await self._timed(self._services.remembering.write(draft, profile=self._profile))
        facts[found] = draft.value
        await self._timed(memory.edit(mine, value=f"mark{number} new"))
        facts[mine] = f"mark{number} new"
        if number % 2:
            await self._timed(memory.accept(found))
        self._told.done["facts"] += 2

    async def _search(self, number: int) -> None:
        """What was acknowledged before is found, by every search."""
        known = [key for key in self._told.facts if key.startswith("mine")]
        chats = sorted(self._told.chats)
        if chats:
            title = chats[number % len(chats)]
            began = time.monotonic()
            answer = await self._services.archive.search(self._profile, f'"{title} asks"', facts=False)
            self._told.slowest_search = max(self._told.slowest_search, time.monotonic() - began)
            if not answer.messages:
                self._told.lost.append(f"{title} was not found")
        if known:
            key = known[number % len(known)]
            began = time.monotonic()
            found = await self._services.memory.search(f"mark{key.split()[1]}")
            self._told.slowest_recall = max(self._told.slowest_recall, time.monotonic() - began)
            if key not in {hit.fact.key for hit in found}:
                self._told.lost.append(f"{key} was not found")
        self._told.done["searches"] += 1
        await asyncio.sleep(0.02)

    async def _hold(self, number: int) -> None:
        """A process of its own holds the database."""
        await asyncio.sleep(0.3)
        if self._until - time.monotonic() < HELD_SECONDS:
            await asyncio.sleep(max(0.0, self._until - time.monotonic()))
            return
        await asyncio.to_thread(_held, self._folder)
        self._told.holds += 1
        await asyncio.sleep(min(_BETWEEN_HOLDS, max(0.0, self._until - time.monotonic())))


def _held(folder: Path) -> None:
    holder = child("hold", folder, HELD_SECONDS)
    if first_line(holder) != "held":
        raise TimeoutError("the database could not be held")
    end(holder)


def _exported(title: str) -> dict[str, Any]:
    said = [("human", f"{title} asks for 예산안"), ("assistant", f"{title} answers")]
    messages = [
        {"uuid": f"{title} {place}", "sender": sender, "text": text, "content": [{"type": "text", "text": text}]}
        for place, (sender, text) in enumerate(said)
    ]
    return {"uuid": title, "name": title, "created_at": "2026-07-01T00:00:00Z", "chat_messages": messages}


def stress(session: AppSession, folder: Path, seconds: float) -> Told:
    """Lets all work in the services of a window that is ready; its event loop is asked meanwhile how long it waits."""
    told, services = Told(), session._services
    assert services is not None
    # As in a window some seconds after its start: the model is loaded.
    session._runner.start(services.memory.add("warm", "the first one")).result(30)
    session._runner.start(services.memory.search("first")).result(30)
    told.facts["warm"] = "the first one"
    working = session._runner.start(_Writers(services, folder, seconds, told).all())
    last = time.monotonic()
    while not working.done():
        QApplication.processEvents()
        told.slowest_ping = max(told.slowest_ping, time.monotonic() - last)
        last = time.monotonic()
        time.sleep(0.005)
    working.result()
    return told


def compare(folder: Path, told: Told) -> None:
    """Reads the closed database again, and adds to `told.lost` what is not there as it was acknowledged."""
    asyncio.run(_compare(folder, told))
    told.lost += [fault for fault in faults(folder) if fault != NOT_OWED]  # the index learnt most of it meanwhile


async def _compare(folder: Path, told: Told) -> None:
    store = Store.open(folder)
    try:
        profile = "demo"
        for message_id, text in told.texts.items():
            if (await store.message(message_id)).text != text:
                told.lost.append(f"the answer {message_id}")
        listed = {chat.title: chat.id for chat in await store.conversations(profile)}
        for title in told.chats:
            texts = [message.text for message in await store.path(listed[title])] if title in listed else []
            if texts != [f"{title} asks for 예산안", f"{title} answers"]:
                told.lost.append(f"the conversation {title}")
        facts = await store.facts.facts(profile, FactState.ACTIVE, FactState.PENDING)
        kept = {fact.key: fact.value for fact in facts}
        told.lost += [f"the fact {key}" for key, value in told.facts.items() if kept.get(key) != value]
        if len(facts) != len(told.facts):
            told.lost.append(f"{len(facts)} facts in place of {len(told.facts)}")
    finally:
        await store.close()
