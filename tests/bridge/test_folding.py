"""Folding through the bridge: by hand and by itself, called off, failed, undone, and what the person does meanwhile."""

from __future__ import annotations

from typing import Any

from pytestqt.qtbot import QtBot

from desktop_app.bridge.app_session import AppSession
from desktop_app.bridge.chat_session import ChatSession
from desktop_app.bridge.entries import Fold, FoldEnd
from desktop_app.bridge.session_state import Notice, Phase, SessionState
from desktop_app.core import errors
from desktop_app.core import turn_events as events
from desktop_app.core.compaction.compaction import Compaction, CompactionCause, CompactionState
from desktop_app.core.compaction.memo import parse_memo
from desktop_app.core.compaction.plan import FoldOrder
from desktop_app.core.conversation import Origin
from desktop_app.core.fact_notes import FactNote, MessageNotes, NoteKind
from desktop_app.core.segment import Segment
from desktop_app.core.usage import Known
from tests.bridge.chat_acts import Open, ask, current, services_of, stored, text_of
from tests.fakes.simulator import RunningSimulator

SMALL: dict[str, Any] = {"fold_automatically": False, "fold_keep": 120, "memory": False, "use_tools": False}
AUTOMATIC: dict[str, Any] = SMALL | {"fold_automatically": True, "fold_tokens": 1_000, "fold_keep": 100}
LINE = "The kitchen plan says the island is 90 by 180 cm and the tiles are number 4711. "
LONG, SHORT = LINE * 40, LINE * 8
SLOW_MEMO: dict[str, Any] = {"action": "slow", "tokens_per_second": 40, "match": {"memo": True}}


def told(chat: ChatSession) -> list[SessionState]:
    """Every state of a conversation from now on."""
    states: list[SessionState] = []
    chat.stateChanged.connect(states.append)
    return states


def marks(chat: ChatSession) -> list[Fold]:
    """How each message of the chat stands to folding."""
    return [chat.messages.entry(row).fold for row in range(chat.messages.rowCount())]


def ends(chat: ChatSession) -> dict[int, FoldEnd]:
    """Below which messages a line stands, and what it says."""
    found = [(row, chat.messages.entry(row).fold_end) for row in range(chat.messages.rowCount())]
    return {row: end for row, end in found if end is not None}


def sent(chat: ChatSession) -> tuple[int, bool]:
    """How many messages of the path the next request holds, and whether it holds a memo."""
    assert chat.preview is not None
    blocks = [part.block for row in chat.preview.rows for part in row.blocks]
    memo = any(block.segment is Segment.SUMMARY for block in blocks)
    return len({block.message_id for block in blocks if block.message_id is not None}), memo


def in_store(session: AppSession, chat: ChatSession) -> list[Compaction]:
    """All compactions as the store has them."""
    assert chat.conversation_id is not None
    store = services_of(session).store
    return session._runner.start(store.compactions(chat.conversation_id)).result(5)


def compactions(session: AppSession, chat: ChatSession) -> list[Compaction]:
    """Those that came to something."""
    return [one for one in in_store(session, chat) if one.state is not CompactionState.FAILED]


def failures(session: AppSession, chat: ChatSession) -> list[str]:
    """Why the others did not."""
    return [one.failed_of[0] for one in in_store(session, chat) if one.state is CompactionState.FAILED]


def settled(qtbot: QtBot, chat: ChatSession) -> None:
    """Waits until what was stored last is shown, and the next request computed from it."""
    qtbot.waitUntil(lambda: not chat.state.busy, timeout=15_000)
    with qtbot.waitSignal(chat.historyChanged, timeout=5_000):
        chat.reload()
    with qtbot.waitSignal(chat.previewChanged, timeout=5_000):
        pass


def three_turns(qtbot: QtBot, session: AppSession) -> ChatSession:
    """A conversation of three turns, the first two long."""
    chat = current(session)
    for text in (f"My notes. {LONG}", f"More notes. {LONG}", "Thank you."):
        ask(qtbot, chat, text)
    settled(qtbot, chat)
    return chat


def fold(qtbot: QtBot, chat: ChatSession, focus: str = "") -> None:
    """Folds by hand and waits for the end."""
    with qtbot.waitSignal(chat.turnEnded, timeout=15_000):
        chat.fold(FoldOrder(focus=focus))
    settled(qtbot, chat)


