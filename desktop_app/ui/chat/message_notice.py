"""The line under a message that did not end as it should: stopped, interrupted, cut at a limit, refused, empty."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop_app.bridge.entries import Entry
from desktop_app.bridge.visible_text import visible_line
from desktop_app.core.conversation import MessageState
from desktop_app.core.refusal import Refusal
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import TextButton
from desktop_app.ui.widgets.plain_label import PlainLabel, themed_icon_label

_QUIET = ("chat.stopped", "chat.left_out", "chat.shows_nothing")
_EXPLANATION = 2_000
_ICON, _GAP = 16, 8


class MessageNotice(QWidget):
    """Says how a message ended; `reason` below it is what the endpoint says of a refusal.

    Signals:
        continueAsked(): the rest of a reply that is not finished is wanted.
    """

    continueAsked = Signal()

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self._message, self._can_continue = "", False
        self._refusal: Refusal | None = None
        self.words = PlainLabel(tone="warning", wrap=True)
        self.reason = PlainLabel(tone="muted", wrap=True)
        self.go_on = TextButton()
        self.go_on.clicked.connect(self.continueAsked)
        self.reason.setContentsMargins(_ICON + _GAP, 0, 0, 0)
        line = QHBoxLayout()
        line.setSpacing(_GAP)
        line.addWidget(themed_icon_label(theme, "info", "warning"))
        line.addWidget(self.words, 1)
        line.addWidget(self.go_on)
        lines = QVBoxLayout(self)
        lines.setContentsMargins(0, 6, 0, 0)
        lines.setSpacing(4)
        lines.addLayout(line)
        lines.addWidget(self.reason)
        language.changed.connect(self._retranslate)

    def show_entry(self, entry: Entry, *, last: bool, busy: bool) -> None:
        """Fits the line to a message; nothing is shown where all is well."""
        self._message = message_of(entry)
        self._refusal = entry.refusal if self._message == "chat.refused" else None
        self._can_continue = last and not busy and entry.can_continue
        self.setVisible(bool(self._message))
        self.words.set_tone("muted" if self._message in _QUIET else "warning")
        self._retranslate()

    def _retranslate(self) -> None:
        if self._message:
            self.words.setText(self._language.say(self._message))
        self.reason.setText(self._said_reason())
        self.reason.setVisible(self._refusal is not None)
        self.go_on.set_words(self._language.say("chat.continue"))
        self.go_on.setVisible(self._can_continue)

    def _said_reason(self) -> str:
        """Category and explanation, each on its own line; both come from outside."""
        if self._refusal is None:
            return ""
        say, lines = self._language.say, []
        if category := visible_line(self._refusal.category, 80):
            lines.append(say("chat.refusal_category", category=category))
        if explanation := visible_line(self._refusal.explanation, _EXPLANATION):
            lines.append(say("chat.refusal_explanation", explanation=explanation))
        return "\n".join(lines)


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
    if (known_reason := known.get(entry.stop_reason or "")) is not None:
        return known_reason
    if entry.left_out:
        return "chat.left_out"
    if entry.can_continue:
        return "chat.cut_tools"
    return "chat.shows_nothing" if entry.shows_nothing else ""
