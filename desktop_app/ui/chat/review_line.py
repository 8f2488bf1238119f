"""Says above the composer that a summary waits for the person, and leads to it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from desktop_app.ui.fonts import SMALL
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import TextButton
from desktop_app.ui.widgets.plain_label import PlainLabel


class ReviewLine(QWidget):
    """Hidden at first. `showAsked`: the summary is to be shown."""

    showAsked = Signal()

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._language = theme, language
        self.words = PlainLabel(tone="muted", wrap=True)
        self.show_button = TextButton(kind="link")
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(8)
        line.addWidget(self.words, 1)
        line.addWidget(self.show_button)
        self.show_button.clicked.connect(self.showAsked)
        theme.changed.connect(self._refont)
        language.changed.connect(self._say)
        self._refont()
        self._say()
        self.hide()

    def _say(self) -> None:
        self.words.setText(self._language.say("compaction.line.review"))
        self.show_button.set_words(self._language.say("notices.show_fold"))

    def _refont(self) -> None:
        self.words.setFont(self._theme.panel_font(size=SMALL))
