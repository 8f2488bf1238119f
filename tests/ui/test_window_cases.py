"""Long answers, long conversations, huge messages and hostile text in the whole window."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop_app.bridge.chat_session import ChatSession
from desktop_app.bridge.entries import TextPart
from desktop_app.bridge.session_state import Phase
from desktop_app.composition import Options
from desktop_app.gui import Gui
from tests.fakes.simulator import RunningSimulator
from tests.unit.secret_samples import SLACK_HOOK

ATTACK = Path(__file__).parent / "data" / "render_attack.md"
WAIT = 15_000


@pytest.fixture(scope="module")
def simulator() -> Iterator[RunningSimulator]:
    """Some 12,000 letters a second, thirty times what a model writes."""
    with RunningSimulator(speed=4_000) as running:
        yield running


class Opened:
    """A running window on a simulator, its session and a heartbeat of its GUI thread."""

    def __init__(self, gui: Gui) -> None:
        assert gui.window is not None
        assert gui.session is not None
        self.gui, self.window, self.session = gui, gui.window, gui.session
        self.gaps: list[float] = []
        self._before = time.perf_counter()
        self._heart = QTimer()
        self._heart.setTimerType(Qt.TimerType.PreciseTimer)
        self._heart.timeout.connect(self._beat)

    @property
    def chat(self) -> ChatSession:
        """The conversation in front."""
        assert self.session.current is not None
        return self.session.current

    @contextmanager
    def beating(self) -> Iterator[None]:
        """Counts the gaps of a 5 ms timer."""
        self.gaps, self._before = [], time.perf_counter()
        self._heart.start(5)
        yield
        self._heart.stop()

    def p99(self) -> float:
        """The gap that 99 % stay below, in seconds."""
        return sorted(self.gaps)[int(len(self.gaps) * 0.99)]

    def _beat(self) -> None:
        moment = time.perf_counter()
        self.gaps.append(moment - self._before)
        self._before = moment


@contextmanager
def opened(
    qapp: QApplication, qtbot: QtBot, folder: Path, simulator: RunningSimulator, model: str = "claude-sonnet-5-5"
) -> Iterator[Opened]:
    """The window with the simulator as its endpoint."""
    simulator.reset()
    profile = {"base_url": simulator.url, "model": model, "output_limit": 64_000}
    settings = {"welcomed": True, "language": "en", "theme": "light", "profiles": {"default": profile}}
    (folder / "settings.json").write_text(json.dumps(settings))
    gui = Gui(qapp, Options(folder))
    gui.frame.resize(1440, 900)
    gui.show()
    try:
        qtbot.waitUntil(lambda: gui.session is not None and gui.session.is_ready, timeout=WAIT)
        stage = Opened(gui)
        qtbot.waitUntil(lambda: stage.session.endpoint is not None, timeout=WAIT)
        yield stage
    finally:
        gui.close()
        gui.frame.deleteLater()


def long_answer(letters: int) -> str:
    """Markdown of every kind, with Hangul, until it is long enough."""
    part = (
        "## 부분\n\nA paragraph with **굵게**, `code` and numbers 1,234 that is long enough to wrap in the column.\n\n"
        "- one\n- two\n\n```python\nfor i in range(3):\n    print(i)\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n"
    )
    return part * (letters // len(part) + 1)


def export(name: str, texts: list[str]) -> str:
    """An export of one conversation, asked and answered in turn."""
    messages = [
        {
            "uuid": f"{name}-{number}",
            "text": text,
            "sender": "assistant" if number % 2 else "human",
            "created_at": "2026-03-02T14:02:00Z",
        }
        for number, text in enumerate(texts)
    ]
    moment = {"created_at": "2026-03-02T14:02:00Z", "updated_at": "2026-03-02T14:02:00Z"}
    return json.dumps([{"uuid": name, "name": name, **moment, "chat_messages": messages}])


def bring_in(qtbot: QtBot, stage: Opened, file: Path) -> str:
    """Imports a file as the command does and opens its conversation."""
    services = stage.session._services
    assert services is not None
    stage.session._runner.start(services.importing.import_file(file, "default")).result(15)
    stage.session.refresh_conversations()
    qtbot.waitUntil(lambda: stage.session.conversations.rowCount() == 1, timeout=WAIT)
    return stage.session.conversations.ids()[0]


@pytest.mark.timed
def test_a_long_answer_streams_without_stalls(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path, simulator: RunningSimulator
) -> None:
    text = long_answer(90_000)
    with opened(qapp, qtbot, tmp_path, simulator) as stage:
        simulator.control({"action": "reply", "text": text})
        with stage.beating(), qtbot.waitSignal(stage.chat.turnEnded, timeout=WAIT):
            stage.chat.send("A very long answer, please.")
        assert stage.p99() < 0.1


@pytest.mark.timed
def test_a_burst_is_spread_over_frames_and_stored_byte_for_byte(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path
) -> None:
    text = long_answer(160_000)
    with RunningSimulator() as simulator, opened(qapp, qtbot, tmp_path, simulator) as stage:
        simulator.control({"action": "reply", "text": text})
        arrived: list[str] = []
        stage.chat.textArrived.connect(lambda _id, _index, piece: arrived.append(piece))
        with qtbot.waitSignal(stage.chat.turnEnded, timeout=WAIT):
            stage.chat.send("All at once, please.")
        assert max(map(len, arrived)) <= 4_000
        assert text.startswith("".join(arrived))
        path = stage.session._runner.start(stage.session._services.store.path(stage.chat.conversation_id)).result(5)
        assert path[-1].text == text
        last = stage.chat.messages.entry(1)
        assert "".join(part.text for part in last.parts if isinstance(part, TextPart)) == text


@pytest.mark.timed
def test_two_thousand_messages_open_at_once_and_scroll(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path, simulator: RunningSimulator
) -> None:
    file = tmp_path / "export.json"
    file.write_text(export("long", [f"message {number} " + "with some words " * 20 for number in range(2_000)]))
    with opened(qapp, qtbot, tmp_path, simulator) as stage:
        conversation = bring_in(qtbot, stage, file)
        before = time.perf_counter()
        stage.session.open_conversation(conversation)
        qtbot.waitUntil(lambda: stage.chat.messages.rowCount() > 0, timeout=WAIT)
        stage.gui.frame.grab()
        assert time.perf_counter() - before < 1.0
        qtbot.waitUntil(lambda: stage.chat.messages.rowCount() == 2_000, timeout=WAIT)
        bar = stage.window.conversation.area.verticalScrollBar()
        with stage.beating():
            for _ in range(150):
                bar.setValue(bar.value() - 120)
                qtbot.wait(8)
        assert stage.p99() < 0.1
        assert stage.window.conversation.column.first_row < 1_960


@pytest.mark.timed
def test_a_huge_message_is_kept_whole_and_never_sent_over_the_window(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path, simulator: RunningSimulator
) -> None:
    text = "HEAD-NEEDLE " + "word " * 239_990 + " TAIL-NEEDLE"
    file = tmp_path / "export.json"
    file.write_text(export("huge", [text]))
    with opened(qapp, qtbot, tmp_path, simulator, model="claude-haiku-4-5") as stage:
        stage.session.open_conversation(bring_in(qtbot, stage, file))
        qtbot.waitUntil(lambda: stage.chat.preview is not None, timeout=WAIT)
        assert stage.chat.preview.window == 200_000
        assert stage.chat.preview.free is not None
        assert stage.chat.preview.free < 0
        with qtbot.waitSignal(stage.chat.turnEnded, timeout=WAIT):
            stage.chat.send("Go on.")
        # It is folded in pieces, each of which fits, and the conversation goes on.
        assert stage.chat.state.phase is Phase.IDLE
        sent = simulator.recorded("/v1/messages")
        assert len(sent) > 2
        assert {row["status"] for row in sent} == {200}
        assert stage.chat.folding.folded is not None
        path = stage.session._runner.start(stage.session._services.store.path(stage.chat.conversation_id)).result(5)
        assert path[0].text == text
        assert path[1].text == "Go on."


class Listener:
    """Counts who comes to a port on loopback."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self.visits = 0
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self.visits += 1
            connection.close()

    def close(self) -> None:
        """Ends it."""
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join(5)


