"""Summarised thinking: one quiet line, unfolded on demand, live while it arrives."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from desktop_app.core.conversation import is_blank
from desktop_app.ui.chat.folding_card import FoldingCard
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme

_EXCERPT = 120


class ThinkingView(FoldingCard):
    """Shows that the model thought and, where it says so, what."""

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(theme, language, "brain", parent)
        self._text, self._live = "", False
        self._view = self.section()
        self._view.setProperty("tone", "muted")
        self.retranslate()

    @property
    def text(self) -> str:
        """The thinking as far as it has arrived."""
        return self._text

    def set_text(self, text: str, *, live: bool) -> None:
        """Another text; `live` while more is coming."""
        self._text, self._live = text, live
        if self.unfolded:
            self._view.set_text(text)
        self.retranslate()

    def append(self, text: str) -> None:
        """A further piece."""
        self.set_text(self._text + text, live=True)

    def toggle(self) -> None:
        """Folds or unfolds; the text is laid out only when it is shown."""
        if not self.unfolded:
            self._view.set_text(self._text)
        super().toggle()

    def retranslate(self) -> None:
        """Says its words anew."""
        super().retranslate()
        nothing = is_blank(self._text)
        self.fold.setVisible(not nothing)
        words = self._language.say("chat.thinking" if self._live else "chat.thought")
        if self._live and not self.unfolded and not nothing:
            words = f"{words}  {' '.join(self._text[-_EXCERPT:].split())}"
        self.head.set_whole(words)
        self.setAccessibleName(words)

    def mousePressEvent(self, _event: object) -> None:
        """Unfolds where there is something to see."""
        if not is_blank(self._text):
            self.toggle()
