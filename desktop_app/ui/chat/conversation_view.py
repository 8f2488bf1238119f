"""The conversation: opens at its end, builds pages at the edges, stays where the reader is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QStackedLayout, QWidget

from desktop_app.bridge.entries import Entry
from desktop_app.bridge.message_list import MessageListModel
from desktop_app.bridge.session_state import SessionState
from desktop_app.core.conversation import Role
from desktop_app.ui.chat.empty_chat import EmptyChat
from desktop_app.ui.chat.message_area import MessageArea
from desktop_app.ui.chat.message_column import PAGE, MessageColumn
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import TextButton

if TYPE_CHECKING:
    from desktop_app.ui.chat.message_view import MessageView


class ConversationView(QWidget):
    """Shows a MessageListModel.

    Signals:
        editRequested(str, str), regenerateRequested(str), branchRequested(str, int), continueRequested():
            what the person wants done with a message.
        contextAsked(str): id of a message whose place in the context is wanted.
        promptChosen(str): an example of the empty conversation.
        foldAsked(): what was folded, or is being folded, is wanted.
        notesAsked(str): id of a question; the memories told beside it are wanted.
    """

    editRequested = Signal(str, str)
    regenerateRequested = Signal(str)
    branchRequested = Signal(str, int)
    continueRequested = Signal()
    contextAsked = Signal(str)
    promptChosen = Signal(str)
    foldAsked = Signal()
    notesAsked = Signal(str)

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._language = theme, language
        self._model: MessageListModel | None = None
        self._busy = False
        self._tab_stop: MessageView | None = None
        self.empty = EmptyChat(theme, language)
        self.column = MessageColumn(self._make_view)
        self.area = MessageArea(self.column)
        self.jump = TextButton(kind="float", parent=self)
        self._settle_soon = QTimer(self)
        self._build_soon = QTimer(self)
        self._arrange()
        self._connect()
        self._retranslate()

    # -- what it shows

    def set_model(self, model: MessageListModel | None) -> None:
        """Shows another conversation, from its end."""
        if self._model is not None:
            self._model.rowsInserted.disconnect(self._on_inserted)
            self._model.rowsRemoved.disconnect(self._on_removed)
            self._model.dataChanged.disconnect(self._on_changed)
            self._model.modelReset.disconnect(self.open_end)
        self._model = model
        if model is not None:
            model.rowsInserted.connect(self._on_inserted)
            model.rowsRemoved.connect(self._on_removed)
            model.dataChanged.connect(self._on_changed)
            model.modelReset.connect(self.open_end)
        self.open_end()

    def open_end(self) -> None:
        """Builds the last two pages and goes to the end."""
        count = self._count()
        self.area.adjusting = True
        self.column.clear()
        last = max(0, count - 1) // PAGE
        # What is seen at once; the edges ask for what is still missing.
        for number in range(max(0, last - 1), last + 1):
            self._build_page(number)
        self.area.following = True
        self._after_rows()
        self._settle()

    def show_state(self, state: SessionState) -> None:
        """While an answer is under way nothing is edited or answered again."""
        if state.answering != self._busy:
            self._busy = state.answering
            self._after_rows()

    def append_text(self, message_id: str, index: int, text: str) -> None:
        """A piece of answer text arrived."""
        view = self.column.view_of_row(self._count() - 1) or self.column.view_of(message_id)
        if view is not None and view.entry.id != message_id:
            view = self.column.view_of(message_id)
        if view is not None:
            view.parts.append_text(index, text)
            self._settle()

    def append_thinking(self, message_id: str, index: int, text: str) -> None:
        """A piece of thinking arrived."""
        view = self.column.view_of(message_id)
        if view is not None:
            view.parts.append_thinking(index, text)
            self._settle()

    def reveal(self, message_id: str) -> bool:
        """Scrolls to a message and outlines it for a moment; False when it is not in this conversation."""
        row = self._model.row_of(message_id) if self._model is not None else -1
        if row < 0:
            return False
        if self.column.view_of_row(row) is None:
            self.area.adjusting = True
            self.column.clear()
            for number in range(max(0, row // PAGE - 1), row // PAGE + 2):
                self._build_page(number)
            self._after_rows()
        self.area.following = False
        self._settle()
        view = self.column.view_of_row(row)
        if view is None:
            return False
        self.area.verticalScrollBar().setValue(self.area.top_of(view) - self.area.viewport().height() // 5)
        view.reveal()
        return True

    @property
    def following(self) -> bool:
        """Whether the reader is at the end, so that the view moves along."""
        return self.area.following

    # -- reading position

    def _settle(self) -> None:
        """Lays out what changed; the end stays in sight for who is there, the place for who reads elsewhere."""
        self._settle_soon.stop()
        self.area.lay_out(self.width(), None if self.area.following else self.area.anchor())
        self._show_jump()
        self._build_soon.start()

    def _settle_later(self) -> None:
        self._settle_soon.start()

    def _on_scrolled(self) -> None:
        self.area.following = self.area.at_end() and self.column.end_row >= self._count()
        self._build_soon.start()
        self._show_jump()

    def _load_edges(self) -> None:
        """Builds the next page where the reader comes near an edge; one in each turn of the event loop."""
        if self._model is None or not self.isVisible():
            return
        if self.area.near_start() and self.column.first_row > 0:
            number = self.column.page_of(self.column.first_row) - 1
        elif self.area.near_end() and self.column.end_row < self._count():
            number = self.column.page_of(self.column.end_row)
            self.area.following = False
        else:
            return
        anchor = self.area.anchor()
        self.area.adjusting = True
        self._build_page(number)
        self._after_rows()
        self.area.lay_out(self.width(), anchor)
        self._show_jump()
        self._build_soon.start()

    def _jump(self) -> None:
        self.area.following = True
        if self.column.end_row < self._count():
            self.open_end()
        else:
            self._settle()

    # -- the model

    def _on_inserted(self, _: QModelIndex, first: int, last: int) -> None:
        model = self._model
        if model is None:
            return
        if first == 0 and last + 1 < self._count():
            # Earlier messages became known; what is built stays where it is.
            if self.column.put_before(last + 1):
                self._build_soon.start()
            else:
                self.open_end()
            return
        if first == 0:
            self.open_end()
            return
        added = [model.entry(row) for row in range(first, last + 1)]
        if any(entry.role is Role.USER for entry in added):
            self.area.following = True  # what the person sends is what they want to see
        if self.column.end_row != first or last - first >= 2 * PAGE:
            if self.area.following:
                self.open_end()
            else:
                self._show_jump()
            return
        for row, entry in enumerate(added, first):
            self.column.append(row, entry)
        self._after_rows()
        self._settle()

    def _on_removed(self, _: QModelIndex, first: int, _last: int) -> None:
        self.column.cut(first)
        if not self.column.pages_built() and self._count():
            self.open_end()
            return
        self._after_rows()
        self._settle()

    def _on_changed(self, first: QModelIndex, last: QModelIndex) -> None:
        built = range(max(first.row(), self.column.first_row), min(last.row() + 1, self.column.end_row))
        for row in built:
            view = self.column.view_of_row(row)
            if view is not None and self._model is not None:
                view.set_entry(self._model.entry(row), self._usual_model(row))
        if built:
            self._settle()

    def _after_rows(self) -> None:
        """What depends on where a message stands: the last one, the tab stop, the empty page."""
        views = list(self.column.views())
        at_end = self.column.end_row >= self._count()
        for view in views:
            view.set_context(last=at_end and view is views[-1], busy=self._busy)
        if self._tab_stop not in views:
            self._make_tab_stop(views[-1] if views else None)
        self._stack.setCurrentWidget(self.area if self._count() else self.empty)

    def _count(self) -> int:
        return self._model.rowCount() if self._model is not None else 0

    def _build_page(self, number: int) -> None:
        if self._model is None:
            return
        of_page = self.column.rows_of(number)
        rows = range(of_page.start, min(of_page.stop, self._count()))
        if rows:
            self.column.build(number, [self._model.entry(row) for row in rows])

    def _make_view(self, row: int, entry: Entry, parent: QWidget) -> MessageView:
        from desktop_app.ui.chat.message_view import MessageView

        view = MessageView(self._theme, self._language, entry, self._usual_model(row), parent)
        view.editRequested.connect(self.editRequested)
        view.regenerateRequested.connect(self.regenerateRequested)
        view.branchRequested.connect(self.branchRequested)
        view.continueRequested.connect(self.continueRequested)
        view.contextAsked.connect(self.contextAsked)
        view.foldAsked.connect(self.foldAsked)
        view.notesAsked.connect(self.notesAsked)
        view.targetChosen.connect(self._ask_to_open)
        view.stepRequested.connect(self._step)
        view.heightChanged.connect(self._settle_later)
        return view

    def _usual_model(self, row: int) -> str:
        """The model of the answer before."""
        while self._model is not None and row > 0:
            row -= 1
            before = self._model.entry(row)
            if before.role is Role.ASSISTANT:
                return before.model or ""
        return ""

    # -- keyboard and looks

    def _step(self, step: int) -> None:
        views = list(self.column.views())
        sender = self.sender()
        place = next((at for at, view in enumerate(views) if view is sender), -1) + step
        if 0 <= place < len(views):
            self._make_tab_stop(views[place])
            views[place].setFocus(Qt.FocusReason.TabFocusReason)
            self.area.ensureWidgetVisible(views[place], 0, 40)

    def _make_tab_stop(self, view: MessageView | None) -> None:
        """One message is reached by Tab, the others from it by Up and Down."""
        if self._tab_stop is not None and self._tab_stop in list(self.column.views()):
            self._tab_stop.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self._tab_stop = view
        if view is not None:
            view.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def _ask_to_open(self, target: str) -> None:
        from desktop_app.ui.chat.link_question import ask_to_open

        ask_to_open(self._language, target, self.window())

    def _show_jump(self) -> None:
        self.jump.setVisible(bool(self._count()) and not self.area.following)
        self._place_jump()

    def _place_jump(self) -> None:
        self.jump.adjustSize()
        self.jump.move((self.width() - self.jump.width()) // 2, self.height() - self.jump.height() - 12)
        self.jump.raise_()

    def resizeEvent(self, _event: QResizeEvent) -> None:
        """Another width lays the column out again, the reader stays."""
        self._settle_soon.start()
        self._place_jump()

    def showEvent(self, _event: QShowEvent) -> None:
        """Heights are only true once the view is shown."""
        self._settle_soon.start()

    def _arrange(self) -> None:
        for timer in (self._settle_soon, self._build_soon):
            timer.setSingleShot(True)
            timer.setInterval(0)
        for widget in (self.column, self.area, self.area.viewport(), self.empty):
            widget.setProperty("surface", "true")
            widget.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self.area)
        self.jump.hide()

    def _connect(self) -> None:
        self._settle_soon.timeout.connect(self._settle)
        self._build_soon.timeout.connect(self._load_edges)
        self.area.scrolled.connect(self._on_scrolled)
        self.jump.clicked.connect(self._jump)
        self.empty.promptChosen.connect(self.promptChosen)
        self._language.changed.connect(self._retranslate)
        self._theme.changed.connect(self._settle_later)

    def _retranslate(self) -> None:
        say = self._language.say
        self.jump.set_words(say("chat.jump"))
        self.jump.setIcon(self._theme.icon("arrow-down"))
        self.area.setAccessibleName(say("chat.conversation"))
        self._settle_soon.start()
