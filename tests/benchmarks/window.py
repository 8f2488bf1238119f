"""Start, streaming and opening of the window, each against something else measured in the same run."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import Qt, QTimer

from desktop_app.bridge.chat_session import ChatSession
from desktop_app.composition import Options
from desktop_app.core.conversation import Role, text_block
from desktop_app.core.importing import ImportedConversation, ImportedMessage
from desktop_app.gui import Gui, new_application
from tests.benchmarks.report import Figure, Report, json_argument
from tests.fakes.simulator import RunningSimulator

STARTS = 7
ANSWER = 80_000
"""Letters that stand in the answer when the gaps begin to count."""
DELTAS_A_SECOND = 1_000
_SECONDS = 180.0

# Each prints seconds from the start of its process; the clock of the parent is handed in.
_BARE_WINDOW = """
import os, sys, time
began = float(sys.argv[1])
from PySide6.QtWidgets import QApplication, QMainWindow
class Window(QMainWindow):
    def paintEvent(self, event):
        super().paintEvent(event)
        print(time.time() - began, flush=True)
        os._exit(0)
app = QApplication([])
window = Window()
window.resize(1440, 900)
window.show()
app.exec()
"""
_OUR_WINDOW = """
import os, sys, time
began = float(sys.argv[1])
from pathlib import Path
from desktop_app.composition import start_connections
connections = start_connections()
from PySide6.QtCore import QEvent, QObject
from desktop_app.composition import Options
from desktop_app.gui import Gui, new_application
class Watch(QObject):
    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint and watched is gui.frame:
            print(time.time() - began, flush=True)
            app.removeEventFilter(self)
        return False
app = new_application()
gui = Gui(app, Options(Path(sys.argv[2]), language="en"), connections)
watch = Watch()
app.installEventFilter(watch)
def ready():
    print(time.time() - began, flush=True)
    future = gui.session._runner.start(gui.session._services.access.client())
    future.add_done_callback(done)
def done(_):
    print(time.time() - began, flush=True)
    os._exit(0)
