"""The facts that wait for the person, one after the other: accept, edit or deny, by button or by A, E and D."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFont, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QVBoxLayout, QWidget

from desktop_app.bridge.fact_words import origin_word, time_word
from desktop_app.bridge.visible_text import visible_line, visible_text
from desktop_app.core.conversation import is_blank
from desktop_app.core.errors import AppError
from desktop_app.core.facts import Fact
from desktop_app.ui.language import Language
from desktop_app.ui.memory.value_edit import ValueBox, as_field_text
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import TextButton
from desktop_app.ui.widgets.kept_font import keep_font
from desktop_app.ui.widgets.plain_label import ElidedLabel, PlainLabel, set_tooltip

if TYPE_CHECKING:
    from desktop_app.bridge.memory_session import MemorySession

_SIDE_BY_SIDE = 520
_MOST_SHOWN = 240
"""Letters of a value shown at once; a longer one is read in the editor before it is accepted."""


class InboxStrip(QFrame):
    """Shows the oldest waiting fact of a session; hidden while none waits."""

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self._session: MemorySession | None = None
        self._fact: Fact | None = None
        self._asked = False
        self.setProperty("role", "composer")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.count = PlainLabel()
        self.origin = ElidedLabel(tone="muted")
        self.text = PlainLabel(wrap=True)
        self.instead = PlainLabel(tone="muted", wrap=True)
        self.edit_box = ValueBox(theme)
        self.edit = self.edit_box.value
        self.note = PlainLabel(tone="danger", wrap=True)
        self.accept, self.change, self.deny = TextButton(kind="primary"), TextButton(), TextButton()
        keep_font(self.count, theme, weight=QFont.Weight.DemiBold)
        self._arrange()
        self._connect()
        self.say()

    @property
    def fact(self) -> Fact | None:
        """The fact that is shown."""
        return self._fact

    @property
    def editing(self) -> bool:
        """Whether its value is being edited."""
        return not self.edit_box.isHidden()

    def set_session(self, session: MemorySession | None) -> None:
        """Shows what waits in another session."""
        if self._session is not None:
            self._session.listChanged.disconnect(self._on_list)
            self._session.refused.disconnect(self._on_refused)
            self._session.failed.disconnect(self._on_failed)
        self._session = session
        if session is not None:
            session.listChanged.connect(self._on_list)
            session.refused.connect(self._on_refused)
            session.failed.connect(self._on_failed)
        self._on_list()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """A accepts, E edits, D denies; Escape leaves the editor."""
        acts: dict[int, Callable[[], None]] = {
            Qt.Key.Key_A: self._on_accept,
            Qt.Key.Key_E: self._on_change,
            Qt.Key.Key_D: self._on_deny,
        }
        act = acts.get(event.key()) if not self.editing and not event.modifiers() else None
        if act is not None and not event.isAutoRepeat():
            act()
        elif event.key() == Qt.Key.Key_Escape and self.editing:
            self._leave_editor()
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Shows where the keyboard is."""
        if event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            self.setProperty("focused", event.type() is QEvent.Type.FocusIn)
            self.style().unpolish(self)
            self.style().polish(self)
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The buttons stand beside the text where there is room."""
        super().resizeEvent(event)
        self._turn()

    def _arrange(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self.count)
        head.addWidget(self.origin, 1)
        words = QVBoxLayout()
        words.setSpacing(3)
        words.addLayout(head)
        for widget in (self.text, self.edit_box, self.instead, self.note):
            words.addWidget(widget)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        for button in (self.accept, self.change, self.deny):
            buttons.addWidget(button)
        buttons.addStretch()
        self._layout = QBoxLayout(QBoxLayout.Direction.TopToBottom, self)
        self._layout.setContentsMargins(12, 8, 12, 10)
        self._layout.setSpacing(8)
        self._layout.addLayout(words, 1)
        self._layout.addLayout(buttons)
        self.edit_box.hide()

    def _connect(self) -> None:
        self.accept.clicked.connect(self._on_accept)
        self.change.clicked.connect(self._on_change)
        self.deny.clicked.connect(self._on_deny)
        self.edit.entered.connect(self._on_accept)
        self.edit.textChanged.connect(self._weigh)
        self._language.changed.connect(self.say)

    def _turn(self) -> None:
        wide = self.width() >= _SIDE_BY_SIDE and not self.editing
        self._layout.setDirection(QBoxLayout.Direction.LeftToRight if wide else QBoxLayout.Direction.TopToBottom)
        self._layout.setSpacing(16 if wide else 8)

    # -- what the person does -------------------------------------------------------------------

    def _on_accept(self) -> None:
        if self._session is None or self._fact is None or self._asked:
            return
        if not self.editing and len(self._fact.value) > _MOST_SHOWN:
            self._on_change()
            return
        value = None
        if self.editing:
            self.edit.settle()
            value = self.edit.text()
            if is_blank(value):
                return
        self._ask()
        self._session.accept(self._fact.id, value if value != as_field_text(self._fact.value) else None)

    def _on_change(self) -> None:
        if self._fact is None:
            return
        if self.editing:
            self._leave_editor()
            return
        self.edit.setPlainText(self._fact.value)
        self.edit_box.show()
        self.say()
        self.edit.setFocus(Qt.FocusReason.OtherFocusReason)
        self.edit.selectAll()

    def _on_deny(self) -> None:
        if self._session is not None and self._fact is not None and not self._asked:
            self._ask()
            self._session.deny(self._fact.id)

    def _ask(self) -> None:
        """An answer is under way; the keyboard waits here for the next fact."""
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        self._asked = True
        self._weigh()

    def _leave_editor(self) -> None:
        self.edit_box.hide()
        self.note.setText("")
        self.say()
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    # -- what the session tells -----------------------------------------------------------------

    def _on_list(self) -> None:
        pending = self._session.pending if self._session else ()
        fact = pending[0] if pending else None
        if fact is None or self._fact is None or fact.id != self._fact.id:
            self.edit_box.hide()
            self.note.setText("")
            self._asked = False
        self._fact = fact
        self.setVisible(fact is not None)
        self.say()

    def _on_refused(self, error: AppError) -> None:
        if self._asked:
            self._asked = False
            self.note.setText(self._language.explain(error))
            self.say()

    def _on_failed(self, _error: AppError) -> None:
        self._asked = False
        self._weigh()

    # -- words ----------------------------------------------------------------------------------

    def _weigh(self) -> None:
        blank = self.editing and is_blank(self.edit.text())
        self.accept.setEnabled(not self._asked and not blank)
        self.change.setEnabled(not self._asked)
        self.deny.setEnabled(not self._asked)

    def say(self) -> None:
        """Everything in the language in use."""
        say, fact = self._language.say, self._fact
        self._turn()
        self._weigh()
        self.accept.set_words(say("memory.accept"))
        self.change.set_words(say("memory.cancel" if self.editing else "memory.change"))
        self.deny.set_words(say("memory.deny"))
        for button, key in ((self.accept, "A"), (self.change, "E"), (self.deny, "D")):
            hint = say("window.key", text=button.accessibleName(), key=key)
            set_tooltip(button, "" if self.editing else hint)
        self.edit.setAccessibleName(say("memory.field_value"))
        self.note.setVisible(bool(self.note.text()))
        if fact is not None and self._session is not None:
            self._say_fact(fact, self._session)

    def _say_fact(self, fact: Fact, session: MemorySession) -> None:
        say, words = self._language.say, self._language.words
        self.count.setText(say("memory.waiting", n=len(session.pending)))
        who = say("memory.waiting_from", who=origin_word(words, fact.origin), time=time_word(words, fact.created_at))
        title = session.source_title(fact)
        self.origin.set_whole(say("memory.waiting_in", who=who, title=visible_line(title, 60)) if title else who)
        value = visible_text(fact.value)
        shown = value if len(value) <= _MOST_SHOWN else f"{value[:_MOST_SHOWN]}…"
        line = say("memory.waiting_fact", key=visible_line(fact.key), value=shown)
        self.text.setText(visible_line(fact.key) if self.editing else line)
        before = session.with_key(fact.key)
        self.instead.setText(say("memory.instead", value=visible_line(before.value, 120)) if before else "")
        self.instead.setVisible(before is not None)
        self.setAccessibleName(f"{self.count.text()}. {line}")
        self.setAccessibleDescription(say("memory.waiting_keys"))
