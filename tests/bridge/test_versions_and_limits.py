"""The panel follows the version in front, the next request the settings in force, and Continue is where it belongs."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from desktop_app.bridge.session_state import Phase
from desktop_app.core.conversation import Message, Origin
from desktop_app.services.context_view import ContextView
from desktop_app.services.turn_context import TurnSetting
from tests.bridge.chat_acts import Open, ask, current, stored
from tests.fakes.simulator import RunningSimulator


def test_the_budget_is_that_of_the_version_in_front(qtbot: QtBot, open_session: Open) -> None:
    chat = current(open_session())
    ask(qtbot, chat, "Hello")
    qtbot.waitUntil(lambda: len(chat.history) == 1, timeout=5_000)
    assert chat.measured is not None
    short, first = chat.measured.total.tokens, chat.history[0].id
    with qtbot.waitSignal(chat.turnEnded, timeout=10_000):
        chat.edit(chat.messages.entry(0).id, "Hello, and a good deal more than that. " * 20)
    qtbot.waitUntil(lambda: chat.messages.entry(0).branch == (2, 2), timeout=5_000)
    assert chat.measured.total.tokens > short + 100
    chat.choose_branch(chat.messages.entry(0).id, -1)
    qtbot.waitUntil(lambda: chat.messages.entry(0).branch == (1, 2), timeout=5_000)
    qtbot.waitUntil(lambda: chat.measured is not None and chat.measured.total.tokens == short, timeout=5_000)
    assert [record.id for record in chat.history] == [first]


def test_of_an_answer_made_again_the_request_of_the_one_in_front_is_shown(qtbot: QtBot, open_session: Open) -> None:
    chat = current(open_session())
    ask(qtbot, chat, "Hello")
    qtbot.waitUntil(lambda: len(chat.history) == 1, timeout=5_000)
    first = chat.history[0].id
    with qtbot.waitSignal(chat.turnEnded, timeout=10_000):
        chat.regenerate(chat.messages.entry(1).id)
    qtbot.waitUntil(lambda: chat.messages.entry(1).branch == (2, 2), timeout=5_000)
    assert [record.id for record in chat.history] != [first]
    chat.choose_branch(chat.messages.entry(1).id, -1)
    qtbot.waitUntil(lambda: chat.messages.entry(1).branch == (1, 2), timeout=5_000)
    assert [record.id for record in chat.history] == [first]


def test_a_setting_read_before_a_change_is_not_kept(
    qtbot: QtBot, open_session: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = open_session(output_limit=5_000)
    chat = current(session)
    real = ContextView.setting
    reading = asyncio.Event()
    go_on = asyncio.Event()

    async def slow(self: ContextView, conversation_id: str | None, path: list[Message]) -> TurnSetting:
        setting = await real(self, conversation_id, path)
        if not reading.is_set():
            reading.set()
            await go_on.wait()
        return setting

    monkeypatch.setattr(ContextView, "setting", slow)
    chat.settings_changed()
    chat.preview_text("How long is a piece of string?")
    qtbot.waitUntil(reading.is_set, timeout=5_000)
    session.update_profile(output_limit=9_000)
    qtbot.waitUntil(lambda: chat.preview is not None and chat.preview.reserve == 9_000, timeout=5_000)
    shown: list[int] = []
    chat.previewChanged.connect(lambda budget: shown.append(budget.reserve))
    session._runner.call(go_on.set)
    qtbot.wait(50)
    chat.preview_text("How long is a piece of string, in yards?")
    qtbot.waitUntil(lambda: bool(shown), timeout=5_000)
    assert set(shown) == {9_000}


def keep_calling(simulator: RunningSimulator, rounds: int) -> None:
    """The model calls a tool this often."""
    for number in range(rounds):
        call: dict[str, Any] = {
            "type": "tool_use",
            "id": f"toolu_{number}",
            "name": "calculator",
            "input": {"expression": "1+1"},
        }
        simulator.control({"action": "reply", "content": [call], "stop_reason": "tool_use"})


def test_a_turn_stopped_after_many_tools_can_go_on(
    qtbot: QtBot, open_session: Open, simulator: RunningSimulator
) -> None:
    session = open_session()
    chat = current(session)
    keep_calling(simulator, 20)
    seen: list[bool] = []
    chat.messages.rowsInserted.connect(lambda *_: seen.append(chat.messages.entry(0).can_continue))
    ask(qtbot, chat, "Hello")
    last = chat.messages.rowCount() - 1
    assert chat.messages.entry(last).can_continue
    assert not any(chat.messages.entry(row).can_continue for row in range(last))
    assert not any(seen)
    simulator.reset()
    talk = chat.conversation_id
    assert talk is not None
    session.close()
    again = open_session()
    again.open_conversation(talk)
    reopened = current(again)
    qtbot.waitUntil(lambda: reopened.loaded, timeout=5_000)
    assert reopened.state.can_continue
    assert reopened.messages.entry(last).can_continue
    with qtbot.waitSignal(reopened.turnEnded, timeout=10_000):
        reopened.continue_reply()
    assert reopened.state.phase is Phase.IDLE
    path = stored(again, talk)
    assert [message.origin for message in path[-3:]] == [Origin.TOOL_RESULTS, Origin.CONTINUE, Origin.REPLY]
    qtbot.waitUntil(lambda: not reopened.state.can_continue, timeout=5_000)


def test_a_cut_reply_can_go_on_and_a_whole_one_not(
    qtbot: QtBot, open_session: Open, simulator: RunningSimulator
) -> None:
    chat = current(open_session())
    simulator.control({"action": "reply", "text": "One, two,", "stop_reason": "max_tokens"})
    ask(qtbot, chat, "Count")
    assert chat.messages.entry(1).can_continue
    assert chat.state.can_continue
    with qtbot.waitSignal(chat.turnEnded, timeout=10_000):
        chat.continue_reply()
    assert not any(chat.messages.entry(row).can_continue for row in range(chat.messages.rowCount()))
