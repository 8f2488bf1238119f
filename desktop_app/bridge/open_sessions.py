"""Which conversations are kept open, which one is in front; what a person wrote is never dropped with one."""

from __future__ import annotations

from collections.abc import Callable

from desktop_app.bridge.chat_session import ChatSession
from desktop_app.core.attachments import AttachedFile

_MOST = 8
"""Stored conversations kept open at once, beside those that are answering or hold a draft."""


class OpenSessions:
    """`front` is the conversation in front. `make` opens one by its id, a new one for None."""

    def __init__(self, make: Callable[[str | None], ChatSession]) -> None:
        self._make = make
        self.front: ChatSession | None = None
        self._stored: dict[str, ChatSession] = {}
        self._unsaved: list[ChatSession] = []
        self._drafts: dict[str, tuple[str, tuple[AttachedFile, ...]]] = {}

    def new(self) -> ChatSession:
        """The new conversation in which something is written already, or an empty one."""
        written = [session for session in self._unsaved if session.holds_text and not session.state.busy]
        if written:
            return next((session for session in written if session is not self.front), written[0])
        session = self._make(None)
        self._unsaved.append(session)
        return session

    def of(self, conversation_id: str) -> ChatSession:
        """The session of a stored conversation, opened where it is not."""
        session = self._stored.pop(conversation_id, None)
        if session is None:
            session = self._make(conversation_id)
            session.draft, files = self._drafts.pop(conversation_id, ("", ()))
            session.files.put_back(files)
        self._stored[conversation_id] = session  # at the end: it is the one used last
        return session

    def adopt(self, session: ChatSession, conversation_id: str) -> None:
        """A new conversation was stored."""
        if session in self._unsaved:
            self._unsaved.remove(session)
        self._stored[conversation_id] = session

    def take_out(self, conversation_id: str) -> None:
        """Closes a conversation that was deleted; its draft is there again when it is restored."""
        session = self._stored.pop(conversation_id, None)
        if session is not None:
            text = "\n\n".join(part for part in (session.state.queued, session.draft) if part)
            files = (*session.state.queued_files, *session.files.ready)
            if text or files:
                self._drafts[conversation_id] = text, files
            session.close()

    def all(self) -> list[ChatSession]:
        """Every open one."""
        return [*self._stored.values(), *self._unsaved]

    def tidy(self) -> None:
        """Closes empty new conversations that were left, and those used longest ago beyond the most."""
        for session in [one for one in self._unsaved if self._may_go(one)]:
            self._unsaved.remove(session)
            _end(session)
        for name in list(self._stored)[:-_MOST]:
            if self._may_go(self._stored[name]):
                _end(self._stored.pop(name))

    def close(self) -> None:
        """Ends all; answers that were arriving are marked interrupted."""
        for session in self.all():
            session.close(closing_app=True)

    def _may_go(self, session: ChatSession) -> bool:
        return session is not self.front and not session.state.busy and not session.holds_text


def _end(session: ChatSession) -> None:
    session.close()
    session.deleteLater()
