"""Conversations through the bridge: text gathered, streams kept apart, queue, stop, restart."""

from __future__ import annotations

import random
import time

import pytest
from pytestqt.qtbot import QtBot

from desktop_app.bridge import app_session
from desktop_app.bridge.conversation_list import ConversationListModel
from desktop_app.bridge.entries import ToolPart
from desktop_app.bridge.session_state import Notice, Phase
from desktop_app.core import errors
from desktop_app.core.conversation import MessageState, Origin, Role, text_block
from desktop_app.core.importing import ImportedConversation, ImportedMessage
from desktop_app.core.segment import Segment
from desktop_app.core.usage import Known
from tests.bridge.chat_acts import Open, ask, current, services_of, text_of
from tests.fakes.simulator import RunningSimulator


def test_a_turn_fills_the_list_and_the_budget(qtbot: QtBot, open_session: Open) -> None:
    session = open_session()
    chat = current(session)
    pieces: list[str] = []
    chat.textArrived.connect(lambda _id, _index, text: pieces.append(text))
    with qtbot.waitSignal(session.conversationCreated, timeout=10_000):
        chat.send("Hello there")
    qtbot.waitUntil(lambda: not chat.state.busy, timeout=10_000)
    assert chat.messages.rowCount() == 2
    assert text_of(chat, 1) == "".join(pieces)
    assert chat.messages.entry(1).simulated
    assert chat.measured is not None
    assert chat.measured.total.known is Known.MEASURED
    qtbot.waitUntil(lambda: session.conversations.rowCount() == 1)
    assert session.conversations.data(session.conversations.index(0)) == "Hello there"
    chat.preview_text("and one more question")
    measured = chat.measured.total.tokens
    # An estimate of the message alone may be larger than what was measured of it.
    qtbot.waitUntil(lambda: chat.preview is not None and chat.preview.row(Segment.MESSAGES) is not None, timeout=5_000)
    assert chat.preview is not None
    assert chat.preview.total.tokens > measured
    assert chat.preview.total.known is Known.ESTIMATED


def test_what_was_found_in_a_message_waits_in_the_inbox_and_the_turn_is_over_before(
    qtbot: QtBot, open_session: Open
) -> None:
    session = open_session(extract="on")
    memory, chat = session.memory, current(session)
    assert memory is not None
    notices: list[Notice] = []
    session.notice.connect(notices.append)
    ask(qtbot, chat, "I live in Busan with 2 cats.")
    qtbot.waitUntil(lambda: len(memory.pending) == 1, timeout=10_000)
    assert (notices[-1].message_id, notices[-1].params, notices[-1].acts) == (
        "notices.facts_wait",
        {"n": 1},
        ("open_inbox",),
    )
    assert memory.pending[0].value == "I live in Busan with 2 cats"
    assert not chat.state.busy


def test_results_of_tools_join_their_call(qtbot: QtBot, open_session: Open) -> None:
    chat = current(open_session())
    ask(qtbot, chat, "use the calculator for 6*7")
    calls = [part for part in chat.messages.entry(1).parts if isinstance(part, ToolPart)]
    assert [(call.name, call.result) for call in calls] == [("calculator", "42")]
    assert not chat.messages.entry(2).headed


def test_two_streams_never_mix_while_the_person_switches(
    qtbot: QtBot, open_session: Open, simulator: RunningSimulator
) -> None:
    session = open_session()
    texts = {"alpha": "alpha " * 120, "omega": "omega " * 120}
    for name, text in texts.items():
        simulator.control(
            {"action": "reply", "text": text, "match": {"text": name}},
        )
    first = current(session)
    first.send("alpha please")
    session.new_conversation()
    second = current(session)
    second.send("omega please")
    qtbot.waitUntil(lambda: first.conversation_id is not None and second.conversation_id is not None)
    ids = [first.conversation_id, second.conversation_id]
    choose = random.Random(17)
    for _ in range(200):
        session.open_conversation(choose.choice(ids))
        qtbot.wait(1)
    qtbot.waitUntil(lambda: not first.state.busy and not second.state.busy, timeout=15_000)
    for chat, text in ((first, texts["alpha"]), (second, texts["omega"])):
        stored = session._runner.start(session._services.store.path(chat.conversation_id)).result(5)
        assert stored[-1].text == text
        assert text_of(chat, 1) == text


