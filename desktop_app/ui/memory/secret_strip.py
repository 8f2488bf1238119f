"""Facts of older days in which a secret is kept unmasked: how many there are, and one button that masks them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import TextButton
from desktop_app.ui.widgets.plain_label import PlainLabel, set_tooltip, themed_icon_label

if TYPE_CHECKING:
    from desktop_app.bridge.memory_session import MemorySession

_MOST_NAMED = 20


class SecretStrip(QFrame):
    """Hidden while there is none."""

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self._session: MemorySession | None = None
        self.setProperty("role", "warning")
        self.words = PlainLabel(wrap=True)
        self.act = TextButton(kind="link")
        line = QHBoxLayout(self)
        line.setContentsMargins(12, 8, 12, 8)
        line.setSpacing(8)
        line.addWidget(themed_icon_label(theme, "key-round", "warning"))
        line.addWidget(self.words, 1)
        line.addWidget(self.act)
        self.act.clicked.connect(self._on_mask)
        language.changed.connect(self.say)
        self.say()

    def set_session(self, session: MemorySession | None) -> None:
        """Shows what is kept in another session."""
        if self._session is not None:
            self._session.suspectedChanged.disconnect(self.say)
        self._session = session
        if session is not None:
            session.suspectedChanged.connect(self.say)
        self.say()

    def say(self) -> None:
        """How many there are, in the language in use; their keys in the tool tip."""
        say, facts = self._language.say, self._session.suspected if self._session else ()
        self.words.setText(say("memory.suspected", n=len(facts)))
        set_tooltip(self.words, "\n".join(fact.key for fact in facts[:_MOST_NAMED]))
        self.act.set_words(say("memory.suspected_mask"))
        set_tooltip(self.act, say("memory.suspected_hint"))
        self.act.setEnabled(True)
        self.setVisible(bool(facts))

    def _on_mask(self) -> None:
        if self._session is not None:
            self.act.setEnabled(False)
            self._session.mask_suspected()
