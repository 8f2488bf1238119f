"""The card a memo stands in, with its title and a button that copies it."""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from desktop_app.ui.compaction.memo_view import MemoView
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import IconButton
from desktop_app.ui.widgets.plain_label import PlainLabel

_COPIED_MS = 1_200


class MemoCard(QFrame):
    """Shows a memo that is kept, or one that is arriving."""

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self.setProperty("role", "card")
        self.title = PlainLabel(tone="heading")
        self.copy = IconButton(theme, "copy")
        self.memo = MemoView(theme, language)
        self._copied = QTimer(self)
        self._copied.setSingleShot(True)
        self._copied.setInterval(_COPIED_MS)
        self._copied.timeout.connect(self._end_copied)
        head = QHBoxLayout()
        head.addWidget(self.title, 1)
        head.addWidget(self.copy)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(14, 8, 10, 12)
        layout.setSpacing(4)
        layout.addLayout(head)
        layout.addWidget(self.memo)
        self.copy.clicked.connect(self._copy)
        language.changed.connect(self._say)
        self._say()

    def show_memo(self, text: str, *, arriving: bool = False) -> None:
        """Another memo; one that is arriving cannot be copied yet."""
        self.memo.set_text(text)
        self.copy.setVisible(not arriving)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.memo.text)
        self.copy.set_icon("check", "good")
        self._copied.start()

    def _end_copied(self) -> None:
        self.copy.set_icon("copy", "muted")

    def _say(self) -> None:
        say = self._language.say
        self.title.setText(say("compaction.memo.title"))
        self.copy.set_name(say("compaction.memo.copy"))
        self.memo.setAccessibleName(say("compaction.memo.title"))
