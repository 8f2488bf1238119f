"""The Memory panel with 10,000 facts: how long the GUI thread stands still while they are listed and worked with."""

from __future__ import annotations

import gc
import resource
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication

from desktop_app.core.facts import FactDraft, FactState
from desktop_app.gui import new_application
from desktop_app.ui.language import Language
from desktop_app.ui.memory.memory_panel import MemoryPanel
from desktop_app.ui.theme import Theme
from tests.benchmarks.report import Figure, Report, json_argument
from tests.fakes.memory_room import MemoryRoom, open_room

FACTS = 10_000
_ADDED = 500
_LONGEST = 50.0
_SECONDS = 120.0
_TYPED = "harbour 77"


class Heartbeat:
    """The longest gap of a 5 ms timer in the GUI thread while something is done, in ms."""

    def __init__(self, app: QApplication) -> None:
        self._app = app
        self._before, self._gaps = time.perf_counter(), [0.0]
        self._timer = QTimer()
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._beat)
        self._timer.start(5)

    def during(self, act: Callable[[], None], done: Callable[[], bool]) -> float:
        """Acts, and lives on until it is done and shown."""
        self._live(lambda: True, 0.3)
        self._gaps, self._before = [0.0], time.perf_counter()
        act()
        self._live(done, 0.5)
        return max(self._gaps)

    def stop(self) -> None:
        """Ends the timer."""
        self._timer.stop()

    def _live(self, done: Callable[[], bool], after: float) -> None:
        end, rest = time.monotonic() + _SECONDS, 0.0
        while not rest or time.monotonic() < rest:
            self._app.processEvents()
            if not rest and done():
                rest = time.monotonic() + after
            if time.monotonic() > end:
                raise TimeoutError
            time.sleep(0.001)

    def _beat(self) -> None:
        moment = time.perf_counter()
        self._gaps.append((moment - self._before) * 1000)
        self._before = moment


def measure_memory(report: Report) -> None:
    """Longest stalls of list, filter, search and edit, facts added in a second, and memory."""
    app = new_application()
    with tempfile.TemporaryDirectory() as folder, open_room(Path(folder)) as room:
        before = _rss()
        seconds = _fill(room)
        _copy(Path(folder) / "mnemoscope.db")
        panel = MemoryPanel(Theme(app), Language("en"))
        panel.resize(440, 800)
        panel.show()
        # As the window does when it is open: the collector never walks through what was imported.
        gc.collect()
        gc.freeze()
        beat = Heartbeat(app)
        stalls = _stalls(room, panel, beat)
        beat.stop()
        panel.set_session(None)
        panel.close()
    report.rows.append(("adding", f"{_ADDED / seconds:,.0f} facts/s", f"{_ADDED:,} facts one after the other"))
    report.rows.append(("resident memory", f"{_rss():,.0f} MB", f"{before:,.0f} MB before"))
    report.figures += [Figure(f"longest stall: {name}", stall, _LONGEST, " ms") for name, stall in stalls.items()]


def _stalls(room: MemoryRoom, panel: MemoryPanel, beat: Heartbeat) -> dict[str, float]:
    session = room.session
    stalls: dict[str, float] = {}

    def show() -> None:
        panel.set_session(session)
        session.reload()

    stalls["list"] = beat.during(show, lambda: len(session.facts.facts) == FACTS)
    stalls["search"] = 0.0
    for size in range(1, len(_TYPED) + 1):
        text = _TYPED[:size]
        found = beat.during(
            lambda text=text: panel.search.setText(text), lambda text=text: session.found == text.strip()
        )  # type: ignore[misc]
        stalls["search"] = max(stalls["search"], found)
    stalls["search emptied"] = beat.during(panel.search.clear, lambda: len(session.facts.facts) == FACTS)
    stalls["filter"] = beat.during(lambda: panel.state.take(FactState.ARCHIVED), lambda: not session.facts.facts)
    back = beat.during(lambda: panel.state.take(FactState.ACTIVE), lambda: len(session.facts.facts) == FACTS)
    stalls["filter"] = max(stalls["filter"], back)
    stalls["choose"] = beat.during(lambda: panel.table.selectRow(5_000), lambda: session.detail is not None)
    fact_id = session.facts.facts[5_000].id

    def edit() -> None:
        panel.detail.form.value.setPlainText("another text")
        panel.detail.save.click()

    def edited() -> bool:
        fact = next((one for one in session.facts.facts if one.id == fact_id), None)
        return fact is not None and fact.value == "another text"

    stalls["edit"] = beat.during(edit, edited)
    return stalls


def _fill(room: MemoryRoom) -> float:
    """Adds the first facts as everybody does, and gives the seconds that took; the others are copies in the table."""
    facts, profile = room.services.store.facts, room.settings.settings.profile

    async def fill() -> None:
        for number in range(_ADDED):
            value = f"Something about the harbour {number}, 그리고 몇 마디, told in a sentence of its own."
            await facts.keep(profile, FactDraft(f"fact {number}", value, f"group {number % 20}"))

    began = time.perf_counter()
    room.runner.start(fill()).result(300)
    return time.perf_counter() - began


def _copy(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection, connection:
        names = [row[1] for row in connection.execute("PRAGMA table_info(fact)") if row[1] != "number"]
        changed = ("id", "key", "same_key")
        taken = ", ".join(f"{name} || :suffix" if name in changed else name for name in names)
        for number in range(1, FACTS // _ADDED):
            copy = f"INSERT INTO fact ({', '.join(names)}) SELECT {taken} FROM fact WHERE number <= :most"
            connection.execute(copy, {"suffix": f"-{number}", "most": _ADDED})


def _rss() -> float:
    """The most this process ever held, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure() -> Report:
    """The panel alone."""
    report = Report("window memory", ("what", "value", "note"))
    measure_memory(report)
    return report


if __name__ == "__main__":
    target = json_argument(__doc__ or "")
    sys.exit(measure().finish(target))
