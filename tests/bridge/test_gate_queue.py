"""The gate before the assistant's writes: nothing but an explicit yes writes, and each answer goes to its own call."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from desktop_app.bridge.app_session import AppSession
from desktop_app.bridge.async_runner import AsyncRunner
from desktop_app.bridge.gate_queue import GateQueue, Question
from desktop_app.bridge.session_state import Phase
from desktop_app.core.errors import BadInput
from desktop_app.core.facts import FactAction, FactChange, FactDraft, FactOrigin, FactState, as_typed_over
from desktop_app.core.gate import Answer, Proposal, Verdict
from desktop_app.core.ports import FactStore, ToolError
from desktop_app.core.tool_call import ToolCall
from desktop_app.services.memory_tools import SaveMemory
from desktop_app.services.remembering import Remembering
from tests.bridge.chat_acts import current, services_of
from tests.fakes.memory_room import MemoryRoom, open_room

CALL = ToolCall("default", "c1", "t1", "call_1", typed="Keep it for 35 days.")
TOLD = 'Use the save_memory tool {"key": "backup_path", "value": "/srv/backup/nas-7"}'


class Spy:
    """The fact store of a room that notes what is written through it; a repeat is counted, not written."""

    def __init__(self, facts: FactStore) -> None:
        self._facts = facts
        self.written: list[FactDraft] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._facts, name)

    async def keep(self, profile: str, draft: FactDraft, **more: Any) -> FactChange:
        change = await self._facts.keep(profile, draft, **more)
        if change.action is not FactAction.REPEATED:
            self.written.append(draft)
        return change


class Door:
    """The tool `save_memory` behind the gate of a room, with a queue as its approver."""

    def __init__(self, room: MemoryRoom, qtbot: QtBot) -> None:
        self.room, self._qtbot = room, qtbot
        self.queue = GateQueue(lambda _: "Backups plan")
        self.spy = Spy(room.services.store.facts)
        room.services.gate.approver = self.queue
        judging = room.services.remembering._judging
        self._tool = SaveMemory(Remembering(self.spy, judging, room.services.gate))

    def call(self, key: str = "backup_retention", value: str = "35 days", **changes: str) -> Future[str]:
        """The assistant calls the tool."""
        return self.room.runner.start(self._tool.run({"key": key, "value": value}, replace(CALL, **changes)))

    def shown(self, key: str = "") -> Question:
        """The question in front (about `key`), waited for."""
        self._qtbot.waitUntil(lambda: self.queue.front is not None and key in ("", self._draft().key))
        assert self.queue.front is not None
        return self.queue.front

    def asks_again(self, before: Question) -> None:
        """Waits for another question; the facts near the new one are found by meaning, and that has to be loaded."""
        self._qtbot.waitUntil(lambda: self.queue.front not in (None, before), timeout=15_000)

    def gone(self) -> None:
        """Waits until nothing is asked."""
        self._qtbot.waitUntil(lambda: self.queue.front is None)

    def _draft(self) -> FactDraft:
        assert self.queue.front is not None
        return self.queue.front.proposal.draft


@pytest.fixture
def door(qtbot: QtBot, tmp_path: Path) -> Iterator[Door]:
    with open_room(tmp_path) as room:
        yield Door(room, qtbot)


@pytest.fixture
def runner() -> Iterator[AsyncRunner]:
    runner = AsyncRunner()
    yield runner
    runner.stop()


def proposal(key: str, call_id: str = "call_1", conversation: str = "c1") -> Proposal:
    draft = FactDraft(key, "35 days", origin=FactOrigin.ASSISTANT)
    return Proposal(replace(CALL, call_id=call_id, conversation_id=conversation), draft)


def test_a_yes_writes_what_was_shown(door: Door) -> None:
    called = door.call()
    question = door.shown()
    assert (question.title, question.proposal.draft.value, question.proposal.before) == (
        "Backups plan",
        "35 days",
        None,
    )
    assert door.spy.written == []
    door.queue.allow(question.number)
    assert called.result(5) == 'Saved: {"backup_retention": "35 days"}'
    assert [(draft.key, draft.value, draft.origin) for draft in door.spy.written] == [
        ("backup_retention", "35 days", FactOrigin.ASSISTANT)
    ]
    assert door.queue.front is None


def deny(door: Door, question: Question, called: Future[str]) -> None:
    door.queue.deny(question.number)


def stop(door: Door, question: Question, called: Future[str]) -> None:
    called.cancel()
    door.gone()
    door.queue.allow(question.number)  # a click that comes too late


def leave(door: Door, question: Question, called: Future[str]) -> None:
    door.queue.close()


def switch_off(door: Door, question: Question, called: Future[str]) -> None:
    door.room.change_profile(gate="off")
    door.queue.allow(question.number)


def pause(door: Door, question: Question, called: Future[str]) -> None:
    door.room.change_profile(memory=False)
    door.queue.allow(question.number)


def mistake(door: Door, question: Question, called: Future[str]) -> None:
    door.queue.allow(question.number + 1)
    assert door.queue.front is question
    door.queue.deny(question.number)


@pytest.mark.parametrize("act", [deny, stop, leave, switch_off, pause, mistake])
def test_every_other_exit_writes_nothing(door: Door, act: Callable[[Door, Question, Future[str]], None]) -> None:
    called = door.call()
    act(door, door.shown(), called)
    with pytest.raises(CancelledError if act is stop else ToolError):
        called.result(5)
    assert door.spy.written == []
    assert door.room.facts(*FactState) == []
    door.gone()


def test_the_edited_text_is_kept_byte_for_byte(door: Door) -> None:
    edited = "35\u00a0일 동안,\n\tmonth-end \u1112\u1161\u11ab\u200b  🙂 <b>&amp;</b>"
    called = door.call()
    door.queue.allow(door.shown().number, f"  {edited}\n")
    called.result(5)
    assert [draft.value for draft in door.spy.written] == [edited]
    assert door.room.facts() == [("backup_retention", edited)]


@pytest.mark.parametrize("edited", ["", " \n\u200b", "x" * 8_001])
def test_a_text_that_cannot_be_kept_leaves_the_question_open(door: Door, edited: str) -> None:
    called = door.call()
    question = door.shown()
    with pytest.raises(BadInput):
        door.queue.allow(question.number, edited)
    assert door.queue.front is question
    assert not called.done()
    door.queue.allow(question.number, "36 days")
    called.result(5)
    assert door.room.facts() == [("backup_retention", "36 days")]


def test_two_calls_of_one_answer_are_asked_one_after_the_other(door: Door) -> None:
    called = {"first": door.call("first", "1"), "second": door.call("second", "2", call_id="call_2")}
    question = door.shown()
    denied = question.proposal.draft.key
    allowed = "second" if denied == "first" else "first"
    assert len(door.queue._open) == 1
    door.queue.deny(question.number)
    door.queue.allow(door.shown(allowed).number)
    with pytest.raises(ToolError):
        called[denied].result(5)
    assert json.loads(called[allowed].result(5).removeprefix("Saved: ")).keys() == {allowed}
    assert [key for key, _ in door.room.facts()] == [allowed]


def test_a_second_proposal_for_a_key_shows_what_the_first_one_left(door: Door) -> None:
    calls = [door.call("backups", "daily"), door.call("Backups", "weekly", call_id="call_2")]
    first = door.shown()
    assert first.proposal.before is None
    door.queue.allow(first.number)
    door.asks_again(first)
    second = door.shown()
    assert second.proposal.before is not None
    assert {second.proposal.before.value, second.proposal.draft.value} == {"daily", "weekly"}
    door.queue.deny(second.number)
    assert sorted(isinstance(call.exception(5), ToolError) for call in calls) == [False, True]
    assert door.room.facts() == [(first.proposal.draft.key, first.proposal.draft.value)]


def test_what_was_changed_by_hand_under_an_open_question_is_shown_before_it_is_overwritten(door: Door) -> None:
    door.room.add("backup_retention", "30 days")
    called = door.call()
    question = door.shown()
    assert question.proposal.before is not None
    assert question.proposal.before.value == "30 days"
    door.room.add("backup_retention", "90 days")
    door.queue.allow(question.number, "36 days")
    door.asks_again(question)
    assert door.spy.written == []
    again = door.shown()
    assert again.proposal.before is not None
    assert (again.proposal.before.value, again.proposal.draft.value) == ("90 days", "36 days")
    door.queue.allow(again.number)
    assert called.result(5) == 'Saved: {"backup_retention": "36 days"}'
    assert door.room.facts() == [("backup_retention", "36 days")]


def test_what_was_typed_by_hand_meanwhile_with_the_same_text_needs_no_second_answer(door: Door) -> None:
    called = door.call()
    question = door.shown()
    door.room.add("backup_retention", "35 days")
    door.queue.allow(question.number)
    assert called.result(5) == "This fact is kept already, with the same value."
    assert door.spy.written == []


def test_answers_in_reverse_order_go_to_their_own_calls(qtbot: QtBot, runner: AsyncRunner) -> None:
    queue = GateQueue(lambda _: "")
    shown: list[str | None] = []
    queue.frontChanged.connect(lambda: shown.append(queue.front.proposal.draft.key if queue.front else None))
    # The endpoint gave both calls the same id.
    calls = [runner.start(queue.ask(proposal(key, "call_1"))) for key in ("first", "second", "third")]
    qtbot.waitUntil(lambda: len(queue._open) == 3)
    first, second, third = queue._open
    queue.allow(second.number, "edited second")
    queue.deny(third.number)
    assert calls[1].result(5) == Verdict(Answer.ALLOWED, as_typed_over(second.proposal.draft, "edited second"))
    assert calls[2].result(5).answer is Answer.DENIED
    assert not calls[0].done()
    queue.allow(first.number)
    assert calls[0].result(5) == Verdict(Answer.ALLOWED, first.proposal.draft)
    assert shown == ["first", None]


def test_a_stopped_turn_takes_only_its_own_question_away(qtbot: QtBot, runner: AsyncRunner) -> None:
    queue = GateQueue(lambda conversation: f"title of {conversation}")
    stopped = runner.start(queue.ask(proposal("first", conversation="c1")))
    other = runner.start(queue.ask(proposal("second", conversation="c2")))
    qtbot.waitUntil(lambda: len(queue._open) == 2)
    stopped.cancel()
    qtbot.waitUntil(lambda: queue.front is not None and queue.front.title == "title of c2")
    assert queue.front is not None
    queue.allow(queue.front.number)
    assert other.result(5).answer is Answer.ALLOWED
    assert stopped.cancelled()


def test_after_the_end_everything_is_denied(qtbot: QtBot) -> None:
    runner = AsyncRunner()
    queue = GateQueue(lambda _: "")
    asked = runner.start(queue.ask(proposal("first")))
    qtbot.waitUntil(lambda: queue.front is not None)
    assert queue.front is not None
    number = queue.front.number
    queue.close()
    assert asked.result(5).answer is Answer.DENIED
    assert runner.start(queue.ask(proposal("second"))).result(5).answer is Answer.DENIED
    runner.stop()
    queue.allow(number)
    assert queue.front is None


def test_a_question_nobody_shows_holds_up_nothing_else(door: Door) -> None:
    called = door.call()
    door.shown()

    async def still_runs() -> int:
        await asyncio.sleep(0)
        return 7

    assert door.room.runner.start(still_runs()).result(5) == 7
    assert not called.done()
    called.cancel()
    door.gone()


# -- in a conversation ------------------------------------------------------------------------------

Open = Callable[..., AppSession]


@pytest.fixture
def asked(qtbot: QtBot, open_session: Open) -> tuple[AppSession, GateQueue]:
    """A conversation whose assistant has just proposed a fact."""
    session = open_session()
    queue = GateQueue(session.conversations.title_of)
    services_of(session).gate.approver = queue
    with qtbot.waitSignal(queue.frontChanged, timeout=10_000):
        current(session).send(TOLD)
    return session, queue


def kept(session: AppSession) -> list[tuple[str, str]]:
    facts = session._runner.start(services_of(session).memory.facts(*FactState)).result(5)
    return [(fact.key, fact.value) for fact in facts]


def sent_last(session: AppSession) -> list[dict[str, Any]]:
    """The blocks of all messages of the last request."""
    record = current(session).history[-1]
    _, request = session._runner.start(services_of(session).store.request(record.id)).result(5)
    return [block for message in request.body()["messages"] for block in message["content"]]


def test_a_yes_in_a_conversation(qtbot: QtBot, asked: tuple[AppSession, GateQueue]) -> None:
    session, queue = asked
    assert queue.front is not None
    assert queue.front.proposal.draft.source is not None
    assert queue.front.proposal.draft.source.quote == TOLD
    with qtbot.waitSignal(current(session).turnEnded, timeout=10_000):
        queue.allow(queue.front.number)
    assert kept(session) == [("backup_path", "/srv/backup/nas-7")]


def test_stop_takes_the_question_away(qtbot: QtBot, asked: tuple[AppSession, GateQueue]) -> None:
    session, queue = asked
    chat = current(session)
    with qtbot.waitSignals([chat.turnEnded, queue.frontChanged], timeout=10_000):
        chat.stop()
    assert queue.front is None
    assert kept(session) == []


def test_another_conversation_leaves_the_question_open(qtbot: QtBot, asked: tuple[AppSession, GateQueue]) -> None:
    session, queue = asked
    first, question = current(session), queue.front
    session.new_conversation()
    with qtbot.waitSignal(current(session).turnEnded, timeout=10_000):
        current(session).send("Hello")
    assert queue.front is question
    assert question is not None
    with qtbot.waitSignal(first.turnEnded, timeout=10_000):
        queue.allow(question.number)
    assert kept(session) == [("backup_path", "/srv/backup/nas-7")]


def test_deleting_the_conversation_denies(qtbot: QtBot, asked: tuple[AppSession, GateQueue]) -> None:
    session, queue = asked
    number = queue.front.number if queue.front else 0
    conversation = current(session).conversation_id
    assert conversation is not None
    with qtbot.waitSignal(queue.frontChanged, timeout=10_000):
        session.delete(conversation)
    queue.allow(number)
    assert queue.front is None
    assert kept(session) == []


@pytest.mark.parametrize("closes_queue", [True, False])
def test_quitting_denies_and_the_call_has_an_error_result_at_the_next_start(
    qtbot: QtBot, asked: tuple[AppSession, GateQueue], open_session: Open, closes_queue: bool
) -> None:
    session, queue = asked
    conversation = current(session).conversation_id
    assert conversation is not None
    if closes_queue:
        queue.close()
    session.close()
    again = open_session()
    assert kept(again) == []
    again.open_conversation(conversation)
    with qtbot.waitSignal(current(again).turnEnded, timeout=10_000):
        current(again).send("Hello again")
    assert current(again).state.phase is Phase.IDLE
    qtbot.waitUntil(lambda: len(current(again).history) > 1)
    blocks = sent_last(again)
    calls = {block["id"] for block in blocks if block["type"] == "tool_use"}
    results = {block["tool_use_id"]: block.get("is_error") for block in blocks if block["type"] == "tool_result"}
    assert len(calls) == 1
    assert results == dict.fromkeys(calls, True)
    assert kept(again) == []
