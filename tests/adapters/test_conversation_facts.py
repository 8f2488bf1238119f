"""Facts of one conversation follow it: put away when it is deleted, back when it is, gone when it is for good."""

from __future__ import annotations

from pathlib import Path

import pytest

from desktop_app.adapters.store import Store
from desktop_app.core.errors import NotFound
from desktop_app.core.facts import FactActor, FactState
from tests.adapters.fact_parts import NOT_OWED, P, add, faults, give_vectors, keys, owed, propose, values
from tests.adapters.store_parts import ask, with_store

YOU, RULE = FactActor.YOU, FactActor.RULE
ACTIVE, ARCHIVED, PAUSED, PENDING = FactState.ACTIVE, FactState.ARCHIVED, FactState.PAUSED, FactState.PENDING


async def chat(store: Store) -> str:
    return (await store.create_conversation(P, "chat", simulated=False)).id


@pytest.mark.usefixtures("database")
def test_facts_of_a_deleted_conversation_leave_and_come_back_with_it(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        here, there = await chat(store), await chat(store)
        ticket = await add(store, "ticket", "A-1", scope=here)
        await add(store, "seat", "12F", scope=here)
        await add(store, "platform", "9", scope=here)
        await add(store, "gate", "B", scope=here)
        await add(store, "hotel", "Quay", scope=there)
        await add(store, "dog", "Bori")
        await store.facts.pause(P, "seat", YOU)
        await store.facts.archive(P, "gate", YOU)
        give_vectors(store)
        await store.delete(here)
        assert sorted(await keys(store)) == ["dog", "hotel"]
        assert sorted(await keys(store, ARCHIVED)) == ["gate", "platform", "seat", "ticket"]
        assert (await store.facts.history(P, ticket.id))[-1].by is RULE
        await add(store, "platform", "4")  # its key is free again
        undone = await store.facts.undo(P)
        assert undone and undone.after.key == "platform", "what the rule did is no act to go back by"
        await add(store, "platform", "4")
        await store.restore(here)
        assert await values(store, ACTIVE) == {"ticket": "A-1", "hotel": "Quay", "dog": "Bori", "platform": "4"}
        assert await keys(store, PAUSED) == ["seat"]
        assert sorted(await keys(store, ARCHIVED)) == ["gate", "platform"], "put away by hand, or its key is taken"

    with_store(tmp_path, work)
    assert faults(tmp_path) == []


def test_facts_of_a_conversation_that_is_gone_for_good_are_gone_too(tmp_path: Path) -> None:
    async def prepare(store: Store) -> tuple[str, list[str]]:
        here, there = await chat(store), await chat(store)
        ticket = await add(store, "ticket", "A-1", scope=here)
        seat = await add(store, "seat", "12F", scope=here)
        await add(store, "hotel", "Quay", scope=there)
        waits = await propose(store, "meal", "fish", scope=here)
        await store.delete(here)
        await store.facts.restore(P, ticket.id, YOU)
        assert await keys(store, PENDING) == ["meal"]
        give_vectors(store)
        return here, [ticket.id, seat.id, waits.id]

    here, gone = with_store(tmp_path, prepare)
    ask(tmp_path, f"UPDATE conversation SET deleted_at = '2020-01-01T00:00:00.000000+00:00' WHERE id = '{here}'")

    async def look(store: Store) -> None:
        assert await keys(store, *FactState) == ["hotel"]
        for fact_id in gone:
            with pytest.raises(NotFound):
                await store.facts.history(P, fact_id)
        assert (await store.facts.word_matches(P, ["ticket"])).scores == {}

    with_store(tmp_path, look)
    assert faults(tmp_path) == [NOT_OWED], "the index is told of what is gone"
    assert set(owed(tmp_path)) >= {(fact_id, "remove") for fact_id in gone[:2]}
