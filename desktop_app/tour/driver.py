"""Drives the window as a person would: it waits, clicks, types, reads what is shown and takes pictures."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QSize, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPixmap
from PySide6.QtWidgets import QDialog, QWidget

from desktop_app.bridge.app_session import AppSession
from desktop_app.bridge.chat_session import ChatSession
from desktop_app.bridge.entries import Entry, TextPart
from desktop_app.bridge.session_state import Phase
from desktop_app.composition import Options, end_connections, start_connections
from desktop_app.gui import Gui, new_application
from desktop_app.tour.chapter import StepFailed
from desktop_app.ui.chat.message_view import MessageView
from desktop_app.ui.main_window import MainWindow

SIZE = QSize(1440, 900)
_SECONDS = 20.0


class Driver:
    """Holds the window open on `data_dir`; `scenario` has the rules of the simulated assistant."""

    def __init__(self, data_dir: Path, scenario: list[dict[str, Any]]) -> None:
        rules = data_dir / "scenario.json"
        rules.write_text(json.dumps(scenario), encoding="utf-8")
        simulator = ("--scenario", str(rules), "--speed", "90")
        self._options = Options(data_dir, language="en", simulator_arguments=simulator)
        self._app = new_application()
        self._gui = self._open()

    def _open(self) -> Gui:
        self._connections = start_connections()
        gui = Gui(self._app, self._options, self._connections)
        gui.frame.resize(SIZE)
        gui.show()
        self.wait(lambda: gui.window is not None, "the window is built")
        return gui

    def close(self) -> None:
        """Closes the window."""
        self._gui.close()
        end_connections(self._connections)

    def restart(self) -> None:
        """Closes the window and opens it again on the same data."""
        self.close()
        self._gui = self._open()
        self.wait(lambda: self.session.is_ready, "the data is open")

    # -- what there is ---------------------------------------------------------------------------

    @property
    def window(self) -> MainWindow:
        """The window's content."""
        if self._gui.window is None:
            raise StepFailed("the window is not built")
        return self._gui.window

    @property
    def session(self) -> AppSession:
        """What the window shows."""
        if self._gui.session is None:
            raise StepFailed("the session is not there")
        return self._gui.session

    @property
    def chat(self) -> ChatSession:
        """The conversation in front."""
        chat = self.session.current
        if chat is None:
            raise StepFailed("no conversation is open")
        return chat

    def entries(self) -> list[Entry]:
        """The messages shown, the first one first."""
        messages = self.chat.messages
        return [messages.entry(row) for row in range(messages.rowCount())]

    def last(self) -> Entry:
        """The last message shown."""
        return self.chat.messages.entry(self.chat.messages.rowCount() - 1)

    def view(self, row: int) -> MessageView:
        """The widget of a message; the pointer goes there, so that its buttons come."""
        view = self.window.conversation.column.view_of_row(row)
        if view is None:
            raise StepFailed(f"message {row} is not on the screen")
        view.actions_row.set_open(True)
        self.live(0.05)
        return view

    def conversation_about(self, word: str) -> str:
        """The id of the conversation with a word in its title."""
        conversations = self.session.conversations
        return next(name for name in conversations.ids() if word in conversations.title_of(name))

    # -- acting like a person --------------------------------------------------------------------

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
        field = self.window.composer.edit
        field.setFocus()
        for letter in text:
            self.press(field, Qt.Key.Key_unknown, letter)
        self.live(0.3)

    def send(self, text: str) -> None:
        """Types and presses Enter."""
        self.type(text)
        self.press(self.window.composer.edit, Qt.Key.Key_Return)
        self.wait(lambda: self.chat.state.busy or self.chat.messages.rowCount() > 0, "the message leaves")

    def answered(self) -> Entry:
        """Waits for the end of the answer; the last entry."""
        self.wait(lambda: not self.chat.state.busy, "the answer ends")
        if self.chat.state.phase is Phase.FAILED:
            raise StepFailed(f"the turn failed: {self.chat.state.error!r}")
        self.live(0.4)
        return self.last()

    def close_dialogs(self) -> None:
        """Closes what lies over the window."""
        for widget in self._app.topLevelWidgets():
            if isinstance(widget, QDialog) and widget.isVisible():
                widget.close()

    # -- pictures --------------------------------------------------------------------------------

    def picture(self) -> QPixmap:
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


def text_of(entry: Entry) -> str:
    """The text of a message without its other parts."""
    return "\n\n".join(part.text for part in entry.parts if isinstance(part, TextPart))
