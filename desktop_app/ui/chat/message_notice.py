"""The line under a message that did not end as it should: stopped, interrupted, cut at a limit, refused."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from desktop_app.bridge.entries import Entry
from desktop_app.core.conversation import MessageState
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import TextButton
from desktop_app.ui.widgets.plain_label import PlainLabel, themed_icon_label

_QUIET = ("chat.stopped", "chat.left_out")


class MessageNotice(QWidget):
    """Says how a message ended.

    Signals:
        continueAsked(): the rest of a reply that is not finished is wanted.
    """

    continueAsked = Signal()

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self._message, self._can_continue = "", False
        self.words = PlainLabel(tone="warning", wrap=True)
        self.go_on = TextButton()
        self.go_on.clicked.connect(self.continueAsked)
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 6, 0, 0)
        line.setSpacing(8)
        line.addWidget(themed_icon_label(theme, "info", "warning"))
        line.addWidget(self.words, 1)
        line.addWidget(self.go_on)
        language.changed.connect(self._retranslate)

    def show_entry(self, entry: Entry, *, last: bool, busy: bool) -> None:
        """Fits the line to a message; nothing is shown where all is well."""
        self._message = message_of(entry)
        self._can_continue = last and not busy and entry.can_continue
        self.setVisible(bool(self._message))
        self.words.set_tone("muted" if self._message in _QUIET else "warning")
        self._retranslate()

    def _retranslate(self) -> None:
        if self._message:
            self.words.setText(self._language.say(self._message))
        self.go_on.set_words(self._language.say("chat.continue"))
        self.go_on.setVisible(self._can_continue)


def message_of(entry: Entry) -> str:
    """The catalogue id of how a message ended; empty where all is well."""
    if entry.state is MessageState.STOPPED:
        return "chat.stopped"
    if entry.state is MessageState.INTERRUPTED:
        return "chat.interrupted"
    known = {
        "max_tokens": "chat.cut_output",
        "model_context_window_exceeded": "chat.cut_window",
        "refusal": "chat.refused",
    }
    ended = "chat.left_out" if entry.left_out else "chat.cut_tools" if entry.can_continue else ""
    return known.get(entry.stop_reason or "", ended)
