"""Joins the conversation and the composer with the session in front, and parts them again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from desktop_app.bridge.session_state import SessionState
from desktop_app.ui.chat.composer import Composer
from desktop_app.ui.chat.conversation_view import ConversationView

if TYPE_CHECKING:
    from desktop_app.bridge.chat_session import ChatSession


class ChatWiring(QObject):
    """What the person does in the chat goes to the session, what the session tells goes to the chat."""

    def __init__(self, conversation: ConversationView, composer: Composer, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._conversation, self._composer = conversation, composer
        self._chat: ChatSession | None = None
        conversation.editRequested.connect(self._on_edit)
        conversation.regenerateRequested.connect(self._on_regenerate)
        conversation.branchRequested.connect(self._on_branch)
        conversation.continueRequested.connect(self._on_continue)
        conversation.promptChosen.connect(self._on_prompt)
        composer.submitted.connect(self._on_submitted)
        composer.textEdited.connect(self._on_text)
        composer.stopRequested.connect(self._on_stop)
        composer.retryRequested.connect(self._on_retry)
        composer.queueDropped.connect(self._on_queue_dropped)
        composer.nowRequested.connect(self._on_send_now)
        composer.filesChosen.connect(self._on_files)
        composer.pictureGiven.connect(self._on_picture)
        composer.fileRemoved.connect(self._on_file_removed)
        composer.unusableRemoved.connect(self._on_unusable_removed)
        composer.drops.watch(conversation)

    def set_session(self, chat: ChatSession | None) -> None:
        """Another conversation is in front; each keeps the text that was being written in it."""
        if self._chat is not None:
            self._part(self._chat)
        self._chat = chat
        self._composer.setEnabled(chat is not None)
        self._conversation.set_model(chat.messages if chat else None)
        self._composer.set_text(chat.draft if chat else "")
        self._composer.show_files(chat.files.files if chat else ())
        self._composer.show_preview(chat.preview if chat else None)
        self._composer.show_forecast(chat.cache.forecast if chat else None)
        self._on_state(chat.state if chat else SessionState())
        self._show_review()
        if chat is not None:
            self._join(chat)
            if chat.conversation_id is None:
                chat.preview_text(chat.draft)

    def _join(self, chat: ChatSession) -> None:
        chat.stateChanged.connect(self._on_state)
        chat.previewChanged.connect(self._composer.show_preview)
        chat.cache.forecastChanged.connect(self._composer.show_forecast)
        chat.textArrived.connect(self._conversation.append_text)
        chat.thinkingArrived.connect(self._conversation.append_thinking)
        chat.textReturned.connect(self._composer.put_back)
        chat.files.changed.connect(self._show_files)
        chat.folding.changed.connect(self._show_review)

    def _part(self, chat: ChatSession) -> None:
        chat.stateChanged.disconnect(self._on_state)
        chat.previewChanged.disconnect(self._composer.show_preview)
        chat.cache.forecastChanged.disconnect(self._composer.show_forecast)
        chat.textArrived.disconnect(self._conversation.append_text)
        chat.thinkingArrived.disconnect(self._conversation.append_thinking)
        chat.textReturned.disconnect(self._composer.put_back)
        chat.files.changed.disconnect(self._show_files)
        chat.folding.changed.disconnect(self._show_review)

    def _on_state(self, state: SessionState) -> None:
        self._conversation.show_state(state)
        self._composer.show_state(state)

    def _on_edit(self, message_id: str, text: str) -> None:
        if self._chat is not None:
            self._chat.edit(message_id, text)

    def _on_regenerate(self, message_id: str) -> None:
        if self._chat is not None:
            self._chat.regenerate(message_id)

    def _on_branch(self, message_id: str, step: int) -> None:
        if self._chat is not None:
            self._chat.choose_branch(message_id, step)

    def _on_continue(self) -> None:
        if self._chat is not None:
            self._chat.continue_reply()

    def _on_prompt(self, text: str) -> None:
        self._composer.put_back(text)
        self._composer.focus_text()

    def _on_submitted(self, text: str) -> None:
        if self._chat is not None:
            self._chat.send(text)

    def _on_text(self, text: str) -> None:
        if self._chat is not None:
            self._chat.preview_text(text)

    def _show_files(self) -> None:
        if self._chat is not None:
            self._composer.show_files(self._chat.files.files)

    def _show_review(self) -> None:
        """A summary that waits holds up what would be folded by itself: that is said for as long as it does."""
        self._composer.review.setVisible(self._chat is not None and self._chat.folding.proposed is not None)

    def _on_files(self, paths: list[Path]) -> None:
        if self._chat is not None:
            self._chat.files.add_paths(paths)

    def _on_picture(self, name: str, data: bytes) -> None:
        if self._chat is not None:
            self._chat.files.add_bytes(name, data)

    def _on_file_removed(self, number: int) -> None:
        if self._chat is not None:
            self._chat.files.remove(number)

    def _on_unusable_removed(self) -> None:
        if self._chat is not None:
            self._chat.files.remove_unusable()

    def _on_stop(self) -> None:
        if self._chat is not None:
            self._chat.stop()

    def _on_retry(self) -> None:
        if self._chat is not None:
            written = self._chat.draft
            self._chat.retry_now()
            if self._chat.draft != written:
                self._composer.set_text(self._chat.draft)  # a text that had come back left again

    def _on_send_now(self) -> None:
        if self._chat is not None:
            self._chat.send_now()

    def _on_queue_dropped(self) -> None:
        if self._chat is not None:
            self._composer.put_back(self._chat.drop_queued())
