"""An AppSession over real services and a simulator, closed without leaving a thread."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from desktop_app.bridge.app_session import AppSession
from tests.fakes.house import make_services, make_settings
from tests.fakes.simulator import RunningSimulator


@pytest.fixture(scope="module")
def module_simulator() -> Iterator[RunningSimulator]:
    """Starts once per module."""
    with RunningSimulator() as running:
        yield running


@pytest.fixture
def simulator(module_simulator: RunningSimulator) -> RunningSimulator:
    """Without scenario, log or cache of an earlier test."""
    module_simulator.reset()
    return module_simulator


@pytest.fixture
def open_session(qtbot: QtBot, tmp_path: Path, simulator: RunningSimulator) -> Iterator[Callable[..., AppSession]]:
    """Opens a session on the test's data folder; several in a row are restarts."""
    before = set(threading.enumerate())
    opened: list[AppSession] = []

    def open_one(**profile: object) -> AppSession:
        settings = make_settings(tmp_path, simulator.url, **profile)
        session = AppSession(settings, lambda: make_services(tmp_path, simulator.url, settings))
        opened.append(session)
        with qtbot.waitSignal(session.ready, timeout=10_000):
            session.start()
        return session

    yield open_one
    for session in opened:
        session.close()
    left = [thread for thread in set(threading.enumerate()) - before if thread.is_alive()]
    assert left == []
