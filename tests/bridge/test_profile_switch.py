"""Another profile in the middle of things: what runs goes on in its own, and nothing crosses over."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from desktop_app.bridge.session_state import Notice, Phase
from desktop_app.core.conversation import MessageState
from desktop_app.core.facts import FactState
from tests.bridge.chat_acts import Open, ask, current, services_of, stored
from tests.fakes.simulator import RunningSimulator


def test_an_answer_under_way_is_stored_where_it_was_asked(
    qtbot: QtBot, open_session: Open, simulator: RunningSimulator
) -> None:
    session = open_session()
    simulator.control({"action": "slow", "tokens_per_second": 400})
    chat = current(session)
    chat.send("write 200 words about dust")
    qtbot.waitUntil(lambda: chat.state.phase is Phase.STREAMING, timeout=10_000)
    conversation = chat.conversation_id
    assert conversation is not None
    session.add_profile("work")
    assert session.settings.profile == "work"
    assert current(session) is not chat
    with qtbot.waitSignal(chat.turnEnded, timeout=15_000):
        pass
    assert session.conversations.rowCount() == 0
    services = services_of(session)
    of_work = session._runner.start(services.store.conversations("work")).result(5)
    of_demo = session._runner.start(services.store.conversations("demo")).result(5)
    assert of_work == []
    assert [one.id for one in of_demo] == [conversation]
    reply = stored(session, conversation)[-1]
    assert reply.state is MessageState.COMPLETE
    assert len(reply.text) > 500
    session.use_profile("demo")
    qtbot.waitUntil(lambda: session.conversations.rowCount() == 1, timeout=5_000)


def test_a_fact_allowed_after_the_switch_is_kept_in_the_profile_that_asked(qtbot: QtBot, open_session: Open) -> None:
    session = open_session()
    chat = current(session)
    chat.send("Remember that my bicycle is green.")
    qtbot.waitUntil(lambda: session.gate.front is not None, timeout=10_000)
    question = session.gate.front
    assert question is not None
    session.add_profile("work")
    session.gate.allow(question.number)
    with qtbot.waitSignal(chat.turnEnded, timeout=15_000):
        pass
    services = services_of(session)
    assert session._runner.start(services.memory.facts(*FactState)).result(5) == []
    facts = session._runner.start(services.store.facts.facts("demo")).result(5)  # type: ignore[attr-defined]
    assert ["green" in fact.value for fact in facts] == [True]
    assert session.memory is not None
    assert session.memory.count == 0


def test_each_profile_shows_its_own_facts(qtbot: QtBot, open_session: Open) -> None:
    session = open_session()
    memory = session.memory
    assert memory is not None
    with qtbot.waitSignal(memory.kept, timeout=5_000):
        memory.add("coffee", "dark roast")
    session.add_profile("work")
    qtbot.waitUntil(lambda: memory.loaded and memory.count == 0, timeout=5_000)
    with qtbot.waitSignal(memory.kept, timeout=5_000):
        memory.add("coffee", "office blend")
    session.use_profile("demo")
    qtbot.waitUntil(lambda: memory.loaded and memory.count == 1, timeout=5_000)
    fact = memory.with_key("coffee")
    assert fact is not None
    assert fact.value == "dark roast"


def test_the_undo_of_one_profile_is_not_offered_in_another(qtbot: QtBot, open_session: Open) -> None:
    session = open_session()
    told: list[Notice] = []
    session.notice.connect(told.append)
    chat = current(session)
    ask(qtbot, chat, "Hello there")
    assert chat.conversation_id is not None
    session.delete(chat.conversation_id)
    with qtbot.waitSignal(session.profileChanged, timeout=1_000):
        session.add_profile("work")
    qtbot.waitUntil(lambda: not session._background._open, timeout=5_000)
    assert [notice.message_id for notice in told if notice.undo is not None] == []
