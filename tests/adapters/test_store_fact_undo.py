"""Taking changes of facts back: one by one, out of turn, an undo itself."""

from __future__ import annotations

import shutil
from dataclasses import replace
from datetime import timedelta
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop_app.adapters.store import Store
from desktop_app.core.conversation import now
from desktop_app.core.errors import AppError, BadInput, FactChanged
from desktop_app.core.facts import FactAction, FactActor, FactChange, FactDraft, FactState
from desktop_app.core.memory_files.outcomes import Move
from tests.adapters.fact_parts import P, add, faults, give_vectors, keys, lines, propose, values
from tests.adapters.store_parts import ask, with_store

pytestmark = pytest.mark.usefixtures("database")

ACTIVE, PENDING, DELETED = FactState.ACTIVE, FactState.PENDING, FactState.DELETED
YOU, ASSISTANT = FactActor.YOU, FactActor.ASSISTANT


async def undone(store: Store, number: int | None = None) -> FactChange:
    change = await store.facts.undo(P, number)
    assert change is not None and change.action is FactAction.UNDONE and change.by is YOU
    return change


def test_changes_are_taken_back_one_by_one(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        await add(store, "dog", "Bori")
        await add(store, "cat", "Nabi")
        await store.facts.edit(P, "dog", YOU, key="Dog!", value="Choco", category="pets")
        await store.facts.pin(P, "Dog!", True)
        await store.facts.delete(P, "cat", YOU)
        give_vectors(store)
        seen = []
        while (change := await store.facts.undo(P)) is not None:
            assert change.after.revision <= change.number
            seen.append(await values(store))
            give_vectors(store)
        assert seen == [
            {"Dog!": "Choco", "cat": "Nabi"},
            {"Dog!": "Choco", "cat": "Nabi"},
            {"dog": "Bori", "cat": "Nabi"},
            {"dog": "Bori"},
            {},
        ]
        assert await values(store, DELETED) == {"cat": "Nabi", "dog": "Bori"}
        history = await store.facts.history(P, "cat")
        assert lines(history) == [
            ("added", None, "Nabi"),
            ("deleted", "Nabi", "Nabi"),
            ("undone", "Nabi", "Nabi"),
            ("undone", "Nabi", "Nabi"),
        ]
        assert [change.undone for change in history] == [True, True, True, False]

    with_store(tmp_path, work)
    assert faults(tmp_path) == []


@pytest.mark.parametrize("by", [FactActor.EXTRACTION, ASSISTANT, FactActor.MCP, FactActor.IMPORT])
def test_what_others_did_meanwhile_is_not_taken_back_unasked(tmp_path: Path, by: FactActor) -> None:
    async def work(store: Store) -> None:
        await add(store, "city", "Seoul")
        await store.facts.delete(P, "city", YOU)
        theirs = await store.facts.keep(P, FactDraft("tea", "green", by=by), pending=by is FactActor.EXTRACTION)
        assert (await undone(store)).after.key == "city"
        assert await values(store, ACTIVE, PENDING) == {"city": "Seoul", "tea": "green"}
        assert (await undone(store, theirs.number)).after.key == "tea"
        assert await values(store, ACTIVE, PENDING) == {"city": "Seoul"}

    with_store(tmp_path, work)
    assert faults(tmp_path) == []


def test_an_edit_taken_back_is_told_anew_and_a_pin_is_not(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        fact = await add(store, "dog", "Bori", category="pets")
        edited = await store.facts.edit(P, "dog", YOU, value="Choco", category="puppies")
        back = await undone(store)
        assert (back.before, back.after.value, back.after.category) == (edited.after, "Bori", "pets")
        assert back.after.revision == back.number and fact.revision < back.number
        assert set((await store.facts.word_matches(P, ["bori"])).scores) == {fact.id}
        assert (await store.facts.word_matches(P, ["choco", "puppies"])).scores == {}
        await store.facts.pin(P, "dog", True)
        unpinned = await undone(store)
        assert (unpinned.after.pinned, unpinned.after.revision) == (False, back.number)

    with_store(tmp_path, work)
    assert faults(tmp_path) == []


def test_a_deletion_taken_back_is_active_and_found_again(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        fact = await add(store, "dog", "Bori", pinned=True)
        await store.facts.mark_used([fact.id])
        await store.facts.delete(P, "dog", YOU)
        back = await undone(store)
        assert back.after == await store.facts.fact(P, "dog")
        assert (back.after.state, back.after.pinned, back.after.uses) == (ACTIVE, True, 1)
        assert back.after.revision == back.number
        assert set((await store.facts.word_matches(P, ["bori"])).scores) == {fact.id}
        assert ask(tmp_path, "SELECT action FROM owed") == [("put",)]

    with_store(tmp_path, work)
    assert faults(tmp_path) == []


def test_a_deletion_cannot_be_taken_back_under_a_key_in_use(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        await add(store, "dog", "Bori")
        gone = await store.facts.delete(P, "dog", YOU)
        await add(store, "DOG", "Choco")
        before = await store.facts.last_change()
        with pytest.raises(BadInput) as caught:
            await store.facts.undo(P, gone.number)
        assert caught.value.params == {"what": "dog", "why": "fact_key_taken"}
        assert (await store.facts.last_change(), await values(store)) == (before, {"DOG": "Choco"})
        await store.facts.edit(P, "dog", YOU, key="puppy")
        await undone(store, gone.number)
        assert await values(store) == {"dog": "Bori", "puppy": "Choco"}
        with pytest.raises(BadInput):
            await store.facts.undo(P)  # the new key of the other one: its old key is in use now

    with_store(tmp_path, work)
    assert faults(tmp_path) == []


def test_a_change_taken_back_out_of_turn_takes_later_ones_of_its_fact_along(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        await add(store, "dog", "1")
        second = await store.facts.edit(P, "dog", YOU, value="2")
        await add(store, "cat", "Nabi")
        await store.facts.edit(P, "dog", YOU, value="3")
        back = await undone(store, second.number)
        assert (back.before and back.before.value, back.after.value) == ("3", "1")
        assert await store.facts.undo(P, second.number) is None
        assert await store.facts.undo(P, 999) is None
        assert (await undone(store)).after.key == "cat"
        assert (await undone(store)).after.key == "dog"
        assert await values(store) == {}
        assert await store.facts.undo(P) is None

    with_store(tmp_path, work)
    assert faults(tmp_path) == []


def test_an_undo_can_be_taken_back_itself(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        await add(store, "dog", "1")
        await store.facts.edit(P, "dog", YOU, value="2")
        back = await undone(store)
        again = await undone(store, back.number)
        assert (again.before and again.before.value, again.after.value) == ("1", "2")
        assert again.after.revision == again.number

    with_store(tmp_path, work)
    assert faults(tmp_path) == []


@pytest.mark.parametrize("half", [0, 1, None])
def test_an_accepted_proposal_waits_again_when_it_is_taken_back(tmp_path: Path, half: int | None) -> None:
    async def work(store: Store) -> None:
        active = await add(store, "dog", "Bori")
        waiting = await propose(store, "dog", "Choco")
        accepted = await store.facts.accept(P, waiting.id, "Choco!")
        numbers = [accepted.number - 1, accepted.number]
        back = await undone(store, None if half is None else numbers[half])
        assert (back.fact_id, back.after.value) == (active.id, "Bori")
        assert await values(store) == {"dog": "Bori"}
        assert await values(store, PENDING) == {"dog": "Choco"}
        for number in numbers:
            assert await store.facts.undo(P, number) is None
        assert (await store.facts.accept(P, waiting.id)).after.value == "Choco"

    with_store(tmp_path, work)
    assert faults(tmp_path) == []


def test_a_proposal_whose_active_one_went_further_back_stays_where_it_is(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        await add(store, "dog", "1")
        edited = await store.facts.edit(P, "dog", YOU, value="2")
        waiting = await propose(store, "dog", "3")
        accepted = await store.facts.accept(P, waiting.id)
        await undone(store, edited.number)
        assert await values(store) == {"dog": "1"}
        await undone(store, accepted.number - 1)
        assert (await values(store), await values(store, PENDING)) == ({"dog": "1"}, {"dog": "3"})

    with_store(tmp_path, work)
    assert faults(tmp_path) == []


def test_accepted_proposed_and_denied_are_taken_back(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        waiting = await propose(store, "dog", "Bori")
        await store.facts.delete(P, waiting.id, YOU)
        denied = await undone(store)
        assert (denied.after.state, denied.after.revision) == (PENDING, denied.number)
        await store.facts.accept(P, waiting.id, "Choco")
        back = await undone(store)
        assert (back.after.state, back.after.value) == (PENDING, "Bori")
        assert (await undone(store)).after.state is DELETED
        assert await store.facts.undo(P) is None

    with_store(tmp_path, work)
    assert faults(tmp_path) == []


_KEYS = st.sampled_from(["a", "A", "b", "개"])
_STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("keep"), _KEYS, st.integers(0, 3)),
        st.tuples(st.just("propose"), _KEYS, st.integers(0, 3)),
        st.tuples(st.just("edit"), _KEYS, _KEYS),
        st.tuples(st.just("pin"), _KEYS, st.booleans()),
        st.tuples(st.just("delete"), _KEYS, st.none()),
        st.tuples(st.just("accept"), _KEYS, st.sampled_from(["", "a", "b"])),
        st.tuples(st.sampled_from(["pause", "resume", "archive", "restore"]), _KEYS, st.none()),
        st.tuples(st.sampled_from(["supersede", "merge", "replace"]), _KEYS, _KEYS),
        st.tuples(st.just("expire"), _KEYS, st.booleans()),
        st.tuples(st.just("undo"), st.none(), st.one_of(st.none(), st.integers(1, 12))),
    ),
    max_size=12,
)


@settings(max_examples=30, derandomize=True, database=None, deadline=None)
@given(_STEPS)
@pytest.mark.of_file
def test_whatever_is_done_everything_stays_in_step(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, str, object]]
) -> None:
    async def work(store: Store) -> None:
        for what, key, extra in steps:
            try:
                await step(store, what, key, extra)
            except AppError:
                continue
            finally:
                give_vectors(store)
        while True:
            try:
                if await store.facts.undo(P) is None:
                    return
            except BadInput:
                return

    folder = tmp_path_factory.mktemp("steps")
    shutil.copy(empty_database(tmp_path_factory.getbasetemp()), folder)
    with_store(folder, work)
    assert faults(folder) == []


@cache
def empty_database(folder: Path) -> Path:
    """Made once: opening a new folder takes longer than all the steps of an example."""
    with_store(folder / "empty", lambda store: store.facts.last_change())
    return folder / "empty" / "mnemoscope.db"


async def step(store: Store, what: str, key: str, extra: object) -> None:
    facts = store.facts
    match what:
        case "keep" | "propose":
            await facts.keep(P, FactDraft(key, f"value {extra}"), pending=what == "propose")
        case "edit":
            await facts.edit(P, key, YOU, key=str(extra), value=f"edited {extra}")
        case "pin":
            await facts.pin(P, key, bool(extra))
        case "delete":
            await facts.delete(P, key, YOU)
        case "accept":
            await facts.accept(P, key, replacing=[extra] if extra else [])
        case "pause" | "resume" | "archive" | "restore":
            await getattr(facts, what)(P, key, YOU)
        case "supersede":
            await facts.supersede(P, key, str(extra), YOU, even_pinned=True)
        case "merge":
            await facts.merge(P, key, [str(extra)], "merged", YOU)
        case "replace":
            await facts.keep(P, FactDraft(key, "another"), replacing=[str(extra)])
        case "expire":
            await facts.edit(P, key, YOU, expires_at=now() + timedelta(days=1) if extra else None)
        case "undo":
            await facts.undo(P, extra if isinstance(extra, int) else None)


def test_of_several_changes_that_are_one_act_all_are_made_or_none(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        facts = [await add(store, key, "cold", category="taste") for key in ("coffee", "tea")]
        newer = (await store.facts.edit(P, "tea", YOU, value="hot")).after
        moves = [Move(fact, f"my {fact.key}", "drinks", "") for fact in facts]
        with pytest.raises(FactChanged):
            await store.facts.move(P, moves, YOU)
        with pytest.raises(FactChanged):
            await store.facts.delete_together(P, facts, YOU)
        assert sorted(await keys(store)) == ["coffee", "tea"]
        await store.facts.move(P, [moves[0], replace(moves[1], fact=newer)], YOU)
        moved = await store.facts.facts(P)
        assert {fact.key: fact.category for fact in moved} == {"my coffee": "drinks", "my tea": "drinks"}
        await store.facts.delete_together(P, moved, YOU)
        assert await keys(store) == []
        await store.facts.undo(P)
        await store.facts.undo(P)
        assert await values(store) == {"coffee": "cold", "tea": "hot"}

    with_store(tmp_path, work)
    assert faults(tmp_path) == []
