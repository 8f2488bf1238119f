"""Follows the conversation in front: title, status line, what of the window's acts is possible with it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from desktop_app.bridge.conversation_list import ConversationListModel
from desktop_app.bridge.session_state import SessionState
from desktop_app.core.conversation import Role
from desktop_app.ui.actions import WindowActions
from desktop_app.ui.status_bar import StatusBar
from desktop_app.ui.top_bar import TopBar

if TYPE_CHECKING:
    from desktop_app.bridge.app_session import AppSession
    from desktop_app.bridge.chat_session import ChatSession


class ChatInFront(QObject):
    """`titleChanged(str)` with the stored title of the conversation in front."""

    titleChanged = Signal(str)

    def __init__(
        self,
        session: AppSession,
        top_bar: TopBar,
        status: StatusBar,
        actions: WindowActions,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session, self._top_bar, self._status, self._actions = session, top_bar, status, actions
        self._chat: ChatSession | None = None
        self._was = (False, False)
        for signal in (session.conversations.dataChanged, session.conversations.modelReset):
            signal.connect(self._count_elsewhere)
        session.currentChanged.connect(self.follow)
        session.conversationCreated.connect(self._on_created)
        top_bar.title.renamed.connect(self._on_renamed)
        self.follow(session.current)

    def follow(self, chat: ChatSession | None) -> None:
        """Another conversation is in front."""
        if self._chat is not None:
            self._chat.stateChanged.disconnect(self._on_state)
            self._chat.titleChanged.disconnect(self._on_title)
            self._chat.historyChanged.disconnect(self.update_actions)
        self._chat = chat
        if chat is not None:
            chat.stateChanged.connect(self._on_state)
            chat.titleChanged.connect(self._on_title)
            chat.historyChanged.connect(self.update_actions)
        state = chat.state if chat else SessionState()
        self._was = (state.busy, state.answering)
        self._status.show_state(state)
        self._on_title(chat.title if chat else "")
        self._count_elsewhere()
        self.update_actions()

    def stop(self) -> None:
        """Stops the answer that is under way."""
        if self._chat is not None and self._chat.state.busy:
            self._chat.stop()

    def regenerate(self) -> None:
        """Answers the last turn again."""
        last = self._last_answer()
        if self._chat is not None and last is not None:
            self._chat.regenerate(last)

    def delete(self) -> None:
        """Deletes the conversation in front; a notice offers to undo it."""
        if self._chat is not None and self._chat.conversation_id is not None:
            self._session.delete(self._chat.conversation_id)

    def update_actions(self) -> None:
        """Which acts are possible now."""
        chat, ready = self._chat, self._session.is_ready and self._session.settings.welcomed
        stored = chat is not None and chat.conversation_id is not None
        busy = chat is not None and chat.state.answering
        for name, possible in (
            ("stop", chat is not None and chat.state.busy),
            ("regenerate", not busy and self._last_answer() is not None),
            ("rename", stored),
            ("delete", stored),
            ("raw_request", chat is not None and bool(chat.history)),
        ):
            self._actions[name].setEnabled(ready and possible)
        for name in ("new_chat", "focus_composer", "focus_filter", "toggle_sidebar", "toggle_inspector", "settings"):
            self._actions[name].setEnabled(ready)

    def _last_answer(self) -> str | None:
        if self._chat is None:
            return None
        messages = self._chat.messages
        for row in range(messages.rowCount() - 1, -1, -1):
            if messages.entry(row).role is Role.ASSISTANT:
                return messages.entry(row).id
        return None

    def _on_state(self, state: SessionState) -> None:
        self._status.show_state(state)
        was, self._was = self._was, (state.busy, state.answering)
        if was[1] and not state.answering:
            self._status.show_saved(datetime.now(UTC))
        if was != self._was:
            self.update_actions()

    def _on_title(self, title: str) -> None:
        stored = self._chat is not None and self._chat.conversation_id is not None
        self._top_bar.title.show_title(title, editable=stored)
        self.titleChanged.emit(title)

    def _on_created(self, _conversation_id: str) -> None:
        self._status.show_saved(datetime.now(UTC))
        self._on_title(self._chat.title if self._chat else "")
        self.update_actions()

    def _on_renamed(self, title: str) -> None:
        if self._chat is not None and self._chat.conversation_id is not None:
            self._session.rename(self._chat.conversation_id, title)

    def _count_elsewhere(self) -> None:
        model = self._session.conversations
        here = self._chat.conversation_id if self._chat else None
        places = (model.index(row, 0) for row in range(model.rowCount()))
        count = sum(
            1
            for place in places
            if place.data(ConversationListModel.BusyRole) and place.data(ConversationListModel.IdRole) != here
        )
        self._status.show_elsewhere(count)
