"""Memory in real turns by either kind of tool: told, known in a new conversation, updated, forgotten, then unknown."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from desktop_app.core.conversation import Block
from desktop_app.core.facts import FactActor, FactState
from desktop_app.core.gate import DENIED, PENDING, Answer, Proposal, Verdict
from desktop_app.core.segment import Segment
from tests.fakes.house import House, open_house
from tests.fakes.simulator import RunningSimulator

Test = Callable[[House], Awaitable[None]]


class Person:
    """Answers the gate, and keeps what was asked."""

    def __init__(self, answer: Callable[[Proposal], Verdict] = lambda one: Verdict(Answer.ALLOWED, one.draft)) -> None:
        self.answer = answer
        self.asked: list[Proposal] = []

    async def ask(self, proposal: Proposal) -> Verdict:
        """Answers at once."""
        self.asked.append(proposal)
        return self.answer(proposal)


def in_house(folder: Path, simulator: RunningSimulator, test: Test, **profile: Any) -> None:
    async def run() -> None:
        async with open_house(folder, simulator.url, **profile) as house:
            await test(house)

    asyncio.run(run())


def step(name: str, **arguments: object) -> dict[str, Any]:
    """A reply that calls a tool; what is asked about memory beside the conversation is answered as ever."""
    call = {"type": "tool_use", "name": name, "input": arguments}
    return {"action": "reply", "content": [call], "match": {"task": "none"}}


async def results(house: House, talk: str) -> list[str]:
    """What the tools said."""
    blocks = [block for message in await house.path(talk) for block in message.blocks]
    return [block["content"] for block in blocks if block["type"] == "tool_result"]


async def tools(house: House, talk: str) -> dict[str, Block]:
    """The tools the last request offered."""
    records = await house.services.store.requests(talk)
    return {tool["name"]: tool for tool in (await house.services.store.request(records[-1].id))[1].tools}


DONE = {"action": "reply", "text": "Done.", "match": {"task": "none"}}
TELLINGS = {
    "en": (
        *("Remember that my locker code is 7731.", "What is my locker code?"),
        *("Remember that my locker code is 9042.", "Forget my locker code."),
    ),
    "ko": (
        *("내 사물함 번호는 7731이야. 기억해 줘.", "내 사물함 번호가 뭐지?"),
        *("내 사물함 번호는 9042야. 기억해 줘.", "내 사물함 번호는 잊어 줘."),
    ),
}


@pytest.mark.parametrize(("kind", "language"), [("own", "ko"), ("files", "en")])
def test_told_known_updated_forgotten_unknown(
    tmp_path: Path, simulator: RunningSimulator, kind: str, language: str
) -> None:
    tell, ask, update, forget = TELLINGS[language]

    async def test(house: House) -> None:
        house.services.gate.approver = person = Person()
        memory = house.services.memory

        async def answer(text: str) -> str:
            return (await house.path(await house.ask(text)))[-1].text

        await house.ask(tell)
        (fact,) = await memory.facts()
        assert "7731" in fact.value
        assert "7731" in await answer(ask)
        await house.ask(update)
        (updated,) = await memory.facts()
        assert updated.id == fact.id
        assert "9042" in updated.value
        assert [one.before.value for one in person.asked if one.before] == [fact.value]
        known = await answer(ask)
        assert "9042" in known
        assert "7731" not in known
        talk = await house.ask(forget)
        assert await memory.facts() == []
        assert person.asked[-1].deletes == (updated,)
        assert "9042" not in (await house.path(talk))[-1].text
        (change,) = (await memory.history(fact.id))[-1:]
        assert (change.by, change.after.state) == (FactActor.ASSISTANT, FactState.DELETED)
        unknown = await answer(ask)
        assert "9042" not in unknown and "7731" not in unknown
        assert await memory.undo(change.number) is not None
        assert "9042" in await answer(ask)

    in_house(tmp_path, simulator, test, memory_tool=kind)


def test_files_are_read_and_count_as_used(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test(house: House) -> None:
        fact = (await house.services.memory.add("umbrella stand", "behind the door", "hall")).after
        simulator.control(
            step("memory", command="view", path="/memories"),
            step("memory", command="view", path="/memories/hall/umbrella stand.md"),
            step("memory", command="view", path="/memories/../settings.json"),
            DONE,
        )
        talk = await house.ask("Where is it?")
        listing, shown, refused = await results(house, talk)
        assert listing.endswith("15B\t/memories\n15B\t/memories/hall/\n15B\t/memories/hall/umbrella stand.md")
        assert shown.endswith("     1\tbehind the door")
        assert refused == "Path /memories/../settings.json would escape /memories directory"
        assert (await house.services.memory.fact(fact.id)).uses == 1

    in_house(tmp_path, simulator, test, memory_tool="files")


def test_one_kind_is_offered_and_its_rules_are_taught(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test(house: House) -> None:
        services = house.services
        talk = await house.ask("Hello there.")
        own = {"save_memory", "search_memory", "forget_memory"}
        assert own <= (await tools(house, talk)).keys()
        assert "memory" not in await tools(house, talk)
        request = (await services.store.request((await services.store.requests(talk))[-1].id))[1]
        assert [block["text"].split("\n")[:2] for block in request.system] == [["Be brief.", ""]]
        assert "save its key again" in request.system[0]["text"]
        record = (await services.store.requests(talk))[-1]
        assert dict(record.rows)[Segment.SYSTEM].tokens > 50
        services.settings.use_in_profile(memory_tool="files")
        await house.ask("Hello again.", talk)
        assert (await tools(house, talk))["memory"] == {"type": "memory_20250818", "name": "memory"}
        assert not own & (await tools(house, talk)).keys()
        request = (await services.store.request((await services.store.requests(talk))[-1].id))[1]
        assert "/memories" in request.system[0]["text"]
        assert "save its key again" not in request.system[0]["text"]
        assert [epoch.number for epoch in await services.store.epochs(talk)] == [1, 2]
        services.settings.use_in_profile(gate="off")
        await house.ask("And again.", talk)
        # With saving switched off there is nothing to write with, and one tool to look things up.
        assert {"memory", *own} & (await tools(house, talk)).keys() == {"search_memory"}
        request = (await services.store.request((await services.store.requests(talk))[-1].id))[1]
        assert [block["text"] for block in request.system] == ["Be brief."]

    in_house(tmp_path, simulator, test, instructions="Be brief.")


def test_a_server_that_may_not_know_the_type_gets_the_own_tools(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test(house: House) -> None:
        house.services.gate.approver = Person()
        talk = await house.ask("Remember that my bicycle is green.")
        assert "memory" not in await tools(house, talk)
        assert [fact.value for fact in await house.services.memory.facts()] == ["green"]
        house.services.settings.use_in_profile(plain_endpoint=False)
        await house.ask("Hello.", talk)
        assert "memory" in await tools(house, talk)

    in_house(tmp_path, simulator, test, simulated=False, memory_tool="files")


CHANGES: tuple[dict[str, Any], ...] = (
    {"command": "delete", "path": "/memories/coffee.md"},
    {"command": "delete", "path": "/memories/hall"},
    {"command": "rename", "old_path": "/memories/coffee.md", "new_path": "/memories/tea.md"},
    {"command": "str_replace", "path": "/memories/coffee.md", "old_str": "dark", "new_str": "light"},
    {"command": "insert", "path": "/memories/coffee.md", "insert_line": 0, "insert_text": "coffee"},
    {"command": "create", "path": "/memories/coffee light.md", "file_text": "light coffee please"},
)


@pytest.mark.parametrize("gate", ["ask", "auto", "off"])
def test_nothing_is_written_without_a_yes(tmp_path: Path, simulator: RunningSimulator, gate: str) -> None:
    async def test(house: House) -> None:
        house.services.gate.approver = person = Person(lambda _: DENIED)
        memory = house.services.memory
        await memory.add("coffee", "dark")
        await memory.add("stand", "behind the door", "hall")
        for change in CHANGES:
            simulator.control(step("memory", **change))
            talk = await house.ask("light coffee please, dark is over; delete the hall")
            (told,) = await results(house, talk)
            if gate == "off":
                assert told == "The tool memory is switched off now. Do not call it again."
            elif change["command"] != "create" or gate == "ask":
                assert told.startswith(("Not done: ", "Not saved: "))
                assert told.endswith(": the person did not allow it. Do not propose it again.")
        assert len(person.asked) == {"ask": len(CHANGES), "auto": len(CHANGES) - 1, "off": 0}[gate]
        facts = [(fact.key, fact.value) for fact in await memory.facts(*FactState)]
        # Of the rest nothing is a new fact in the person's own words.
        kept = [("coffee light", "light coffee please")] if gate == "auto" else []
        assert facts == [*kept, ("stand", "behind the door"), ("coffee", "dark")]

    in_house(tmp_path, simulator, test, memory_tool="files", gate=gate)


def test_a_proposal_shows_what_would_go_and_come(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test(house: House) -> None:
        house.services.gate.approver = person = Person()
        memory = house.services.memory
        first = (await memory.add("coffee", "dark\nroast", "taste")).after
        await memory.add("tea", "green", "taste")
        path = "/memories/taste/coffee.md"
        simulator.control(
            step("memory", command="str_replace", path=path, old_str="dark", new_str="light"),
            step("memory", command="rename", old_path="/memories/taste", new_path="/memories/drinks"),
            step("memory", command="delete", path="/memories/drinks"),
            DONE,
        )
        talk = await house.ask("Tidy up what you know: light coffee, and move it, and then away with it.")
        assert [(one.text_before, one.text_after) for one in person.asked] == [
            ("dark\nroast", "light\nroast"),
            ("taste / coffee\ntaste / tea", "drinks / coffee\ndrinks / tea"),
            ("coffee: light\nroast\ntea: green", None),
        ]
        edited, renamed, deleted = await results(house, talk)
        assert edited.endswith("(with line numbers):\n     1\tlight\n     2\troast")
        assert renamed == "Successfully renamed /memories/taste to /memories/drinks"
        assert deleted.split("\n")[0] == "Successfully deleted /memories/drinks"
        actions = [(change.action.value, change.after.category) for change in await memory.history(first.id)]
        assert actions == [("added", "taste"), ("edited", "taste"), ("edited", "drinks"), ("deleted", "drinks")]

    in_house(tmp_path, simulator, test, memory_tool="files")


@pytest.mark.parametrize("command", ["rename", "delete"])
def test_what_was_allowed_as_one_is_taken_back_as_one(
    tmp_path: Path, simulator: RunningSimulator, command: str
) -> None:
    async def test(house: House) -> None:
        house.services.gate.approver = Person()
        memory = house.services.memory
        for key in ("coffee", "tea", "milk"):
            await memory.add(key, "cold", "taste")
        before = {fact.key: fact.category for fact in await memory.facts()}
        where = {"old_path": "/memories/taste", "new_path": "/memories/drinks"}
        simulator.control(
            step("memory", command=command, **(where if command == "rename" else {"path": "/memories/taste"})), DONE
        )
        await house.ask("Tidy up what you know of my taste.")
        left = {"rename": dict.fromkeys(before, "drinks"), "delete": {}}[command]
        assert {fact.key: fact.category for fact in await memory.facts()} == left
        (change,) = (await memory.history("tea"))[-1:]
        assert await memory.undo(change.number) is not None
        assert {fact.key: fact.category for fact in await memory.facts()} == before

    in_house(tmp_path, simulator, test, memory_tool="files")


def test_a_fact_that_changes_under_the_question_is_asked_about_again(
    tmp_path: Path, simulator: RunningSimulator
) -> None:
    async def test(house: House) -> None:
        memory = house.services.memory
        await memory.add("coffee", "dark roast")
        asked: list[str | None] = []

        class Slow(Person):
            async def ask(self, proposal: Proposal) -> Verdict:
                if not asked:
                    await memory.edit("coffee", value="dark roast, no sugar")
                asked.append(proposal.text_after)
                return await super().ask(proposal)

        house.services.gate.approver = Slow()
        simulator.control(
            step("memory", command="str_replace", path="/memories/coffee.md", old_str="dark", new_str="light"),
            DONE,
        )
        await house.ask("Light from now on.")
        assert asked == ["light roast", "light roast, no sugar"]
        assert [fact.value for fact in await memory.facts()] == ["light roast, no sugar"]

    in_house(tmp_path, simulator, test, memory_tool="files")


@pytest.mark.parametrize(
    ("kept", "old", "new", "after"),
    [
        ("The host is called Nas", "Nas", "nas", "The host is called nas"),
        ("backup in ~/backup", "~/", "/", "backup in /backup"),
        ("steps:\n- one\n - two", "\n - two", "\n- two", "steps:\n- one\n- two"),
        ("10² m", "²", "2", "102 m"),
    ],
)
def test_an_edit_is_written_however_little_it_changes(
    tmp_path: Path, simulator: RunningSimulator, kept: str, old: str, new: str, after: str
) -> None:
    async def test(house: House) -> None:
        house.services.gate.approver = person = Person()
        await house.services.memory.add("note", kept)
        simulator.control(
            step("memory", command="str_replace", path="/memories/note.md", old_str=old, new_str=new), DONE
        )
        await house.ask("Correct it.")
        assert [proposal.text_after for proposal in person.asked] == [after]
        assert [fact.value for fact in await house.services.memory.facts()] == [after]

    in_house(tmp_path, simulator, test, memory_tool="files")


def test_a_file_the_person_edited_is_told_as_it_was_kept(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test(house: House) -> None:
        def edited(proposal: Proposal) -> Verdict:
            return Verdict(Answer.ALLOWED, replace(proposal.draft, value="a blue one"))

        house.services.gate.approver = Person(edited)
        simulator.control(
            step("memory", command="create", path="/memories/bicycle.md", file_text="a green one"),
            DONE,
        )
        talk = await house.ask("I have a bicycle.")
        (told,) = await results(house, talk)
        assert told.startswith("The text of /memories/bicycle.md is not the one you gave. It was changed.")
        assert told.endswith("     1\ta blue one")

    in_house(tmp_path, simulator, test, memory_tool="files")


def test_facts_of_other_conversations_and_profiles_are_no_files(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test(house: House) -> None:
        house.services.gate.approver = Person()
        services = house.services
        await services.memory.add("mine", "seen")
        other = (await services.chat.new_conversation("Other")).id
        await services.memory.add("plan", "of the other conversation")
        await services.memory.narrow("plan", other)
        own = services.settings.settings.profile
        services.settings.use_profile(services.settings.add_profile("work"))
        await services.memory.add("budget", "of the other profile")
        services.settings.use_profile(own)
        simulator.control(
            step("memory", command="view", path="/memories"),
            step("memory", command="view", path="/memories/plan.md"),
            step("memory", command="delete", path="/memories/budget.md"),
            step("memory", command="create", path="/memories/plan.md", file_text="my own plan"),
            DONE,
        )
        talk = await house.ask("Look around.")
        listing, plan, budget, created = await results(house, talk)
        assert listing.split("\n")[1:] == ["4B\t/memories", "4B\t/memories/mine.md"]
        assert plan == "The path /memories/plan.md does not exist. Please provide a valid path."
        assert budget == "The path /memories/budget.md does not exist"
        assert created == "File created successfully at: /memories/plan.md"
        # The key of the hidden fact stays that fact's own.
        facts = {fact.key: fact.value for fact in await services.memory.facts()}
        assert facts == {"mine": "seen", "plan": "of the other conversation", "/memories/plan.md": "my own plan"}
        services.settings.use_profile("work")
        assert [fact.value for fact in await services.memory.facts()] == ["of the other profile"]

    in_house(tmp_path, simulator, test, memory_tool="files")


def test_a_secret_in_a_file_is_masked_and_told(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test(house: House) -> None:
        house.services.gate.approver = person = Person()
        simulator.control(
            step("memory", command="create", path="/memories/wifi.md", file_text="password: hunter2-Xy9!kk"),
            DONE,
        )
        (told,) = await results(house, await house.ask("Look into the file."))
        assert "A secret in it was masked." in told
        (fact,) = await house.services.memory.facts()
        assert "hunter2" not in f"{told} {fact.value} {person.asked[0].text_after}"

    in_house(tmp_path, simulator, test, memory_tool="files")


def test_where_nobody_can_be_asked_a_file_waits_and_nothing_is_deleted(
    tmp_path: Path, simulator: RunningSimulator
) -> None:
    async def test(house: House) -> None:
        house.services.gate.approver = Person(lambda _: PENDING)
        memory = house.services.memory
        await memory.add("coffee", "dark")
        simulator.control(
            step("memory", command="create", path="/memories/tea.md", file_text="green"),
            step("memory", command="delete", path="/memories/coffee.md"),
            DONE,
        )
        talk = await house.ask("Tidy up.")
        waiting, kept = await results(house, talk)
        assert "waits for the person's approval" in waiting
        assert kept == "Not done: nobody could be asked."
        assert [fact.key for fact in await memory.facts()] == ["coffee"]
        assert [fact.key for fact in await memory.facts(FactState.PENDING)] == ["tea"]

    in_house(tmp_path, simulator, test, memory_tool="files")


def test_what_is_left_of_a_forgotten_fact_is_told(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test(house: House) -> None:
        house.services.gate.approver = Person()
        await house.ask("Remember that my locker code is 7731-4420.")
        talk = await house.ask("Forget my locker code.")
        (told,) = await results(house, talk)
        assert "7731" not in told
        assert "the text still stands in" in told
        assert "It is deleted from long-term memory." in (await house.path(talk))[-1].text

    in_house(tmp_path, simulator, test)


def test_forgetting_deletes_no_fact_that_only_may_be_meant(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test(house: House) -> None:
        house.services.gate.approver = person = Person()
        memory = house.services.memory
        for number in range(3):
            await memory.add(f"shelf {number}", f"box number {number}")
        simulator.control(
            step("forget_memory", query="box shelf"),
            step("forget_memory", key="shelf"),
            step("forget_memory"),
            step("forget_memory", key="SHELF 1"),
            DONE,
        )
        talk = await house.ask("Away with the box.")
        several, unnamed, empty, gone = await results(house, talk)
        assert several.startswith("Nothing was deleted. Facts that may be meant have these keys:")
        assert unnamed.startswith('No fact has the key "shelf".')
        assert empty == "Give `key` or `query` as a text."
        assert gone.startswith('Deleted from long-term memory: "shelf 1".')
        assert [one.deletes[0].key for one in person.asked] == ["shelf 1"]
        assert {fact.key for fact in await memory.facts()} == {"shelf 0", "shelf 2"}

    in_house(tmp_path, simulator, test)
