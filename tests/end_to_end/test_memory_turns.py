"""Facts in real turns over HTTP: told, changed, deleted, recalled, saved through the gate, apart by profile."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from desktop_app.adapters.store.fact_store import FactStore
from desktop_app.core import turn_events
from desktop_app.core.conversation import Message, Origin, Role, new_id, now, text_block, to_json
from desktop_app.core.errors import ProfileChanged
from desktop_app.core.fact_notes import NoteKind
from desktop_app.core.facts import Fact, FactActor, FactDraft, FactOrigin, FactState
from desktop_app.core.gate import DENIED, Answer, Proposal, Verdict
from desktop_app.core.request import Request
from desktop_app.core.segment import Segment
from desktop_app.core.settings import DEMO_PROFILE
from desktop_app.services.turn import TurnControl
from tests.adapters.store_parts import ask
from tests.fakes.house import House, open_house
from tests.fakes.simulator import RunningSimulator

Test = Callable[[House], Awaitable[None]]


def in_house(folder: Path, simulator: RunningSimulator, test: Test, **profile: Any) -> None:
    async def run() -> None:
        async with open_house(folder, simulator.url, **profile) as house:
            await test(house)

    asyncio.run(run())


async def last_request(house: House, talk: str) -> Request:
    records = await house.services.store.requests(talk)
    return (await house.services.store.request(records[-1].id))[1]


async def rows(house: House, talk: str) -> dict[Segment, int]:
    records = await house.services.store.requests(talk)
    return {segment: figure.tokens for segment, figure in records[-1].rows}


async def answer(house: House, talk: str) -> str:
    return (await house.path(talk))[-1].text


def test_all_facts_are_read_once_for_all_turns_between_two_changes(
    tmp_path: Path, simulator: RunningSimulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    real = FactStore.facts

    async def counted(store: FactStore, profile: str, *states: FactState, **only: Any) -> list[Fact]:
        read.append(profile)
        return await real(store, profile, *states, **only)

    async def test(house: House) -> None:
        await house.services.memory.add("backup path", "/srv/backup/nas-7")
        monkeypatch.setattr(FactStore, "facts", counted)
        talk = await house.ask("Where is the backup path?")
        await house.ask("And where else?", talk)
        assert len(read) == 1
        await house.services.memory.edit("backup path", value="/srv/backup/nas-8")
        await house.services.store.facts.keep(DEMO_PROFILE, FactDraft("boat", "blue"))
        await house.ask("Where is it now?", talk)
        assert len(read) == 2
        request = await last_request(house, talk)
        assert "/srv/backup/nas-8" in str(request.messages) and "blue" in str(request.messages)

    in_house(tmp_path, simulator, test)


def test_a_fact_stands_in_the_prefix_and_the_answer_comes_from_it(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test(house: House) -> None:
        await house.services.memory.add("backup path", "/srv/backup/nas-7")
        talk = await house.ask("Where is the backup path?")
        assert "/srv/backup/nas-7" in await answer(house, talk)
        request = await last_request(house, talk)
        assert len(request.system) == 2  # no instructions: the rules of memory, then the facts
        assert '"backup path": "/srv/backup/nas-7"' in request.system[-1]["text"]
        assert (await rows(house, talk))[Segment.FACTS] > 0

    in_house(tmp_path, simulator, test)


def test_a_changed_fact_is_told_behind_the_next_message_and_the_prefix_stays(
    tmp_path: Path, simulator: RunningSimulator
) -> None:
    async def test(house: House) -> None:
        memory = house.services.memory
        await memory.add("coffee", "dark roast")
        talk = await house.ask("What is my coffee?")
        before = await last_request(house, talk)
        await memory.edit("coffee", value="green tea instead")
        await memory.add("커피잔", "파란 머그")
        await house.ask("What is my coffee now?", talk)
        after = await last_request(house, talk)
        assert after.system == before.system
        assert [entry.blocks for entry in after.messages[: len(before.messages)]] == [
            entry.blocks for entry in before.messages
        ]
        told = after.messages[-1].blocks[-1]["text"]
        assert '"coffee": "green tea instead"' in told
        assert '"커피잔": "파란 머그"' in told
        assert "green tea" in await answer(house, talk)
        await house.ask("And once more?", talk)
        assert len((await last_request(house, talk)).messages[-1].blocks) == 1
        records = await house.services.store.requests(talk)
        assert records[-1].usage is not None
        assert (records[-1].usage.read or 0) > 0

    in_house(tmp_path, simulator, test, instructions="Keep to plain words. " * 300)


def test_a_deleted_fact_leaves_every_later_request_also_where_it_was_told(
    tmp_path: Path, simulator: RunningSimulator
) -> None:
    async def test(house: House) -> None:
        memory = house.services.memory
        await memory.add("locker", "7731")
        talk = await house.ask("Hello there.")
        await memory.add("garage", "4420")
        await house.ask("Are you well?", talk)
        assert "4420" in to_json((await last_request(house, talk)).body())
        await memory.delete("locker")
        await memory.delete("garage")
        await house.ask("What is the code of the garage and of the locker?", talk)
        body = to_json((await last_request(house, talk)).body())
        assert "7731" not in body
        assert "4420" not in body
        fresh = await house.ask("What is the code of the garage?")
        assert "4420" not in await answer(house, fresh)
        epochs = await house.services.store.epochs(talk)
        assert [epoch.number for epoch in epochs] == [1, 2]
        await memory.undo()
        await house.ask("What is the code of the garage?", talk)
        assert "4420" in await answer(house, talk)
        assert len(await house.services.store.epochs(talk)) == 2

    in_house(tmp_path, simulator, test)


@pytest.mark.parametrize("way", ["pause", "archive", "supersede", "narrow", "expire"])
def test_what_rests_or_holds_elsewhere_leaves_later_requests_as_a_deleted_one_does(
    tmp_path: Path, simulator: RunningSimulator, way: str
) -> None:
    async def test(house: House) -> None:
        memory, facts = house.services.memory, house.services.memory.facts
        await memory.add("locker", "7731")
        await memory.add("cabinet", "4420")
        elsewhere = await house.ask("Good morning.")
        talk = await house.ask("Hello there.")
        assert "7731" in to_json((await last_request(house, talk)).body())
        match way:
            case "supersede":
                await memory.supersede("locker", "cabinet")
            case "narrow":
                await memory.narrow("locker", elsewhere)
            case "expire":
                await memory.expire("locker", now() + timedelta(milliseconds=30))
                await asyncio.sleep(0.04)
            case _:
                await getattr(memory, way)("locker")
        await house.ask("Are you well?", talk)
        body = to_json((await last_request(house, talk)).body())
        assert "7731" not in body and "4420" in body
        if way == "narrow":
            await house.ask("Are you well?", elsewhere)
            assert "7731" in to_json((await last_request(house, elsewhere)).body())
        else:
            assert [fact.key for fact in await facts()] == ["cabinet"]
        told = dict(ask(tmp_path / "data", "SELECT key, told_at IS NOT NULL FROM fact"))
        assert told == {"locker": 1, "cabinet": 1}  # what stood in a prefix is not unused

    in_house(tmp_path / "data", simulator, test)


def test_a_fact_that_held_elsewhere_is_told_a_running_conversation_when_it_holds_everywhere(
    tmp_path: Path, simulator: RunningSimulator
) -> None:
    async def test(house: House) -> None:
        memory = house.services.memory
        elsewhere = await house.ask("Good morning.")
        await memory.add("locker", "7731")
        await memory.narrow("locker", elsewhere)
        talk = await house.ask("Hello there.")
        assert "7731" not in to_json((await last_request(house, talk)).body())
        await memory.narrow("locker", "")
        await house.ask("Are you well?", talk)
        assert "7731" in to_json((await last_request(house, talk)).body())

    in_house(tmp_path, simulator, test)


def test_what_was_said_stays_and_is_counted(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test(house: House) -> None:
        memory = house.services.memory
        change = await memory.add("locker", "code 7731")
        talk = await house.ask("My locker has code 7731, by the way.")
        await house.ask("What is my locker?", talk)
        await memory.delete("locker")
        standing = await memory.still_stands(change.after)
        assert standing.conversations == 1
        assert standing.messages >= 2
        assert standing.summaries == 0

    in_house(tmp_path, simulator, test)


def test_beyond_the_budget_the_best_of_the_rest_are_recalled(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test(house: House) -> None:
        memory = house.services.memory
        await memory.add("고양이 이름", "보리")
        for number in range(30):
            await memory.add(f"shelf {number}", f"box number {number} of the cellar")
        await memory.add("umbrella", "behind the door", pinned=True)
        talk = await house.ask("내 고양이 이름이 뭐지?")
        request = await last_request(house, talk)
        assert "umbrella" in request.system[-1]["text"]
        assert "보리" not in request.system[-1]["text"]
        assert "보리" in request.messages[-1].blocks[-1]["text"]
        assert "보리" in await answer(house, talk)
        notes = (await house.path(talk))[0].notes
        assert notes is not None
        assert 1 <= len(notes.notes) <= 5
        assert (await memory.fact("고양이 이름")).uses == 1

    in_house(tmp_path, simulator, test, facts_budget=200)


def test_while_all_facts_fit_nothing_is_searched(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test(house: House) -> None:
        await house.services.memory.add("coffee", "dark roast")
        facts = house.services.chat.context._facts

        async def search(*_: Any) -> list[Any]:
            raise AssertionError("searched")

        facts._recalling._search.search = search  # type: ignore[method-assign]
        talk = await house.ask("What is my coffee?")
        assert "dark roast" in await answer(house, talk)

    in_house(tmp_path, simulator, test)


def test_paused_memory_tells_nothing_and_resumed_tells_again(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test(house: House) -> None:
        settings = house.services.settings
        await house.services.memory.add("coffee", "dark roast")
        talk = await house.ask("What is my coffee?")
        settings.use_in_profile(memory=False)
        await house.ask("What is my coffee?", talk)
        request = await last_request(house, talk)
        assert request.system == ()
        assert {tool["name"] for tool in request.tools} == {
            "calculator",
            "read_attachment",
            "read_tool_result",
            "search_conversation",
        }
        settings.use_in_profile(memory=True)
        await house.ask("What is my coffee?", talk)
        assert "dark roast" in (await last_request(house, talk)).system[-1]["text"]

    in_house(tmp_path, simulator, test)


def test_answering_again_after_a_change_asks_as_another_version(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test(house: House) -> None:
        memory, chat = house.services.memory, house.services.chat
        await memory.add("coffee", "dark roast")
        talk = await house.ask("What is my coffee?")
        first = (await house.path(talk))[0]
        await chat.answer_again(first.id, house.events.append, TurnControl())
        assert (await house.path(talk))[0].id == first.id
        await memory.edit("coffee", value="green tea")
        await chat.answer_again(first.id, house.events.append, TurnControl())
        path = await house.path(talk)
        assert path[0].id != first.id
        assert path[0].blocks == first.blocks
        assert "green tea" in path[-1].text
        earlier = await house.services.store.message(first.id)
        assert earlier.notes == first.notes

    in_house(tmp_path, simulator, test)


def test_a_rebuild_puts_todays_facts_into_the_prefix(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test(house: House) -> None:
        memory = house.services.memory
        await memory.add("coffee", "dark roast")
        talk = await house.ask("Hello.")
        await memory.edit("coffee", value="green tea")
        await memory.rebuild(talk)
        await house.ask("What is my coffee?", talk)
        request = await last_request(house, talk)
        assert "green tea" in request.system[-1]["text"]
        assert len(request.messages[-1].blocks) == 1

    in_house(tmp_path, simulator, test)


class Person:
    """Answers every proposal in the same way, and keeps what was asked."""

    def __init__(self, act: Callable[[Proposal], Verdict]) -> None:
        self.asked: list[Proposal] = []
        self._act = act

    async def ask(self, proposal: Proposal) -> Verdict:
        self.asked.append(proposal)
        return self._act(proposal)


def allow(proposal: Proposal) -> Verdict:
    return Verdict(Answer.ALLOWED, proposal.draft)


def edited(proposal: Proposal) -> Verdict:
    return Verdict(Answer.ALLOWED, replace(proposal.draft, value="  edited </by> hand "))


def test_an_allowed_proposal_is_kept_with_its_source(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test(house: House) -> None:
        house.services.gate.approver = person = Person(allow)
        talk = await house.ask("Remember that my bicycle is green.")
        (proposal,) = person.asked
        fact = await house.services.memory.fact(proposal.draft.key)
        assert fact.value == proposal.draft.value
        assert fact.origin is FactOrigin.ASSISTANT
        assert fact.source is not None
        assert fact.source.message_id == (await house.path(talk))[0].id
        assert "green" in fact.source.quote
        assert (await house.services.memory.history(fact.id))[0].by is FactActor.ASSISTANT

    in_house(tmp_path, simulator, test)


def test_what_is_kept_is_what_the_person_made_of_it(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test(house: House) -> None:
        house.services.gate.approver = Person(edited)
        await house.ask("Remember that my bicycle is green.")
        (fact,) = await house.services.memory.facts()
        assert fact.value == "edited </by> hand"

    in_house(tmp_path, simulator, test)


def calls(name: str, **arguments: str) -> dict[str, Any]:
    """A step in which the assistant calls a tool."""
    return {"action": "reply", "content": [{"type": "tool_use", "name": name, "input": arguments}]}


SAVES = calls("save_memory", key="bicycle", value="my bicycle is green")


@pytest.mark.parametrize("gate", ["ask", "auto"])
def test_a_denial_writes_nothing_and_the_model_is_told(tmp_path: Path, simulator: RunningSimulator, gate: str) -> None:
    async def test(house: House) -> None:
        house.services.gate.approver = person = Person(lambda _: DENIED)
        # The calculator's result is text that is not the person's: auto has to ask.
        simulator.control(*[calls("calculator", expression="2*21")] * (gate == "auto"), SAVES)
        talk = await house.ask("Remember that my bicycle is green.")
        assert [proposal.draft.value for proposal in person.asked] == ["my bicycle is green"]
        assert await house.services.memory.facts(*FactState) == []
        results = [
            block["content"]
            for message in await house.path(talk)
            if message.role is Role.USER
            for block in message.blocks
            if block["type"] == "tool_result"
        ]
        assert results[-1] == "Not saved: the person did not allow it. Do not propose it again."
        assert len(results) == (2 if gate == "auto" else 1)

    in_house(tmp_path, simulator, test, gate=gate)


@pytest.mark.parametrize("attached", [False, True])
def test_auto_asks_beside_an_attached_file(tmp_path: Path, simulator: RunningSimulator, attached: bool) -> None:
    async def test(house: House) -> None:
        house.services.gate.approver = person = Person(lambda _: DENIED)
        talk = (await house.services.chat.new_conversation("Bicycle")).id
        file = {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "A list."}}
        question = typed(talk, None, "Remember that my bicycle is green.")
        if attached:
            question = replace(question, blocks=(file, *question.blocks))
        await house.services.store.add_message(question)
        simulator.control(SAVES)
        await house.services.chat.answer_again(question.id, house.events.append, TurnControl())
        assert len(person.asked) == attached
        assert len(await house.services.memory.facts()) == (not attached)

    in_house(tmp_path, simulator, test, gate="auto")


def test_auto_never_overwrites_unasked(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test(house: House) -> None:
        house.services.gate.approver = person = Person(lambda _: DENIED)
        await house.services.memory.add("Bicycle", "blue")
        simulator.control(SAVES)
        await house.ask("Remember that my bicycle is green.")
        assert [one.before.value for one in person.asked if one.before] == ["blue"]
        assert [fact.value for fact in await house.services.memory.facts()] == ["blue"]

    in_house(tmp_path, simulator, test, gate="auto")


@pytest.mark.parametrize(
    ("step", "change"),
    [
        (calls("search_memory", query="coffee"), {"memory": False}),
        (SAVES, {"memory": False}),
        (SAVES, {"gate": "off"}),
    ],
)
def test_what_is_switched_off_under_way_neither_reads_nor_writes(
    tmp_path: Path, simulator: RunningSimulator, step: dict[str, Any], change: dict[str, Any]
) -> None:
    async def test(house: House) -> None:
        house.services.gate.allow_all = True
        memory, settings = house.services.memory, house.services.settings
        await memory.add("coffee", "dark roast")
        simulator.control(step)
        talk = (await house.services.chat.new_conversation("Coffee")).id

        def emit(event: turn_events.TurnEvent) -> None:
            house.events.append(event)
            if isinstance(event, turn_events.Waiting):
                settings.use_in_profile(**change)

        await house.services.chat.send(talk, "Remember that my bicycle is green.", emit, TurnControl())
        (finished,) = house.of(turn_events.ToolFinished)
        assert finished.is_error
        assert finished.result == f"The tool {finished.name} is switched off now. Do not call it again."
        (fact,) = await memory.facts(*FactState)
        assert (fact.value, fact.uses) == ("dark roast", 0)

    in_house(tmp_path, simulator, test)


def test_a_renamed_fact_is_told_with_the_key_it_had(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test(house: House) -> None:
        memory = house.services.memory
        await memory.add("coffee", "dark roast")
        talk = await house.ask("What is my coffee?")
        await memory.edit("coffee", key="<drink>", value="green tea")
        await house.ask("Thank you.", talk)
        told = (await last_request(house, talk)).messages[-1].blocks[-1]["text"]
        assert '- "\\u003cdrink>": "green tea"\n  in place of "coffee"\n' in told
        await memory.edit("<drink>", value="black tea")
        await house.ask("Thank you.", talk)
        told = (await last_request(house, talk)).messages[-1].blocks[-1]["text"]
        assert '"black tea"\n</memory_notes>' in told

    in_house(tmp_path, simulator, test)


def test_auto_keeps_the_persons_own_words_without_asking(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test(house: House) -> None:
        house.services.gate.approver = person = Person(lambda _: DENIED)
        await house.ask("Remember that my bicycle is green.")
        (fact,) = await house.services.memory.facts()
        assert "green" in fact.value
        assert person.asked == []

    in_house(tmp_path, simulator, test, gate="auto")


def test_where_nobody_can_be_asked_a_proposal_waits(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test(house: House) -> None:
        memory = house.services.memory
        talk = await house.ask("Remember that my bicycle is green.")
        assert await memory.facts() == []
        (waiting,) = await memory.facts(FactState.PENDING)
        finished = house.of(turn_events.ToolFinished)
        assert finished[-1].is_error
        assert "waits" in finished[-1].result
        fresh = await house.ask("What colour is my bicycle?")
        assert "green" not in await answer(house, fresh)
        await memory.accept(waiting.id)
        await house.ask("And now?", talk)
        assert [fact.key for fact in await memory.facts()] == [waiting.key]

    in_house(tmp_path, simulator, test, recall_budget=0)


def test_switched_off_the_tool_is_not_offered(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test(house: House) -> None:
        house.services.gate.approver = person = Person(allow)
        talk = await house.ask("Remember that my bicycle is green.")
        assert "save_memory" not in {tool["name"] for tool in (await last_request(house, talk)).tools}
        assert person.asked == []
        assert await house.services.memory.facts(*FactState) == []

    in_house(tmp_path, simulator, test, gate="off")


def test_a_question_open_at_the_end_is_a_denial_and_the_call_gets_an_error_result(
    tmp_path: Path, simulator: RunningSimulator
) -> None:
    class Waiting:
        def __init__(self) -> None:
            self.asked = asyncio.Event()

        async def ask(self, _: Proposal) -> Verdict:
            self.asked.set()
            await asyncio.Event().wait()
            return DENIED

    async def first(house: House) -> None:
        house.services.gate.approver = waiting = Waiting()
        task = house.start("Remember that my bicycle is green.")
        async with asyncio.timeout(10):
            await waiting.asked.wait()
        house.control.closing = True
        await house.stop(task)
        assert await house.services.memory.facts(*FactState) == []

    async def second(house: House) -> None:
        await house.services.store.mark_interrupted()
        (conversation,) = await house.services.store.conversations("demo")
        await house.ask("Thank you.", conversation.id)
        assert await house.services.memory.facts(*FactState) == []
        request = await last_request(house, conversation.id)
        results = [block for entry in request.messages for block in entry.blocks if block["type"] == "tool_result"]
        assert [block["is_error"] for block in results] == [True]

    in_house(tmp_path, simulator, first)
    in_house(tmp_path, simulator, second)
    assert [row["status"] for row in simulator.recorded() if row["status"] >= 400] == []


def test_a_profile_knows_nothing_of_anothers_facts(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test(house: House) -> None:
        memory, settings = house.services.memory, house.services.settings
        await memory.add("coffee", "dark roast")
        change = await memory.add("coffee", "darker roast")
        settings.add_profile("work")
        settings.use_in_profile()
        settings.use_profile("work")
        assert await memory.facts(*FactState) == []
        assert await memory.search("coffee roast") == []
        assert await memory.undo() is None
        for act in (memory.fact, memory.delete, memory.history):
            for name in ("coffee", change.after.id):
                with pytest.raises(Exception, match="not_found"):
                    await act(name)
        await memory.add("coffee", "office blend")
        settings.use_profile("demo")
        assert [fact.value for fact in await memory.facts()] == ["darker roast"]

    in_house(tmp_path, simulator, test)


def test_a_message_beside_which_nothing_was_told_in_time_keeps_its_bytes(
    tmp_path: Path, simulator: RunningSimulator
) -> None:
    """Stopped before its notes were kept, answered by another question below it: asked again it is another version."""

    async def test(house: House) -> None:
        chat, store = house.services.chat, house.services.store
        talk = (await chat.new_conversation("Hello")).id
        first = await store.add_message(typed(talk, None, "Hello, first."))
        await house.ask("And a second one.", talk)
        old_tip = (await store.conversation(talk)).head_id
        assert old_tip is not None
        await house.services.memory.add("coffee", "dark roast")
        await chat.answer_again(first.id, house.events.append, TurnControl())
        assert (await house.path(talk))[0].id != first.id
        await store.move_head(talk, old_tip)
        await house.ask("And a third one.", talk)
        assert (await store.message(first.id)).notes is None

    in_house(tmp_path, simulator, test)
    assert [row["status"] for row in simulator.recorded() if row["status"] >= 400] == []


def test_when_another_version_fails_the_answer_there_was_stays(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test(house: House) -> None:
        memory = house.services.memory
        await memory.add("coffee", "dark roast")
        talk = await house.ask("What is my coffee?")
        before = [message.id for message in await house.path(talk)]
        await memory.edit("coffee", value="green tea")
        simulator.control({"action": "status", "status": 401})
        await house.services.chat.answer_again(before[0], house.events.append, TurnControl())
        assert [message.id for message in await house.path(talk)] == before

    in_house(tmp_path, simulator, test)


def test_a_changed_fact_keeps_its_new_value_under_every_later_prefix(
    tmp_path: Path, simulator: RunningSimulator
) -> None:
    async def test(house: House) -> None:
        memory, context = house.services.memory, house.services.chat.context
        await memory.add("coffee", "dark roast")
        talk = await house.ask("What is my coffee?")
        await memory.edit("coffee", value="green tea")
        await house.ask("And now?", talk)
        path = await house.path(talk)
        setting = await context.setting(talk, path, store_epoch=False)
        without = await context.without_thinking(talk, setting)
        prepared = await context.prepare(talk, path, without)
        assert "green tea" in to_json(prepared.request.body()["messages"])

    in_house(tmp_path, simulator, test)


def test_a_fact_deleted_while_the_endpoint_is_busy_is_not_sent_again(
    tmp_path: Path, simulator: RunningSimulator
) -> None:
    async def test(house: House) -> None:
        memory = house.services.memory
        await memory.add("locker", "7731")
        simulator.control({"action": "status", "status": 529, "count": 1})
        task = house.start("What is my locker?")
        await house.until(turn_events.RetryScheduled)
        await memory.delete("locker")
        house.control.hurry.set()
        talk = await task
        records = await house.services.store.requests(talk)
        sent = [(await house.services.store.request(record.id))[1].body() for record in records]
        assert ["7731" in to_json(body) for body in sent] == [True, *([False] * (len(sent) - 1))]
        assert len(sent) > 1

    in_house(tmp_path, simulator, test)


def test_the_budget_of_facts_holds_over_many_messages(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test(house: House) -> None:
        memory = house.services.memory
        talk = await house.ask("Hello.")
        for number in range(60):
            await memory.add(f"shelf {number}", f"box number {number} of the cellar, behind the old bicycle")
        for text in ("Good.", "Fine.", "Well.", "Yes."):
            await house.ask(text, talk)
        told = [note for message in await house.path(talk) if message.notes for note in message.notes.notes]
        added = [note for note in told if note.kind is NoteKind.ADDED]
        assert 0 < sum(len(note.line) for note in added) / 3 < 400

    in_house(tmp_path, simulator, test, facts_budget=200)


def test_a_profile_changed_before_the_message_leaves_sends_nothing_of_either(
    tmp_path: Path, simulator: RunningSimulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def test(house: House) -> None:
        settings, store = house.services.settings, house.services.store
        settings.add_profile("work")
        settings.use_profile("work")
        settings.use_in_profile(base_url=simulator.url)
        await house.services.memory.add("salary", "CANARY 4400")
        settings.use_profile("demo")
        talk = (await house.services.chat.new_conversation("Hello")).id
        access = house.services.access
        real = access.model

        async def slow(name: str) -> Any:
            found = await real(name)
            settings.use_profile("work")
            return found

        monkeypatch.setattr(access, "model", slow)
        await house.services.chat.send(talk, "Hello", house.events.append, TurnControl())
        assert isinstance(house.of(turn_events.TurnFailed)[-1].error, ProfileChanged)
        assert await store.requests(talk) == []
        assert all("CANARY" not in epoch.facts for epoch in await store.epochs(talk))

    in_house(tmp_path, simulator, test)


def typed(conversation_id: str, parent_id: str | None, text: str) -> Message:
    blocks = (text_block(text),)
    return Message(new_id(), conversation_id, parent_id, Role.USER, blocks, Origin.TYPED)
