"""A fact whose time is over is active to nobody, in a process that has run for long as well, and can be restored."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from desktop_app.adapters.store import Store
from desktop_app.adapters.store.threads import StoreThreads
from desktop_app.core.conversation import now
from desktop_app.core.errors import BadInput
from desktop_app.core.facts import Fact, FactActor, FactState
from tests.adapters.fact_parts import P, add, faults, keys, set_moment
from tests.adapters.store_parts import with_store

ACTIVE, PAUSED, ARCHIVED = FactState.ACTIVE, FactState.PAUSED, FactState.ARCHIVED
YOU, RULE = FactActor.YOU, FactActor.RULE
HOUR = timedelta(hours=1)


def test_what_has_expired_is_archived_and_restored_without_its_expiry(tmp_path: Path) -> None:
    moment = now() + timedelta(days=1)

    async def write(store: Store) -> list[Fact]:
        kept = [await add(store, key, "room 3A", expires_at=moment) for key in ("one", "two", "three")]
        await store.facts.pause(P, "three", YOU)
        with pytest.raises(BadInput) as caught:
            await add(store, "over", "x", expires_at=now() - timedelta(seconds=1))
        assert caught.value.params == {"what": "over", "why": "fact_expiry_over"}
        assert await store.facts.expire(P) == 0
        return kept

    one, two, three = with_store(tmp_path, write)
    set_moment(tmp_path, one.id, expires_at=now() - timedelta(hours=1))
    set_moment(tmp_path, three.id, expires_at=now() - timedelta(hours=1))

    async def read(store: Store) -> None:
        facts = store.facts
        assert await keys(store) == ["two"] and sorted(await keys(store, ARCHIVED)) == ["one", "three"]
        assert (await facts.history(P, one.id))[-1].by is RULE
        back = await facts.restore(P, one.id, YOU)
        assert (back.after.state, back.after.expires_at) == (ACTIVE, None)
        assert (await facts.restore(P, three.id, YOU)).after.state is PAUSED
        set_moment(tmp_path, two.id, expires_at=now() - timedelta(hours=1))
        assert await facts.expire("elsewhere") == 0 and await facts.expire(P) == 1
        assert await facts.active(P, [one.id, two.id]) == {one.id: back.after}
        # The newest thing the person did is what goes back, not what the rule did.
        undone = await facts.undo(P)
        assert undone and undone.fact_id == three.id and undone.after.state is ARCHIVED

    with_store(tmp_path, read)
    assert faults(tmp_path) == []


async def by_list(store: Store, fact: Fact) -> bool:
    return fact.id in [one.id for one in await store.facts.facts(P)]


async def by_list_of_everywhere(store: Store, fact: Fact) -> bool:
    return fact.id in [one.id for one in await store.facts.facts(P, ACTIVE, conversation_id="")]


async def by_key(store: Store, fact: Fact) -> bool:
    return (await store.facts.fact(P, fact.key)).state is ACTIVE


async def by_id(store: Store, fact: Fact) -> bool:
    return fact.id in await store.facts.active(P, [fact.id])


@pytest.mark.parametrize("look", [by_list, by_list_of_everywhere, by_key, by_id])
@pytest.mark.usefixtures("database")
def test_whoever_looks_first_finds_what_is_over_active_no_more(
    tmp_path: Path, look: Callable[[Store, Fact], Awaitable[bool]]
) -> None:
    async def work(store: Store) -> None:
        fact = await add(store, "ticket", "room 3A", expires_at=now() + HOUR)
        assert await look(store, fact)
        set_moment(tmp_path, fact.id, expires_at=now() - HOUR)
        assert not await look(store, fact)
        assert await keys(store, ARCHIVED) == ["ticket"]
        assert (await store.facts.word_matches(P, ["room"])).scores == {}

    with_store(tmp_path, work)
    assert faults(tmp_path) == []


def test_many_that_are_over_do_not_keep_others_from_writing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archived_at_once: list[int] = []
    write = StoreThreads.write

    async def counted(threads: StoreThreads, work: Callable[..., Any]) -> Any:
        result = await write(threads, work)
        archived_at_once.append(result)
        return result

    async def work(store: Store) -> None:
        facts = [await add(store, f"ticket {number}", "A", expires_at=now() + HOUR) for number in range(220)]
        for fact in facts:
            set_moment(tmp_path, fact.id, expires_at=now() - HOUR)
        with monkeypatch.context() as patch:
            patch.setattr(StoreThreads, "write", counted)
            assert await store.facts.expire(P) == 220
        assert archived_at_once == [100, 100, 20]

    with_store(tmp_path, work)
