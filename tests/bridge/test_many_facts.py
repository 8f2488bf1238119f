"""Five thousand facts: each can be reached and changed, the right one is found soon, a request holds what fits."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest
from pytestqt.qtbot import QtBot

from desktop_app.adapters.embedding.sentence_encoder import SentenceEncoder
from desktop_app.adapters.store import Store
from desktop_app.core.facts import FactDraft
from desktop_app.core.segment import Segment
from desktop_app.services.all_services import Services
from tests.benchmarks.recall_speed import copy_facts, many
from tests.bridge.chat_acts import Open, ask, current, services_of
from tests.fakes.memory_room import MemoryRoom, open_room

COUNT = 5_000
CAP = 2_000
FRAME = CAP // 100
"""Tokens: what stands around a block is counted with it, and its row is a share of what the whole was counted to."""
WANTED = FactDraft("boathouse alarm", "The alarm panel of the boathouse hangs behind the blue shutter.")
SAID = {draft.key: draft.value for draft in many(COUNT)[:-1]} | {WANTED.key: WANTED.value}


async def fill(services: Services, profile: str) -> None:
    """As if the person had kept them all, the wanted one first; the others have vectors by chance."""
    store, name = cast(Store, services.store), SentenceEncoder().name
    await store.facts.keep(profile, WANTED)
    await services.memory.search("boathouse")
    others = [FactDraft(key, value) for key, value in SAID.items() if key != WANTED.key]
    await store.threads.write(lambda session: copy_facts(session, others, name, 512))


@pytest.fixture
def room(qtbot: QtBot, tmp_path: Path) -> Iterator[MemoryRoom]:
    with open_room(tmp_path) as room:
        room.run(fill(room.services, "default"))
        with qtbot.waitSignal(room.session.listChanged, timeout=10_000):
            room.session.reload()
        yield room


def test_each_of_them_is_listed_counted_and_can_be_changed(qtbot: QtBot, room: MemoryRoom) -> None:
    session = room.session
    assert session.count == session.facts.rowCount() == len(SAID) == COUNT
    assert {fact.key: fact.value for fact in session.facts.facts} == SAID
    last = session.facts.facts[-1]
    session.select(last.id)
    qtbot.waitUntil(lambda: session.detail is not None and session.detail.fact.id == last.id)
    with qtbot.waitSignal(session.kept, timeout=5_000):
        session.edit(last.id, key="the last one", value="has other words", category="", expected=last.revision)
    session.search("the last on")
    qtbot.waitUntil(lambda: [fact.id for fact in session.facts.facts][:1] == [last.id])
    session.search("")
    qtbot.waitUntil(lambda: session.facts.rowCount() == COUNT)


@pytest.mark.timed
def test_the_right_one_is_found_in_half_a_second(room: MemoryRoom) -> None:
    for question in ("Where does the alarm panel of the boathouse hang?", "보트 창고 경보기는 어디에 걸려 있지?"):
        began = time.perf_counter()
        found = [hit.fact.key for hit in room.run(room.services.memory.search(question, 10))]
        assert time.perf_counter() - began < 0.5
        assert "창고" in question or found[0] == WANTED.key


def test_a_request_holds_what_fits_and_the_row_of_facts_says_how_much(qtbot: QtBot, open_session: Open) -> None:
    session = open_session(facts_budget=CAP, instructions="Be brief.")
    services, chat = services_of(session), current(session)
    session._runner.start(fill(services, "demo")).result(15)
    ask(qtbot, chat, "Where does the alarm panel of the boathouse hang?")
    (record,) = session._runner.start(services.store.requests(chat.conversation_id or "")).result(5)
    rows = dict(record.rows)
    assert 0.8 * CAP < rows[Segment.FACTS].tokens <= CAP + FRAME
    assert rows[Segment.RECALLED].tokens <= CAP
    _, request = session._runner.start(services.store.request(record.id)).result(5)
    text = str(request.body())
    told = [key for key, value in SAID.items() if f'"{key}"' in text]
    assert 20 < len(told) < 400 and all(SAID[key] in text for key in told), "each is told whole or not at all"
    assert WANTED.value in text, "the one that is asked about is among them"
