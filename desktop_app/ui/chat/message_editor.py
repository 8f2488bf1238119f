"""The box in which a sent message is changed and sent again."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop_app.core.conversation import is_blank
from desktop_app.ui.chat.growing_edit import EditBox, GrowingEdit
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import TextButton
from desktop_app.ui.widgets.plain_label import PlainLabel


class MessageEditor(EditBox):
    """Edits one message; one to which something is attached needs no text.

    Signals:
        sent(str): the changed text is to be sent.
        cancelled(): nothing is to change.
    """

    sent = Signal(str)
    cancelled = Signal()

    def __init__(
        self, theme: Theme, language: Language, text: str, *, needs_text: bool = True, parent: QWidget | None = None
    ) -> None:
        super().__init__(GrowingEdit(theme, most=16), parent)
        self._language, self._needs_text = language, needs_text
        self.edit.setPlainText(text)
        self.hint = PlainLabel(tone="muted", wrap=True)
        self.send = TextButton(kind="primary")
        self.cancel = TextButton()
        line = QHBoxLayout()
        line.setSpacing(8)
        line.addWidget(self.hint, 1)
        line.addWidget(self.cancel)
        line.addWidget(self.send)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(13, 10, 12, 10)
        layout.setSpacing(10)
        layout.addWidget(self.edit)
        layout.addLayout(line)
        self.send.clicked.connect(self._send)
        self.cancel.clicked.connect(self.cancelled)
        self.edit.entered.connect(self._send)
        self.edit.escaped.connect(self.cancelled)
        self.edit.textChanged.connect(self._weigh)
        language.changed.connect(self._retranslate)
        self._retranslate()
        self._weigh()

    def _send(self) -> None:
        self.edit.settle()
        if self._can_send():
            self.sent.emit(self.edit.toPlainText())

    def _can_send(self) -> bool:
        return not (self._needs_text and is_blank(self.edit.toPlainText()))

    def _weigh(self) -> None:
        self.send.setEnabled(self._can_send())

    def _retranslate(self) -> None:
        say = self._language.say
        self.send.set_words(say("chat.edit_send"))
        self.cancel.set_words(say("chat.edit_cancel"))
        self.hint.setText(say("chat.edit_hint"))
        self.edit.setAccessibleName(say("chat.edit"))