gui.built.connect(lambda: gui.session.ready.connect(ready))
gui.show()
app.exec()
"""
_BARE_CLIENT = """
import sys, time
began = float(sys.argv[1])
import anthropic
anthropic.AsyncAnthropic(api_key="none", base_url="http://127.0.0.1:9")
print(time.time() - began, flush=True)
"""


def _run(script: str, *arguments: str) -> list[float]:
    command = [sys.executable, "-c", script, repr(time.time()), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    lines = done.stdout.split()
    if not lines:
        raise RuntimeError(done.stderr)
    return [float(line) for line in lines]


def measure_start(report: Report) -> None:
    """First paint and ready to send, pair by pair with the bare things."""
    paints, typings, readies, details = [], [], [], []
    with tempfile.TemporaryDirectory() as folder:
        settings = '{"welcomed": true, "profiles": {"default": {"base_url": "http://127.0.0.1:9"}}}'
        (Path(folder) / "settings.json").write_text(settings)
        _run(_OUR_WINDOW, folder)  # makes the database and warms the disk
        for _ in range(STARTS):
            bare = _run(_BARE_WINDOW)[0]
            client = _run(_BARE_CLIENT)[0]
            paint, typing, ready = _run(_OUR_WINDOW, folder)
            paints.append(paint / bare)
            typings.append(typing / client)
            readies.append(ready / client)
            details.append((bare, paint, client, typing, ready))
    names = ("bare window", "first paint", "bare client", "ready to type and store", "ready to send")
    for place, name in enumerate(names):
        values = [row[place] for row in details]
        report.rows.append((name, f"{statistics.median(values):.3f} s", f"{min(values):.3f} to {max(values):.3f} s"))
    report.figures += [
        Figure("first paint / bare window", statistics.median(paints), 2.0),
        Figure("ready to type and store / bare client", statistics.median(typings)),
        Figure("ready to send / bare client", statistics.median(readies), 1.3),
    ]


class Stage:
    """A window over a simulator, driven from here."""

    def __init__(self, data_dir: Path, url: str) -> None:
        self.app = new_application()
        self.gui = Gui(self.app, Options(data_dir, base_url=url, model="claude-sonnet-5-5", language="en"))
        self.gui.frame.resize(1440, 900)
        self.gui.show()
        self.wait(lambda: self.gui.session is not None and self.gui.session.is_ready)
        self.gui.session.update_settings(welcomed=True)
        self.gui.session.update_profile(output_limit=128_000)
        self.live(1.0)

    def wait(self, condition: Callable[[], object]) -> None:
        """Lets the window live until something holds."""
        end = time.monotonic() + _SECONDS
        while not condition():
            if time.monotonic() > end:
                raise TimeoutError
            self.app.processEvents()
            time.sleep(0.001)

    def live(self, seconds: float) -> None:
        """Lets the window live for a while."""
        end = time.monotonic() + seconds
        self.wait(lambda: time.monotonic() > end)

    @property
    def chat(self) -> ChatSession:
        """The conversation in front."""
        assert self.gui.session.current is not None
        return self.gui.session.current


def measure_streaming(report: Report) -> None:
    """Gaps of a 5 ms timer in the GUI thread while an answer beyond 80,000 letters arrives."""
    with RunningSimulator(speed=1450.0) as simulator, tempfile.TemporaryDirectory() as folder:
        stage = Stage(Path(folder), simulator.url)
        simulator.control({"action": "reply", "text": _long_answer(ANSWER + 40_000)})
        gaps: list[float] = []
        arrived, pieces, moments = 0, 0, [0.0, 0.0]

        def count(_id: str, _index: int, text: str) -> None:
            nonlocal arrived
            arrived += len(text)
            if arrived >= ANSWER and not moments[0]:
                moments[0] = time.perf_counter()
            moments[1] = time.perf_counter()

        stage.chat.textArrived.connect(count)
        before = [time.perf_counter()]

        def tick() -> None:
            moment = time.perf_counter()
            if moments[0] and stage.chat.state.busy:
                gaps.append((moment - before[0]) * 1000)
            before[0] = moment

        timer = QTimer()
        timer.setTimerType(Qt.TimerType.PreciseTimer)
        timer.timeout.connect(tick)
        timer.start(5)
        stage.chat.send("Please write a very long answer.")
        ended: list[bool] = []
        stage.chat.turnEnded.connect(lambda: (ended.append(True), stage.app.quit()))
        stage.app.exec()
        timer.stop()
        pieces = sum(1 for row in simulator.recorded("/v1/messages") if row["status"] == 200)
        seconds = moments[1] - moments[0]
        stage.gui.close()
    gaps.sort()
    p99 = gaps[int(len(gaps) * 0.99)] if gaps else float("inf")
    report.rows += [
        ("streaming", f"{arrived:,} letters", f"{(arrived - ANSWER) / max(seconds, 0.001):,.0f} letters/s at the end"),
        ("ticks beyond 80,000 letters", str(len(gaps)), f"median {gaps[len(gaps) // 2]:.1f} ms, {pieces} answer"),
    ]
    report.figures += [
        Figure("GUI gap p99 while streaming", p99, 50.0, " ms"),
        Figure("GUI gap maximum", gaps[-1], unit=" ms"),
    ]


def _long_answer(letters: int) -> str:
    parts, size, number = [], 0, 0
    while size < letters:
        number += 1
        part = (
            f"## Part {number}\n\nA paragraph with **bold words**, `code` and a number {number * 37:,}. "
            "It goes on for a few lines so that it wraps, and 한국어 문장도 섞여 있습니다. \n\n"
            "- one point\n- another point with *stress*\n\n"
            "```python\ndef f(x: int) -> int:\n    return x * 2  # twice\n```\n\n"
            "| name | value |\n|---|---|\n| a | 1 |\n| b | 2 |\n\n"
        )
        parts.append(part)
        size += len(part)
    return "".join(parts)


def measure_opening(report: Report) -> None:
    """From the click on a conversation to its messages on the screen, 5,000 against 50."""
    with RunningSimulator() as simulator, tempfile.TemporaryDirectory() as folder:
        stage = Stage(Path(folder), simulator.url)
        services = stage.gui.session._services
        assert services is not None
        sizes = {50: "short", 5_000: "long"}
        talks = [_conversation(name, size) for size, name in sizes.items()]
        stage.gui.session._runner.start(services.store.import_conversations("default", talks)).result(120)
        stage.gui.session.refresh_conversations()
        stage.wait(lambda: stage.gui.session.conversations.rowCount() == len(sizes))
        ids = {stage.gui.session.conversations.title_of(name): name for name in stage.gui.session.conversations.ids()}
        seconds: dict[int, list[float]] = {size: [] for size in sizes}
        for _ in range(5):
            for size, name in sizes.items():
                stage.gui.session.new_conversation()
                stage.live(0.5)
                session = stage.gui.session._sessions._stored.pop(ids[name], None)
                if session is not None:
                    session.close()
                began = time.perf_counter()
                stage.gui.session.open_conversation(ids[name])
                stage.wait(lambda: stage.chat.messages.rowCount() > 0)
                stage.gui.frame.grab()
                seconds[size].append(time.perf_counter() - began)
                stage.wait(lambda: stage.chat.loaded)
                assert stage.chat.messages.rowCount() == size
        stage.gui.close()
    medians = {size: statistics.median(values) for size, values in seconds.items()}
    for size, value in medians.items():
        report.rows.append((f"open {size:,} messages", f"{value:.3f} s", "on the screen"))
    report.figures.append(Figure("opening 5,000 / opening 50", medians[5_000] / medians[50], 1.5))


def _conversation(name: str, size: int) -> ImportedConversation:
    messages = tuple(
        ImportedMessage(
            f"{name}-{number}",
            Role.ASSISTANT if number % 2 else Role.USER,
            (text_block(f"Message {number}. " + "Some words about the harbour, 그리고 몇 마디. " * 12),),
        )
        for number in range(size)
    )
    return ImportedConversation(name, name, messages)


def measure() -> Report:
    """All three."""
    report = Report("window", ("what", "median", "range"))
    measure_start(report)
    measure_streaming(report)
    measure_opening(report)
    return report


if __name__ == "__main__":
    target = json_argument(__doc__ or "")
    sys.exit(measure().finish(target))
