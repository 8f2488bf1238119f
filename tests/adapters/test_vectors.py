"""Vectors of facts as rows: who lacks one, what may be kept, what the index has yet to learn."""

from __future__ import annotations

import struct
import unicodedata
from collections.abc import Sequence
from pathlib import Path

import pytest

from desktop_app.adapters.store import Store
from desktop_app.core.facts import Fact, FactActor
from desktop_app.core.passages import PassageKind
from desktop_app.core.vectors import ItemVector, Unembedded
from tests.adapters.fact_parts import P, add, faults, owed, propose
from tests.adapters.store_parts import ask, opened, with_store

pytestmark = pytest.mark.usefixtures("database")

YOU = FactActor.YOU


def vector(*numbers: float) -> bytes:
    return struct.pack(f"<{len(numbers)}f", *numbers)


def of(fact: Fact, *numbers: float) -> ItemVector:
    return ItemVector(fact.id, fact.revision, vector(*numbers))


async def learnt(store: Store) -> None:
    await store.vectors.settle([debt.number for debt in await store.vectors.debts(1_000)])


async def lacking(store: Store, embedder: str = "m/2", profile: str | None = None) -> list[str]:
    return [fact.text for fact in await store.vectors.lacking(embedder, 100, profile)]


def test_active_facts_lack_a_vector_until_they_get_one(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        dog, cat = await add(store, "강아지", "보리"), await add(store, "cat", "Mango", "work")
        await propose(store, "bird", "Nabi")
        assert await store.vectors.lacking("m/2", 1) == [Unembedded(dog.id, dog.revision, "강아지: 보리")]
        assert await lacking(store) == ["강아지: 보리", "cat: Mango"]
        assert await lacking(store, profile="work") == ["cat: Mango"]
        await store.vectors.put("m/2", [of(dog, 1, 0), of(cat, 0, 1)])
        assert await lacking(store) == []
        assert await lacking(store, "other/2") == ["강아지: 보리", "cat: Mango"]
        await store.facts.pin(P, dog.id, True)
        assert await lacking(store) == []
        await store.facts.edit(P, dog.id, YOU, value="콩")
        assert await lacking(store) == ["강아지: 콩"]

    with_store(tmp_path, work)
    assert faults(tmp_path) == []


def test_a_pool_holds_the_vectors_of_one_profile_and_embedder(tmp_path: Path) -> None:
    loose = unicodedata.normalize("NFD", "보리")

    async def work(store: Store) -> None:
        facts = [
            await add(store, "dog", "Bori"),
            await add(store, "강아지", "Bori"),
            await add(store, "hound", loose),
            await add(store, "犬", "ポチ"),
        ]
        other = await add(store, "dog", "Mango", "work")
        await store.vectors.put("m/2", [of(fact, place, 1) for place, fact in enumerate(facts)])
        await store.vectors.put("m/2", [of(other, 9, 9)])
        pool = await store.vectors.pool(P, "m/2")
        vectors = [pool.matrix[start : start + 8] for start in range(0, len(pool.matrix), 8)]
        assert set(zip(pool.ids, pool.hangul, vectors, strict=True)) == {
            (fact.id, place in (1, 2), vector(place, 1)) for place, fact in enumerate(facts)
        }
        some = await store.vectors.pool(P, "m/2", [facts[2].id, other.id, "nobody"])
        assert (some.ids, some.matrix) == ((facts[2].id,), vector(2, 1))
        assert (await store.vectors.pool(P, "other/2")).ids == ()
        assert await store.vectors.scripts("m/2") == {
            (P, PassageKind.FACT): dict(zip(pool.ids, pool.hangul, strict=True)),
            ("work", PassageKind.FACT): {other.id: False},
        }
        await store.facts.delete(P, facts[0].id, YOU)
        assert facts[0].id not in (await store.vectors.pool(P, "m/2")).ids
        await store.facts.undo(P)
        assert facts[0].id not in (await store.vectors.pool(P, "m/2")).ids, "a vector of before the deletion"

    with_store(tmp_path, work)


def test_a_vector_of_an_older_text_is_not_kept(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        dog, cat = await add(store, "dog", "Bori"), await add(store, "cat", "Mango")
        late: Sequence[ItemVector] = [of(dog, 1, 0), of(cat, 0, 1)]
        await store.facts.edit(P, dog.id, YOU, value="Kong")
        await store.facts.delete(P, cat.id, YOU)
        await store.vectors.put("m/2", late)
        assert (await store.vectors.pool(P, "m/2")).ids == ()
        assert await lacking(store) == ["dog: Kong"]

    with_store(tmp_path, work)
    assert ask(tmp_path, "SELECT count(*) FROM fact_vector") == [(0,)]
    assert faults(tmp_path) == []


def test_vectors_of_two_embedders_stand_side_by_side(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        dog = await add(store, "dog", "Bori")
        await store.vectors.put("m/2", [of(dog, 1, 0)])
        await learnt(store)
        await store.vectors.put("other/2", [of(dog, 0, 1)], owe=False)
        assert await store.vectors.debts(9) == []
        assert (await store.vectors.pool(P, "m/2")).matrix == vector(1, 0)
        assert (await store.vectors.pool(P, "other/2")).matrix == vector(0, 1)
        await store.vectors.put("other/2", [of(dog, 1, 1)])
        assert [debt.item_id for debt in await store.vectors.debts(9)] == [dog.id]
        await store.facts.edit(P, dog.id, YOU, value="Kong")
        assert (await lacking(store), await lacking(store, "other/2")) == (["dog: Kong"], ["dog: Kong"])

    with_store(tmp_path, work)
    assert ask(tmp_path, "SELECT count(*) FROM fact_vector") == [(0,)]


def test_a_text_that_was_set_aside_is_lacking_again_when_it_has_changed(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        dog, cat = await add(store, "dog", "Bori"), await add(store, "cat", "Mango")
        (one, _) = await store.vectors.lacking("m/2", 9)
        await store.vectors.set_aside("m/2", one)
        await store.vectors.set_aside("m/2", one)
        assert await lacking(store) == ["cat: Mango"]
        assert await lacking(store, "other/2") == ["dog: Bori", "cat: Mango"]
        await store.facts.edit(P, dog.id, YOU, value="Kong")
        assert await lacking(store) == ["dog: Kong", "cat: Mango"]
        assert cat.id

    with_store(tmp_path, work)


def test_what_the_index_is_owed_stands_until_it_was_learnt(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        dog, cat = await add(store, "dog", "Bori"), await add(store, "cat", "Mango", "work")
        (first, second) = await store.vectors.debts(9)
        assert [(debt.profile, debt.item_id) for debt in (first, second)] == [(P, dog.id), ("work", cat.id)]
        assert await store.vectors.debts(1) == [first]
        await store.vectors.put("m/2", [of(dog, 1, 0)])
        assert await store.vectors.debts(9) == [first, second], "a debt is noted once"
        await store.vectors.settle([first.number, 999])
        assert await store.vectors.debts(9) == [second]
        await learnt(store)
        await store.vectors.put("m/2", [of(cat, 0, 1)])
        assert owed(tmp_path) == [(cat.id, "put")], "a vector that came later is owed again"
        await store.facts.delete("work", cat.id, YOU)
        assert owed(tmp_path) == [(cat.id, "remove")]

    with_store(tmp_path, work)


def test_letters_are_found_inside_of_words(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        money = await add(store, "생각", "돈보다 시간")
        dog = await add(store, "초코🐶", unicodedata.normalize("NFD", "강아지"))
        await add(store, "생각", "돈", "work")
        gone = await add(store, "old", "돈")
        await store.facts.delete(P, gone.id, YOU)
        assert await store.facts.holding(P, ["돈", "🐶", "강", "%", "쀍"]) == {
            "돈": [money.id],
            "🐶": [dog.id],
            "강": [dog.id],
            "%": [],
            "쀍": [],
        }

    with_store(tmp_path, work)


def test_what_another_store_writes_is_lacking_here(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        await add(store, "dog", "Kong")
        (dog,) = await store.vectors.lacking("m/2", 9, P)
        await store.vectors.put("m/2", [ItemVector(dog.item_id, dog.revision, b"\0" * 8)])
        assert await lacking(store, profile=P) == await lacking(store, profile=P) == []
        async with opened(tmp_path) as other:
            await add(other, "cat", "Mango")
        assert await lacking(store, profile=P) == ["cat: Mango"]

    with_store(tmp_path, work)
