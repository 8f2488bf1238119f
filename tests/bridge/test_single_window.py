"""One window for a data folder, however many starts come at the same moment."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from PySide6.QtCore import QCoreApplication
from pytestqt.qtbot import QtBot

from desktop_app.bridge.single_window import SingleWindow

ROOT = Path(__file__).parents[2]
START = """
import sys
from pathlib import Path
from PySide6.QtCore import QCoreApplication, QTimer
from desktop_app.bridge.single_window import SingleWindow

app = QCoreApplication([])
print("ready", flush=True)
sys.stdin.readline()
single = SingleWindow(Path(sys.argv[1]))
first = single.is_first()
print("first" if first else "second", flush=True)
if first:
    single.raised.connect(lambda: print("raised", flush=True))
    QTimer.singleShot(20_000, app.quit)
    app.exec()
"""


def start(folder: Path) -> subprocess.Popen[str]:
    """A start of the program as far as this goes: the first stays until it is killed."""
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    arguments = [sys.executable, "-c", START, str(folder)]
    pipe = subprocess.PIPE
    return subprocess.Popen(arguments, cwd=ROOT, env=environment, stdin=pipe, stdout=pipe, text=True)


def said(process: subprocess.Popen[str]) -> str:
    """Its next line."""
    assert process.stdout is not None
    return process.stdout.readline().strip()


def let_go(*processes: subprocess.Popen[str]) -> None:
    """They look for the other window now, all at the same moment."""
    for process in processes:
        assert said(process) == "ready"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()


def end(*processes: subprocess.Popen[str]) -> None:
    """Kills what runs, as a crash does."""
    for process in processes:
        process.kill()
        process.wait(5)
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()


def test_of_starts_at_once_one_is_first_and_the_others_raise_it(tmp_path: Path) -> None:
    started = [start(tmp_path) for _ in range(4)]
    try:
        let_go(*started)
        words = [said(process) for process in started]
        assert sorted(words) == ["first", "second", "second", "second"]
        first = started[words.index("first")]
        assert said(first) == "raised"
    finally:
        end(*started)


def test_the_folder_of_a_killed_window_is_taken_over(qtbot: QtBot, tmp_path: Path) -> None:
    killed = start(tmp_path)
    let_go(killed)
    assert said(killed) == "first"
    end(killed)
    assert (tmp_path / "mnemoscope.lock").exists()
    window = SingleWindow(tmp_path)
    assert window.is_first()
    later = start(tmp_path)
    try:
        with qtbot.waitSignal(window.raised, timeout=10_000):
            let_go(later)
        assert said(later) == "second"
    finally:
        end(later)
        window.close()
    assert SingleWindow(tmp_path).is_first()


def test_a_start_while_the_window_closes_waits_and_is_the_next_first(qapp: QCoreApplication, tmp_path: Path) -> None:
    closing = SingleWindow(tmp_path)
    assert closing.is_first()
    later = start(tmp_path)
    try:
        let_go(later)
        time.sleep(0.5)  # a window that closes its data runs no event loop
        closing.close()
        assert said(later) == "first"
    finally:
        end(later)
