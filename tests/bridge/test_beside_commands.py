"""The window and commands on one data folder: nothing is lost, both list the same, each sees what the other wrote."""

from __future__ import annotations

from pathlib import Path

from pytestqt.qtbot import QtBot

from desktop_app.core.facts import FactState
from tests.bridge.chat_acts import Open, ask, current, services_of
from tests.fakes.command_line import CommandLine
from tests.fakes.two_writers import write_at_once

COUNT = 40
"""Facts on each side here; `tests.benchmarks.two_writers` writes 500."""


def test_facts_written_at_once_are_all_there_on_both_sides(qtbot: QtBot, open_session: Open, tmp_path: Path) -> None:
    session = open_session()
    window, command = write_at_once(session, tmp_path, COUNT, 15.0)
    expected = sorted(
        [f"window {number}" for number in range(COUNT)] + [f"command {number}" for number in range(COUNT)]
    )
    assert window == expected
    assert command == expected


def test_the_window_shows_and_tells_what_a_command_deleted(qtbot: QtBot, open_session: Open, tmp_path: Path) -> None:
    session = open_session()
    memory, cli = session.memory, CommandLine(tmp_path)
    assert memory is not None
    assert cli.run("--profile", "demo", "facts", "add", "locker", "7731").code == 0
    qtbot.waitUntil(lambda: memory.with_key("locker") is not None, timeout=5_000)
    chat = current(session)
    ask(qtbot, chat, "What is my locker?")
    assert cli.run("--profile", "demo", "facts", "delete", "locker").code == 0
    qtbot.waitUntil(lambda: memory.with_key("locker") is None, timeout=5_000)
    services = services_of(session)
    ask(qtbot, chat, "Thank you.")
    record = session._runner.start(services.store.requests(chat.conversation_id or "")).result(5)[-1]
    _, request = session._runner.start(services.store.request(record.id)).result(5)
    assert all("7731" not in block["text"] for block in request.system)
    assert session._runner.start(services.memory.facts(FactState.ACTIVE)).result(5) == []


def test_a_profile_a_command_made_is_offered_and_outlives_a_change_in_the_window(
    qtbot: QtBot, open_session: Open, tmp_path: Path
) -> None:
    session, cli = open_session(), CommandLine(tmp_path)
    assert cli.run("profiles", "add", "work").code == 0
    session.update_settings(theme="dark")
    qtbot.waitUntil(lambda: not session._background._open, timeout=5_000)
    assert [one["name"] for one in cli.run("--json", "profiles").json] == ["default", "work", "demo"]
    with qtbot.waitSignal(session.settingsChanged, timeout=5_000) as told:
        assert cli.run("profiles", "add", "home").code == 0
        assert cli.run("profiles", "use", "home").code == 0
    assert sorted(told.args[0].profiles) == ["default", "demo", "home", "work"]
    assert (session.settings.profile, session.settings.theme) == ("demo", "dark")
    session.use_profile("work")
    assert session.settings.profile == "work"
