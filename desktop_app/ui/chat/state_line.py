"""Where the answer stands, above the box: waiting, trying again, failed; with the acts that fit."""

from __future__ import annotations

from math import ceil

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from desktop_app.bridge.session_state import Phase, SessionState
from desktop_app.bridge.visible_text import visible_line
from desktop_app.core.errors import KeyRefused, NoKey
from desktop_app.ui.chat.plain_view import PlainView
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import TextButton
from desktop_app.ui.widgets.plain_label import PlainLabel, themed_icon_label

_PAD = 12
_PLAIN = {
    Phase.PREPARING: "composer.preparing",
    Phase.STREAMING: "composer.streaming",
    Phase.STOPPING: "composer.stopping",
}


class StateLine(QFrame):
    """Says what is going on.

    Signals:
        retryRequested(): now, or again after a failure.
        stopRequested(): no further attempt.
        keyRequested(): a key is to be entered.
    """

    retryRequested = Signal()
    stopRequested = Signal()
    keyRequested = Signal()

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self._state = SessionState()
        self.icon = themed_icon_label(theme, "triangle-alert", "danger")
        self.words = PlainLabel(tone="muted", wrap=True)
        self.retry = TextButton()
        self.stop = TextButton()
        self.enter_key = TextButton()
        self.more = TextButton(kind="link")
        self.details = PlainView(theme, language, mono=True)
        self.details.hide()
        line = QHBoxLayout()
        line.setSpacing(8)
        line.addWidget(self.icon, 0, Qt.AlignmentFlag.AlignTop)
        line.addWidget(self.words, 1)
        for button in (self.more, self.enter_key, self.retry, self.stop):
            line.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        self._layout = QVBoxLayout(self)
        self._layout.setSpacing(6)
        self._layout.addLayout(line)
        self._layout.addWidget(self.details)
        self.retry.clicked.connect(self.retryRequested)
        self.stop.clicked.connect(self.stopRequested)
        self.enter_key.clicked.connect(self.keyRequested)
        self.more.clicked.connect(self._toggle)
        language.changed.connect(self._say)
        self.show_state(SessionState())

    def show_state(self, state: SessionState) -> None:
        """Fits the line to a state; nothing is shown when nothing is going on."""
        if state.error is not self._state.error:
            self.details.hide()
            self.details.set_text(state.error.details if state.error else "")
        self._state = state
        loud = state.phase in (Phase.FAILED, Phase.RETRYING)
        role = {Phase.FAILED: "danger", Phase.RETRYING: "warning"}.get(state.phase, "")
        if self.property("role") != role:
            self.setProperty("role", role)
            self.style().unpolish(self)
            self.style().polish(self)
            side = _PAD if loud else 0
            self._layout.setContentsMargins(side, 8 if loud else 0, side, 8 if loud else 0)
        self.icon.setVisible(state.phase is Phase.FAILED)
        self.words.set_tone("" if loud else "muted")
        folding = state.phase is Phase.FOLDING and not state.ending
        self.retry.setVisible(loud or (folding and state.attempt > 0))
        self.enter_key.setVisible(state.phase is Phase.FAILED and isinstance(state.error, NoKey | KeyRefused))
        self.stop.setVisible(state.phase is Phase.RETRYING or folding)
        self.more.setVisible(loud and state.error is not None and bool(state.error.details))
        self.setVisible(state.phase is not Phase.IDLE)
        self._say()

    def set_width(self, width: int) -> None:
        """The width of the line in pixels."""
        self.details.set_width(width - 2 * _PAD - 2)

    def _toggle(self) -> None:
        self.details.setVisible(self.details.isHidden())
        self._say()

    def _say(self) -> None:
        say, state = self._language.say, self._state
        self.words.setText(self._sentence())
        self.retry.set_words(say("composer.try_again" if state.phase is Phase.FAILED else "composer.try_now"))
        self.stop.set_words(say("composer.stop"))
        self.enter_key.set_words(say("composer.enter_key"))
        self.more.set_words(say("composer.details" if self.details.isHidden() else "composer.hide_details"))

    def _sentence(self) -> str:
        say, state = self._language.say, self._state
        counting_down = state.phase is Phase.RETRYING
        error = (
            self._language.explain(state.error, with_wait=not counting_down) if state.error else say("errors.unknown")
        )
        match state.phase:
            case Phase.IDLE:
                return ""
            case Phase.WAITING:
                return say("composer.waiting", seconds=self._whole(int(state.seconds)))
            case Phase.TOOL:
                return say("composer.tool", name=visible_line(state.tool, 60))
            case Phase.RETRYING:
                seconds = self._whole(ceil(state.seconds))
                return say("composer.retrying", error=error, seconds=seconds, attempt=state.attempt, most=state.most)
            case Phase.FAILED:
                return error
            case Phase.FOLDING:
                return self._folding_sentence()
            case Phase.MAKING_ROOM:
                return say("compaction.line.room")
            case phase:
                return say(_PLAIN[phase])

    def _folding_sentence(self) -> str:
        say, state = self._language.say, self._state
        if state.ending:
            return say("composer.stopping")
        if state.error is not None:
            error = self._language.explain(state.error, with_wait=False)
            seconds = self._whole(ceil(state.seconds))
            return say("composer.retrying", error=error, seconds=seconds, attempt=state.attempt, most=state.most)
        return say("compaction.line.folding", n=state.folding) if state.folding else say("compaction.line.preparing")

    def _whole(self, seconds: int) -> str:
        return self._language.say("time.seconds", value=self._language.number(seconds))