def test_by_hand_the_past_is_folded_and_the_next_request_is_smaller(qtbot: QtBot, open_session: Open) -> None:
    session = open_session(**SMALL)
    chat = three_turns(qtbot, session)
    assert chat.preview is not None
    before = chat.preview.total.tokens
    states, pieces, running = told(chat), [], []
    chat.folding.textArrived.connect(pieces.append)
    chat.folding.changed.connect(lambda: running.append((chat.folding.running, marks(chat))))
    fold(qtbot, chat, "the tiles")
    assert {Phase.FOLDING, Phase.IDLE} == {state.phase for state in states}
    assert max(state.folding for state in states) == 4
    assert not any(state.answering for state in states)
    seen = next((one, fold) for one, fold in running if one is not None)
    assert seen[1] == [Fold.FOLDING] * 4 + [Fold.NONE] * 2
    assert (seen[0].turns, seen[0].cause, seen[0].attempt) == ((1, 2), CompactionCause.BY_HAND, 1)
    (one,) = compactions(session, chat)
    assert parse_memo("".join(pieces)).sections == parse_memo(one.summary).sections
    assert (one.focus, one.folded) == ("the tiles", 4)
    assert marks(chat) == [Fold.FOLDED] * 4 + [Fold.NONE] * 2
    assert ends(chat) == {3: FoldEnd(Fold.FOLDED, 4)}
    assert chat.folded is not None
    assert (chat.folded.compaction, chat.folded.turns) == (one, (1, 2))
    assert chat.folded.message_ids == {message.id for message in stored(session, one.conversation_id)[:4]}
    assert (chat.folding.running, chat.folding.arriving) == (None, "")
    assert [line.compaction for line in chat.folding.log] == [one]
    assert chat.preview.total.tokens < before * 0.7


def test_undo_sends_everything_again(qtbot: QtBot, open_session: Open) -> None:
    session = open_session(**SMALL)
    chat = three_turns(qtbot, session)
    assert sent(chat) == (6, False)
    fold(qtbot, chat)
    assert sent(chat) == (2, True)
    ask(qtbot, chat, "And what comes next?")
    settled(qtbot, chat)
    assert sent(chat) == (4, True)
    chat.undo_fold()
    qtbot.waitUntil(lambda: chat.folded is None, timeout=5_000)
    qtbot.waitUntil(lambda: sent(chat) == (8, False), timeout=5_000)
    assert marks(chat) == [Fold.NONE] * 8
    assert ends(chat) == {}
    assert [line.compaction.state for line in chat.folding.log] == [CompactionState.UNDONE]


def test_when_it_is_due_and_what_could_be_folded(qtbot: QtBot, open_session: Open) -> None:
    session = open_session(**SMALL)
    chat = three_turns(qtbot, session)
    qtbot.waitUntil(lambda: chat.folding.state is not None, timeout=5_000)
    state = chat.folding.state
    assert state is not None and state.used is not None
    assert (state.automatic, state.due, state.used.known) == (False, False, Known.MEASURED)
    chat.plan_fold()
    qtbot.waitUntil(lambda: chat.folding.plan is not None, timeout=5_000)
    plan = chat.folding.plan
    assert plan is not None
    assert (len(plan.message_ids), plan.turns) == (4, (1, 2))
    assert plan.kept_tokens < 120 < plan.after.tokens < plan.before.tokens == state.used.tokens
    session.update_profile(fold_tokens=1_000, fold_automatically=True)
    qtbot.waitUntil(lambda: chat.folding.state is not None and chat.folding.state.threshold == 1_000, timeout=5_000)
    assert chat.folding.state is not None
    assert (chat.folding.state.automatic, chat.folding.state.due) == (True, state.used.tokens >= 1_000)


def test_a_short_conversation_says_why_nothing_is_folded(qtbot: QtBot, open_session: Open) -> None:
    chat = current(open_session(**SMALL))
    ask(qtbot, chat, "Hello")
    settled(qtbot, chat)
    chat.plan_fold()
    qtbot.waitUntil(lambda: chat.folding.refused is not None, timeout=5_000)
    assert isinstance(chat.folding.refused, errors.NothingToFold)
    with qtbot.waitSignal(chat.failed, timeout=5_000) as failed:
        chat.fold()
    assert isinstance(failed.args[0], errors.NothingToFold)
    qtbot.waitUntil(lambda: chat.state.phase is Phase.IDLE, timeout=5_000)
    assert chat.messages.rowCount() == 2


