"""Which answer the panel tells of: its question in one line, the ones before and behind it, the way to the newest."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop_app.bridge.recall_session import RecallSession
from desktop_app.bridge.visible_text import visible_line
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import IconButton, TextButton
from desktop_app.ui.widgets.plain_label import ElidedLabel, PlainLabel

_QUESTION = 300


class QuestionHead(QWidget):
    """Signals: stepped(int): -1 the question before, +1 the next; newestAsked(); shownAsked(): show it in the chat."""

    stepped = Signal(int)
    newestAsked = Signal()
    shownAsked = Signal()

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self.place = PlainLabel(tone="heading")
        self.newest = TextButton(kind="link")
        self.before = IconButton(theme, "chevron-left")
        self.after = IconButton(theme, "chevron-right")
        self.question = ElidedLabel()
        self.show_question = TextButton(kind="link")
        line = QHBoxLayout()
        line.setSpacing(4)
        line.addWidget(self.place)
        line.addStretch(1)
        for button in (self.newest, self.before, self.after):
            line.addWidget(button)
        asked = QHBoxLayout()
        asked.setSpacing(8)
        asked.addWidget(self.question, 1)
        asked.addWidget(self.show_question)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addLayout(line)
        column.addLayout(asked)
        self.before.clicked.connect(lambda: self.stepped.emit(-1))
        self.after.clicked.connect(lambda: self.stepped.emit(1))
        self.newest.clicked.connect(self.newestAsked)
        self.show_question.clicked.connect(self.shownAsked)

    def show_place(self, session: RecallSession) -> None:
        """Another question, in the language in use."""
        say, language = self._language.say, self._language
        place, count = session.place, session.count
        text = visible_line(session.question.text, _QUESTION) if session.question is not None else ""
        self.place.setText(say("recall.panel.turn", place=language.number(place), count=language.number(count)))
        self.question.set_whole(say("recall.panel.asked", text=text) if text else say("recall.panel.no_words"))
        self.before.setEnabled(place > 1)
        self.after.setEnabled(place < count)
        self.newest.setVisible(place < count)
        self.newest.set_words(say("recall.panel.newest"))
        self.before.set_name(say("recall.panel.before"))
        self.after.set_name(say("recall.panel.after"))
        self.show_question.set_words(say("recall.panel.show_question"))
