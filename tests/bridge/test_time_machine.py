"""Past requests for the panel: the last one wanted, any two compared, the exact bytes saved, the path branched."""

from __future__ import annotations

import json
from pathlib import Path

from pytestqt.qtbot import QtBot

from desktop_app.bridge.app_session import AppSession
from desktop_app.bridge.chat_session import ChatSession
from desktop_app.bridge.request_comparison import pair_to_compare
from desktop_app.bridge.session_state import Level, Notice, ShownRequest
from desktop_app.core.branching import Branching
from desktop_app.core.errors import NotFound
from desktop_app.core.request_diff import Change
from tests.bridge.chat_acts import Open, ask, current, services_of, stored, text_of
from tests.unit.spent_samples import record


def two_turns(qtbot: QtBot, chat: ChatSession) -> None:
    """Asks twice and waits until both requests are listed."""
    for number, text in enumerate(("My cat is called Mori.", "What is my cat called?"), 1):
        ask(qtbot, chat, text)
        qtbot.waitUntil(lambda number=number: len(chat.history) == number, timeout=5_000)  # type: ignore[misc]


def sent_bytes(session: AppSession, request_id: str) -> bytes:
    """The body of a request as the store has it."""
    store = services_of(session).store
    return session._runner.start(store.request(request_id)).result(5)[1].body_bytes()


def test_of_requests_asked_for_in_a_row_the_last_is_shown(qtbot: QtBot, open_session: Open) -> None:
    session = open_session()
    chat = current(session)
    two_turns(qtbot, chat)
    shown: list[ShownRequest | None] = []
    chat.requestShown.connect(shown.append)
    first, second = (record.id for record in chat.history)
    for wanted in (first, second, first, second):
        chat.show_request(wanted)
    qtbot.waitUntil(lambda: bool(shown), timeout=5_000)
    assert [one.record.id for one in shown if one] == [second]
    assert shown[0] is not None and shown[0].sent.encode() == sent_bytes(session, second)
    assert json.loads(shown[0].body) == json.loads(shown[0].sent)
    chat.show_request(first)
    chat.show_request(None)
    chat.show_request(first)
    qtbot.waitUntil(lambda: len(shown) == 3, timeout=5_000)
    assert shown[1] is None and shown[2] is not None and shown[2].record.id == first
    messages = [part.block.message_id for row in shown[2].budget.rows for part in row.blocks]
    assert chat.messages.entry(0).id in messages


def test_two_requests_are_compared(qtbot: QtBot, open_session: Open) -> None:
    chat = current(open_session())
    two_turns(qtbot, chat)
    comparison = chat.compare()
    ids = [record.id for record in chat.requests]
    comparison.compare(ids[0], ids[0])
    with qtbot.waitSignal(comparison.changed, timeout=5_000):
        comparison.compare(ids[0], ids[1])
    found = comparison.comparison
    assert found is not None and found.after.record.id == ids[1]
    changes = [pair.change for pair in found.diff.blocks]
    shared = found.diff.shared
    assert set(changes[:shared]) == {Change.SAME} and set(changes[shared:]) == {Change.ADDED}
    words = [str(pair.after) for pair in found.diff.blocks[shared:]]
    assert any("What is my cat called?" in text for text in words)
    comparison.compare(ids[1], ids[0])
    comparison.forget()
    ask(qtbot, chat, "Hello")
    assert comparison.comparison is None


def test_a_comparison_that_cannot_be_read_fails_alone(qtbot: QtBot, open_session: Open) -> None:
    chat = current(open_session())
    two_turns(qtbot, chat)
    comparison = chat.compare()
    ids = [record.id for record in chat.requests]
    with qtbot.waitSignal(comparison.changed, timeout=5_000):
        comparison.compare(ids[0], ids[1])
    with qtbot.waitSignal(comparison.failed, timeout=5_000) as failed:
        comparison.compare(ids[0], "gone")
    assert isinstance(failed.args[0], NotFound) and comparison.comparison is None
    comparison.compare(ids[0], "gone")
    with qtbot.assertNotEmitted(comparison.failed), qtbot.waitSignal(comparison.changed, timeout=5_000):
        comparison.compare(ids[1], ids[0])


def test_a_request_is_read_beside_what_is_shown(qtbot: QtBot, open_session: Open) -> None:
    chat = current(open_session())
    two_turns(qtbot, chat)
    shown: list[object] = []
    read: list[ShownRequest] = []
    chat.requestShown.connect(shown.append)
    chat.read_request(chat.history[0].id, read.append)
    qtbot.waitUntil(lambda: bool(read), timeout=5_000)
    assert read[0].record.id == chat.history[0].id
    with qtbot.waitSignal(chat.failed, timeout=5_000):
        chat.read_request("gone", read.append)
    assert shown == [] and len(read) == 1


