"""A folding under way: what goes, the memo as it arrives, and Stop."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop_app.bridge.session_state import SessionState
from desktop_app.bridge.shown_folding import ShownFolding
from desktop_app.ui.compaction.memo_card import MemoCard
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import TextButton
from desktop_app.ui.widgets.plain_label import PlainLabel


class RunningSection(QWidget):
    """`stopAsked`."""

    stopAsked = Signal()

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self._folding: ShownFolding | None = None
        self._state = SessionState()
        self.title = PlainLabel(tone="heading", wrap=True)
        self.stop = TextButton()
        self.what = PlainLabel(tone="muted", wrap=True)
        self.again = PlainLabel(tone="warning", wrap=True)
        self.card = MemoCard(theme, language)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self.title, 1)
        head.addWidget(self.stop, 0, Qt.AlignmentFlag.AlignTop)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addLayout(head)
        for widget in (self.what, self.again, self.card):
            layout.addWidget(widget)
        self.stop.clicked.connect(self.stopAsked)
        language.changed.connect(self._say)
        self._say()

    def show_folding(self, folding: ShownFolding, state: SessionState) -> None:
        """Fits the section to how far it is."""
        self._folding, self._state = folding, state
        self.stop.setEnabled(not state.ending)
        self.show_memo()
        self._say()

    def show_memo(self) -> None:
        """The memo as far as it has arrived."""
        memo = self._folding.memo if self._folding is not None else ""
        self.card.show_memo(memo, arriving=True)
        self.card.setVisible(bool(memo))

    def _say(self) -> None:
        say, language = self._language.say, self._language
        self.stop.set_words(say("composer.stop"))
        running = self._folding.running if self._folding is not None else None
        self.what.setVisible(running is not None)
        self.again.setVisible(running is not None and running.attempt > 1)
        self.again.setText(say("compaction.running.again"))
        if self._state.ending:
            self.title.setText(say("composer.stopping"))
        elif running is None:
            self.title.setText(say("compaction.line.preparing"))
        else:
            self.title.setText(say("compaction.running.title", n=len(running.message_ids)))
        if running is not None:
            first, last = running.turns
            before = f"{running.before.known.sign} {language.number(running.before.tokens)}"
            self.what.setText(say("compaction.running.what", first=first, last=last, before=before))
