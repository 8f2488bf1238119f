"""Going on from a past turn: whole turns only, one at a time, and back again as long as nothing was written since."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from desktop_app.core import errors, turn_events
from desktop_app.core.branching import Branching
from desktop_app.core.conversation import Origin
from tests.fakes.house import House, open_house
from tests.fakes.simulator import RunningSimulator


def run(test: Any) -> None:
    """Runs one coroutine as a test."""
    asyncio.run(test)


async def three_turns(house: House) -> str:
    """A conversation of three turns, the second with a tool."""
    talk = await house.ask("My cat is called Mori.")
    await house.ask("use the calculator for 12*7", talk)
    return await house.ask("And what is my cat called?", talk)


def test_a_branch_ends_behind_the_whole_turn_with_its_tools(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url) as house:
            chat, talk = house.services.chat, await three_turns(house)
            before = await house.path(talk)
            call = next(message for message in before if message.origin is Origin.TOOL_RESULTS)
            branching = await chat.branch_at(talk, call.id)
            path = await house.path(talk)
            assert path == before[:6] and path[-1].text.count("84")
            assert branching == Branching(talk, 2, before[5].id, before[-1].id, 2)
            assert await chat.branch_at(talk, 2) is None
            await house.ask("Name a colour.", talk)
            store = house.services.store
            _, request = await store.request((await store.requests(talk))[-1].id)
            texts = [str(message.blocks) for message in request.messages]
            assert "Name a colour." in texts[-1] and not any("what is my cat" in text for text in texts)
            branches = await store.branches(talk)
            assert [len(one.siblings) for one in branches] == [2]
            await chat.choose_branch(branches[0].message_id, -1)
            assert await house.path(talk) == before

    run(test())


def test_undo_leads_back_only_while_nothing_was_written_since(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url) as house:
            chat, talk = house.services.chat, await three_turns(house)
            before = await house.path(talk)
            first = await chat.branch_at(talk, 1)
            assert first is not None and await chat.undo_branch(first)
            assert await house.path(talk) == before
            again = await chat.branch_at(talk, 1)
            assert again == first
            await house.ask("Something new.", talk)
            new = await house.path(talk)
            assert not await chat.undo_branch(first)
            assert await house.path(talk) == new and len(new) == 4

    run(test())


def test_messages_behind_the_end_come_back_into_use(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url) as house:
            chat, talk = house.services.chat, await three_turns(house)
            before = await house.path(talk)
            assert await chat.resume(talk) is None
            await chat.branch_at(talk, 2)
            await chat.branch_at(talk, 1)
            assert len(await house.path(talk)) == 2
            back = await chat.resume(talk)
            assert back is not None and back.turn == 3 and back.head_id == before[-1].id
            assert await house.path(talk) == before

    run(test())


def test_a_message_of_another_version_brings_its_own_path(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url) as house:
            chat, talk = house.services.chat, await three_turns(house)
            before = await house.path(talk)
            await chat.edit(before[2].id, "Count to three.", house.events.append, house.control)
            branching = await chat.branch_at(talk, before[3].id)
            assert branching is not None and (branching.turn, branching.left) == (2, 2)
            assert await house.path(talk) == before[:6]

    run(test())


def test_no_branch_beside_an_answer_nor_behind_a_turn_that_is_not_there(
    tmp_path: Path, simulator: RunningSimulator
) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url) as house:
            chat, talk = house.services.chat, await three_turns(house)
            before = await house.path(talk)
            for nowhere in (0, 4, "nothing"):
                with pytest.raises(errors.NotFound):
                    await chat.branch_at(talk, nowhere)
            other = await house.ask("Another conversation.")
            with pytest.raises(errors.NotFound):
                await chat.branch_at(other, before[0].id)
            simulator.control({"action": "slow", "tokens_per_second": 40})
            house.events.clear()
            task = house.start("write 400 words about harbours", talk)
            await house.until(turn_events.TextArrived)
            with pytest.raises(errors.Busy):
                await chat.branch_at(talk, 1)
            with pytest.raises(errors.Busy):
                await chat.resume(talk)
            await house.stop(task)
            assert (await house.path(talk))[:-2] == before

    run(test())
