"""Facts deleted in any way, also while the index fails: none is found again, and none takes the place of another."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, cast

import pytest
from chromadb.api.models.Collection import Collection
from chromadb.errors import InternalError

from desktop_app.adapters.store import Store
from desktop_app.core.facts import FactActor, FactState
from tests.adapters.store_parts import ask
from tests.end_to_end.memory_stage import Person, in_house
from tests.fakes.command_line import CommandLine
from tests.fakes.house import House
from tests.fakes.simulator import RunningSimulator

LOCKERS = [f"locker {number:02}" for number in range(50)]
GONE = LOCKERS[:25]
LIVE = set(LOCKERS[25:])
QUESTIONS = ("locker", "Which locker in the hall is blue?", "파란 사물함이 어디 있지?", "locker hall blue")


async def by_inspector(house: House, key: str, simulator: RunningSimulator) -> None:
    await house.services.memory.delete(key)


async def by_tool(house: House, key: str, simulator: RunningSimulator) -> None:
    await _called(house, simulator, "forget_memory", {"key": key})


async def by_file(house: House, key: str, simulator: RunningSimulator) -> None:
    house.services.settings.use_in_profile(memory_tool="files")
    await _called(house, simulator, "memory", {"command": "delete", "path": f"/memories/{key}.md"})
    house.services.settings.use_in_profile(memory_tool="own")


async def by_command(house: House, key: str, simulator: RunningSimulator) -> None:
    folder = Path(cast(Store, house.services.store).place).parent
    ended = await asyncio.to_thread(CommandLine(folder).run, "--profile", "demo", "facts", "delete", key)
    assert ended.code == 0, ended


async def by_outside(house: House, key: str, simulator: RunningSimulator) -> None:
    house.services.gate.allow_deleting = True
    await house.services.outside.forget("demo", key)
    house.services.gate.allow_deleting = False


async def _called(house: House, simulator: RunningSimulator, name: str, arguments: dict[str, Any]) -> None:
    """The assistant calls a tool in a turn, and the person allows it."""
    call = {"type": "tool_use", "name": name, "input": arguments}
    simulator.control({"action": "reply", "content": [call], "match": {"task": "none"}})
    await house.ask("Away with it.")


WAYS = [*[by_inspector] * 9, *[by_outside] * 6, *[by_tool] * 4, *[by_file] * 4, *[by_command] * 2]
"""Those that take a turn of their own, or a start of the program, less often."""


async def none_is_found(house: House) -> None:
    """Every search of ten gives ten, and all of them stand."""
    for question in QUESTIONS:
        found = [hit.fact.key for hit in await house.services.memory.search(question, 10)]
        assert not set(found) & set(GONE), question
        if "locker" in question:
            assert len(found) == 10 and set(found) <= LIVE, question


async def settled(house: House) -> None:
    """Nothing is owed to the index any more."""
    vectors = cast(Store, house.services.store).vectors
    async with asyncio.timeout(10):
        while await vectors.debts(1):
            house.services.indexing.kick()
            await asyncio.sleep(0.02)


@pytest.mark.timeout(60)
def test_what_was_deleted_in_any_way_is_found_nowhere(
    tmp_path: Path, simulator: RunningSimulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    delete, failed = Collection.delete, []

    def fail_once(self: Collection, *arguments: Any, **named: Any) -> Any:
        if not failed:
            failed.append(named)
            raise InternalError("the index is locked")
        return delete(self, *arguments, **named)

    async def first(house: House) -> None:
        house.services.gate.approver = Person()
        house.services.indexing.start()
        for key in LOCKERS:
            await house.services.memory.add(key, f"the locker in hall {key[-2:]} is blue")
        for number in range(80):
            await house.services.memory.add(f"minutes {number}", f"the meeting on day {number} was long")
        assert {hit.fact.key for hit in await house.services.memory.search("locker hall blue")} >= {*LOCKERS}
        await settled(house)
        monkeypatch.setattr(Collection, "delete", fail_once)
        for delete_one, key in zip(WAYS, GONE, strict=True):
            await delete_one(house, key, simulator)
            hits = await house.services.memory.search(key, 10)
            assert key not in {hit.fact.key for hit in hits}, "gone at once"
        await none_is_found(house)
        await settled(house)
        assert failed, "the index failed meanwhile"
        await none_is_found(house)
        deleted = await house.services.memory.facts(FactState.DELETED)
        assert {fact.key for fact in deleted} == set(GONE)
        by = {(await house.services.memory.history(fact.id))[-1].by for fact in deleted}
        assert by == {FactActor.YOU, FactActor.ASSISTANT, FactActor.MCP}

    async def again(house: House) -> None:
        await none_is_found(house)
        house.services.indexing.start()
        await settled(house)
        await none_is_found(house)

    in_house(tmp_path, simulator, first)
    in_house(tmp_path, simulator, again)
    (counts,) = ask(tmp_path, "SELECT (SELECT count(*) FROM fact_vector), (SELECT count(*) FROM fact_words)")
    assert counts == (105, 105)