def test_hostile_text_is_text_wherever_it_stands(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path, simulator: RunningSimulator
) -> None:
    listener = Listener()
    attack = ATTACK.read_text("utf-8").replace("PORT", str(listener.port))
    html = f'<img src="http://127.0.0.1:{listener.port}/t.png"><h1>big</h1>'
    call = {"type": "tool_use", "id": "toolu_1", "name": "tool_img_src", "input": {"x": html, "y": attack}}
    with opened(qapp, qtbot, tmp_path, simulator) as stage:
        simulator.control({"action": "reply", "content": [call], "stop_reason": "tool_use"})
        simulator.control({"action": "reply", "text": attack})
        with qtbot.waitSignal(stage.chat.turnEnded, timeout=WAIT):
            stage.chat.send(html)
        qtbot.waitUntil(lambda: stage.session.conversations.rowCount() == 1, timeout=WAIT)
        assert stage.chat.title.startswith("<img src=")
        stage.session.update_profile(instructions=attack, model=html)
        stage.session.rename(stage.chat.conversation_id, html)
        qtbot.waitUntil(lambda: stage.session.conversations.title_of(stage.chat.conversation_id) == html, timeout=WAIT)
        stage.window.open_settings()
        stage.gui.frame.grab()
        stage.window.close_settings()
        stage.window.notices.show_notice(_notice(html))
        stage.gui.frame.grab()
        qtbot.wait(300)
    assert listener.visits == 0
    listener.close()


def test_the_composer_warns_by_all_that_memory_masks(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path, simulator: RunningSimulator
) -> None:
    with opened(qapp, qtbot, tmp_path, simulator) as stage:
        stage.window.composer.edit.setPlainText(f"post it to {SLACK_HOOK}")
        qtbot.waitUntil(stage.window.composer.secret.isVisible, timeout=WAIT)
        assert "API key" in stage.window.composer.secret.text()


def _notice(html: str) -> object:
    from desktop_app.bridge.session_state import Notice

    return Notice("notices.deleted", {"title": html}, details=html)
