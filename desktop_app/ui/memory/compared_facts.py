"""A waiting fact beside the one it bears on: how it stands to it, both texts with what differs marked."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop_app.bridge.fact_words import day_word
from desktop_app.bridge.visible_text import visible_line, visible_text
from desktop_app.bridge.waiting_fact import WaitingFact
from desktop_app.bridge.word_changes import word_changes
from desktop_app.core.facts import Fact
from desktop_app.ui.gate_text import GateText
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.kept_font import keep_font
from desktop_app.ui.widgets.plain_label import PlainLabel

_LINES = 4
_MOST = 100


class ComparedFacts(QWidget):
    """Hidden where nothing bears on the fact. The keyboard stays with the strip around it."""

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self.stands = PlainLabel(tone="warning", wrap=True)
        self.before_head, self.after_head = PlainLabel(tone="muted", wrap=True), PlainLabel(tone="muted")
        self.before, self.after = GateText(theme, most=_LINES), GateText(theme, most=_LINES)
        self.also = PlainLabel(tone="muted", wrap=True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(3)
        for widget in (self.stands, self.before_head, self.before, self.after_head, self.after, self.also):
            layout.addWidget(widget)
        for head in (self.before_head, self.after_head):
            keep_font(head, theme, 11.5)
        for text in (self.before, self.after):
            text.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def show_waiting(self, waiting: WaitingFact | None, *, editing: bool) -> None:
        """Compares; while the new text is being edited only the old one is shown."""
        rival = waiting.rival if waiting is not None else None
        self.setVisible(rival is not None)
        if waiting is None or rival is None:
            return
        old, new = word_changes(visible_text(rival.fact.value), visible_text(waiting.fact.value))
        if editing:
            self.before.show_text(visible_text(rival.fact.value))
        else:
            self.before.show_pieces(old)
        self.after.show_pieces(new)
        for widget in (self.after_head, self.after):
            widget.setVisible(not editing)
        self._say(waiting, rival.fact)

    def _say(self, waiting: WaitingFact, other: Fact) -> None:
        say, words = self._language.say, self._language.words
        relation = "key" if waiting.of_one_key else waiting.bearing[0].relation.value
        told = [say(f"memory.stands.{relation}")]
        if not waiting.is_plain:
            pinned = any(fact.pinned for fact in waiting.replaced)
            told.append(say("memory.stands.pinned" if pinned else "memory.stands.choose"))
        self.stands.setText(" ".join(told))
        since = say("memory.stands.now", key=visible_line(other.key, 60), day=day_word(words, other.updated_at))
        self.before_head.setText(since)
        self.after_head.setText(say("memory.stands.new", key=visible_line(waiting.fact.key, 60)))
        gone = [fact.id for fact in waiting.replaced]
        lines = [
            say(
                "memory.stands.also_replaces" if one.fact.id in gone else "memory.stands.also_near",
                key=visible_line(one.fact.key, 60),
                value=visible_line(one.fact.value, _MOST),
            )
            for one in waiting.bearing[1:]
        ]
        self.also.setText("\n".join(lines))
        self.also.setVisible(bool(lines))
        self.before.setAccessibleName(since)
        self.after.setAccessibleName(self.after_head.text())
