"""The acts on a summary, always in sight below the panel: commit, again, edit, reject; or keep and cancel an edit."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QSizePolicy, QWidget

from desktop_app.ui.language import Language
from desktop_app.ui.widgets.buttons import TextButton
from desktop_app.ui.widgets.flow_line import FlowLine
from desktop_app.ui.widgets.plain_label import set_tooltip

_ROOMY = 400
"""Pixels in which four buttons stand beside each other."""


class ActBar(QFrame):
    """Each button has its signal of the same name."""

    committed = Signal()
    againAsked = Signal()
    editAsked = Signal()
    rejected = Signal()
    kept = Signal()
    cancelled = Signal()

    def __init__(self, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self._lost = 0
        self._editable = False
        self.commit = TextButton(kind="primary")
        self.keep = TextButton(kind="primary")
        self.again, self.edit, self.cancel = TextButton(), TextButton(), TextButton()
        self.reject = TextButton(kind="danger")
        buttons = (self.commit, self.keep, self.again, self.edit, self.cancel, self.reject)
        signals = (self.committed, self.kept, self.againAsked, self.editAsked, self.cancelled, self.rejected)
        line = self._line = FlowLine(self, last_right=True)
        line.setContentsMargins(16, 10, 16, 12)
        for button, signal in zip(buttons, signals, strict=True):
            line.addWidget(button)
            button.clicked.connect(signal)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        language.changed.connect(self._say)
        self._say()

    def show_acts(self, *, proposal: bool, editing: bool, editable: bool, busy: bool, lost: int) -> None:
        """Which acts are possible: on a `proposal`, or on an edit; none of them while something runs."""
        self._lost = lost
        self.setVisible(proposal or editing)
        for button in (self.commit, self.again, self.reject):
            button.setVisible(proposal and not editing)
        self._editable = proposal and editable and not editing
        self._fit()
        self.again.setVisible(proposal and editable and not editing)
        for button in (self.keep, self.cancel):
            button.setVisible(editing)
        for button in (self.commit, self.again, self.edit, self.reject, self.keep):
            button.setEnabled(not busy)
        self._say()
        self._line.activate()  # other words need other places at once

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where there is no room for all in a line, the card's own Edit has to do."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        self.edit.setVisible(self._editable and self.width() >= _ROOMY)

    def _say(self) -> None:
        say = self._language.say
        self.commit.set_words(say("compaction.act.commit"))
        self.again.set_words(say("compaction.act.again_lost" if self._lost else "compaction.act.again"))
        self.edit.set_words(say("compaction.act.edit"))
        self.reject.set_words(say("compaction.act.reject"))
        self.keep.set_words(say("compaction.act.keep"))
        self.cancel.set_words(say("compaction.act.cancel"))
        for button, word in ((self.commit, "commit"), (self.again, "again"), (self.reject, "reject")):
            set_tooltip(button, say(f"compaction.act.{word}_hint"))
