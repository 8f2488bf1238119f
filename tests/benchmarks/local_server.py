"""Three turns, Stop, restart and go on with a real server of the Messages API, in the window and by command."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from desktop_app.bridge.chat_session import ChatSession
from desktop_app.bridge.entries import TextPart
from desktop_app.bridge.session_state import Phase
from desktop_app.composition import Options
from desktop_app.core.conversation import MessageState, Role
from desktop_app.core.usage import Known
from desktop_app.gui import Gui, new_application
from tests.benchmarks.local_model import NoLocalModel, local_model
from tests.benchmarks.report import Figure, Report, json_argument

_SECONDS = 90.0
_ANSWER = 200
"""Tokens of an answer: a model this small does not know when to end."""


class Failure(Exception):
    """A step did not come out as it should."""


def expect(condition: bool, what: str) -> None:
    """Raises Failure unless it holds."""
    if not condition:
        raise Failure(what)


class InWindow:
    """Drives the real window."""

    def __init__(self, url: str, data_dir: Path) -> None:
        self._app = new_application()
        self._options = Options(data_dir, base_url=url, language="en")
        self.gui = self._open()

    def _open(self) -> Gui:
        gui = Gui(self._app, self._options)
        gui.show()
        self._wait(lambda: gui.session is not None and gui.session.is_ready, "the window is ready")
        gui.session.update_settings(welcomed=True)
        gui.session.update_profile(output_limit=_ANSWER)
        self._wait(lambda: gui.session.endpoint is not None and gui.session.endpoint.models, "the models are listed")
        self._wait(lambda: gui.session.endpoint.model is not None, "the model is chosen")
        return gui

    def _wait(self, condition: Callable[[], object], what: str) -> None:
        end = time.monotonic() + _SECONDS
        while not condition():
            expect(time.monotonic() < end, what)
            self._app.processEvents()
            time.sleep(0.005)

    @property
    def chat(self) -> ChatSession:
        """The conversation in front."""
        assert self.gui.session.current is not None
        return self.gui.session.current

    def text(self) -> str:
        """The text of the last message."""
        entry = self.chat.messages.entry(self.chat.messages.rowCount() - 1)
        return "".join(part.text for part in entry.parts if isinstance(part, TextPart))

    def turn(self, text: str) -> None:
        """One whole turn."""
        self.chat.send(text)
        self._wait(lambda: self.chat.state.busy, "the turn begins")
        self._wait(lambda: not self.chat.state.busy, "the turn ends")
        expect(self.chat.state.phase is Phase.IDLE, f"the turn failed: {self.chat.state.error!r}")
        entry = self.chat.messages.entry(self.chat.messages.rowCount() - 1)
        expect(entry.role is Role.ASSISTANT and bool(self.text()), "there is an answer")
        expect(self.chat.measured is not None, "there is a budget")
        total = self.chat.measured.total
        expect(total.known is Known.MEASURED, "its total is measured")
        expect(sum(row.figure.tokens for row in self.chat.measured.rows) == total.tokens, "its rows sum")

    def stop_in_the_middle(self, text: str) -> float:
        """Stops a long answer; seconds until the window is free again."""
        arrived: list[str] = []
        self.chat.textArrived.connect(lambda _id, _index, piece: arrived.append(piece))
        self.chat.send(text)
        self._wait(lambda: len(arrived) > 2, "text arrives")
        began = time.perf_counter()
        self.chat.stop()
        self._wait(lambda: not self.chat.state.busy, "the turn ends")
        seconds = time.perf_counter() - began
        entry = self.chat.messages.entry(self.chat.messages.rowCount() - 1)
        expect(entry.state is MessageState.STOPPED and bool(self.text()), "the partial answer is kept")
        return seconds

    def restart(self) -> None:
        """Closes the window, opens it again, and opens the same conversation."""
        before, conversation = self.text(), self.chat.conversation_id
        self.gui.close()
        self.gui = self._open()
        self.gui.session.open_conversation(conversation)
        self._wait(lambda: self.chat.loaded and self.chat.messages.rowCount() > 0, "the conversation is loaded")
        expect(self.text() == before, "the text is the same after the restart")


def in_window(url: str, report: Report) -> None:
    """The whole path in the window."""
    with tempfile.TemporaryDirectory() as folder:
        window = InWindow(url, Path(folder))
        for text in ("Hello, who are you?", "Name three colours.", "Thank you. Which one do you like?"):
            window.turn(text)
        stopped = window.stop_in_the_middle("Write a long story about the sea.")
        window.restart()
        window.turn("Please go on.")
        report.rows.append(("window", "3 turns, stop, restart, 1 turn", f"stopped in {stopped * 1000:.0f} ms"))
        report.figures.append(Figure("stop in the window", stopped * 1000, 100, " ms"))
        window.gui.close()


def by_command(url: str, report: Report) -> None:
    """The same with one process for each turn."""
    with tempfile.TemporaryDirectory() as folder:
        settings = {"profiles": {"default": {"output_limit": _ANSWER}}}
        (Path(folder) / "settings.json").write_text(json.dumps(settings))
        options = ["--data-dir", folder, "--base-url", url, "--json"]
        model = json.loads(_models(url))

        def chat(text: str, *more: str) -> dict[str, object]:
            command = [sys.executable, "-m", "desktop_app", "chat", text, "--model", model, *options, *more]
            done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
            expect(done.returncode == 0, done.stderr)
            answer: dict[str, object] = json.loads(done.stdout)
            expect(bool(answer["text"]), "there is an answer")
            return answer

        first = chat("Hello, who are you?")
        here = ("--conversation", str(first["conversation"]))
        for text in ("Name three colours.", "Please go on."):
            answer = chat(text, *here)
            expect(answer["conversation"] == first["conversation"], "the conversation is the same")
        report.rows.append(("command", "3 turns, a process each", str(answer["model"])[-40:]))


def _models(url: str) -> str:
    """The id of the model the server holds, as JSON."""
    import httpx2

    return json.dumps(httpx2.get(f"{url}/v1/models", timeout=10).json()["data"][0]["id"])


def measure() -> Report:
    """Both ways; skipped with the reason where the server cannot be had."""
    report = Report("local server", ("where", "what", "result"))
    try:
        with local_model(600.0) as url:
            in_window(url, report)
            by_command(url, report)
    except NoLocalModel as reason:
        report.skipped.append(f"a server of the Messages API with a local model: {reason}")
    except Failure as failure:
        report.rows.append(("failed", str(failure), ""))
        report.figures.append(Figure("failures", 1, 0))
    return report


if __name__ == "__main__":
    target = json_argument(__doc__ or "")
    sys.exit(measure().finish(target))
