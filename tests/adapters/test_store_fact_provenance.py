"""Whose words a fact is, and where they stand: always those of whoever gave its present value."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from desktop_app.adapters.store import Store
from desktop_app.core.facts import Fact, FactActor, FactChange, FactDraft, FactOrigin, FactSource, as_typed_over
from tests.adapters.fact_parts import P, add, faults, propose
from tests.adapters.store_parts import with_store

pytestmark = pytest.mark.usefixtures("database")

YOU, ASSISTANT = FactOrigin.YOU, FactOrigin.ASSISTANT
SAID = FactSource("m1", "c1", "I live in Busan")
ITS_DRAFT = FactDraft("city", "Busan", origin=ASSISTANT, source=SAID, by=FactActor.ASSISTANT)
Work = Callable[[Store], Awaitable[FactChange]]


def whose(fact: Fact) -> tuple[FactOrigin, FactSource | None]:
    return fact.origin, fact.source


async def assistant_replaces(store: Store) -> FactChange:
    await add(store, "city", "Seoul")
    return await store.facts.keep(P, ITS_DRAFT)


async def outside_replaces(store: Store) -> FactChange:
    await add(store, "city", "Seoul", source=SAID)
    return await store.facts.keep(P, FactDraft("city", "Busan", origin=ASSISTANT, by=FactActor.MCP))


async def person_keeps_over(store: Store) -> FactChange:
    await store.facts.keep(P, ITS_DRAFT)
    return await store.facts.keep(P, FactDraft("city", "Seoul"))


async def person_edits(store: Store) -> FactChange:
    await store.facts.keep(P, ITS_DRAFT)
    return await store.facts.edit(P, "city", FactActor.YOU, value="Seoul")


async def accepted_as_proposed(store: Store) -> FactChange:
    await add(store, "city", "Seoul")
    waiting = await store.facts.keep(P, ITS_DRAFT, pending=True)
    return await store.facts.accept(P, waiting.fact_id)


async def accepted_otherwise(store: Store) -> FactChange:
    waiting = await store.facts.keep(P, ITS_DRAFT, pending=True)
    return await store.facts.accept(P, waiting.fact_id, "Busan, by the sea")


async def accepted_otherwise_over_another(store: Store) -> FactChange:
    await store.facts.keep(P, FactDraft("city", "Seoul", origin=ASSISTANT, source=FactSource("m0", "c0")))
    waiting = await store.facts.keep(P, ITS_DRAFT, pending=True)
    return await store.facts.accept(P, waiting.fact_id, "Busan, by the sea")


async def merged_in_other_words(store: Store) -> FactChange:
    kept = await store.facts.keep(P, ITS_DRAFT)
    other = await add(store, "home", "Haeundae")
    return await store.facts.merge(P, kept.fact_id, [other.id], "Busan, Haeundae", FactActor.YOU)


async def merged_in_its_words(store: Store) -> FactChange:
    kept = await store.facts.keep(P, ITS_DRAFT)
    other = await add(store, "home", "Haeundae")
    return await store.facts.merge(P, kept.fact_id, [other.id], None, FactActor.YOU)


@pytest.mark.parametrize(
    ("work", "origin", "source"),
    [
        (assistant_replaces, ASSISTANT, SAID),
        (outside_replaces, ASSISTANT, None),
        (person_keeps_over, YOU, None),
        (person_edits, YOU, None),
        (accepted_as_proposed, ASSISTANT, SAID),
        (accepted_otherwise, YOU, None),
        (accepted_otherwise_over_another, YOU, None),
        (merged_in_other_words, YOU, None),
        (merged_in_its_words, ASSISTANT, SAID),
    ],
)
def test_origin_and_source_follow_the_value_and_go_back_with_it(
    tmp_path: Path, work: Work, origin: FactOrigin, source: FactSource | None
) -> None:
    async def check(store: Store) -> None:
        change = await work(store)
        assert whose(change.after) == (origin, source)
        assert whose(await store.facts.fact(P, change.fact_id)) == (origin, source)
        undone = await store.facts.undo(P, change.number)
        assert undone is not None and change.before is not None
        assert whose(await store.facts.fact(P, change.fact_id)) == whose(change.before)

    with_store(tmp_path, check)
    assert faults(tmp_path) == []


def test_what_leaves_the_words_as_they_are_leaves_whose_they_are(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        facts, city = store.facts, (await store.facts.keep(P, ITS_DRAFT)).after
        await facts.edit(P, city.id, FactActor.YOU, key="town", value=" Busan ", category="home", scope="c1")
        await facts.pin(P, city.id, True)
        await facts.keep(P, FactDraft("town", "Busan", "place", scope="c1"))
        assert (await facts.fact(P, city.id)).category == "place"
        assert whose(await facts.fact(P, city.id)) == (ASSISTANT, SAID)
        await facts.delete(P, city.id, FactActor.YOU)
        assert whose((await facts.restore(P, city.id, FactActor.YOU)).after) == (ASSISTANT, SAID)
        waiting = await propose(store, "job", "at A", origin=ASSISTANT, source=SAID, by=FactActor.ASSISTANT)
        assert whose((await facts.accept(P, waiting.id, "at  A")).after) == (ASSISTANT, SAID)

    with_store(tmp_path, work)
    assert faults(tmp_path) == []


def test_what_the_person_types_over_a_proposal_is_theirs() -> None:
    typed = as_typed_over(ITS_DRAFT, "Seoul")
    assert (typed.value, typed.origin, typed.source) == ("Seoul", YOU, None)
    same = as_typed_over(ITS_DRAFT, "Busan")
    assert (same.value, same.origin, same.source) == ("Busan", ASSISTANT, SAID)