def test_by_itself_the_answer_is_whole_while_its_past_is_folded(
    qtbot: QtBot, open_session: Open, simulator: RunningSimulator
) -> None:
    session = open_session(**AUTOMATIC)
    chat = current(session)
    ask(qtbot, chat, f"My notes. {LONG}")
    simulator.control(SLOW_MEMO)
    chat.send(f"More notes. {SHORT}")
    qtbot.waitUntil(lambda: bool(chat.folding.arriving), timeout=10_000)
    assert chat.state.phase is Phase.FOLDING
    assert chat.state.busy and not chat.state.answering
    qtbot.waitUntil(lambda: chat.messages.entry(3).output_tokens is not None, timeout=5_000)
    assert marks(chat) == [Fold.FOLDING] * 2 + [Fold.NONE] * 2
    assert chat.folding.running is not None
    assert chat.folding.running.cause is CompactionCause.AUTOMATIC
    chat.send("What is the number of the tiles?")
    chat.send("And of the island?")
    assert chat.state.queued == "What is the number of the tiles?\n\nAnd of the island?"
    qtbot.waitUntil(lambda: chat.messages.rowCount() == 6 and not chat.state.busy, timeout=15_000)
    assert text_of(chat, 4).startswith("What is the number")
    assert "4711" in text_of(chat, 5), "the memo told it"
    assert [one.folded for one in compactions(session, chat)] == [2]


def test_a_waiting_message_is_sent_without_the_folding(
    qtbot: QtBot, open_session: Open, simulator: RunningSimulator
) -> None:
    session = open_session(**SMALL)
    chat = three_turns(qtbot, session)
    simulator.control(SLOW_MEMO)
    chat.fold()
    qtbot.waitUntil(lambda: bool(chat.folding.arriving), timeout=10_000)
    chat.send_now()
    assert not chat.state.ending, "nothing waits for it"
    chat.send("First this.")
    chat.send_now()
    assert chat.state.ending
    qtbot.waitUntil(lambda: chat.messages.rowCount() == 8 and not chat.state.busy, timeout=10_000)
    assert text_of(chat, 6) == "First this."
    assert marks(chat) == [Fold.NONE] * 8
    assert compactions(session, chat) == []


def test_a_waiting_message_comes_back_and_the_folding_goes_on(
    qtbot: QtBot, open_session: Open, simulator: RunningSimulator
) -> None:
    session = open_session(**SMALL)
    chat = three_turns(qtbot, session)
    simulator.control({"action": "slow", "tokens_per_second": 400, "match": {"memo": True}})
    chat.fold()
    qtbot.waitUntil(lambda: bool(chat.folding.arriving), timeout=10_000)
    chat.send("Not yet.")
    assert chat.drop_queued() == "Not yet."
    assert (chat.state.phase, chat.state.queued) == (Phase.FOLDING, None)
    qtbot.waitUntil(lambda: not chat.state.busy, timeout=10_000)
    assert chat.messages.rowCount() == 6
    assert [one.folded for one in compactions(session, chat)] == [4]


def test_stop_calls_off_the_folding_only(qtbot: QtBot, open_session: Open, simulator: RunningSimulator) -> None:
    session = open_session(**AUTOMATIC)
    chat = current(session)
    ask(qtbot, chat, f"My notes. {LONG}")
    simulator.control(SLOW_MEMO)
    notices: list[Notice] = []
    chat.noticed.connect(notices.append)
    chat.send(f"More notes. {SHORT}")
    qtbot.waitUntil(lambda: bool(chat.folding.arriving), timeout=10_000)
    answer = text_of(chat, 3)
    chat.stop()
    qtbot.waitUntil(lambda: chat.state == SessionState(), timeout=5_000)
    assert text_of(chat, 3) == answer
    assert [message.state for message in stored(session, chat.conversation_id or "")] == ["complete"] * 4
    assert (chat.folding.running, chat.folding.failed, notices) == (None, None, [])
    assert marks(chat) == [Fold.NONE] * 4
    assert compactions(session, chat) == []


def test_a_memo_that_fails_twice_is_told_and_changes_nothing(
    qtbot: QtBot, open_session: Open, simulator: RunningSimulator
) -> None:
    session = open_session(**SMALL)
    chat = three_turns(qtbot, session)
    simulator.control({"action": "reply", "text": "I would rather not.", "match": {"memo": True}, "count": 2})
    attempts: list[int] = []
    chat.folding.changed.connect(lambda: attempts.append(chat.folding.running.attempt if chat.folding.running else 0))
    with qtbot.waitSignal(chat.noticed, timeout=10_000) as noticed:
        chat.fold()
        chat.send("Meanwhile.")
    assert noticed.args[0].message_id == "errors.memo_unusable"
    assert {1, 2} <= set(attempts)
    qtbot.waitUntil(lambda: chat.messages.rowCount() == 8 and not chat.state.busy, timeout=10_000)
    assert text_of(chat, 6) == "Meanwhile."
    assert chat.folding.failed == noticed.args[0]
    assert marks(chat) == [Fold.NONE] * 8
    assert compactions(session, chat) == []


