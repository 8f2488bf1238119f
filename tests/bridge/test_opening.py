"""The start: once, or told as failed and begun anew; what is to be known about the data is said."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from desktop_app.adapters.store import Store
from desktop_app.bridge.app_session import AppSession
from desktop_app.bridge.session_state import Level, Notice
from desktop_app.core import errors
from desktop_app.services.all_services import Services
from tests.fakes.command_line import CommandLine
from tests.fakes.house import make_services, make_settings
from tests.fakes.simulator import RunningSimulator

Make = Callable[[Callable[[], Services] | None], AppSession]


@pytest.fixture
def make(tmp_path: Path, simulator: RunningSimulator) -> Iterator[Make]:
    """A session that is not started yet."""
    made: list[AppSession] = []

    def make_one(open_services: Callable[[], Services] | None = None) -> AppSession:
        settings = make_settings(tmp_path, simulator.url)
        opening = open_services or (lambda: make_services(tmp_path, simulator.url, settings))
        made.append(AppSession(settings, opening))
        return made[-1]

    yield make_one
    for session in made:
        session.close()


@pytest.mark.parametrize("error", [errors.StoreUnavailable(path="x"), ZeroDivisionError("by zero")])
def test_data_that_cannot_be_put_in_order_is_told_and_opened_again(
    qtbot: QtBot, make: Make, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    async def refuse(_: Store) -> int:
        raise error

    monkeypatch.setattr("sys.excepthook", lambda *_: None)
    session = make(None)
    with monkeypatch.context() as fault:
        fault.setattr(Store, "mark_interrupted", refuse)
        with qtbot.waitSignal(session.startFailed, timeout=10_000) as told:
            session.start()
    assert isinstance(told.args[0], errors.StoreUnavailable | errors.Unexpected)
    assert not session.is_ready
    assert [thread.name for thread in threading.enumerate() if thread.name.startswith("store-")] == []
    with qtbot.waitSignal(session.ready, timeout=10_000):
        session.retry_start()
    assert session.current is not None


def test_data_of_a_newer_version_is_told_and_left_as_it_is(qtbot: QtBot, make: Make, tmp_path: Path) -> None:
    assert CommandLine(tmp_path).run("facts", "add", "dog", "Bori").code == 0
    file = tmp_path / "mnemoscope.db"
    with closing(sqlite3.connect(file)) as connection:
        known = connection.execute("PRAGMA user_version").fetchone()[0]
        connection.execute("PRAGMA user_version = 99")
    before, session = file.read_bytes(), make(None)
    with qtbot.waitSignal(session.startFailed, timeout=10_000) as told:
        session.start()
    assert isinstance(told.args[0], errors.StoreTooNew)
    assert told.args[0].params == {"found": 99, "known": known}
    assert (session.is_ready, file.read_bytes()) == (False, before)
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(f"PRAGMA user_version = {known}")
    with qtbot.waitSignal(session.ready, timeout=10_000):
        session.retry_start()
    assert [fact["key"] for fact in CommandLine(tmp_path).run("--profile", "default", "facts", "--json").json] == [
        "dog"
    ]


def test_a_second_start_while_one_is_under_way_opens_nothing(
    qtbot: QtBot, make: Make, tmp_path: Path, simulator: RunningSimulator
) -> None:
    go_on = threading.Event()
    openings: list[int] = []

    def open_slowly() -> Services:
        openings.append(1)
        assert go_on.wait(10)
        return make_services(tmp_path, simulator.url, make_settings(tmp_path, simulator.url))

    session = make(open_slowly)
    session.start()
    session.retry_start()
    session.start()
    with qtbot.waitSignal(session.ready, timeout=10_000):
        go_on.set()
    session.retry_start()
    assert openings == [1]


def test_how_the_data_is_kept_is_said(qtbot: QtBot, make: Make, tmp_path: Path, simulator: RunningSimulator) -> None:
    def open_without_log() -> Services:
        services = make_services(tmp_path, simulator.url, make_settings(tmp_path, simulator.url))
        assert isinstance(services.store, Store)
        services.store.notices = ("store_notice.no_wal",)
        return services

    session = make(open_without_log)
    told: list[Notice] = []
    session.notice.connect(told.append)
    with qtbot.waitSignal(session.ready, timeout=10_000):
        session.start()
    qtbot.waitUntil(lambda: bool(told))
    assert [(notice.message_id, notice.level) for notice in told] == [("store_notice.no_wal", Level.WARNING)]


def test_settings_a_command_set_aside_are_told_at_the_next_start_and_not_again(
    qtbot: QtBot, make: Make, tmp_path: Path, simulator: RunningSimulator
) -> None:
    make_settings(tmp_path, simulator.url)
    (tmp_path / "settings.json").write_bytes(b"{half")
    command = CommandLine(tmp_path).run("conversations", "--lang", "en")
    assert "The settings file was damaged." in command.err
    assert "damaged" not in CommandLine(tmp_path).run("conversations", "--lang", "en").err
    starts: list[list[str]] = []
    for _ in range(2):
        session, told = make(None), []
        session.notice.connect(told.append)
        with qtbot.waitSignal(session.ready, timeout=10_000):
            session.start()
        qtbot.waitUntil(lambda at=session: at.endpoint is not None, timeout=10_000)
        starts.append([notice.message_id for notice in told])
        session.close()
    assert starts == [["settings_notice.restored"], []]
    assert (tmp_path / "settings.json.bad").read_bytes() == b"{half"
