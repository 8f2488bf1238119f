"""A text that could not be stored stands in the composer again, before what is written; Retry takes it from there."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from desktop_app.adapters.store import Store
from desktop_app.bridge.app_session import AppSession
from desktop_app.bridge.session_state import Phase
from desktop_app.core import errors
from desktop_app.core.conversation import Message
from desktop_app.ui.chat.composer import Composer
from desktop_app.ui.chat.conversation_view import ConversationView
from desktop_app.ui.chat_wiring import ChatWiring
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from tests.fakes.house import make_services, make_settings
from tests.fakes.simulator import RunningSimulator


def test_the_text_comes_back_and_leaves_with_retry(
    qtbot: QtBot, theme: Theme, language: Language, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(_: Store, message: Message) -> Message:
        raise errors.StoreUnavailable(path=message.text)

    with RunningSimulator() as simulator:
        settings = make_settings(tmp_path, simulator.url)
        session = AppSession(settings, lambda: make_services(tmp_path, simulator.url, settings))
        conversation, composer = ConversationView(theme, language), Composer(theme, language)
        qtbot.addWidget(conversation)
        qtbot.addWidget(composer)
        try:
            with qtbot.waitSignal(session.ready, timeout=10_000):
                session.start()
            chat = session.current
            assert chat is not None
            wiring = ChatWiring(conversation, composer)
            wiring.set_session(chat)
            with monkeypatch.context() as full_disk:
                full_disk.setattr(Store, "add_message", refuse)
                composer.set_text("My boat is called Nari.")
                with qtbot.waitSignal(chat.turnEnded, timeout=10_000):
                    composer.submit()
                    composer.edit.insertPlainText("and")
            assert composer.text() == chat.draft == "My boat is called Nari.\n\nand"
            assert chat.state.phase is Phase.FAILED
            composer.retryRequested.emit()
            assert composer.text() == chat.draft == "and"
            qtbot.waitUntil(lambda: chat.state.phase is Phase.IDLE and chat.messages.rowCount() == 2, timeout=10_000)
            wiring.set_session(None)
        finally:
            session.close()