def test_a_message_sent_meanwhile_waits_and_can_be_taken_back(
    qtbot: QtBot, open_session: Open, simulator: RunningSimulator
) -> None:
    chat = current(open_session())
    simulator.control({"action": "slow", "tokens_per_second": 150})
    chat.send("write 60 words about wind")
    qtbot.waitUntil(lambda: chat.state.phase is Phase.STREAMING, timeout=10_000)
    chat.send("first thought")
    assert chat.drop_queued() == "first thought"
    assert chat.state.queued is None
    chat.send("Hello after that")
    assert chat.state.queued == "Hello after that"
    qtbot.waitUntil(lambda: chat.messages.rowCount() == 4 and not chat.state.busy, timeout=15_000)
    assert chat.messages.entry(2).origin is Origin.TYPED
    assert text_of(chat, 2) == "Hello after that"


@pytest.mark.timed
def test_a_session_that_only_waits_ends_at_once(
    qtbot: QtBot, open_session: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app_session, "_INDEX_MS", 0)
    session = open_session()
    qtbot.waitUntil(lambda: services_of(session).indexing._task is not None, timeout=5_000)
    qtbot.waitUntil(lambda: not session._background._open, timeout=5_000)
    began = time.monotonic()
    session.close()
    assert time.monotonic() - began < 0.3


@pytest.mark.timed
def test_stop_is_at_once_while_the_count_hangs(qtbot: QtBot, open_session: Open, simulator: RunningSimulator) -> None:
    session = open_session()
    chat = current(session)
    simulator.control({"action": "delay", "seconds": 30, "match": {"path": "/v1/messages/count_tokens"}})
    simulator.control({"action": "slow", "tokens_per_second": 80})
    with qtbot.waitSignal(chat.textArrived, timeout=10_000):
        chat.send("write 300 words about sand")
    began = time.monotonic()
    chat.stop()
    qtbot.waitUntil(lambda: not chat.state.busy, timeout=2_000)
    assert time.monotonic() - began < 0.3
    qtbot.waitUntil(lambda: bool(chat.history) and chat.history[-1].usage is not None, timeout=5_000)
    usage = chat.history[-1].usage
    assert usage is not None
    assert usage.output_estimated
    assert usage.input_total


def test_stop_then_restart_shows_the_same(qtbot: QtBot, open_session: Open, simulator: RunningSimulator) -> None:
    session = open_session()
    chat = current(session)
    simulator.control({"action": "slow", "tokens_per_second": 80})
    with qtbot.waitSignal(chat.textArrived, timeout=10_000):
        chat.send("write 300 words about sand")
    with qtbot.waitSignal(chat.turnEnded, timeout=1_000):
        chat.stop()
    partial = text_of(chat, 1)
    assert chat.messages.entry(1).state is MessageState.STOPPED
    assert partial
    session.close()
    again = open_session()
    qtbot.waitUntil(lambda: again.conversations.rowCount() == 1, timeout=5_000)
    again.open_conversation(chat.conversation_id)
    reopened = current(again)
    qtbot.waitUntil(lambda: reopened.loaded, timeout=5_000)
    assert text_of(reopened, 1) == partial
    ask(qtbot, reopened, "Hello")
    assert reopened.messages.rowCount() == 4


def test_closing_while_streaming_marks_the_answer_interrupted(
    qtbot: QtBot, open_session: Open, simulator: RunningSimulator
) -> None:
    session = open_session()
    chat = current(session)
    simulator.control({"action": "slow", "tokens_per_second": 80})
    chat.send("write 300 words about sand")
    qtbot.waitUntil(lambda: chat.state.phase is Phase.STREAMING, timeout=10_000)
    qtbot.wait(200)
    conversation = chat.conversation_id
    session.close()
    again = open_session()
    again.open_conversation(conversation)
    reopened = current(again)
    qtbot.waitUntil(lambda: reopened.loaded, timeout=5_000)
    assert reopened.messages.entry(1).state is MessageState.INTERRUPTED


def test_a_failure_is_a_state_and_can_be_tried_again(
    qtbot: QtBot, open_session: Open, simulator: RunningSimulator
) -> None:
    chat = current(open_session())
    simulator.control({"action": "status", "status": 401})
    ask(qtbot, chat, "Hello")
    assert chat.state.phase is Phase.FAILED
    assert isinstance(chat.state.error, errors.KeyRefused)
    with qtbot.waitSignal(chat.turnEnded, timeout=10_000):
        chat.retry_now()
    assert chat.state.phase is Phase.IDLE
    assert chat.messages.rowCount() == 2


