"""What the tests of the bridge do again and again with a conversation."""

from __future__ import annotations

from collections.abc import Callable

from pytestqt.qtbot import QtBot

from desktop_app.bridge.app_session import AppSession
from desktop_app.bridge.chat_session import ChatSession
from desktop_app.bridge.entries import TextPart
from desktop_app.core.conversation import Message
from desktop_app.services.all_services import Services

Open = Callable[..., AppSession]


def current(session: AppSession) -> ChatSession:
    """The conversation in front."""
    assert session.current is not None
    return session.current


def text_of(chat: ChatSession, row: int) -> str:
    """The answer text of a row."""
    return "\n\n".join(part.text for part in chat.messages.entry(row).parts if isinstance(part, TextPart))


def ask(qtbot: QtBot, chat: ChatSession, text: str) -> None:
    """Sends and waits for the end of the turn."""
    with qtbot.waitSignal(chat.turnEnded, timeout=15_000):
        chat.send(text)


def services_of(session: AppSession) -> Services:
    """The services behind it."""
    assert session._services is not None
    return session._services


def stored(session: AppSession, conversation_id: str) -> list[Message]:
    """The path in use as the store has it."""
    return session._runner.start(services_of(session).store.path(conversation_id)).result(5)
