"""The row under a message: the memories behind it, what it took, its other versions, and the ways to go on from it.

Buttons are made when they are first needed: a page of messages is built while the reader scrolls.
"""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from desktop_app.bridge.entries import Entry
from desktop_app.core.conversation import MessageState, Origin, Role
from desktop_app.ui.chat.column_width import RING
from desktop_app.ui.chat.notes_link import NotesLink
from desktop_app.ui.fonts import SMALL
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import IconButton
from desktop_app.ui.widgets.plain_label import PlainLabel

HEIGHT = 26
FLOATING_GAP = 10
"""Pixels a message leaves below its block, into which the floating row reaches."""


class MessageTools(QWidget):
    """Copy, edit, answer again, show in the context panel."""

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self.copy = IconButton(theme, "copy")
        self.edit = IconButton(theme, "pencil")
        self.again = IconButton(theme, "refresh-cw")
        self.context = IconButton(theme, "layers")
        _in_a_row(self, self.copy, self.edit, self.again, self.context)
        language.changed.connect(self._retranslate)
        self._retranslate()

    def show_entry(self, entry: Entry, *, busy: bool) -> None:
        """Offers what fits the message."""
        streaming = entry.state is MessageState.STREAMING
        from_person = entry.role is Role.USER
        self.copy.setVisible(not streaming)
        self.edit.setVisible(from_person and entry.origin is Origin.TYPED)
        self.again.setVisible(not from_person and not streaming)
        for button in (self.edit, self.again):
            button.setEnabled(not busy)

    def _retranslate(self) -> None:
        for button, name in (
            (self.copy, "chat.copy"),
            (self.edit, "chat.edit"),
            (self.again, "chat.regenerate"),
            (self.context, "chat.show_in_context"),
        ):
            button.set_name(self._language.say(name))


class BranchSwitch(QWidget):
    """‹ 2 / 3 ›: which version of a message is shown.

    Signals:
        stepped(int): -1 the version before, +1 the next.
    """

    stepped = Signal(int)

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self._at = (1, 1)
        self.before = IconButton(theme, "chevron-left")
        self.place = PlainLabel(tone="muted")
        self.place.setFont(theme.panel_font(size=SMALL))
        self.after = IconButton(theme, "chevron-right")
        _in_a_row(self, self.before, self.place, self.after)
        self.before.clicked.connect(lambda: self.stepped.emit(-1))
        self.after.clicked.connect(lambda: self.stepped.emit(1))
        language.changed.connect(self._retranslate)

    def show_place(self, place: int, count: int, *, busy: bool) -> None:
        """Version `place` (from 1) of `count`."""
        self._at = (place, count)
        self.before.setEnabled(place > 1 and not busy)
        self.after.setEnabled(place < count and not busy)
        self._retranslate()

    def _retranslate(self) -> None:
        say, (place, count) = self._language.say, self._at
        self.place.setText(say("chat.branch", place=place, count=count))
        self.before.set_name(say("chat.branch_before"))
        self.after.set_name(say("chat.branch_after"))


