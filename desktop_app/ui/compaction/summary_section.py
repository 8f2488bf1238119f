"""The memo in use: what it folded, what that saved, the memo itself, and the way back."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop_app.bridge.shown_folding import Folded, ShownFolding
from desktop_app.bridge.visible_text import visible_line
from desktop_app.ui.compaction.before_after import BeforeAfter
from desktop_app.ui.compaction.folded_list import FoldedList
from desktop_app.ui.compaction.memo_card import MemoCard
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import TextButton
from desktop_app.ui.widgets.plain_label import ElidedLabel, PlainLabel, set_tooltip


class SummarySection(QWidget):
    """`undoAsked`, `messageChosen(id)`."""

    undoAsked = Signal()
    messageChosen = Signal(str)

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self._folded: Folded | None = None
        self.title = PlainLabel(tone="heading")
        self.made = ElidedLabel(tone="muted")
        self.made.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.bars = BeforeAfter(theme, language)
        self.what = PlainLabel(tone="muted", wrap=True)
        self.focus = PlainLabel(tone="muted", wrap=True)
        self.card = MemoCard(theme, language)
        self.list = FoldedList(theme, language)
        self.undo = TextButton()
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self.title)
        head.addWidget(self.made, 1)
        self.list.head.addWidget(self.undo)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addLayout(head)
        for widget in (self.bars, self.what, self.focus, self.card, self.list):
            layout.addWidget(widget)
        self.undo.clicked.connect(self.undoAsked)
        self.list.messageChosen.connect(self.messageChosen)
        language.changed.connect(self._say)
        self._say()

    def show_folding(self, folding: ShownFolding, *, busy: bool) -> None:
        """Fits the section to what is folded; `busy` while nothing can be undone."""
        folded = folding.folded
        self.setVisible(folded is not None)
        self.undo.setEnabled(not busy)
        if folded is not None:
            if folded.message_ids != (self._folded.message_ids if self._folded else None):
                self.list.show_messages(folding.path, folded.message_ids)
            self.card.show_memo(folded.compaction.memo)
            self.bars.show_figures(folded.before, folded.after)
        self._folded = folded
        self._say()

    def _say(self) -> None:
        say, language = self._language.say, self._language
        self.title.setText(say("compaction.current.title"))
        self.undo.set_words(say("compaction.current.undo"))
        set_tooltip(self.undo, say("compaction.current.undo_hint"))
        if self._folded is None:
            return
        one = self._folded.compaction
        model = visible_line(one.model, 60)
        self.made.set_whole(" · ".join((model, language.seconds(one.seconds), language.when(one.created_at))))
        first, last = self._folded.turns
        self.what.setText(say("compaction.current.what", n=one.folded, first=first, last=last))
        self.focus.setText(say("compaction.current.focus", focus=visible_line(one.focus, 300)))
        self.focus.setVisible(bool(one.focus))
