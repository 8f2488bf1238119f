"""However a turn ends, the conversation is free again and no text is lost."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from desktop_app.bridge.session_state import Phase
from desktop_app.core import errors
from desktop_app.core.conversation import Origin
from desktop_app.core.refusal import Refusal
from tests.bridge.chat_acts import Open, ask, current, services_of, stored, text_of
from tests.fakes.simulator import RunningSimulator


def refuse_once(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, error: BaseException) -> None:
    """The next call of a coroutine method raises; those after it work again."""
    real = getattr(owner, name)
    left = [error]

    async def refusing(*arguments: Any) -> Any:
        if left:
            raise left.pop()
        return await real(*arguments)

    monkeypatch.setattr(owner, name, refusing, raising=True)


@pytest.mark.parametrize("pause", [0, 1, 2, 4, 8])
@pytest.mark.parametrize("known", [False, True])
def test_stop_right_after_send_keeps_the_text(
    qtbot: QtBot, open_session: Open, simulator: RunningSimulator, pause: int, known: bool
) -> None:
    session = open_session()
    chat = current(session)
    if known:
        ask(qtbot, chat, "Hello")
        qtbot.waitUntil(lambda: len(chat.history) == 1, timeout=5_000)
    simulator.control({"action": "slow", "tokens_per_second": 20})
    returned: list[str] = []
    chat.textReturned.connect(returned.append)
    with qtbot.waitSignal(chat.turnEnded, timeout=3_000):
        chat.send("Where did the long letter go?")
        if pause:
            qtbot.wait(pause)
        chat.stop()
    assert chat.state.phase is Phase.IDLE
    path = stored(session, chat.conversation_id) if chat.conversation_id else []
    kept = [message.text for message in path if message.origin is Origin.TYPED]
    assert ("Where did the long letter go?" in kept) != (chat.draft == "Where did the long letter go?")
    assert returned == ([chat.draft] if chat.draft else [])
    listed = session._runner.start(services_of(session).store.conversations("demo")).result(5)
    assert [one.id for one in listed] == ([chat.conversation_id] if chat.conversation_id else [])
    simulator.reset()
    ask(qtbot, chat, "Hello again")
    assert chat.state.phase is Phase.IDLE


def test_a_fault_before_the_turn_begins_frees_the_conversation(
    qtbot: QtBot, open_session: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = open_session()
    chat = current(session)
    faults: list[type[BaseException]] = []
    monkeypatch.setattr(sys, "excepthook", lambda kind, _fault, _trace: faults.append(kind))
    refuse_once(monkeypatch, type(services_of(session).store), "create_conversation", ZeroDivisionError("by zero"))
    ask(qtbot, chat, "What did I do?")
    assert faults == [ZeroDivisionError]
    assert chat.state.phase is Phase.FAILED
    assert isinstance(chat.state.error, errors.Unexpected)
    assert chat.draft == "What did I do?"


def test_a_text_that_could_not_be_stored_comes_back_and_retry_sends_it(
    qtbot: QtBot, open_session: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = open_session()
    chat = current(session)
    ask(qtbot, chat, "Hello")
    refuse_once(monkeypatch, type(services_of(session).store), "add_message", errors.StoreUnavailable(path="x"))
    chat.preview_text("and meanwhile")
    with qtbot.waitSignal(chat.textReturned, timeout=5_000) as returned:
        chat.send("My boat is called Nari.")
    assert returned.args == ["My boat is called Nari."]
    assert isinstance(chat.state.error, errors.StoreUnavailable)
    assert chat.draft == "My boat is called Nari.\n\nand meanwhile"
    with qtbot.waitSignal(chat.turnEnded, timeout=10_000):
        chat.retry_now()
    assert chat.draft == "and meanwhile"
    assert chat.state.phase is Phase.IDLE
    assert text_of(chat, 2) == "My boat is called Nari."
    assert chat.messages.rowCount() == 4


def test_retry_sends_the_returned_text_as_it_was_changed(
    qtbot: QtBot, open_session: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = open_session()
    chat = current(session)
    refuse_once(monkeypatch, type(services_of(session).store), "add_message", errors.StoreUnavailable(path="x"))
    ask(qtbot, chat, "My boat is called Nari.")
    assert chat.conversation_id is None
    chat.preview_text("My boat is called Nuri.")
    with qtbot.waitSignal(chat.turnEnded, timeout=10_000):
        chat.retry_now()
    assert chat.draft == ""
    assert text_of(chat, 0) == "My boat is called Nuri."
    listed = session._runner.start(services_of(session).store.conversations("demo")).result(5)
    assert [one.title for one in listed] == ["My boat is called Nuri."]


def test_an_edit_that_could_not_be_stored_is_made_again(
    qtbot: QtBot, open_session: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = open_session()
    chat = current(session)
    ask(qtbot, chat, "My fish is called Bami.")
    refuse_once(monkeypatch, type(services_of(session).store), "add_message", errors.StoreUnavailable(path="x"))
    with qtbot.waitSignal(chat.turnEnded, timeout=10_000):
        chat.edit(chat.messages.entry(0).id, "My fish is called Dori.")
    assert chat.draft == "My fish is called Dori."
    with qtbot.waitSignal(chat.turnEnded, timeout=10_000):
        chat.retry_now()
    qtbot.waitUntil(lambda: chat.messages.entry(0).branch == (2, 2), timeout=5_000)
    assert text_of(chat, 0) == "My fish is called Dori."
    assert chat.draft == ""


def test_what_waits_survives_a_failure_and_its_retry(
    qtbot: QtBot, open_session: Open, simulator: RunningSimulator
) -> None:
    session = open_session()
    chat = current(session)
    simulator.control({"action": "status", "status": 401})
    with qtbot.waitSignal(chat.turnEnded, timeout=10_000):
        chat.send("Hello")
        chat.send("first thought")
        chat.send("second thought")
    assert chat.state.phase is Phase.FAILED
    assert chat.state.queued == "first thought\n\nsecond thought"
    chat.retry_now()
    assert chat.state.queued == "first thought\n\nsecond thought"
    qtbot.waitUntil(lambda: not chat.state.busy and chat.messages.rowCount() == 4, timeout=15_000)
    assert text_of(chat, 2) == "first thought\n\nsecond thought"


def test_what_waited_behind_a_refused_text_comes_back_too(
    qtbot: QtBot, open_session: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = open_session()
    chat = current(session)
    refuse_once(monkeypatch, type(services_of(session).store), "add_message", errors.StoreUnavailable(path="x"))
    with qtbot.waitSignal(chat.turnEnded, timeout=10_000):
        chat.send("one")
        chat.send("two")
    assert chat.draft == "one\n\ntwo"
    assert chat.state.queued is None


def test_another_turn_can_begin_as_soon_as_one_has_ended(qtbot: QtBot, open_session: Open) -> None:
    """The service lets one turn at a time into a conversation: an end that is told too early would be refused."""
    chat = current(open_session())
    ends: list[Phase] = []
    chat.turnEnded.connect(lambda: ends.append(chat.state.phase))
    chat.turnEnded.connect(lambda: len(ends) < 4 and chat.send(f"Hello {len(ends)}"))
    chat.send("Hello")
    qtbot.waitUntil(lambda: len(ends) == 4 and not chat.state.busy, timeout=15_000)
    assert ends == [Phase.IDLE] * 4
    assert chat.messages.rowCount() == 8


def test_why_the_model_declined_is_shown_at_once_and_after_a_restart(
    qtbot: QtBot, open_session: Open, simulator: RunningSimulator
) -> None:
    simulator.control({"action": "refusal", "category": "bio", "explanation": "It asks for a virus."})
    session = open_session()
    chat = current(session)
    seen: list[Refusal | None] = []
    chat.messages.dataChanged.connect(lambda index, *_: seen.append(chat.messages.entry(index.row()).refusal))
    ask(qtbot, chat, "Hello")
    assert Refusal("bio", "It asks for a virus.") in seen
    assert chat.conversation_id is not None
    session.close()
    again = open_session()
    again.open_conversation(chat.conversation_id)
    qtbot.waitUntil(lambda: current(again).loaded, timeout=5_000)
    entry = current(again).messages.entry(1)
    assert entry.refusal == Refusal("bio", "It asks for a virus.")


@pytest.mark.parametrize(
    ("content", "nothing"),
    [
        ([], True),
        ([{"type": "thinking", "thinking": "Hm."}], True),
        ([{"type": "hologram", "depth": 3}], True),
        ([{"type": "text", "text": " \u200b"}], True),
        ([{"type": "hologram", "depth": 3}, {"type": "text", "text": "Yes."}], False),
    ],
)
def test_an_answer_that_shows_nothing_is_marked(
    qtbot: QtBot, open_session: Open, simulator: RunningSimulator, content: list[dict[str, Any]], nothing: bool
) -> None:
    simulator.control({"action": "reply", "content": content})
    chat = current(open_session())
    ask(qtbot, chat, "Hello")
    assert [chat.messages.entry(row).shows_nothing for row in range(2)] == [False, nothing]