def test_an_endpoint_that_fails_is_told_with_what_was_kept(
    qtbot: QtBot, open_session: Open, simulator: RunningSimulator
) -> None:
    session = open_session(**SMALL)
    chat = three_turns(qtbot, session)
    simulator.control({"action": "status", "status": 401, "match": {"memo": True}})
    with qtbot.waitSignal(chat.noticed, timeout=10_000) as noticed:
        chat.fold()
    notice = noticed.args[0]
    assert notice.message_id == "compaction.failed"
    assert isinstance(notice.cause, errors.KeyRefused)
    qtbot.waitUntil(lambda: chat.state == SessionState(), timeout=5_000)
    fold(qtbot, chat)
    assert chat.folding.failed is None
    assert ends(chat) == {3: FoldEnd(Fold.FOLDED, 4)}


def test_a_second_attempt_is_counted_down_and_can_be_hurried(
    qtbot: QtBot, open_session: Open, simulator: RunningSimulator
) -> None:
    session = open_session(**SMALL)
    chat = three_turns(qtbot, session)
    simulator.control({"action": "status", "status": 529, "retry_after": 60, "match": {"memo": True}})
    chat.fold()
    qtbot.waitUntil(lambda: chat.state.attempt > 0, timeout=10_000)
    assert chat.state.phase is Phase.FOLDING
    assert isinstance(chat.state.error, errors.Overloaded)
    seconds = chat.state.seconds
    qtbot.waitUntil(lambda: chat.state.seconds < seconds, timeout=5_000)
    chat.retry_now()
    qtbot.waitUntil(lambda: not chat.state.busy, timeout=10_000)
    assert [one.folded for one in compactions(session, chat)] == [4]
    assert chat.state == SessionState()


def test_an_act_on_a_message_calls_the_folding_off(
    qtbot: QtBot, open_session: Open, simulator: RunningSimulator
) -> None:
    session = open_session(**SMALL)
    chat = three_turns(qtbot, session)
    simulator.control(SLOW_MEMO)
    chat.fold()
    qtbot.waitUntil(lambda: bool(chat.folding.arriving), timeout=10_000)
    chat.edit(chat.messages.entry(4).id, "Thank you very much.")
    qtbot.waitUntil(lambda: chat.messages.entry(4).branch == (2, 2), timeout=10_000)
    assert text_of(chat, 4) == "Thank you very much."
    assert compactions(session, chat) == []


def test_another_version_has_its_own_past(qtbot: QtBot, open_session: Open) -> None:
    session = open_session(**SMALL)
    chat = three_turns(qtbot, session)
    fold(qtbot, chat)
    assert sent(chat) == (2, True)
    with qtbot.waitSignal(chat.turnEnded, timeout=10_000):
        chat.edit(chat.messages.entry(2).id, f"Other notes. {LONG}")
    settled(qtbot, chat)
    assert (chat.folded, marks(chat)) == (None, [Fold.NONE] * 4)
    assert sent(chat) == (4, False)
    chat.choose_branch(chat.messages.entry(2).id, -1)
    qtbot.waitUntil(lambda: chat.folded is not None, timeout=5_000)
    qtbot.waitUntil(lambda: sent(chat) == (2, True), timeout=5_000)
    assert ends(chat) == {3: FoldEnd(Fold.FOLDED, 4)}


def test_after_a_restart_the_end_of_the_conversation_shows_what_is_folded(qtbot: QtBot, open_session: Open) -> None:
    first = open_session(**SMALL)
    chat = three_turns(qtbot, first)
    fold(qtbot, chat)
    conversation_id = chat.conversation_id or ""
    first.close()
    session = open_session(**SMALL)
    session.open_conversation(conversation_id)
    again = current(session)
    with qtbot.waitSignal(again.messages.rowsInserted, timeout=5_000):
        pass
    assert not again.loaded
    assert ends(again) == {3: FoldEnd(Fold.FOLDED, 4)}
    qtbot.waitUntil(lambda: again.folded is not None and again.folding.state is not None, timeout=5_000)
    assert again.folded is not None
    assert again.folded.before.known is Known.MEASURED
    assert again.folded.after.known is Known.ESTIMATED


def test_what_is_told_beside_a_message_stands_with_its_answer(qtbot: QtBot, open_session: Open) -> None:
    chat = current(open_session(**SMALL))
    ask(qtbot, chat, "Hello")
    settled(qtbot, chat)
    question = chat.messages.entry(0)
    assert (question.notes, chat._path.messages[0].origin) == ((), Origin.TYPED)
    notes = MessageNotes(1, (FactNote("f1", 3, NoteKind.RECALLED, '- "path": "/srv/backup"'),))
    chat._reader.put(events.NotesTold(chat.conversation_id or "", question.id, notes))
    qtbot.waitUntil(lambda: chat.messages.entry(1).notes == ('- "path": "/srv/backup"',), timeout=2_000)
    assert (chat.messages.entry(1).question, chat.messages.entry(0).notes) == (question.id, ())
