"""What a person wrote stays, however many conversations are opened meanwhile."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from desktop_app.core.conversation import Role, text_block
from desktop_app.core.importing import ImportedConversation, ImportedMessage
from tests.bridge.chat_acts import Open, ask, current, services_of


def imported(number: int) -> ImportedConversation:
    """A conversation of one message."""
    message = ImportedMessage(f"m{number}", Role.USER, (text_block(f"text {number}"),))
    return ImportedConversation(f"c{number}", f"talk {number}", (message,))


def test_new_chat_comes_back_to_what_was_written(qtbot: QtBot, open_session: Open) -> None:
    session = open_session()
    ask(qtbot, current(session), "Hello")
    talk = current(session).conversation_id
    assert talk is not None
    session.new_conversation()
    fresh = current(session)
    fresh.preview_text("a letter to the landlord")
    session.open_conversation(talk)
    session.new_conversation()
    assert current(session) is fresh
    assert fresh.draft == "a letter to the landlord"
    ask(qtbot, fresh, "Hello from the new one")
    fresh.preview_text("")
    session.new_conversation()
    assert current(session).conversation_id is None
    assert current(session).draft == ""


def test_an_empty_new_chat_is_not_kept(open_session: Open) -> None:
    session = open_session()
    first = current(session)
    session.new_conversation()
    assert current(session) is not first
    assert session._sessions.all() == [current(session)]


def test_a_draft_survives_many_other_conversations(qtbot: QtBot, open_session: Open) -> None:
    session = open_session()
    talks = [imported(number) for number in range(14)]
    session._runner.start(services_of(session).store.import_conversations("demo", talks)).result(10)
    session.refresh_conversations()
    qtbot.waitUntil(lambda: session.conversations.rowCount() == 14)
    ids = session.conversations.ids()
    session.open_conversation(ids[0])
    current(session).preview_text("half a sentence")
    for other in ids[1:]:
        session.open_conversation(other)
    open_now = session._sessions.all()
    assert len(open_now) == 9
    session.open_conversation(ids[0])
    assert current(session).draft == "half a sentence"
    qtbot.waitUntil(lambda: current(session).loaded, timeout=5_000)


def test_a_draft_comes_back_with_its_deleted_conversation(qtbot: QtBot, open_session: Open) -> None:
    session = open_session()
    chat = current(session)
    ask(qtbot, chat, "Hello")
    talk = chat.conversation_id
    assert talk is not None
    chat.preview_text("one more thing")
    with qtbot.waitSignal(session.notice, timeout=5_000):
        session.delete(talk)
    assert current(session).draft == ""
    session.restore(talk)
    qtbot.waitUntil(lambda: current(session).conversation_id == talk, timeout=5_000)
    assert current(session).draft == "one more thing"
