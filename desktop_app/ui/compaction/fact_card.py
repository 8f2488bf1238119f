"""A value on its way into long-term memory: key and value typed in place, kept by one button."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from desktop_app.core.compaction.value_check import CheckedValue
from desktop_app.core.errors import AppError
from desktop_app.core.facts import Fact, FactSource
from desktop_app.ui.language import Language
from desktop_app.ui.memory.fact_form import FactForm, FactTexts
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import TextButton
from desktop_app.ui.widgets.flow_line import FlowLine
from desktop_app.ui.widgets.plain_label import PlainLabel

if TYPE_CHECKING:
    from desktop_app.bridge.memory_session import MemorySession


class FactCard(QFrame):
    """Hidden until a value is to become a fact. `kept` when it did."""

    kept = Signal()

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self._memory: MemorySession | None = None
        self._value: CheckedValue | None = None
        self.conversation_id = ""
        self._waits = False
        self.setProperty("role", "card")
        self.title = PlainLabel(tone="heading")
        self.form = FactForm(theme, language)
        self.note = PlainLabel(tone="danger", wrap=True)
        self.save = TextButton(kind="primary")
        self.cancel = TextButton()
        acts = FlowLine()
        acts.addWidget(self.save)
        acts.addWidget(self.cancel)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(14, 10, 14, 12)
        layout.setSpacing(8)
        layout.addWidget(self.title)
        layout.addWidget(self.form)
        layout.addWidget(self.note)
        layout.addLayout(acts)
        self.save.clicked.connect(self._save)
        self.form.saveAsked.connect(self._save)
        self.cancel.clicked.connect(self.hide)
        self.form.left.connect(self.hide)
        self.form.edited.connect(self._fit)
        language.changed.connect(self._say)
        self._say()
        self.hide()

    def set_memory(self, memory: MemorySession | None) -> None:
        """Where facts are kept."""
        if self._memory is not None:
            self._memory.kept.disconnect(self._on_kept)
            self._memory.refused.disconnect(self._on_refused)
        self._memory = memory
        self.form.warn_by(memory.secrets.find if memory else None)
        if memory is not None:
            memory.kept.connect(self._on_kept)
            memory.refused.connect(self._on_refused)

    def begin(self, value: CheckedValue) -> None:
        """Opens the fields: the value stands there, its kind is the key until another is typed. The message it stood
        in goes with it."""
        self._value = value
        key = self._language.say(f"compaction.kind.{value.kind}")
        self.form.show_texts(FactTexts(key, value.text, ""))
        self.form.keep_secrets(False)
        self.note.hide()
        self.show()
        self._fit()
        self.form.focus(self.form.key)

    def _save(self) -> None:
        if self._memory is not None and self.form.complete:
            texts = self.form.settle()
            self._waits = True
            self._memory.add(
                texts.key, texts.value, texts.category, source=self._source(), allow_secrets=self.form.keeps_secrets
            )
            self._fit()

    def _source(self) -> FactSource | None:
        value = self._value
        if value is None or value.message_id is None or not self.conversation_id:
            return None
        return FactSource(value.message_id, self.conversation_id, value.sentence)

    def _on_kept(self, _fact: Fact) -> None:
        if self._waits:
            self._waits = False
            self.hide()
            self.kept.emit()

    def _on_refused(self, error: AppError) -> None:
        if self._waits:
            self._waits = False
            self.note.setText(self._language.explain(error))
            self.note.show()
            self._fit()

    def _fit(self) -> None:
        self.save.setEnabled(self._memory is not None and self.form.complete and not self._waits)

    def _say(self) -> None:
        say = self._language.say
        self.title.setText(say("compaction.fact.title"))
        self.save.set_words(say("compaction.fact.keep"))
        self.cancel.set_words(say("compaction.fact.cancel"))
        self.setAccessibleName(say("compaction.fact.title"))
