"""The list of conversations: filter, new chat, groups by day; rename in place, delete."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QListView, QMenu, QVBoxLayout, QWidget

from desktop_app.bridge.conversation_list import ConversationListModel
from desktop_app.ui.conversation_rows import ConversationDelegate, FilteredConversations
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import TextButton
from desktop_app.ui.widgets.plain_label import PlainLabel

if TYPE_CHECKING:
    from desktop_app.bridge.app_session import AppSession


def _call(act: Callable[[QModelIndex], object], index: QPersistentModelIndex, _checked: bool = False) -> None:
    """Runs an act of the menu on its row, if the row is still there."""
    if index.isValid():
        act(index.model().index(index.row(), 0))


class ConversationView(QListView):
    """The list itself: Enter opens, F2 renames, Delete deletes."""

    openAsked = Signal(QModelIndex)
    deleteAsked = Signal(QModelIndex)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """The keys of a row."""
        index = self.currentIndex()
        if self.state() is QListView.State.EditingState:
            event.accept()  # Enter in the field of a row ends there
        elif index.isValid() and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.openAsked.emit(index)
        elif index.isValid() and event.key() == Qt.Key.Key_Delete:
            self.deleteAsked.emit(index)
        else:
            super().keyPressEvent(event)


class Sidebar(QFrame):
    """Shows the conversations of the session and asks it to open, rename and delete."""

    def __init__(self, session: AppSession, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._theme, self._language = session, theme, language
        self.filter = QLineEdit()
        self._search_icon = QAction(self.filter)
        self.filter.addAction(self._search_icon, QLineEdit.ActionPosition.LeadingPosition)
        self.filter.setClearButtonEnabled(True)
        self.new_chat = TextButton(kind="link")
        self.rows = FilteredConversations(session.conversations, language, self)
        self.list = ConversationView()
        self.delegate = ConversationDelegate(theme, language, self.list)
        self.note = PlainLabel(tone="muted", wrap=True)
        self._set_up_list()
        self._arrange()
        self._connect()
        self._say()
        self._paint()
        self.select_current()

    def focus_filter(self) -> None:
        """Puts the cursor into the filter."""
        self.filter.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.filter.selectAll()

    def rename_selected(self) -> None:
        """Makes the selected row a field."""
        if self.list.currentIndex().isValid():
            self.list.edit(self.list.currentIndex())

    def select_current(self) -> None:
        """Selects the conversation in front; none while it is not listed."""
        current = self._session.current
        index = self.rows.index_of(current.conversation_id if current else None)
        self.list.setCurrentIndex(index)
        if index.isValid():
            self.list.scrollTo(index)
        else:
            self.list.clearSelection()
        self._update_note()

    def eventFilter(self, watched: object, event: QEvent) -> bool:
        """Arrow down in the filter goes to the list, Escape empties it."""
        if watched is self.filter and isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress:
            if event.key() == Qt.Key.Key_Down and self.rows.rowCount():
                self.list.setFocus(Qt.FocusReason.TabFocusReason)
                if not self.list.currentIndex().isValid():
                    self.list.setCurrentIndex(self.rows.index(0, 0))
                return True
            if event.key() == Qt.Key.Key_Escape and self.filter.text():
                self.filter.clear()
                return True
        return super().eventFilter(watched, event)  # type: ignore[arg-type]

    def menu_for(self, index: QModelIndex) -> QMenu:
        """The menu of a row."""
        say, menu = self._language.say, QMenu(self)
        for word, act in (("open", self._open), ("rename", self.list.edit), ("delete", self._delete)):
            menu.addAction(say(f"sidebar.{word}")).triggered.connect(partial(_call, act, QPersistentModelIndex(index)))
        return menu

    def _set_up_list(self) -> None:
        self.list.setModel(self.rows)
        self.list.setItemDelegate(self.delegate)
        self.list.setMouseTracking(True)
        self.list.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.list.setEditTriggers(QListView.EditTrigger.EditKeyPressed)
        self.list.setProperty("bare", "true")
        self.list.setResizeMode(QListView.ResizeMode.Adjust)

    def _arrange(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 10, 0, 8)
        layout.setSpacing(6)
        top = QVBoxLayout()
        top.setContentsMargins(0, 0, 8, 0)
        top.setSpacing(8)
        top.addWidget(self.filter)
        new = QHBoxLayout()
        new.addSpacing(4)
        new.addWidget(self.new_chat)
        new.addStretch()
        top.addLayout(new)
        top.addWidget(self.note)
        layout.addLayout(top)
        layout.addWidget(self.list, 1)
        self.note.setContentsMargins(8, 8, 8, 0)
        self.setMinimumWidth(180)

    def _connect(self) -> None:
        self.filter.textChanged.connect(self._on_filter)
        self.filter.installEventFilter(self)
        self.new_chat.clicked.connect(self._session.new_conversation)
        self.list.clicked.connect(self._open)
        self.list.openAsked.connect(self._open)
        self.list.deleteAsked.connect(self._delete)
        self.list.customContextMenuRequested.connect(self._on_menu)
        self.delegate.renamed.connect(self._session.rename)
        for signal in (self.rows.modelReset, self.rows.rowsInserted, self.rows.rowsRemoved):
            signal.connect(self._on_rows)
        self._session.currentChanged.connect(self.select_current)
        self._session.conversationCreated.connect(self.select_current)
        self._theme.changed.connect(self._paint)
        self._language.changed.connect(self._say)

    def _open(self, index: QModelIndex) -> None:
        self._session.open_conversation(index.data(ConversationListModel.IdRole))

    def _delete(self, index: QModelIndex) -> None:
        self._session.delete(index.data(ConversationListModel.IdRole))

    def _on_menu(self, place: QPoint) -> None:
        index = self.list.indexAt(place)
        if index.isValid():
            menu = self.menu_for(index)
            menu.exec(self.list.viewport().mapToGlobal(place))
            menu.deleteLater()

    def _on_filter(self, text: str) -> None:
        self.rows.set_filter(text)
        self.select_current()

    def _on_rows(self) -> None:
        # The first row of a day carries the day's name, so that a neighbour may change its height.
        self.list.scheduleDelayedItemsLayout()
        self.select_current()

    def _update_note(self) -> None:
        say, found = self._language.say, self.rows.rowCount()
        text = self.filter.text()
        self.note.setText(say("sidebar.no_match", text=text) if text else say("sidebar.empty"))
        self.note.setVisible(not found)

    def _paint(self) -> None:
        self._search_icon.setIcon(self._theme.icon("search"))
        self.new_chat.setIcon(self._theme.icon("plus", "accent"))
        self.new_chat.setIconSize(QSize(16, 16))
        self.list.viewport().update()

    def _say(self) -> None:
        say = self._language.say
        self.filter.setPlaceholderText(say("sidebar.filter"))
        self.filter.setAccessibleName(say("sidebar.filter_name"))
        self.new_chat.set_words(say("sidebar.new_chat"))
        self.list.setAccessibleName(say("sidebar.list_name"))
        self._update_note()
        self.list.viewport().update()
