"""In the gate dialog: the facts that would give their place to what is written, and others it bears on."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop_app.bridge.fact_words import day_word
from desktop_app.bridge.visible_text import breakable, visible_line, visible_text
from desktop_app.bridge.word_changes import word_changes
from desktop_app.core.fact_relations import Related, Relation
from desktop_app.core.facts import Fact
from desktop_app.core.gate import Proposal
from desktop_app.ui.gate_text import GateText
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.kept_font import keep_font
from desktop_app.ui.widgets.plain_label import PlainLabel

_MOST = 120


class GatePlaces(QWidget):
    """One head and one text for each fact that would go, what differs marked; one line for each other it bears on."""

    def __init__(self, proposal: Proposal, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language, self._facts = language, proposal.supersedes
        gone = {fact.id for fact in (*proposal.supersedes, *((proposal.before,) if proposal.before else ()))}
        self._others = [one for one in proposal.related if one.fact.id not in gone]
        self.heads = [PlainLabel(tone="muted", wrap=True) for _ in self._facts]
        self.texts = [GateText(theme) for _ in self._facts]
        self.near = PlainLabel(tone="muted", wrap=True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(5)
        for fact, head, text in zip(self._facts, self.heads, self.texts, strict=True):
            old, _ = word_changes(visible_text(fact.value), visible_text(proposal.draft.value))
            text.show_pieces(old)
            keep_font(head, theme, 11.5)
            layout.addWidget(head)
            layout.addWidget(text)
        layout.addWidget(self.near)
        self.near.setVisible(bool(self._others))
        self.setVisible(bool(self._facts or self._others))
        self.say()

    @property
    def told(self) -> str:
        """What would go, for screen readers."""
        pairs = zip(self.heads, self._facts, strict=True)
        return " ".join(f"{head.text()}: {visible_text(fact.value)}." for head, fact in pairs)

    def say(self) -> None:
        """Everything in the language in use."""
        for fact, head, text in zip(self._facts, self.heads, self.texts, strict=True):
            head.setText(self._gives_place(fact))
            text.setAccessibleName(head.text())
        self.near.setText("\n".join(map(self._bears_on, self._others)))

    def _gives_place(self, fact: Fact) -> str:
        day = day_word(self._language.words, fact.updated_at)
        return self._language.say("gate.takes_place", key=breakable(visible_line(fact.key, _MOST)), day=day)

    def _bears_on(self, related: Related) -> str:
        """Pinned and doubtful ones are never replaced by a yes here: such a write waits in the inbox."""
        say, fact = self._language.say, related.fact
        waits = fact.pinned or related.relation is Relation.UNSURE
        word = "pinned" if fact.pinned else related.relation.value
        key, value = breakable(visible_line(fact.key, _MOST)), breakable(visible_line(fact.value, _MOST))
        line = say(f"gate.near.{word}", key=key, value=value)
        return f"{line} {say('gate.near.waits')}" if waits else line