def test_a_request_is_compared_with_the_one_before_it_on_the_path() -> None:
    requests = [record(turn, id=name) for turn, name in enumerate(("a1", "a2", "memo", "other", "a3"))]
    path = {"a1", "a2", "a3"}
    assert pair_to_compare("a3", requests, path) == ("a2", "a3")
    assert pair_to_compare("memo", requests, path) == ("a2", "memo")
    assert pair_to_compare("a1", requests, path) == ("a1", "a2")
    assert pair_to_compare("a1", [requests[0], requests[2]], {"a1"}) == ("a1", "memo")
    assert pair_to_compare("a1", requests[:1], path) is None
    assert pair_to_compare("gone", requests, path) is None


def test_a_request_is_saved_to_the_byte(qtbot: QtBot, open_session: Open, tmp_path: Path) -> None:
    session = open_session()
    chat = current(session)
    two_turns(qtbot, chat)
    with qtbot.waitSignal(chat.requestShown, timeout=5_000) as told:
        chat.show_request(chat.history[1].id)
    file = tmp_path / "요청.json"
    with qtbot.waitSignal(chat.noticed, timeout=5_000) as noticed:
        chat.save_request(told.args[0], file)
    assert noticed.args == [Notice("notices.request_saved", {"file": str(file)})]
    assert file.read_bytes() == sent_bytes(session, chat.history[1].id)
    link = tmp_path / "link.json"
    link.symlink_to(file)
    file.write_bytes(b"earlier")
    with qtbot.waitSignal(chat.noticed, timeout=5_000):
        chat.save_request(told.args[0], link)
    assert link.is_symlink() and file.read_bytes() == sent_bytes(session, chat.history[1].id)
    with qtbot.waitSignal(chat.failed, timeout=5_000) as failed:
        chat.save_request(told.args[0], tmp_path / "nowhere" / "x.json")
    assert failed.args[0].message_id == "errors.store_unavailable"
    assert not (tmp_path / "nowhere").exists()


def branch(qtbot: QtBot, session: AppSession) -> Branching:
    """Branches behind the first turn; what the notice offers to take back."""
    chat = current(session)
    with qtbot.waitSignal(session.notice, timeout=5_000) as told:
        chat.branch_at(chat.history[0].turn_id)
    notice = told.args[0]
    assert (notice.message_id, notice.params, notice.level) == ("notices.branched", {"turn": 1, "n": 2}, Level.INFO)
    qtbot.waitUntil(lambda: chat.goes_on and len(chat.history) == 1, timeout=5_000)
    assert chat.messages.rowCount() == 2
    assert isinstance(notice.undo, Branching)
    return notice.undo


def test_a_branch_is_taken_back_from_its_notice(qtbot: QtBot, open_session: Open) -> None:
    session = open_session()
    chat = current(session)
    two_turns(qtbot, chat)
    assert not chat.goes_on
    undo = branch(qtbot, session)
    assert len(chat.requests) == 2 and chat.requests[1].turn_id not in chat.turns
    session.new_conversation()
    session.undo(undo)
    assert current(session) is chat
    qtbot.waitUntil(lambda: len(chat.history) == 2 and not chat.goes_on, timeout=5_000)
    assert "Mori" in text_of(chat, 3)


def test_a_branch_that_was_written_in_is_not_taken_back(qtbot: QtBot, open_session: Open) -> None:
    session = open_session()
    chat = current(session)
    two_turns(qtbot, chat)
    undo = branch(qtbot, session)
    ask(qtbot, chat, "Hello")
    qtbot.waitUntil(lambda: len(chat.history) == 2 and not chat.goes_on, timeout=5_000)
    with qtbot.waitSignal(session.notice, timeout=5_000) as told:
        session.undo(undo)
    assert (told.args[0].message_id, told.args[0].level) == ("notices.branch_stays", Level.WARNING)
    assert stored(session, undo.conversation_id)[2].text == "Hello"


def test_later_messages_come_back_after_a_restart(qtbot: QtBot, open_session: Open) -> None:
    session = open_session()
    two_turns(qtbot, current(session))
    talk = branch(qtbot, session).conversation_id
    session.close()
    again = open_session()
    again.open_conversation(talk)
    chat = current(again)
    qtbot.waitUntil(lambda: chat.goes_on, timeout=5_000)
    chat.resume()
    qtbot.waitUntil(lambda: len(chat.history) == 2 and not chat.goes_on, timeout=5_000)
    assert chat.messages.rowCount() == 4
