"""Asks before the assistant writes into memory, and shows exactly what would be written."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QFont, QKeyEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from desktop_app.bridge.gate_queue import Question
from desktop_app.bridge.visible_text import breakable, hidden_marks, visible_line, visible_text
from desktop_app.bridge.word_changes import word_changes
from desktop_app.core.conversation import is_blank
from desktop_app.core.errors import BadInput
from desktop_app.core.settings import DEFAULT_PROFILE, DEMO_PROFILE
from desktop_app.ui.gate_places import GatePlaces
from desktop_app.ui.gate_text import GateText
from desktop_app.ui.language import Language
from desktop_app.ui.memory.value_edit import ValueBox, as_field_text
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import TextButton
from desktop_app.ui.widgets.growing_dialog import GrowingDialog
from desktop_app.ui.widgets.kept_font import keep_font
from desktop_app.ui.widgets.plain_label import PlainLabel, set_tooltip

GUARD_MS = 400
"""How long the answers sleep after the dialog appeared or a key was pressed meanwhile: typing is no answer."""
_WIDTH = 540


class GateDialog(GrowingDialog):
    """One question. Escape and closing deny; Enter answers nothing.

    Signals:
        allowed(object): the edited text, None where it was not edited. denied().
    """

    allowed = Signal(object)
    denied = Signal()

    def __init__(self, question: Question, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._question, self._theme, self._language = question, theme, language
        self._answered = False
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.title, self.asks = PlainLabel(wrap=True), PlainLabel(tone="muted", wrap=True)
        self.key, self.category = PlainLabel(tone="heading", wrap=True), PlainLabel(tone="muted", wrap=True)
        self.before_head, self.value_head = PlainLabel(tone="muted"), PlainLabel(tone="muted")
        self.before, self.value = GateText(theme), GateText(theme)
        self.places = GatePlaces(question.proposal, theme, language)
        self.edit_box = ValueBox(theme, most=9)
        self.edit = self.edit_box.value
        self.hidden_note = PlainLabel(tone="warning", wrap=True)
        self.error = PlainLabel(tone="danger", wrap=True)
        self.source_head, self.quote = PlainLabel(tone="muted"), GateText(theme)
        self.foreign = PlainLabel(tone="warning", wrap=True)
        self.change, self.deny, self.allow = TextButton(), TextButton(), TextButton(kind="primary")
        self._guard = QTimer(self)
        self._guard.setSingleShot(True)
        self._guard.setInterval(GUARD_MS)
        self._arrange()
        self._connect()
        self._show_proposal()
        self._say()
        self._weigh()

    @property
    def question(self) -> Question:
        """What is asked."""
        return self._question

    @property
    def editing(self) -> bool:
        """Whether the value is being edited."""
        return not self.edit_box.isHidden()

    @property
    def ready(self) -> bool:
        """Whether an answer counts already."""
        return self.isVisible() and not self._guard.isActive() and not self._answered

    def withdraw(self) -> None:
        """Closes without an answer: nobody waits for it any more."""
        self._guard.stop()
        self._answered = True
        super().reject()

    def showEvent(self, event: QShowEvent) -> None:
        """The answers sleep for a moment; no button has the keyboard."""
        super().showEvent(event)
        self._guard.start()
        self._weigh()
        read = self.before if self.value.isHidden() else self.value
        read.setFocus(Qt.FocusReason.OtherFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape denies. A key that comes while the answers sleep lets them sleep on."""
        if event.key() == Qt.Key.Key_Escape:
            self.reject()
        elif self._guard.isActive():
            self._guard.start()

    def reject(self) -> None:
        """Escape, closing and the button deny."""
        self._guard.stop()
        super().reject()
        if not self._answered:
            self._answered = True
            self.denied.emit()

    # -- building -------------------------------------------------------------------------------

    def _arrange(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 20, 24, 18)
        layout.setSpacing(6)
        layout.addWidget(self.title)
        layout.addWidget(self.asks)
        layout.addSpacing(8)
        layout.addWidget(self._card())
        layout.addWidget(self.hidden_note)
        layout.addWidget(self.error)
        layout.addSpacing(6)
        for widget in (self.source_head, self.quote, self.foreign):
            layout.addWidget(widget)
        layout.addStretch()
        layout.addSpacing(12)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addWidget(self.change)
        buttons.addStretch()
        buttons.addWidget(self.deny)
        buttons.addWidget(self.allow)
        layout.addLayout(buttons)
        self.setMinimumWidth(_WIDTH)
        keep_font(self.title, self._theme, 16, QFont.Weight.DemiBold)
        keep_font(self.key, self._theme, 13.5, QFont.Weight.DemiBold)

    def _card(self) -> QFrame:
        """What would be written."""
        card = QFrame()
        card.setProperty("role", "card")
        layout = QVBoxLayout(card)
        layout.setContentsMargins(14, 12, 14, 14)
        layout.setSpacing(5)
        layout.addWidget(self.key)
        layout.addWidget(self.category)
        for widget in (self.before_head, self.before, self.places, self.value_head, self.value, self.edit_box):
            layout.addWidget(widget)
        for label in (self.before_head, self.value_head, self.source_head):
            keep_font(label, self._theme, 11.5)
        return card

    def _connect(self) -> None:
        self.allow.clicked.connect(self._on_allow)
        self.deny.clicked.connect(self.reject)
        self.change.clicked.connect(self._on_change)
        self.edit.entered.connect(self._break_line)
        self.edit.textChanged.connect(self._on_edited)
        self._guard.timeout.connect(self._weigh)
        self._language.changed.connect(self._say)

    # -- answers --------------------------------------------------------------------------------

    def refuse(self, error: BadInput) -> None:
        """The edited text cannot be kept; it stays to be corrected."""
        self._answered = False
        self.error.setText(self._language.explain(error))
        self.error.show()
        self._weigh()

    def _on_allow(self) -> None:
        if not self.ready:
            return
        value = None
        if self.editing:
            self.edit.settle()
            value = self.edit.text()
            if value == as_field_text(self._question.proposal.draft.value):
                value = None
        self._answered = True
        self.allowed.emit(value)

    def _on_change(self) -> None:
        if self.editing:
            self.edit_box.hide()
            self.value.show()
            self.value.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self.edit.setPlainText(self._question.proposal.draft.value)
            self.value.hide()
            self.edit_box.show()
            self.edit.setFocus(Qt.FocusReason.OtherFocusReason)
            self.edit.selectAll()
        self.error.hide()
        self._on_edited()
        self._say()
        self.adjustSize()

    def _break_line(self) -> None:
        self.edit.insertPlainText("\n")

    def _on_edited(self) -> None:
        self.error.hide()
        self._say_hidden()
        self._weigh()

    def _weigh(self) -> None:
        blank = self.editing and is_blank(self.edit.text())
        for button in (self.allow, self.deny, self.change):
            button.setEnabled(self.ready)
        self.allow.setEnabled(self.ready and not blank)

    # -- words ----------------------------------------------------------------------------------

    def _show_proposal(self) -> None:
        proposal = self._question.proposal
        draft = proposal.draft
        self.key.setText(breakable(visible_text(draft.key)))
        self.category.setText(breakable(visible_line(draft.category, 60)))
        self.category.setVisible(bool(draft.category))
        before, after = self._text_before, proposal.text_after
        compared = before if before is not None or not proposal.supersedes else proposal.supersedes[0].value
        old, new = word_changes(visible_text(compared or ""), visible_text(after or ""))
        self.before.show_pieces(old)
        if compared is None:
            self.value.show_text(visible_text(after or ""))
        else:
            self.value.show_pieces(new)
        for widgets, text in (((self.before_head, self.before), before), ((self.value_head, self.value), after)):
            for widget in widgets:
                widget.setVisible(text is not None)
        self.change.setVisible(proposal.writes)
        quote = draft.source.quote if draft.source else ""
        self.quote.show_text(visible_text(quote))
        self.quote.setVisible(not is_blank(quote))
        self.foreign.setVisible(proposal.call.foreign_text)
        self.edit_box.hide()
        self.error.hide()

    @property
    def _text_before(self) -> str | None:
        """The text there is under this key, or what would be deleted or renamed; those of other keys have their own."""
        proposal = self._question.proposal
        if proposal.supersedes:
            return None if proposal.before is None else proposal.before.value
        return proposal.text_before

    def _say(self) -> None:
        say, proposal = self._language.say, self._question.proposal
        replaces = proposal.replaces
        asked = self._title_word()
        self.setWindowTitle(say("gate.window" if proposal.writes else asked))
        self.title.setText(say(asked))
        profile = proposal.call.profile
        who = say("gate.simulated") if profile == DEMO_PROFILE else say("chat.assistant")
        title = visible_line(self._question.title, 80) or say("sidebar.untitled")
        names = {DEFAULT_PROFILE: say("profiles.default"), DEMO_PROFILE: say("profiles.demo")}
        shown = names.get(profile) or visible_line(profile, 40)
        self.asks.setText(say("gate.asks", who=who, title=title, profile=shown))
        there = "gate.name_before" if proposal.moves else "gate.before"
        self.before_head.setText(say("gate.goes" if proposal.deletes else there))
        written = "gate.edited" if self.editing else "gate.after" if replaces else "gate.value"
        self.value_head.setText(say("gate.name_after" if proposal.moves else written))
        self.source_head.setText(say("gate.source" if not self.quote.isHidden() else "gate.source_none"))
        self.foreign.setText(say("gate.foreign"))
        self.change.set_words(say("gate.keep_proposal" if self.editing else "gate.edit"))
        self.deny.set_words(say("gate.deny"))
        self.allow.set_words(say("gate.allow_edited" if self.editing else "gate.allow"))
        set_tooltip(self.deny, say("gate.deny_hint"))
        for widget, word in (
            (self.before, "before"),
            (self.value, "value"),
            (self.quote, "source"),
            (self.edit, "edited"),
        ):
            widget.setAccessibleName(say(f"gate.{word}"))
        told = visible_text((proposal.text_before if proposal.deletes else proposal.text_after) or "")
        self.places.say()
        self.setAccessibleDescription(f"{self.asks.text()} {self.key.text()}: {told} {self.places.told}".rstrip())
        self._say_hidden()

    def _title_word(self) -> str:
        proposal = self._question.proposal
        if proposal.deletes:
            return "gate.title_delete" if len(proposal.deletes) == 1 else "gate.title_delete_several"
        if proposal.moves:
            return "gate.title_rename"
        if proposal.supersedes:
            return "gate.title_supersede" if len(proposal.supersedes) == 1 else "gate.title_supersede_several"
        return "gate.title_replace" if proposal.replaces else "gate.title"

    def _say_hidden(self) -> None:
        draft = self._question.proposal.draft
        if self.editing:
            marks = hidden_marks(self.edit.text())
            words = self._language.say("gate.hidden_edited", marks=marks) if marks else ""
        else:
            proposal = self._question.proposal
            parts = (draft.key, draft.category, proposal.text_before or "", proposal.text_after or "")
            own = (draft.key, draft.value, draft.category)
            shown = parts if not proposal.writes or proposal.supersedes else own
            hidden = any(map(hidden_marks, shown))
            words = self._language.say("gate.hidden") if hidden else ""
        self.hidden_note.setText(words)
        self.hidden_note.setVisible(bool(words))