def test_edit_regenerate_and_versions(qtbot: QtBot, open_session: Open) -> None:
    chat = current(open_session())
    ask(qtbot, chat, "My fish is called Bami.")
    first = chat.messages.entry(0).id
    with qtbot.waitSignal(chat.turnEnded, timeout=10_000):
        chat.edit(first, "My fish is called Dori.")
    qtbot.waitUntil(lambda: chat.messages.entry(0).branch == (2, 2), timeout=5_000)
    assert text_of(chat, 0) == "My fish is called Dori."
    with qtbot.waitSignal(chat.turnEnded, timeout=10_000):
        chat.regenerate(chat.messages.entry(1).id)
    qtbot.waitUntil(lambda: chat.messages.entry(1).branch == (2, 2), timeout=5_000)
    chat.choose_branch(chat.messages.entry(0).id, -1)
    qtbot.waitUntil(lambda: text_of(chat, 0) == "My fish is called Bami.", timeout=5_000)


def test_deleting_can_be_undone_and_stops_what_runs(
    qtbot: QtBot, open_session: Open, simulator: RunningSimulator
) -> None:
    session = open_session()
    chat = current(session)
    simulator.control({"action": "slow", "tokens_per_second": 50})
    chat.send("write 300 words about dust")
    qtbot.waitUntil(lambda: chat.state.phase is Phase.STREAMING, timeout=10_000)
    conversation = chat.conversation_id
    qtbot.waitUntil(lambda: session.conversations.rowCount() == 1, timeout=5_000)
    row = session.conversations.index(0)
    assert session.conversations.data(row, ConversationListModel.BusyRole) is True
    with qtbot.waitSignal(session.notice, timeout=5_000) as told:
        session.delete(conversation)
    assert told.args[0].undo == conversation
    qtbot.waitUntil(lambda: session.conversations.rowCount() == 0, timeout=5_000)
    session.restore(conversation)
    qtbot.waitUntil(lambda: session.conversations.rowCount() == 1, timeout=5_000)
    assert current(session).conversation_id == conversation
    qtbot.waitUntil(lambda: current(session).messages.rowCount() == 2, timeout=5_000)
    assert current(session).messages.entry(1).state is MessageState.STOPPED


def test_past_requests_open_as_they_were_sent(qtbot: QtBot, open_session: Open) -> None:
    chat = current(open_session(instructions="The tram leaves at 7:40."))
    ask(qtbot, chat, "When does the tram leave?")
    ask(qtbot, chat, "Thank you, and the bus goes at 8.")
    qtbot.waitUntil(lambda: len(chat.history) == 2, timeout=5_000)
    with qtbot.waitSignal(chat.requestShown, timeout=5_000) as shown:
        chat.show_request(chat.history[0].id)
    past = shown.args[0]
    assert past.record.turn == 1
    assert "The tram leaves at 7:40." in past.sent
    assert "the bus goes at 8" not in past.sent
    assert sum(row.figure.tokens for row in past.budget.rows) == past.budget.total.tokens
    for row in past.budget.rows:
        assert sum(block.figure.tokens for block in row.blocks) == row.figure.tokens


def test_the_end_is_shown_before_the_whole_is_read(qtbot: QtBot, open_session: Open) -> None:
    session = open_session()
    talk = ImportedConversation("long", "long", tuple(imported(number) for number in range(130)))
    services = session._services
    assert services is not None
    session._runner.start(services.store.import_conversations("demo", [talk])).result(10)
    session.refresh_conversations()
    qtbot.waitUntil(lambda: session.conversations.rowCount() == 1)
    inserted: list[tuple[int, int]] = []
    session.open_conversation(session.conversations.ids()[0])
    chat = current(session)
    chat.messages.rowsInserted.connect(lambda _parent, first, last: inserted.append((first, last)))
    resets: list[bool] = []
    chat.messages.modelReset.connect(lambda: resets.append(True))
    qtbot.waitUntil(lambda: chat.loaded, timeout=5_000)
    assert inserted == [(0, 39), (0, 89)]
    assert resets == []
    assert [text_of(chat, row) for row in (0, 90, 129)] == ["message 0", "message 90", "message 129"]


def imported(number: int) -> ImportedMessage:
    """A message of an export."""
    role = Role.ASSISTANT if number % 2 else Role.USER
    return ImportedMessage(f"m{number}", role, (text_block(f"message {number}"),))


def test_a_streaming_entry_holds_what_has_arrived(
    qtbot: QtBot, open_session: Open, simulator: RunningSimulator
) -> None:
    chat = current(open_session())
    simulator.control({"action": "slow", "tokens_per_second": 150})
    pieces: list[str] = []
    chat.textArrived.connect(lambda _id, _index, text: pieces.append(text))
    chat.send("write 200 words about fog")
    qtbot.waitUntil(lambda: len(pieces) > 5, timeout=10_000)
    entry = chat.messages.entry(1)
    assert entry.state is MessageState.STREAMING
    assert text_of(chat, 1) == "".join(pieces)
    chat.stop()
    qtbot.waitUntil(lambda: not chat.state.busy, timeout=5_000)
