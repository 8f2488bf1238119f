"""What earlier conversations and documents say, in real turns over HTTP: found, quoted as data, explained, let go."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from desktop_app.core.conversation import to_json
from desktop_app.core.errors import MemoryPaused
from desktop_app.core.fact_notes import MessageNotes, notes_text
from desktop_app.core.passages import PassageKind
from desktop_app.core.recall.recollection import Fate
from desktop_app.core.recall.values import Part
from desktop_app.core.segment import Segment
from desktop_app.core.token_estimate import text_tokens
from tests.fakes.house import House, open_house
from tests.fakes.simulator import RunningSimulator

Test = Callable[[House], Awaitable[None]]


def in_house(folder: Path, simulator: RunningSimulator, test: Test, **profile: Any) -> None:
    async def run() -> None:
        async with open_house(folder, simulator.url, **profile) as house:
            await test(house)

    asyncio.run(run())


async def told(house: House, talk: str) -> MessageNotes:
    question = next(message for message in reversed(await house.path(talk)) if message.opens_turn)
    assert question.notes is not None
    return question.notes


async def sent(house: House, talk: str) -> str:
    records = await house.services.store.requests(talk)
    return to_json((await house.services.store.request(records[-1].id))[1].body())


def test_what_was_said_in_another_conversation_is_known_in_the_next(
    tmp_path: Path, simulator: RunningSimulator
) -> None:
    async def test(house: House) -> None:
        first = await house.ask("The spare key of the boathouse hangs behind the blue shutter.")
        talk = await house.ask("Where does the spare key of the boathouse hang?")
        note = (await told(house, talk)).passages[0]
        assert note.kind is PassageKind.TURN
        assert note.source_id == (await house.path(first))[0].id
        assert "the person, in" in note.line and "blue shutter" in note.line
        assert "blue shutter" in (await house.path(talk))[-1].text
        records = await house.services.store.requests(talk)
        rows = {segment: figure.tokens for segment, figure in records[-1].rows}
        assert rows[Segment.RECALLED] > 0
        shown = await house.services.memory.recalled((await house.path(talk))[0].id)
        assert shown is not None
        best = shown.finds[0]
        assert best.find.fate is Fate.TOLD and best.passage is not None
        assert best.passage.conversation_id == first
        assert abs(sum(best.find.parts.values()) - best.find.score) < 0.01

    in_house(tmp_path, simulator, test)


def test_a_greeting_recalls_nothing_and_what_stands_in_the_context_is_not_told_again(
    tmp_path: Path, simulator: RunningSimulator
) -> None:
    async def test(house: House) -> None:
        await house.ask("Hello there, good morning to you.")
        talk = await house.ask("Hello!")
        assert (await told(house, talk)).passages == ()
        await house.ask("The boathouse key hangs behind the blue shutter.", talk)
        await house.ask("Where does the boathouse key hang?", talk)
        assert (await told(house, talk)).passages == ()

    in_house(tmp_path, simulator, test)


def test_what_says_the_same_as_another_find_or_as_the_context_is_marked_down(
    tmp_path: Path, simulator: RunningSimulator
) -> None:
    async def test(house: House) -> None:
        first = await house.ask("We painted the boathouse light blue in spring.")
        second = await house.ask("In spring we painted the boathouse a light blue.")
        third = await house.ask("Grandfather built the boathouse with two windows.")
        fresh = await house.ask("Who built the boathouse, and who painted it?")
        parts = await alike(house, fresh, (first, second, third))
        assert min(parts[first], parts[second]) < -0.2
        assert max(parts[first], parts[second]) > -0.1 and parts[third] > -0.1

        talk = await house.ask("The boathouse got light blue paint in spring, we painted it.")
        await house.ask("Who built the boathouse, and who painted it?", talk)
        parts = await alike(house, talk, (first, second, third))
        assert max(parts[first], parts[second]) < -0.15 and parts[third] > -0.1

    in_house(tmp_path, simulator, test)


async def alike(house: House, talk: str, others: Sequence[str]) -> dict[str, float]:
    """What likeness took from the first message of other conversations, in the recollection of the last question."""
    question = next(message for message in reversed(await house.path(talk)) if message.opens_turn)
    shown = await house.services.memory.recalled(question.id)
    assert shown is not None
    finds = {find.find.source_id: find.find for find in shown.finds}
    assert all(abs(sum(find.parts.values()) - find.score) < 0.01 for find in finds.values())
    firsts = {one: (await house.path(one))[0].id for one in others}
    return {one: finds[message].parts.get(Part.ALIKE, 0.0) for one, message in firsts.items()}


def test_a_deleted_conversation_leaves_the_requests_it_was_quoted_in(
    tmp_path: Path, simulator: RunningSimulator
) -> None:
    async def test(house: House) -> None:
        first = await house.ask("보트 창고 열쇠는 파란 덧문 뒤에 걸려 있어")
        talk = await house.ask("보트 창고 열쇠 어디에 있지?")
        assert "파란 덧문" in await sent(house, talk)
        assert "the person, in" in await sent(house, talk)
        await house.services.store.delete(first)
        await house.ask("고마워, 그리고 다른 이야기를 하자", talk)
        assert "the person, in" not in await sent(house, talk), "what the app told is gone; what was said stays"
        fresh = await house.ask("보트 창고 열쇠 어디에 있지?")
        assert first not in [note.source_id for note in (await told(house, fresh)).passages]

    in_house(tmp_path, simulator, test)


def test_a_deleted_fact_does_not_come_back_through_what_was_said_of_it(
    tmp_path: Path, simulator: RunningSimulator
) -> None:
    async def test(house: House) -> None:
        await house.ask("My locker code is 7731, by the way.")
        await house.services.memory.add("locker code", "7731")
        talk = await house.ask("What is my locker code?")
        assert "7731" in (await house.path(talk))[-1].text
        await house.services.memory.delete("locker code")
        fresh = await house.ask("What is my locker code?")
        assert "7731" not in await sent(house, fresh)
        await house.services.memory.undo()
        again = await house.ask("What is my locker code?")
        assert "7731" in (await house.path(again))[-1].text

    in_house(tmp_path, simulator, test)


def test_a_deleted_fact_leaves_the_requests_what_was_said_of_it_is_quoted_in(
    tmp_path: Path, simulator: RunningSimulator
) -> None:
    async def test(house: House) -> None:
        await house.ask("The spare key of the boathouse hangs behind the blue shutter.")
        talk = await house.ask("Where does the spare key of the boathouse hang?")
        assert "the person, in" in await sent(house, talk)
        await house.services.memory.add("boathouse key", "hangs behind the blue shutter")
        await house.services.memory.delete("boathouse key")
        await house.ask("Thanks, and how long does it take to boil an egg?", talk)
        assert "the person, in" not in await sent(house, talk), "what the app told is gone; what was said stays"

    in_house(tmp_path, simulator, test)


def test_a_title_does_not_tell_what_is_withheld(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test(house: House) -> None:
        first = await house.ask("My locker code is 7731, by the way.")
        await house.ask("The locker room is painted green.", first)
        talk = await house.ask("How is the locker room painted?")
        assert any('in "My locker code is 7731' in note.line for note in (await told(house, talk)).passages)
        await house.services.memory.add("locker code", "7731")
        await house.services.memory.delete("locker code")
        fresh = await house.ask("How is the locker room painted?")
        lines = [note.line for note in (await told(house, fresh)).passages]
        assert any('the person: "The locker room is painted green' in line for line in lines)
        await house.ask("Is it a light green?", talk)
        assert "7731" not in await sent(house, talk) + await sent(house, fresh)
        await house.ask("Is it a dark green?", fresh)
        assert len(await house.services.store.epochs(fresh)) == 1, "what was told without the title stands"

    in_house(tmp_path, simulator, test)


def test_another_profile_recalls_nothing_of_it(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test(house: House) -> None:
        await house.ask("The boathouse key hangs behind the blue shutter.")
        house.services.settings.add_profile("work")
        house.services.settings.use_profile("work")
        assert await house.services.memory.recall("Where does the boathouse key hang?") == []

    in_house(tmp_path, simulator, test)


def test_recall_can_be_switched_off_and_keeps_to_its_budget(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test(house: House) -> None:
        long = "The boathouse key hangs behind the blue shutter, " + "and so on " * 60
        await house.ask(long)
        talk = await house.ask("Where does the boathouse key hang?")
        assert (await told(house, talk)).passages == ()
        shown = await house.services.memory.recalled((await house.path(talk))[0].id)
        assert shown is not None and Fate.OVER_BUDGET in {one.find.fate for one in shown.finds}

    in_house(tmp_path, simulator, test, recall_budget=60)


def test_the_block_that_is_sent_keeps_to_the_budget(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test(house: House) -> None:
        memory, settings = house.services.memory, house.services.settings
        for number in range(12):
            await memory.add(f"boathouse key {number}", f"hangs on hook {number} behind the blue shutter")
            await house.ask(
                f"Boathouse key {number + 40} of the boathouse hangs on hook {number + 40} at the green door."
            )
        told_of = {}
        for budget in (0, 40, 60, 100, 150, 300):
            settings.use_in_profile(recall_budget=budget)
            notes = await told(house, await house.ask("Where does the boathouse key hang?"))
            block = notes_text(notes.notes, notes.passages)
            assert text_tokens()(block) <= budget
            told_of[budget] = len(notes.notes) + len(notes.passages)
        assert (told_of[0], told_of[40]) == (0, 0) and 0 < told_of[100] < told_of[300]

    in_house(tmp_path, simulator, test, facts_budget=0, gate="off")


FACTS = {
    "dog name": "Bori",
    "order number": "ZX-4711-Q",
    "반려견 이름": "보리",
    "wifi network of the office": "Hanbit",
    "door A": "code 1111",
    "door B": "code 2222",
}


@pytest.mark.parametrize(
    ("question", "keys"),
    [
        ("Who is Bori?", {"dog name"}),
        ("What is ZX-4711-Q?", {"order number"}),
        ("보리가 누구야?", {"반려견 이름"}),
        ("What is the wifi network of the office?", {"wifi network of the office"}),
        ("Which codes open door A and door B?", {"door A", "door B"}),
    ],
)
def test_a_value_that_was_said_somewhere_keeps_no_fact_back(
    tmp_path: Path, simulator: RunningSimulator, question: str, keys: set[str]
) -> None:
    async def test(house: House) -> None:
        talk = await house.ask("The publisher Hanbit prints code 1111 and code 2222; order number, Bori, 보리.")
        for key, value in FACTS.items():
            await house.services.memory.add(key, value)
        await house.ask(question, talk)
        lines = [note.line for note in (await told(house, talk)).notes]
        assert {key for key in FACTS if any(line.startswith(f'- "{key}"') for line in lines)} >= keys

    in_house(tmp_path, simulator, test, facts_budget=0)


def test_passages_that_differ_in_a_value_are_told_both(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test(house: House) -> None:
        said = [f"The code of the green boathouse door at the lake is {code} since spring." for code in (1111, 2222)]
        for text in (*said, said[0]):
            await house.ask(text)
        talk = await house.ask("What is the code of the green boathouse door at the lake?")
        lines = [note.line for note in (await told(house, talk)).passages if "the person, in" in note.line]
        assert [sum(code in line for line in lines) for code in ("1111 since", "2222 since")] == [1, 1]

    in_house(tmp_path, simulator, test)


def test_a_trial_tells_what_the_prompt_holds_anyway_and_nothing_while_memory_rests(
    tmp_path: Path, simulator: RunningSimulator
) -> None:
    async def test(house: House) -> None:
        memory, settings = house.services.memory, house.services.settings
        await memory.add("boathouse key", "behind the blue shutter")
        (find,) = await memory.recall("Where is the boathouse key?")
        assert find.find.fate is Fate.IN_PROMPT and find.fact is not None
        settings.use_in_profile(facts_budget=0)
        (find,) = await memory.recall("Where is the boathouse key?")
        assert find.find.fate is Fate.TOLD
        assert await memory.recall("Hello!") == [] == await memory.recall("ㅋㅋㅋ")
        settings.use_in_profile(memory=False)
        with pytest.raises(MemoryPaused):
            await memory.recall("Where is the boathouse key?")
        talk = await house.ask("Where is the boathouse key?")
        assert await memory.recalled((await house.path(talk))[0].id) is None

    in_house(tmp_path, simulator, test)
