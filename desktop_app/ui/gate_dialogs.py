"""Opens the question in front of the gate's queue over a window, and takes it away again."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from desktop_app.bridge.gate_queue import GateQueue
from desktop_app.core.errors import BadInput
from desktop_app.ui.gate_dialog import GateDialog
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme


class GateDialogs(QObject):
    """Shows the question in front of a queue over a window, as long as it is the one in front."""

    def __init__(self, queue: GateQueue, theme: Theme, language: Language, window: QWidget) -> None:
        super().__init__(window)
        self._queue, self._theme, self._language, self._window = queue, theme, language, window
        self.dialog: GateDialog | None = None
        queue.frontChanged.connect(self._on_front)
        self._on_front()

    def _on_front(self) -> None:
        question = self._queue.front
        if self.dialog is not None and (question is None or question.number != self.dialog.question.number):
            dialog, self.dialog = self.dialog, None
            dialog.withdraw()
        if question is not None and self.dialog is None:
            dialog = self.dialog = GateDialog(question, self._theme, self._language, self._window.window())
            dialog.allowed.connect(self._on_allowed)
            dialog.denied.connect(self._on_denied)
            # Not modal: the answer can be stopped, and every conversation read and used meanwhile.
            dialog.show()
            dialog.activateWindow()

    def _on_allowed(self, value: str | None) -> None:
        if self.dialog is not None:
            try:
                self._queue.allow(self.dialog.question.number, value)
            except BadInput as error:
                self.dialog.refuse(error)

    def _on_denied(self) -> None:
        if self.dialog is not None:
            dialog, self.dialog = self.dialog, None
            self._queue.deny(dialog.question.number)
