"""Whatever thread allocates, cyclic garbage is destroyed in the GUI thread, where Qt's own objects may die."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from desktop_app.bridge.garbage import Garbage

_destroyed_in: list[threading.Thread] = []


class Knot(QObject):
    """Holds itself, as a widget does whose signal is connected to its own method."""

    def __init__(self) -> None:
        super().__init__()
        self.itself = self

    def __del__(self) -> None:
        _destroyed_in.append(threading.current_thread())


@pytest.fixture
def collecting(qapp: object) -> Iterator[Garbage]:
    """Takes over from Python's own."""
    gc.collect()
    _destroyed_in.clear()
    was = gc.isenabled()
    gc.enable()
    garbage = Garbage()
    yield garbage
    garbage.stop()
    assert gc.isenabled()
    if not was:
        gc.disable()


def work() -> list[list[int]]:
    """What a worker makes: enough for every generation to come due, as long as it lives."""
    made: list[list[int]] = []
    worker = threading.Thread(target=lambda: made.extend([number] for number in range(400_000)))
    worker.start()
    worker.join(20)
    return made


def test_a_worker_that_allocates_destroys_no_qt_objects(collecting: Garbage, qtbot: QtBot) -> None:
    collecting.start()
    Knot()
    made = work()
    assert (len(made), _destroyed_in) == (400_000, [])
    qtbot.waitUntil(lambda: bool(_destroyed_in))
    assert _destroyed_in == [threading.main_thread()]


def test_python_by_itself_would_destroy_them_in_the_worker(collecting: Garbage) -> None:
    collecting.stop()
    Knot()
    work()
    assert _destroyed_in and _destroyed_in[0] is not threading.main_thread()


def test_only_what_was_made_enough_of_is_looked_through(collecting: Garbage) -> None:
    gc.collect()
    collecting.collect()
    before = [one["collections"] for one in gc.get_stats()]
    kept = [[number] for number in range(gc.get_threshold()[0] + 200)]
    collecting.collect()
    assert [one["collections"] for one in gc.get_stats()] == [before[0] + 1, before[1], before[2]], len(kept)


def test_looking_through_everything_takes_a_hundredth_of_the_time(collecting: Garbage) -> None:
    heap = [[number] for number in range(200_000)]
    before = gc.get_stats()[2]["collections"]
    for _ in range(400):
        heap += [[number] for number in range(gc.get_threshold()[0] + 200)]
        collecting.collect()
    assert gc.get_stats()[2]["collections"] == before + 1, len(heap)
