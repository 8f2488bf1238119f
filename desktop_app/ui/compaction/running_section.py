"""A compaction under way: what goes, how, for how long already, the summary as it arrives, and Stop."""

from __future__ import annotations

import time

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop_app.bridge.session_state import SessionState
from desktop_app.bridge.shown_folding import ShownFolding
from desktop_app.ui.compaction.summary_card import SummaryCard
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import TextButton
from desktop_app.ui.widgets.plain_label import PlainLabel

_TICK_MS = 1_000


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
        self.how = PlainLabel(tone="muted", wrap=True)
        self.again = PlainLabel(tone="warning", wrap=True)
        self.card = SummaryCard(theme, language)
        self._clock = QTimer(self)
        self._clock.setInterval(_TICK_MS)
        self._clock.timeout.connect(self._say_how)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self.title, 1)
        head.addWidget(self.stop, 0, Qt.AlignmentFlag.AlignTop)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addLayout(head)
        for widget in (self.what, self.how, self.again, self.card):
            layout.addWidget(widget)
        self.stop.clicked.connect(self.stopAsked)
        language.changed.connect(self._say)
        self._say()

    def show_folding(self, folding: ShownFolding, state: SessionState) -> None:
        """Fits the section to how far it is."""
        self._folding, self._state = folding, state
        self.stop.setEnabled(not state.ending)
        if folding.running is None:
            self._clock.stop()
        elif not self._clock.isActive():
            self._clock.start()
        self.show_text()
        self._say()

    def show_text(self) -> None:
        """The summary as far as it has arrived."""
        text = self._folding.arriving if self._folding is not None else ""
        self.card.show_arriving(text)
        self.card.setVisible(bool(text))

    def hideEvent(self, event: QHideEvent) -> None:
        """Nobody looks at the clock."""
        self._clock.stop()
        super().hideEvent(event)

    def _say_how(self) -> None:
        running = self._folding.running if self._folding is not None else None
        self.how.setVisible(running is not None)
        if running is not None:
            say, elapsed = self._language.say, max(0.0, time.monotonic() - running.began)
            strategy = say(f"compaction.strategy.{running.strategy}")
            seconds = self._language.seconds(float(round(elapsed)) if elapsed >= 1 else 0.0)
            self.how.setText(say("compaction.running.how", strategy=strategy, attempt=running.attempt, elapsed=seconds))

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
        self._say_how()
