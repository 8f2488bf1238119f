"""The facts that wait for the person, one after the other: each with its source and the fact it bears on, answered by
button or by a key: accept A, accept and replace R, merge M, keep both K, edit E, deny D."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFont, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from desktop_app.bridge.fact_words import origin_word, time_word
from desktop_app.bridge.visible_text import visible_line, visible_text
from desktop_app.core.conversation import is_blank
from desktop_app.core.errors import AppError
from desktop_app.core.facts import Fact, ShownFacts, same_key
from desktop_app.ui.language import Language
from desktop_app.ui.memory.compared_facts import ComparedFacts
from desktop_app.ui.memory.value_edit import ValueBox, as_field_text
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import TextButton
from desktop_app.ui.widgets.flow_line import FlowLine
from desktop_app.ui.widgets.kept_font import keep_font
from desktop_app.ui.widgets.plain_label import ElidedLabel, PlainLabel, set_tooltip

if TYPE_CHECKING:
    from desktop_app.bridge.memory_session import MemorySession
    from desktop_app.bridge.waiting_fact import WaitingFact

_SIDE_BY_SIDE = 520
_MOST_SHOWN = 240
"""Letters of a value shown at once; a longer one is read in the editor before it is accepted."""
_MOST_QUOTE = 200


class Typing(Enum):
    """What the person types into."""

    NOTHING = 0
    VALUE = 1
    """Another text of the waiting fact."""
    MERGED = 2
    """One text of the waiting fact and the one it bears on."""
    KEY = 3
    """Another key, where the two are to stand side by side."""


class InboxStrip(QFrame):
    """Shows the oldest waiting fact of a session; hidden while none waits."""

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self._session: MemorySession | None = None
        self._waiting: WaitingFact | None = None
        self._seen: ShownFacts | None = None
        self._typing = Typing.NOTHING
        self._asked = False
        self.setProperty("role", "composer")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.count = PlainLabel()
        self.origin = ElidedLabel(tone="muted")
        self.text = PlainLabel(wrap=True)
        self.quote = PlainLabel(tone="muted", wrap=True)
        self.compared = ComparedFacts(theme, language)
        self.key_edit = QLineEdit()
        self.edit_box = ValueBox(theme)
        self.edit = self.edit_box.value
        self.note = PlainLabel(tone="danger", wrap=True)
        self.accept, self.replace = TextButton(kind="primary"), TextButton(kind="primary")
        self.merge, self.keep, self.change, self.deny = (TextButton() for _ in range(4))
        keep_font(self.count, theme, weight=QFont.Weight.DemiBold)
        self._arrange()
        self._connect()
        self.say()

    @property
    def fact(self) -> Fact | None:
        """The fact that is shown."""
        return self._waiting.fact if self._waiting is not None else None

    @property
    def editing(self) -> bool:
        """Whether something of it is being typed."""
        return self._typing is not Typing.NOTHING

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
        """A accepts, R replaces, M merges, K keeps both, E edits, D denies; Escape leaves the editor."""
        acts: dict[int, Callable[[], None]] = {
            Qt.Key.Key_A: self._on_accept,
            Qt.Key.Key_R: self._on_replace,
            Qt.Key.Key_M: self._on_merge,
            Qt.Key.Key_K: self._on_keep,
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
        for widget in (self.text, self.quote, self.compared, self.key_edit, self.edit_box, self.note):
            words.addWidget(widget)
        self._buttons = QWidget()
        buttons = FlowLine(self._buttons)
        for button in (self.accept, self.replace, self.keep, self.merge, self.change, self.deny):
            buttons.addWidget(button)
        self._layout = QBoxLayout(QBoxLayout.Direction.TopToBottom, self)
        self._layout.setContentsMargins(12, 8, 12, 10)
        self._layout.setSpacing(8)
        self._layout.addLayout(words, 1)
        self._layout.addWidget(self._buttons)
        self._show_fields()

    def _connect(self) -> None:
        self.accept.clicked.connect(self._on_accept)
        self.replace.clicked.connect(self._on_replace)
        self.keep.clicked.connect(self._on_keep)
        self.merge.clicked.connect(self._on_merge)
        self.change.clicked.connect(self._on_change)
        self.deny.clicked.connect(self._on_deny)
        self.edit.entered.connect(self._on_enter)
        self.key_edit.returnPressed.connect(self._on_enter)
        self.key_edit.textChanged.connect(self._weigh)
        self.edit.textChanged.connect(self._weigh)
        self._language.changed.connect(self.say)

    def _turn(self) -> None:
        compares = self._waiting is not None and self._waiting.rival is not None
        wide = self.width() >= _SIDE_BY_SIDE and not self.editing and not compares
        self._layout.setDirection(QBoxLayout.Direction.LeftToRight if wide else QBoxLayout.Direction.TopToBottom)
        self._layout.setSpacing(16 if wide else 8)

    # -- what the person does -------------------------------------------------------------------

    def _on_accept(self) -> None:
        """What is contradicted gives its place; where nobody can tell what becomes of it, the person chooses."""
        if self._waiting is not None and self._waiting.is_plain:
            self._accept(self._waiting)

    def _on_replace(self) -> None:
        if self._waiting is not None and self._waiting.rival is not None:
            self._accept(self._waiting)

    def _accept(self, waiting: WaitingFact) -> None:
        fact, value = waiting.fact, self._typed_value()
        if self._session is None or value is None or self._asked or self._shows_more(fact):
            return
        self._ask()
        self._session.accept(waiting, value if value != as_field_text(fact.value) else None, self._shown(waiting))

    def _on_keep(self) -> None:
        """Two facts have two keys."""
        waiting, value = self._waiting, self._typed_value()
        if self._session is None or waiting is None or waiting.rival is None or value is None or self._asked:
            return
        fact = waiting.fact
        if waiting.of_one_key and self._typing is not Typing.KEY:
            self._type(Typing.KEY, fact.value if self._typing is Typing.NOTHING else value)
            return
        if self._typing is Typing.NOTHING and self._shows_more(fact):
            return
        self._ask()
        key = self.key_edit.text() if self._typing is Typing.KEY else None
        text = value if value != as_field_text(fact.value) else None
        self._session.keep_both(fact.id, key, text, self._shown(waiting))

    def _on_merge(self) -> None:
        waiting, value = self._waiting, self._typed_value()
        if self._session is None or waiting is None or waiting.rival is None or value is None or self._asked:
            return
        if self._typing is not Typing.MERGED:
            self._type(Typing.MERGED, f"{waiting.rival.fact.value}\n{waiting.fact.value}")
            return
        self._ask()
        self._session.merge(waiting, value, self._shown(waiting))

    def _on_change(self) -> None:
        if self.editing:
            self._leave_editor()
        elif self.fact is not None:
            self._type(Typing.VALUE, self.fact.value)

    def _on_enter(self) -> None:
        """Does what was begun; an edited text of a fact that bears on another one waits for the choice."""
        act = {Typing.MERGED: self._on_merge, Typing.KEY: self._on_keep}.get(self._typing, self._on_accept)
        act()
        if not self._asked and self._typing is Typing.VALUE:
            self.replace.setFocus(Qt.FocusReason.TabFocusReason)

    def _type(self, typing: Typing, value: str) -> None:
        self._typing = typing
        self._seen = self._waiting.shown if self._waiting is not None else None
        self.edit.setPlainText(value)
        self.key_edit.setText(self.fact.key if self.fact is not None else "")
        self._show_fields()
        self.say()
        field = self.key_edit if typing is Typing.KEY else self.edit
        field.setFocus(Qt.FocusReason.OtherFocusReason)
        field.selectAll()

    def _shown(self, waiting: WaitingFact) -> ShownFacts:
        """The facts as they were seen: while something is typed, when that was begun."""
        return waiting.shown if self._seen is None else self._seen

    def _shows_more(self, fact: Fact) -> bool:
        """Opens a text that is too long to be shown whole: it is read before it is accepted."""
        if self.editing or len(fact.value) <= _MOST_SHOWN:
            return False
        self._on_change()
        return True

    def _typed_value(self) -> str | None:
        """The text to be kept; None where nothing can be seen in it."""
        if self.fact is None:
            return None
        if not self.editing:
            return as_field_text(self.fact.value)
        self.edit.settle()
        return None if is_blank(self.edit.text()) else self.edit.text()

    def _on_deny(self) -> None:
        if self._session is not None and self.fact is not None and not self._asked:
            self._ask()
            self._session.deny(self.fact.id)

    def _ask(self) -> None:
        """An answer is under way; the keyboard waits here for the next fact."""
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        self._asked = True
        self._weigh()

    def _leave_editor(self) -> None:
        self._typing, self._seen = Typing.NOTHING, None
        self._show_fields()
        self.note.setText("")
        self.say()
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    # -- what the session tells -----------------------------------------------------------------

    def _on_list(self) -> None:
        waiting = self._session.front if self._session else None
        if waiting is None or self.fact is None or waiting.fact.id != self.fact.id:
            self._typing, self._seen = Typing.NOTHING, None
            self.note.setText("")
            self._asked = False
        self._waiting = waiting
        self._show_fields()
        self.setVisible(waiting is not None)
        self.say()

    def _show_fields(self) -> None:
        self.edit_box.setVisible(self.editing)
        self.key_edit.setVisible(self._typing is Typing.KEY)

    def _on_refused(self, error: AppError) -> None:
        if self._asked:
            # What there is now is shown beside what was typed; another answer is one to that.
            self._asked, self._seen = False, None
            self.note.setText(self._language.explain(error))
            self.say()

    def _on_failed(self, _error: AppError) -> None:
        self._asked = False
        self._weigh()

    # -- words ----------------------------------------------------------------------------------

    def _weigh(self) -> None:
        blank = self.editing and is_blank(self.edit.text())
        for button in (self.accept, self.replace, self.merge, self.keep):
            button.setEnabled(not self._asked and not blank)
        if self._typing is Typing.KEY:
            self.keep.setEnabled(self.keep.isEnabled() and self._is_other_key())
        self.change.setEnabled(not self._asked)
        self.deny.setEnabled(not self._asked)

    def _is_other_key(self) -> bool:
        key = self.key_edit.text()
        return self.fact is not None and not is_blank(key) and same_key(key.strip()) != same_key(self.fact.key)

    def _show_buttons(self) -> None:
        """Which choices there are: while something is typed, those that keep it."""
        compares, typing = self._waiting is not None and self._waiting.rival is not None, self._typing
        choosing = typing in (Typing.NOTHING, Typing.VALUE)
        self.accept.setVisible(not compares)
        self.replace.setVisible(compares and choosing)
        self.keep.setVisible(compares and (choosing or typing is Typing.KEY))
        self.merge.setVisible(compares and typing in (Typing.NOTHING, Typing.MERGED))
        self.deny.setVisible(not self.editing or not compares)
        for button in (self.keep, self.merge):
            button.set_kind("" if choosing else "primary")
        self._buttons.updateGeometry()

    def say(self) -> None:
        """Everything in the language in use."""
        say = self._language.say
        self._turn()
        self._show_buttons()
        self._weigh()
        self.accept.set_words(say("memory.accept"))
        self.replace.set_words(say("memory.accept_replace"))
        self.keep.set_words(say("memory.keep_both"))
        self.merge.set_words(say("memory.merge_save" if self._typing is Typing.MERGED else "memory.merge"))
        self.change.set_words(say("memory.cancel" if self.editing else "memory.change"))
        self.deny.set_words(say("memory.deny"))
        for button, key in (
            (self.accept, "A"),
            (self.replace, "R"),
            (self.keep, "K"),
            (self.merge, "M"),
            (self.change, "E"),
            (self.deny, "D"),
        ):
            hint = say("window.key", text=button.accessibleName(), key=key)
            set_tooltip(button, "" if self.editing else hint)
        self.edit.setAccessibleName(say("memory.field_value"))
        self.key_edit.setAccessibleName(say("memory.field_key"))
        self.note.setVisible(bool(self.note.text()))
        if self._waiting is not None and self._session is not None:
            self._say_fact(self._waiting, self._session)

    def _say_fact(self, waiting: WaitingFact, session: MemorySession) -> None:
        say, words, fact = self._language.say, self._language.words, waiting.fact
        self.count.setText(say("memory.waiting", n=len(session.pending)))
        by = waiting.found_by
        found = say(f"memory.found.{by}") if by is not None else origin_word(words, fact.origin)
        who = say("memory.waiting_from", who=found, time=time_word(words, fact.created_at))
        title = session.source_title(fact)
        self.origin.set_whole(say("memory.waiting_in", who=who, title=visible_line(title, 60)) if title else who)
        value = visible_text(fact.value)
        shown = value if len(value) <= _MOST_SHOWN else f"{value[:_MOST_SHOWN]}…"
        line = say("memory.waiting_fact", key=visible_line(fact.key), value=shown)
        self.text.setText(visible_line(fact.key) if self.editing else line)
        self.text.setVisible(waiting.rival is None)
        quote = visible_line(fact.source.quote, _MOST_QUOTE) if fact.source is not None else ""
        self.quote.setText(say("memory.quote", text=quote))
        self.quote.setVisible(not is_blank(quote) and self._typing is Typing.NOTHING)
        self.compared.show_waiting(waiting, editing=self.editing)
        keys = say("memory.waiting_keys" if waiting.rival is None else "memory.waiting_keys_all")
        stands = self.compared.stands.text() if waiting.rival is not None else ""
        self.setAccessibleName(f"{self.count.text()}. {line} {stands}".strip())
        self.setAccessibleDescription(keys)
