"""Everything a window writes at once, under a lock of another process: nothing is lost, and nothing fails."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from tests.bridge.chat_acts import Open
from tests.fakes.stress import HELD_SECONDS, compare, stress

SECONDS = 4.0
"""`tests.benchmarks.stress` goes on for a minute."""
WRITTEN = {"partial answers", "answers", "imported conversations", "facts", "searches"}


@pytest.mark.timeout(60)
def test_four_writers_at_once_under_a_lock_lose_nothing(qtbot: QtBot, open_session: Open, tmp_path: Path) -> None:
    session = open_session()
    told = stress(session, tmp_path, SECONDS)
    session.close()
    compare(tmp_path, told)
    assert (told.lost, told.errors) == ([], [])
    assert told.holds == 1 and told.slowest_write > HELD_SECONDS / 2, "some write had to wait"
    assert told.done["partial answers"] >= 10 and {*told.done} == WRITTEN, told.done
    assert told.slowest_search < HELD_SECONDS / 2, "whoever only reads waits for nobody"
    assert told.slowest_ping < 1
