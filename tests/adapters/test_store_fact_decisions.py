"""What is decided about a fact as it was seen: repeats, allowed writes, and answers beside other processes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path

import pytest

from desktop_app.adapters.store import Store
from desktop_app.core.conversation import now
from desktop_app.core.errors import FactChanged, FactNotFound, FactPinned
from desktop_app.core.facts import FactActor, FactDraft, FactState
from tests.adapters.fact_parts import P, add, faults, propose, set_moment, values
from tests.adapters.store_parts import with_store

pytestmark = pytest.mark.usefixtures("database")

ACTIVE, PENDING, PAUSED = FactState.ACTIVE, FactState.PENDING, FactState.PAUSED
ARCHIVED, SUPERSEDED, DELETED = FactState.ARCHIVED, FactState.SUPERSEDED, FactState.DELETED
YOU, ASSISTANT = FactActor.YOU, FactActor.ASSISTANT


@pytest.mark.parametrize("state", [PAUSED, ARCHIVED, SUPERSEDED])
def test_an_allowed_write_in_the_words_of_what_was_put_away_brings_it_back(tmp_path: Path, state: FactState) -> None:
    """Proposed it waits; only of what is paused does the person know, so it is not proposed again."""

    async def work(store: Store) -> None:
        facts, draft = store.facts, FactDraft("city", "Seoul", by=ASSISTANT)
        city = await add(store, "city", "Seoul")
        if state is SUPERSEDED:
            await facts.keep(P, FactDraft("home", "Busan"), replacing=[city.id])
            await facts.delete(P, "home", YOU)
        else:
            await (facts.pause if state is PAUSED else facts.archive)(P, city.id, YOU)
        proposed = await facts.keep(P, draft, pending=True)
        told = ("repeated", PAUSED) if state is PAUSED else ("proposed", PENDING)
        assert (proposed.action.value, proposed.after.state) == told
        with pytest.raises(FactChanged):
            await facts.keep(P, draft, expected=city.revision)
        back = await facts.keep(P, draft, expected=0)
        assert (back.action.value, back.fact_id) == ("resumed" if state is PAUSED else "restored", city.id)
        assert await values(store) == {"city": "Seoul"}
        assert (await facts.fact(P, city.id)).replaced_by is None

    with_store(tmp_path, work)
    assert faults(tmp_path) == []


def test_a_repeat_counts_and_writes_nothing_else(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        facts = store.facts
        city = await add(store, "city", "Seoul")
        again = await facts.repeat(P, city.id, city.revision, ASSISTANT)
        assert (again.action.value, again.number, again.after.repeats) == ("repeated", 0, 1)
        edited = (await facts.edit(P, city.id, YOU, value="Busan")).after
        with pytest.raises(FactChanged):
            await facts.repeat(P, city.id, city.revision, ASSISTANT)
        await facts.delete(P, city.id, YOU)
        with pytest.raises(FactChanged):
            await facts.repeat(P, city.id, edited.revision, ASSISTANT)
        with pytest.raises(FactNotFound):
            await facts.repeat("other", city.id, edited.revision, ASSISTANT)
        gone = await facts.fact(P, city.id)
        assert (gone.state, gone.value, gone.repeats) == (DELETED, "Busan", 1)

    with_store(tmp_path, work)
    assert faults(tmp_path) == []


def test_what_is_not_as_it_was_shown_gives_no_place_and_takes_none(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        facts = store.facts
        city, job = await add(store, "city", "Seoul"), await add(store, "job", "at A")
        waiting = await propose(store, "city", "Busan", by=FactActor.EXTRACTION)
        seen = {fact.id: fact.revision for fact in (city, job, waiting)}

        def acts(shown: dict[str, int]) -> dict[str, Callable[[], Awaitable[object]]]:
            return {
                "accept": lambda: facts.accept(P, waiting.id, replacing=[job.id], shown=shown),
                "merge": lambda: facts.merge(P, city.id, [waiting.id, job.id], "both", YOU, shown=shown),
                "supersede": lambda: facts.supersede(P, job.id, city.id, YOU, shown=shown),
            }

        for changed in (city, job, waiting):
            now = (await facts.edit(P, changed.id, YOU, value="Daegu")).after
            before = await facts.facts(P, ACTIVE, PENDING)
            for name, act in acts(seen).items():
                if not (changed is waiting and name == "supersede"):
                    with pytest.raises(FactChanged):
                        await act()
            assert await facts.facts(P, ACTIVE, PENDING) == before
            seen[changed.id] = now.revision
        unseen = {fact_id: revision for fact_id, revision in seen.items() if fact_id != city.id}
        for act in acts(unseen).values():
            with pytest.raises(FactChanged):
                await act()
        await acts(seen)["accept"]()
        assert await values(store) == {"city": "Daegu"}

    with_store(tmp_path, work)
    assert faults(tmp_path) == []


def test_what_was_answered_elsewhere_is_not_denied_and_a_pinned_fact_is_not_replaced_unsaid(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        facts = store.facts
        waiting = await propose(store, "city", "Busan", by=FactActor.EXTRACTION)
        await facts.accept(P, waiting.id)
        with pytest.raises(FactChanged):
            await facts.deny(P, waiting.id)
        assert await values(store) == {"city": "Busan"}
        await facts.pin(P, waiting.id, True)
        other = await propose(store, "city", "Daegu", by=FactActor.EXTRACTION)
        with pytest.raises(FactPinned):
            await facts.accept(P, other.id)
        assert [await values(store, state) for state in (ACTIVE, PENDING)] == [{"city": "Busan"}, {"city": "Daegu"}]
        assert (await facts.deny(P, other.id)).after.state is FactState.DENIED
        another = await propose(store, "city", "Jeju", by=FactActor.EXTRACTION)
        assert (await facts.accept(P, another.id, even_pinned=True)).after.pinned
        assert await values(store) == {"city": "Jeju"}

    with_store(tmp_path, work)
    assert faults(tmp_path) == []


def test_what_was_denied_never_was_a_fact_and_can_wait_again_for_30_days(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        facts = store.facts
        waiting = await propose(store, "city", "Busan", by=FactActor.EXTRACTION)
        change = await facts.deny(P, waiting.id)
        assert (change.action.value, change.after.state) == ("denied", FactState.DENIED)
        listed = [await values(store, state) for state in (ACTIVE, PENDING, DELETED, FactState.DENIED)]
        assert listed == [{}, {}, {}, {"city": "Busan"}]
        assert (await facts.word_matches(P, ["busan"])).scores == {}
        with pytest.raises(FactNotFound):
            await facts.edit(P, waiting.id, YOU, value="Seoul")
        with pytest.raises(FactNotFound):
            await facts.delete(P, waiting.id, YOU)
        assert (await facts.restore(P, waiting.id, YOU)).after.state is PENDING
        await facts.deny(P, waiting.id)
        set_moment(tmp_path, waiting.id, deleted_at=now() - timedelta(days=31))

    async def later(store: Store) -> None:
        assert await values(store, *FactState) == {}

    with_store(tmp_path, work)
    with_store(tmp_path, later)
    assert faults(tmp_path) == []


def test_a_category_is_stored_in_one_form_whoever_gives_it(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        given, kept = f"  two\n words {'x' * 80}", f"two words {'x' * 50}"
        fact = await add(store, "dog", "Bori", category=given)
        assert fact.category == kept
        assert (await propose(store, "cat", "Nabi", category=given)).category == kept
        await store.facts.edit(P, "dog", YOU, category="pets")
        assert (await store.facts.edit(P, "dog", YOU, category=given)).after.category == kept

    with_store(tmp_path, work)
