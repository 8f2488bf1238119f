"""What is attached to a draft is read beside the window, sent with the message, and never lost on the way."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from desktop_app.bridge.draft_files import MOST_FILES
from desktop_app.bridge.entries import AttachmentPart, TextPart
from desktop_app.bridge.session_state import Notice
from desktop_app.core.attachments import attachments_of
from tests.bridge.chat_acts import Open, current, services_of, stored
from tests.fakes.attached import noise_png
from tests.fakes.simulator import RunningSimulator


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    file = tmp_path / "plan.png"
    file.write_bytes(noise_png(40, 20))
    return file


def attach(qtbot: QtBot, chat, *paths: Path) -> None:  # type: ignore[no-untyped-def]
    chat.files.add_paths(paths)
    qtbot.waitUntil(lambda: not any(one.reading for one in chat.files.files), timeout=5_000)


def test_a_file_is_read_sent_and_shown(qtbot: QtBot, open_session: Open, plan: Path) -> None:
    session = open_session()
    chat = current(session)
    chat.files.add_paths([plan])
    assert [(one.name, one.reading) for one in chat.files.files] == [("plan.png", True)]
    assert chat.files.waiting and chat.holds_text
    qtbot.waitUntil(lambda: not chat.files.waiting, timeout=5_000)
    with qtbot.waitSignal(chat.turnEnded, timeout=15_000):
        chat.send("")
    assert chat.files.files == ()
    parts = chat.messages.entry(0).parts
    assert [part.attachment.name for part in parts if isinstance(part, AttachmentPart)] == ["plan.png"]
    assert not [part for part in parts if isinstance(part, TextPart)]
    assert chat.title == "plan.png"
    assert chat.conversation_id is not None
    assert [one.measure for one in attachments_of(stored(session, chat.conversation_id)[0])] == ["40×20"]


def test_what_cannot_be_attached_says_why_and_waits_to_be_taken_away(
    qtbot: QtBot, open_session: Open, plan: Path, tmp_path: Path
) -> None:
    chat = current(open_session())
    (tmp_path / "x.zip").write_bytes(b"PK\x03\x04" + bytes(200))
    attach(qtbot, chat, tmp_path / "x.zip", plan, plan)
    unusable, usable = chat.files.files  # the same content once
    assert unusable.error is not None and unusable.error.params == {"file": "x.zip", "why": "not_text"}
    assert (usable.name, chat.files.waiting) == ("plan.png", True)
    chat.files.remove(unusable.number)
    assert not chat.files.waiting and len(chat.files.ready) == 1


def test_no_more_than_so_many_are_taken(qtbot: QtBot, open_session: Open, tmp_path: Path) -> None:
    chat = current(open_session())
    paths = [tmp_path / f"{number}.txt" for number in range(MOST_FILES + 5)]
    for path in paths:
        path.write_text(path.name)
    with qtbot.waitSignal(chat.noticed) as noticed:
        attach(qtbot, chat, *paths)
    assert [one.name for one in chat.files.files] == [f"{number}.txt" for number in range(MOST_FILES)]
    notice: Notice = noticed.args[0]
    assert (notice.message_id, notice.params) == ("attachments.too_many", {"n": 5, "given": 25, "most": MOST_FILES})
    with qtbot.waitSignal(chat.noticed) as pasted:
        chat.files.add_bytes("one more.png", b"")
    assert pasted.args[0].params["n"] == 1


def test_all_that_cannot_be_attached_are_taken_away_at_once(qtbot: QtBot, open_session: Open, tmp_path: Path) -> None:
    chat = current(open_session())
    for name in ("x.zip", "y.zip"):
        (tmp_path / name).write_bytes(b"PK\x03\x04" + name.encode() + bytes(200))
    (tmp_path / "a.txt").write_text("a")
    attach(qtbot, chat, tmp_path / "x.zip", tmp_path / "a.txt", tmp_path / "y.zip")
    chat.files.remove_unusable()
    assert [one.name for one in chat.files.files] == ["a.txt"] and not chat.files.waiting


def test_the_next_request_counts_it(qtbot: QtBot, open_session: Open, tmp_path: Path) -> None:
    chat = current(open_session())
    chat.preview_text("What is it?")
    qtbot.waitUntil(lambda: chat.preview is not None, timeout=5_000)
    assert chat.preview is not None
    before = chat.preview.total.tokens
    (tmp_path / "large.png").write_bytes(noise_png(600, 600))
    attach(qtbot, chat, tmp_path / "large.png")
    qtbot.waitUntil(lambda: chat.preview is not None and chat.preview.total.tokens > before + 400, timeout=5_000)
    assert chat.preview.total.tokens < before + 600


def test_a_waiting_message_keeps_its_files(
    qtbot: QtBot, open_session: Open, plan: Path, simulator: RunningSimulator
) -> None:
    session = open_session()
    chat = current(session)
    simulator.control({"action": "delay", "seconds": 0.8})
    chat.send("Hello")
    attach(qtbot, chat, plan)
    chat.send("")
    assert (chat.state.queued, len(chat.state.queued_files), chat.files.files) == ("", 1, ())
    assert chat.drop_queued() == "" and len(chat.files.ready) == 1
    chat.send("And this?")
    assert chat.state.queued == "And this?"
    qtbot.waitUntil(lambda: chat.messages.rowCount() >= 4 and not chat.state.busy, timeout=15_000)
    assert chat.conversation_id is not None
    third = stored(session, chat.conversation_id)[2]
    assert (third.text, [one.name for one in attachments_of(third)]) == ("And this?", ["plan.png"])


def test_a_message_that_was_not_stored_gives_its_files_back_and_goes_again(
    qtbot: QtBot, open_session: Open, plan: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from desktop_app.core.errors import StoreUnavailable

    session = open_session()
    chat, store = current(session), services_of(session).store
    attach(qtbot, chat, plan)

    async def full(*_: object) -> None:
        raise StoreUnavailable(path="x")

    with monkeypatch.context() as patched:
        patched.setattr(store, "add_message", full)
        with qtbot.waitSignal(chat.turnEnded, timeout=15_000):
            chat.send("Look")
    assert (chat.draft, [file.attachment.name for file in chat.files.ready]) == ("Look", ["plan.png"])
    with qtbot.waitSignal(chat.turnEnded, timeout=15_000):
        chat.retry_now()
    assert (chat.draft, chat.files.files) == ("", ())
    assert chat.conversation_id is not None
    assert attachments_of(stored(session, chat.conversation_id)[0])


def test_an_edited_message_keeps_what_was_attached(qtbot: QtBot, open_session: Open, plan: Path) -> None:
    session = open_session()
    chat = current(session)
    attach(qtbot, chat, plan)
    with qtbot.waitSignal(chat.turnEnded, timeout=15_000):
        chat.send("What is it?")
    qtbot.waitUntil(lambda: not chat.state.busy, timeout=5_000)
    for text in ("And now?", ""):
        with qtbot.waitSignal(chat.turnEnded, timeout=15_000):
            chat.edit(chat.messages.entry(0).id, text)
        assert chat.conversation_id is not None
        first = stored(session, chat.conversation_id)[0]
        assert (first.text, [one.name for one in attachments_of(first)]) == (text, ["plan.png"])


def test_each_conversation_keeps_its_own(qtbot: QtBot, open_session: Open, plan: Path) -> None:
    session = open_session()
    first = current(session)
    attach(qtbot, first, plan)
    session.new_conversation()
    assert current(session) is first or current(session).files.files == ()
    assert len(first.files.ready) == 1
