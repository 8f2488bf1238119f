"""Gathers the pieces of an answer for a frame and keeps how far it has come.

Signals:
    textArrived(str, int, str), thinkingArrived(str, int, str): message id, block index, what came since.
"""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, QTimer, Signal

from desktop_app.bridge.entries import Part, TextPart, ThinkingPart
from desktop_app.bridge.message_list import MessageListModel

_GATHER_MS = 33
_MOST_LETTERS = 4_000
"""Letters passed on in one frame; a burst is spread over several, so that no frame takes long."""


class ArrivingText(QObject):
    """Takes single pieces, passes them on at most thirty times a second, and holds them in the message's entry."""

    textArrived = Signal(str, int, str)
    thinkingArrived = Signal(str, int, str)

    def __init__(self, messages: MessageListModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._messages = messages
        self._waiting: dict[tuple[str, int, bool], list[str]] = {}
        self._parts: dict[int, Part] = {}
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_GATHER_MS)
        self._timer.timeout.connect(self.pass_on)

    @property
    def parts(self) -> tuple[Part, ...]:
        """What has arrived of the message that streams, for a view that comes to it in the middle."""
        return tuple(self._parts[index] for index in sorted(self._parts))

    def begin(self) -> None:
        """Another message begins to stream."""
        self._parts = {}

    def put(self, message_id: str, index: int, text: str, *, thinking: bool) -> None:
        """Takes a piece."""
        self._waiting.setdefault((message_id, index, thinking), []).append(text)
        if not self._timer.isActive():
            self._timer.start()

    def pass_on(self) -> None:
        """Passes on what waits, a burst in several frames."""
        left = _MOST_LETTERS
        for key in list(self._waiting):
            text = "".join(self._waiting.pop(key))
            if len(text) > left:
                self._waiting = {key: [text[left:]], **self._waiting}
                text = text[:left]
            left -= len(text)
            self._tell(key, text)
            if left <= 0:
                break
        if self._waiting:
            self._timer.start()

    def finish(self) -> None:
        """The message is whole: a little that waits is passed on, a backlog is left to the whole entry."""
        self._timer.stop()
        if sum(len(piece) for pieces in self._waiting.values() for piece in pieces) <= _MOST_LETTERS:
            self.pass_on()
        self._waiting = {}

    def stop(self) -> None:
        """Passes nothing on any more."""
        self._timer.stop()

    def _tell(self, key: tuple[str, int, bool], text: str) -> None:
        message_id, index, thinking = key
        self._keep(message_id, index, text, thinking=thinking)
        (self.thinkingArrived if thinking else self.textArrived).emit(message_id, index, text)

    def _keep(self, message_id: str, index: int, text: str, *, thinking: bool) -> None:
        kind = ThinkingPart if thinking else TextPart
        before = self._parts.get(index)
        known = before.text if isinstance(before, TextPart | ThinkingPart) else ""
        self._parts[index] = kind(index, known + text)
        row = self._messages.row_of(message_id)
        if row >= 0:
            self._messages.hold(replace(self._messages.entry(row), parts=self.parts))
