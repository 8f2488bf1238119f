"""Plays the tour: the real window on a temporary data folder, used as a person would, a picture of each step."""

from __future__ import annotations

import json
import tempfile
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QSize, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPixmap
from PySide6.QtWidgets import QApplication, QDialog, QWidget

from desktop_app.bridge.app_session import AppSession
from desktop_app.bridge.chat_session import ChatSession
from desktop_app.bridge.entries import Entry, TextPart, ToolPart
from desktop_app.bridge.session_state import Phase
from desktop_app.composition import Options
from desktop_app.core.conversation import MessageState
from desktop_app.core.usage import Known
from desktop_app.gui import Gui, new_application
from desktop_app.ui.chat.message_view import MessageView
from desktop_app.ui.main_window import MainWindow

W = TypeVar("W", bound=QWidget)
SIZE = QSize(1440, 900)
_SECONDS = 20.0
_INSTRUCTIONS = "Answer briefly and name the place where you read something. The backups go to the NAS every night."
_SCENARIO = [
    {
        "action": "status",
        "status": 429,
        "retry_after": 6,
        "count": 1,
        "match": {"text": "Are you still there?"},
    }
]
"""One answer is refused for a moment, so that the countdown can be seen."""


class StepFailed(AssertionError):
    """A step did not show what it should."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step as `tour.json` tells it; `seconds` it took, `picture` the name of its PNG."""

    name: str
    passed: bool
    seconds: float
    picture: str


