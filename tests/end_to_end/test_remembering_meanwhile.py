"""Writes into long-term memory while the person works there too, where it is paused, and across conversations."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from desktop_app.core.errors import BadInput
from desktop_app.core.fact_relations import Near
from desktop_app.core.facts import FactActor, FactDraft, FactSource, FactState
from desktop_app.core.ports import ToolError
from desktop_app.core.request_log import RequestPurpose
from desktop_app.core.tool_call import ToolCall
from desktop_app.services.memory import MemoryService
from desktop_app.services.memory_tools import SaveMemory
from desktop_app.services.remembering import Outcome
from tests.end_to_end.memory_stage import Person, asked_for, in_house, kept, pending, talk_of, write
from tests.fakes.house import House
from tests.fakes.simulator import RunningSimulator

Act = Callable[[MemoryService], Awaitable[object]]


def at_second_search(house: House, monkeypatch: pytest.MonkeyPatch, act: Act) -> None:
    """The person acts once between the second reading of what is near and the write."""
    judging, calls = house.services.remembering._judging, 0
    near = judging.near

    async def slow(profile: str, draft: FactDraft) -> list[Near]:
        nonlocal calls
        found = await near(profile, draft)
        calls += 1
        if calls == 2:
            await act(house.services.memory)
        return found

    monkeypatch.setattr(judging, "near", slow)


@pytest.mark.parametrize(
    ("act", "after"),
    [
        (lambda memory: memory.delete("home"), {"city": "I live in Seoul, Korea"}),
        (lambda memory: memory.edit("home", value="I live in Busan"), {"home": "I live in Busan"}),
        (lambda memory: memory.pause("home"), {"city": "I live in Seoul, Korea"}),
    ],
)
def test_a_repeat_never_writes_over_what_the_person_did_meanwhile(
    tmp_path: Path, simulator: RunningSimulator, monkeypatch: pytest.MonkeyPatch, act: Act, after: dict[str, str]
) -> None:
    async def test(house: House) -> None:
        house.services.gate.allow_all = True
        await house.services.memory.add("home", "I live in Seoul")
        simulator.control({"action": "judging", "verdicts": ["same"], "count": 0})
        at_second_search(house, monkeypatch, act)
        await write(house, await talk_of(house), "city", "I live in Seoul, Korea")
        assert await kept(house) == after
        by = [change.by for change in await house.services.memory.history("home")]
        assert by == [FactActor.YOU, FactActor.YOU]

    in_house(tmp_path, simulator, test)


def test_a_repeat_of_a_fact_that_was_edited_and_pinned_meanwhile_is_no_failure(
    tmp_path: Path, simulator: RunningSimulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def test(house: House) -> None:
        async def pinned(memory: MemoryService) -> None:
            await memory.edit("home", value="I live in Busan")
            await memory.pin("home", True)

        house.services.gate.allow_all = True
        await house.services.memory.add("home", "I live in Seoul")
        simulator.control({"action": "judging", "verdicts": ["same"], "count": 0})
        talk = await talk_of(house)
        call = ToolCall("demo", talk, (await house.path(talk))[0].id, "c1")
        at_second_search(house, monkeypatch, pinned)
        told = await SaveMemory(house.services.remembering).run({"key": "city", "value": "I live in Seoul, yes"}, call)
        assert "I live in Busan" in told and "kept already" in told
        assert await kept(house) == {"home": "I live in Busan"}

    in_house(tmp_path, simulator, test)


@pytest.mark.parametrize("asked", [True, False])
def test_a_gate_that_is_shut_while_the_model_judges_leaves_nothing(
    tmp_path: Path, simulator: RunningSimulator, asked: bool
) -> None:
    async def test(house: House) -> None:
        await house.services.memory.add("coffee", "I drink dark roast coffee")
        talk = await talk_of(house)
        turn = (await house.path(talk))[0].id
        simulator.control({"action": "delay", "seconds": 1, "match": {"task": "judging"}})
        draft = FactDraft("drinks", "Likes milk coffee in the morning", source=FactSource(turn, talk))
        call = ToolCall("demo", talk, turn, "c1") if asked else None
        judged = asyncio.create_task(house.services.remembering.write(draft, call, profile="demo"))
        async with asyncio.timeout(10):
            while not await asked_for(house, talk, RequestPurpose.JUDGING):
                await asyncio.sleep(0.01)
        house.services.settings.use_in_profile(gate="off")
        assert (await judged).outcome is Outcome.DENIED
        assert await pending(house) == []

    in_house(tmp_path, simulator, test)


async def scoped(house: House, talk: str) -> None:
    """A fact that holds in this conversation only."""
    fact = (await house.services.memory.add("ticket", "A-1")).after
    await house.services.memory.narrow(fact.id, talk)


def test_a_fact_of_one_conversation_is_no_repeat_in_another_and_is_not_overwritten_there(
    tmp_path: Path, simulator: RunningSimulator
) -> None:
    async def test(house: House) -> None:
        house.services.gate.allow_all = True
        here, elsewhere = await talk_of(house), await talk_of(house)
        await scoped(house, here)
        save = SaveMemory(house.services.remembering)
        call = ToolCall("demo", elsewhere, (await house.path(elsewhere))[0].id, "c1")
        for value in ("A-1", "B-2"):
            with pytest.raises(ToolError, match="another conversation has this key"):
                await save.run({"key": "Ticket", "value": value}, call)
        with pytest.raises(BadInput) as refused:
            await house.services.outside.remember("demo", "ticket", "B-2")
        assert refused.value.params["why"] == "fact_key_hidden"
        (fact,) = await house.services.memory.facts()
        assert (fact.value, fact.scope, fact.repeats) == ("A-1", here, 0)
        # Where it holds it is known, and a new value holds there only.
        assert (await write(house, here, "ticket", "A-1")).outcome is Outcome.REPEATED
        assert (await write(house, here, "ticket", "C-3")).outcome is Outcome.SAVED
        (fact,) = await house.services.memory.facts()
        assert (fact.value, fact.scope) == ("C-3", here)

    in_house(tmp_path, simulator, test)


@pytest.mark.parametrize("state", [FactState.PAUSED, FactState.SUPERSEDED])
def test_what_the_person_allows_is_kept_though_its_words_were_put_away(
    tmp_path: Path, simulator: RunningSimulator, state: FactState
) -> None:
    async def test(house: House) -> None:
        memory, talk = house.services.memory, await talk_of(house)
        city = (await memory.add("city", "Seoul")).after
        if state is FactState.PAUSED:
            await memory.pause("city")
        else:
            home = (await memory.add("home", "Busan")).after
            await memory.supersede(city.id, home.id)
            await memory.delete("home")
        waits = await write(house, talk, "city", "Seoul")
        if state is FactState.PAUSED:
            assert waits.fact is not None and (waits.outcome, waits.fact.state) == (Outcome.REPEATED, state)
        else:
            assert waits.outcome is Outcome.WAITS
        house.services.gate.approver = person = Person()
        assert (await write(house, talk, "city", "Seoul")).outcome is Outcome.SAVED
        assert len(person.asked) == 1
        assert await kept(house) == {"city": "Seoul"}

    in_house(tmp_path, simulator, test)


def test_facts_that_have_nothing_to_do_with_each_other_are_kept_where_no_model_can_be_asked(
    tmp_path: Path, simulator: RunningSimulator
) -> None:
    facts = {
        "shoe size": "265 mm",
        "favorite_food": "rice with kimchi",
        "favorite_color": "blue",
        "dog": "a beagle called Bori",
        "birthday": "3 March 1984",
        "work": "engineer at company A since 2020",
        "등산 배낭": "40리터 초록색",
        "tax": "files taxes in May",
        "printer": "Brother HL-2030 in the cellar",
        "piano": "practises Chopin on Sundays",
    }

    async def test(house: House) -> None:
        house.services.gate.allow_all = True
        house.services.indexing.start()
        remember = house.services.outside.remember
        for key, value in facts.items():
            assert (await remember("demo", key, value)).outcome is Outcome.SAVED, key
            await asyncio.sleep(0.05)  # so that the index learns what it can
        assert await kept(house) == facts
        assert (await remember("demo", "home dog", "a poodle called Bori")).outcome is Outcome.WAITS
        assert await house.services.store.conversations("demo") == []

    in_house(tmp_path, simulator, test)