class MessageActions(QWidget):
    """The whole row, a line of its own below an answer; over the lower right edge of a person's block it floats,
    since there it has nothing to say until the pointer or the keyboard comes.

    Signals:
        copyAsked(), editAsked(), regenerateAsked(), contextAsked(): the buttons.
        branchAsked(int): -1 the version before, +1 the next.
        notesAsked(): the memories told beside the question are wanted.
    """

    copyAsked = Signal()
    editAsked = Signal()
    regenerateAsked = Signal()
    contextAsked = Signal()
    branchAsked = Signal(int)
    notesAsked = Signal()

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._language = theme, language
        self.notes: NotesLink | None = None
        self._entry: Entry | None = None
        self._busy = self._open = False
        self._allowed = True
        self.floating = False
        self._tools: MessageTools | None = None
        self._branch: BranchSwitch | None = None
        self.setFixedHeight(HEIGHT)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.meta = PlainLabel(tone="muted")
        self._line = QHBoxLayout(self)
        self._line.setContentsMargins(0, 0, 0, 0)
        self._line.setSpacing(10)
        self._line.addWidget(self.meta)
        self._line.addStretch(1)

    @property
    def tools(self) -> MessageTools:
        """The buttons."""
        if self._tools is None:
            tools = self._tools = MessageTools(self._theme, self._language)
            tools.hide()
            self._line.addWidget(tools)
            tools.copy.clicked.connect(self.copyAsked)
            tools.edit.clicked.connect(self.editAsked)
            tools.again.clicked.connect(self.regenerateAsked)
            tools.context.clicked.connect(self.contextAsked)
            if self._entry is not None:
                tools.show_entry(self._entry, busy=self._busy)
        return self._tools

    @property
    def branch(self) -> BranchSwitch:
        """The switch between versions."""
        if self._branch is None:
            self._branch = BranchSwitch(self._theme, self._language)
            self._branch.stepped.connect(self.branchAsked)
            self._line.insertWidget(self._line.indexOf(self.meta) + 1, self._branch)
        return self._branch

    def show_entry(self, entry: Entry, *, busy: bool) -> None:
        """Fits the row to a message; `busy` while an answer is under way."""
        self._entry, self._busy = entry, busy
        self._show_notes(entry.notes)
        if self._tools is not None:
            self._tools.show_entry(entry, busy=busy)
        if entry.branch is not None:
            self.branch.show_place(*entry.branch, busy=busy)
            self.branch.show()
        elif self._branch is not None:
            self._branch.hide()
        self.retranslate()

    def set_open(self, opened: bool) -> None:
        """Shows or hides the buttons (the versions stay)."""
        self._open = opened
        self._update()

    def allow(self, allowed: bool) -> None:
        """Whether the row may be shown at all."""
        self._allowed = allowed
        self._update()

    def set_floating(self, floating: bool) -> None:
        """Takes the row out of the column of its message, or puts it back where the message wants it."""
        self.floating = floating
        self.setProperty("floating", floating)
        self._line.setContentsMargins(*((4, 0, 4, 0) if floating else (0, 0, 0, 0)))
        self.style().unpolish(self)
        self.style().polish(self)
        self._update()

    def place(self) -> None:
        """Puts a floating row to the lower right edge of its message."""
        message = self.parentWidget()
        if self.floating and message is not None:
            self.adjustSize()
            self.move(message.width() - RING - 8 - self.width(), message.height() - self.height() - 3)
            self.raise_()

    def _show_notes(self, lines: tuple[str, ...]) -> None:
        if lines and self.notes is None:
            self.notes = NotesLink(self._theme, self._language)
            self.notes.clicked.connect(self.notesAsked)
            self._line.insertWidget(0, self.notes)
        if self.notes is not None:
            self.notes.show_lines(lines)

    def _update(self) -> None:
        opened = self._open and self._allowed
        if opened or self._tools is not None:
            self.tools.setVisible(opened)
        self.setVisible(self._allowed and (opened or not self.floating))
        if opened:
            self.place()

    def retranslate(self) -> None:
        """Says its words anew."""
        self.meta.setFont(self._theme.panel_font(size=SMALL))
        self.meta.setText(self._meta(self._entry) if self._entry is not None else "")
        self.meta.setVisible(bool(self.meta.text()))

    def _meta(self, entry: Entry) -> str:
        if entry.role is Role.USER or entry.state is MessageState.STREAMING:
            return ""
        parts = []
        if entry.seconds is not None:
            parts.append(self._language.seconds(entry.seconds))
        if entry.output_tokens is not None:
            number = self._language.number(entry.output_tokens)
            parts.append(self._language.say("chat.output_tokens", tokens=number))
        return "   ".join(parts)


def _in_a_row(holder: QWidget, *widgets: QWidget) -> None:
    line = QHBoxLayout(holder)
    line.setContentsMargins(0, 0, 0, 0)
    line.setSpacing(2)
    for widget in widgets:
        line.addWidget(widget)