class Tour:
    """Runs the steps in order; a step that fails is told and the tour goes on."""

    def __init__(self, directory: Path, data_dir: Path) -> None:
        self._directory = directory
        scenario = data_dir / "scenario.json"
        data_dir.mkdir(parents=True, exist_ok=True)
        scenario.write_text(json.dumps(_SCENARIO))
        self._options = Options(
            data_dir, language="en", simulator_arguments=("--scenario", str(scenario), "--speed", "90")
        )
        self._app = new_application()
        self._gui = self._open()
        self.steps: list[Step] = []

    def _open(self) -> Gui:
        gui = Gui(self._app, self._options)
        gui.frame.resize(SIZE)
        gui.show()
        self.wait(lambda: gui.window is not None, "the window is built")
        return gui

    @property
    def _window(self) -> MainWindow:
        if self._gui.window is None:
            raise StepFailed("the window is not built")
        return self._gui.window

    @property
    def _session(self) -> AppSession:
        if self._gui.session is None:
            raise StepFailed("the session is not there")
        return self._gui.session

    # -- acting like a person ---------------------------------------------------------------------

    @property
    def chat(self) -> ChatSession:
        """The conversation in front."""
        chat = self._session.current
        if chat is None:
            raise StepFailed("no conversation is open")
        return chat

    def wait(self, condition: Callable[[], bool], what: str) -> None:
        """Lets the window live until something holds."""
        end = time.monotonic() + _SECONDS
        while not condition():
            if time.monotonic() > end:
                raise StepFailed(f"waited in vain: {what}")
            self.live(0.02)

    def live(self, seconds: float) -> None:
        """Lets the window live for a while."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self._app.processEvents()
            time.sleep(0.005)

    def click(self, widget: QWidget, place: QPoint | None = None) -> None:
        """Presses and releases the left button on a widget, as the pointer would."""
        if not widget.isVisible() or not widget.isEnabled():
            raise StepFailed(f"cannot be clicked: {widget.accessibleName() or widget.objectName()}")
        point = QPointF(place or widget.rect().center())
        for kind in (QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonRelease):
            left = Qt.MouseButton.LeftButton
            held = left if kind is QEvent.Type.MouseButtonPress else Qt.MouseButton.NoButton
            event = QMouseEvent(kind, point, widget.mapToGlobal(point), left, held, Qt.KeyboardModifier.NoModifier)
            self._app.sendEvent(widget, event)
        self.live(0.05)

    def press(self, widget: QWidget, key: Qt.Key, text: str = "") -> None:
        """Presses and releases a key on a widget."""
        for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
            self._app.sendEvent(widget, QKeyEvent(kind, key, Qt.KeyboardModifier.NoModifier, text))

    def type(self, text: str) -> None:
        """Types into the composer."""
        field = self._window.composer.edit
        field.setFocus()
        for letter in text:
            self.press(field, Qt.Key.Key_unknown, letter)
        self.live(0.3)

    def send(self, text: str) -> None:
        """Types and presses Enter."""
        self.type(text)
        self.press(self._window.composer.edit, Qt.Key.Key_Return)
        self.wait(lambda: self.chat.state.busy or self.chat.messages.rowCount() > 0, "the message leaves")

    def answered(self) -> Entry:
        """Waits for the end of the answer; the last entry."""
        self.wait(lambda: not self.chat.state.busy, "the answer ends")
        if self.chat.state.phase is Phase.FAILED:
            raise StepFailed(f"the turn failed: {self.chat.state.error!r}")
        self.live(0.4)
        return self.last()

    def last(self) -> Entry:
        """The last message shown."""
        return self.chat.messages.entry(self.chat.messages.rowCount() - 1)

    def view(self, row: int) -> MessageView:
        """The widget of a message; the pointer goes there, so that its buttons come."""
        view = self._window.conversation.column.view_of_row(row)
        if view is None:
            raise StepFailed(f"message {row} is not on the screen")
        view.actions_row.set_open(True)
        self.live(0.05)
        return view

    # -- the steps -------------------------------------------------------------------------------

    def first_run(self) -> None:
        """The page a new person sees."""
        self.wait(lambda: self._session.is_ready, "the data is open")
        self.live(0.5)
        _hold(self._window.first_run.isVisible(), "the first page is shown")

    def try_without_a_key(self) -> None:
        """One click leads to the simulated assistant."""
        self.click(self._window.first_run.demo.main)
        self.wait(lambda: self._session.endpoint is not None and bool(self._session.endpoint.models), "it runs")
        self.live(0.5)
        _hold(self._window.conversation.empty.isVisible(), "the empty chat explains itself")
        self._session.update_profile(instructions=_INSTRUCTIONS)

    def send_and_stream(self) -> None:
        """A message leaves and its answer arrives piece by piece."""
        arrived: list[str] = []
        self.chat.textArrived.connect(lambda _id, _index, text: arrived.append(text))
        self.send("Please write 260 words about a harbour in winter.")
        self.wait(lambda: len("".join(arrived)) > 500, "text arrives")
        _hold(self.chat.state.phase is Phase.STREAMING, "more is to come")
        self.live(0.1)

    def stop(self) -> None:
        """Stop keeps what has arrived."""
        before = time.monotonic()
        self.click(self._window.composer.send)
        self.wait(lambda: not self.chat.state.busy, "the turn ends")
        _hold(time.monotonic() - before < 1.0, "it stops at once")
        self.live(0.3)
        _hold(self.last().state is MessageState.STOPPED and len(_text(self.last())) > 400, "the partial answer stays")

    def budget_of_the_turn(self) -> None:
        """The rows of the last request sum to what the endpoint measured."""
        self.send("My spare key is in the blue box on the shelf.")
        self.answered()
        self.send("Where is my spare key?")
        entry = self.answered()
        _hold("blue box" in _text(entry), "the answer is read from the request")
        budget = self.chat.measured
        _hold(budget is not None and budget.total.known is Known.MEASURED, "the total is measured")
        _hold(budget is not None and sum(row.figure.tokens for row in budget.rows) == budget.total.tokens, "rows sum")

    def tool(self) -> None:
        """Two calls of the calculator side by side."""
        self.send("Please use the calculator for 1250*0.19 and 84/7.")
        self.answered()
        calls = [
            part
            for row in range(self.chat.messages.rowCount())
            for part in self.chat.messages.entry(row).parts
            if isinstance(part, ToolPart)
        ]
        _hold([call.result for call in calls] == ["237.5", "12"], "both results are right")

    def cut_and_continue(self) -> None:
        """An answer cut by the output limit goes on."""
        self._session.update_profile(output_limit=150)
        self.live(0.3)
        self.send("Please write 130 words about lighthouses.")
        _hold(self.answered().stop_reason == "max_tokens", "the limit cuts the answer")
        self._session.update_profile(output_limit=16_000)
        self.live(0.3)
        self.click(_shown(self.view(self.chat.messages.rowCount() - 1).notice).go_on)
        _hold(self.answered().stop_reason == "end_turn", "the rest arrives")

    def edit(self) -> None:
        """An earlier message is changed and sent again; the first version stays."""
        row = next(row for row in range(self.chat.messages.rowCount()) if "blue box" in _text(self._entry(row)))
        self._window.conversation.reveal(self._entry(row).id)
        self.live(0.2)
        view = self.view(row)
        self.click(_shown(view.actions_row.tools).edit)
        if view.editor is None:
            raise StepFailed("the message cannot be edited")
        view.editor.edit.setPlainText("My spare key is with our neighbour Kim.")
        self.click(view.editor.send)
        self.answered()
        self.wait(lambda: self._entry(row).branch == (2, 2), "there are two versions")
        self.send("Where is my spare key?")
        _hold("neighbour Kim" in _text(self.answered()), "the answer knows the changed text")

    def regenerate(self) -> None:
        """An answer is asked for again; both can be looked at."""
        row = self.chat.messages.rowCount() - 1
        self.click(_shown(self.view(row).actions_row.tools).again)
        self.answered()
        self.wait(lambda: self.last().branch == (2, 2), "there are two answers")
        self.view(self.chat.messages.rowCount() - 1)

    def second_conversation(self) -> None:
        """Two conversations stream side by side."""
        self.send("Please write 300 words about trams.")
        first = self.chat
        self.wait(lambda: first.state.phase is Phase.STREAMING, "the first streams")
        self.click(self._window.sidebar.new_chat)
        self.send("Please write 90 words about bridges.")
        second = self.chat
        self.wait(lambda: second.state.phase is Phase.STREAMING and first.state.busy, "both stream")
        self.live(0.8)
        _hold(first is not second, "they are two")
        self.wait(lambda: not first.state.busy and not second.state.busy, "both end")
        self.live(0.4)

    def past_request(self) -> None:
        """A request of the past, exactly as it was sent."""
        self._session.open_conversation(self._first_conversation())
        self.wait(lambda: len(self.chat.history) > 3, "the history is loaded")
        self.chat.show_request(self.chat.history[0].id)
        self.live(0.5)
        self._window.context.open_raw()
        self.live(0.5)

    def waiting_for_the_next_try(self) -> None:
        """The endpoint is busy; the countdown to the next try is in the open."""
        _close_dialogs(self._app)
        self.send("Are you still there?")
        self.wait(lambda: self.chat.state.phase is Phase.RETRYING, "the countdown runs")
        self.live(0.5)

    def try_now(self) -> None:
        """One need not wait."""
        self.click(self._window.composer.state_line.retry)
        self.answered()

    def settings(self) -> None:
        """Everything one can choose, on one page."""
        self.click(self._window.top_bar.settings)
        self.live(0.4)
        _hold(self._window.settings_page.isVisible(), "the settings are open")

    def restart(self) -> None:
        """Closed and opened again, everything is there and the talk goes on."""
        conversation, letters = self._first_conversation(), self._all_letters(self._first_conversation())
        self._gui.close()
        self._gui = self._open()
        self.wait(lambda: self._session.is_ready, "the data is open")
        self.wait(lambda: self._session.conversations.rowCount() == 2, "both conversations are listed")
        self._session.open_conversation(conversation)
        self.wait(lambda: self.chat.loaded and self.chat.messages.rowCount() > 4, "the conversation is loaded")
        _hold(self._all_letters(conversation) == letters, "every letter is there")
        self.send("And where is my spare key?")
        _hold("neighbour Kim" in _text(self.answered()), "the talk goes on")

    def korean(self) -> None:
        """The other language, switched while the window is open."""
        self._session.update_settings(language="ko")
        self.live(0.3)
        self.send("고양이 사료는 창고 둘째 칸에 있어요.")
        self.answered()
        self.send("고양이 사료는 어디에 있어요?")
        _hold("둘째 칸" in _text(self.answered()), "the answer is read from the request")

    def dark(self) -> None:
        """The dark palette."""
        self._session.update_settings(theme="dark")
        self.live(0.5)

    def dark_settings(self) -> None:
        """The settings, dark and in Korean."""
        self.click(self._window.top_bar.settings)
        self.live(0.4)

    def palette(self) -> None:
        """Every act by its name."""
        self.click(self._window.top_bar.settings)
        self._window.open_palette()
        self.live(0.4)

    # -- helping the steps ------------------------------------------------------------------------

    def _entry(self, row: int) -> Entry:
        return self.chat.messages.entry(row)

    def _first_conversation(self) -> str:
        conversations = self._session.conversations
        return next(name for name in conversations.ids() if "harbour" in conversations.title_of(name))

    def _all_letters(self, conversation: str) -> str:
        self._session.open_conversation(conversation)
        self.wait(lambda: self.chat.loaded, "the conversation is loaded")
        return "".join(_text(self._entry(row)) for row in range(self.chat.messages.rowCount()))

    # -- running ---------------------------------------------------------------------------------

    def play(self) -> bool:
        """Runs every step; True when all of them passed."""
        steps: tuple[Callable[[], None], ...] = (
            self.first_run,
            self.try_without_a_key,
            self.send_and_stream,
            self.stop,
            self.budget_of_the_turn,
            self.tool,
            self.cut_and_continue,
            self.edit,
            self.regenerate,
            self.second_conversation,
            self.past_request,
            self.waiting_for_the_next_try,
            self.try_now,
            self.settings,
            self.restart,
            self.korean,
            self.dark,
            self.dark_settings,
            self.palette,
        )
        for number, step in enumerate(steps, 1):
            self._play(number, step)
        self._gui.close()
        return all(step.passed for step in self.steps)

    def _play(self, number: int, step: Callable[[], None]) -> None:
        name = step.__name__
        picture = f"{number:02d}-{name.replace('_', '-')}.png"
        began = time.monotonic()
        try:
            step()
            passed = True
        except Exception:
            traceback.print_exc()
            passed = False
        seconds = round(time.monotonic() - began, 2)
        self._picture().save(str(self._directory / picture))
        self.steps.append(Step(name, passed, seconds, picture))
        print(f"{number:2d}  {'ok  ' if passed else 'FAIL'}  {seconds:5.1f} s  {name}", flush=True)

    def _picture(self) -> QPixmap:
        """The window with what lies over it."""
        frame = self._gui.frame
        picture = frame.grab()
        painter = QPainter(picture)
        for widget in self._app.topLevelWidgets():
            if widget.isVisible() and widget is not frame:
                place = QRect(frame.mapFromGlobal(widget.pos()), widget.size())
                if isinstance(widget, QDialog):
                    place.moveCenter(frame.rect().center())
                painter.drawPixmap(place.topLeft(), widget.grab())
                painter.setPen(self._gui.theme.tokens.line)
                painter.drawRect(place)
        painter.end()
        return picture


def _shown(widget: W | None) -> W:
    """A part of a message that is only built where it is needed."""
    if widget is None:
        raise StepFailed("a part of the message is not shown")
    return widget


def _hold(condition: bool, what: str) -> None:
    if not condition:
        raise StepFailed(f"does not hold: {what}")


def _text(entry: Entry) -> str:
    return "\n\n".join(part.text for part in entry.parts if isinstance(part, TextPart))


def _close_dialogs(app: QApplication) -> None:
    for widget in app.topLevelWidgets():
        if isinstance(widget, QDialog) and widget.isVisible():
            widget.close()


def run_tour(directory: Path) -> int:
    """Plays the tour into a folder: a PNG a step and `tour.json`; the exit code is 1 if a step fails."""
    directory.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as data:
        tour = Tour(directory, Path(data))
        passed = tour.play()
    steps = [
        {"name": step.name, "pass": step.passed, "seconds": step.seconds, "picture": step.picture}
        for step in tour.steps
    ]
    (directory / "tour.json").write_text(json.dumps({"steps": steps}, indent=2) + "\n", encoding="utf-8")
    return 0 if passed else 1
