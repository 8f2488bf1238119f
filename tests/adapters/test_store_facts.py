"""Facts: written by key, edited, pinned, deleted, accepted; each profile by itself; every table in step."""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from desktop_app.adapters.store import Store
from desktop_app.core.conversation import now
from desktop_app.core.errors import BadInput, NotFound
from desktop_app.core.facts import FactActor, FactDraft, FactOrigin, FactSource, FactState
from tests.adapters.fact_parts import P, add, faults, give_vectors, keys, lines, owed, propose, values
from tests.adapters.store_parts import ask, with_store

pytestmark = pytest.mark.usefixtures("database")

ACTIVE, PENDING, DELETED = FactState.ACTIVE, FactState.PENDING, FactState.DELETED
YOU, ASSISTANT = FactActor.YOU, FactActor.ASSISTANT
SOURCE = FactSource("message", "conversation", "내 강아지는 보리예요")


def test_a_fact_comes_back_as_it_was_kept(tmp_path: Path) -> None:
    async def write(store: Store) -> None:
        assert await store.facts.last_change() == 0
        draft = FactDraft("  강아지\n이름 ", " 보리 \n", " 집  안 ", True, FactOrigin.ASSISTANT, SOURCE, by=ASSISTANT)
        change = await store.facts.keep(P, draft)
        assert (change.number, change.action.value, change.by, change.before) == (1, "added", ASSISTANT, None)
        assert await store.facts.last_change() == change.after.revision == 1
        assert await store.facts.history(P, change.fact_id) == [change]

    async def read(store: Store) -> None:
        (fact,) = await store.facts.facts(P)
        assert (fact.key, fact.value, fact.category, fact.pinned) == ("강아지 이름", "보리", "집 안", True)
        assert (fact.state, fact.origin, fact.source, fact.uses) == (ACTIVE, ASSISTANT, SOURCE, 0)
        assert fact.created_at == fact.updated_at and fact.created_at.tzinfo is not None
        assert await store.facts.fact(P, fact.id) == await store.facts.fact(P, "강아지 이름") == fact
        assert (await store.facts.history(P, fact.id))[0].after == fact

    with_store(tmp_path, write)
    with_store(tmp_path, read)
    assert faults(tmp_path) == []


VALUES = [
    'says "hello" and \'bye\' \\ {"json": [1]}',
    "first line\nsecond\r\n\tthird",
    "👩‍👩‍👧 🐕 \u2028 \u00a0x",
    "שלום \u202e abc \u202c مرحبا",
    "before\0after",
    unicodedata.normalize("NFD", "보리"),
    "'; DROP TABLE fact; --",
    "긴 글 " * 1500,
]


@pytest.mark.parametrize("value", VALUES, ids=range(len(VALUES)))
def test_any_value_is_kept_to_the_letter(tmp_path: Path, value: str) -> None:
    async def work(store: Store) -> None:
        fact = await add(store, "key " + value[:40], value, source=replace(SOURCE, quote=value))
        kept = await store.facts.fact(P, fact.id)
        assert kept == fact == await store.facts.fact(P, kept.key)
        assert kept.value == value.strip() and kept.source and kept.source.quote == value
        edited = await store.facts.edit(P, kept.key, YOU, value=f"x{value}x")
        assert edited.after.value == f"x{value}x"
        undone = await store.facts.undo(P)
        assert undone and undone.after.value == value.strip()
        assert [change.after.value for change in await store.facts.history(P, kept.id)] == [
            value.strip(),
            f"x{value}x",
            value.strip(),
        ]

    with_store(tmp_path, work)
    assert faults(tmp_path) == []


def test_half_a_surrogate_pair_is_mended(tmp_path: Path) -> None:
    async def work(store: Store) -> str:
        fact = await add(store, "k", "a\ud83d b", source=replace(SOURCE, quote="\ud83d"), category="\ud83d c")
        assert fact.source and (fact.source.quote, fact.category) == ("\ufffd", "\ufffd c")
        with pytest.raises(NotFound):
            await store.facts.fact(P, "k\ud83d")
        return (await store.facts.fact(P, "k")).value

    assert with_store(tmp_path, work) == "a\ufffd b"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("강아지 이름", unicodedata.normalize("NFD", "강아지 이름")),
        ("Dog Name", "dOG  nAME"),
        ("Straße", "STRASSE"),
        ("ﬁsh", "FISH"),
        ("key １", "KEY 1"),
    ],
)
def test_two_keys_that_name_the_same_fact(tmp_path: Path, one: str, other: str) -> None:
    async def work(store: Store) -> None:
        first = await add(store, one, "first")
        change = await store.facts.keep(P, FactDraft(other, "second", origin=FactOrigin.ASSISTANT, by=ASSISTANT))
        assert (change.fact_id, change.action.value, change.by) == (first.id, "edited", ASSISTANT)
        assert change.before == first
        assert (change.after.key, change.after.value, change.after.origin) == (
            first.key,
            "second",
            FactOrigin.ASSISTANT,
        )
        assert change.after.revision == change.number > first.revision
        assert await values(store) == {first.key: "second"}
        assert (await store.facts.fact(P, other)).id == first.id

    with_store(tmp_path, work)
    assert faults(tmp_path) == []


def test_a_new_value_leaves_what_it_does_not_tell(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        await add(store, "k", "1", category="pets", pinned=True, source=SOURCE)
        kept = await add(store, "k", "2")
        assert (kept.category, kept.pinned, kept.source) == ("pets", True, None)
        other = FactSource("m2", "c2", "3")
        again = await add(store, "k", "3", category="dogs", source=other)
        assert (again.category, again.pinned, again.source) == ("dogs", True, other)

    with_store(tmp_path, work)


@pytest.mark.parametrize(
    ("key", "value", "why"),
    [
        (" \u200b", "v", "fact_key_blank"),
        ("k" * 121, "v", "fact_key_long"),
        ("k", "\u3164 \n", "fact_value_blank"),
        ("k", "v" * 8001, "fact_value_long"),
    ],
)
def test_what_cannot_be_a_fact_changes_nothing(tmp_path: Path, key: str, value: str, why: str) -> None:
    async def work(store: Store) -> None:
        before = await add(store, "here", "there")
        for call in (
            store.facts.keep(P, FactDraft(key, value)),
            store.facts.keep(P, FactDraft(key, value), pending=True),
            store.facts.edit(P, "here", YOU, key=key, value=value),
        ):
            with pytest.raises(BadInput) as caught:
                await call
            assert caught.value.params["why"] == why
        assert await store.facts.facts(P) == [before]
        assert await store.facts.last_change() == 1

    with_store(tmp_path, work)
    assert faults(tmp_path) == []


def test_an_edit_changes_what_is_given(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        fact = await add(store, "dog", "Bori", category="pets")
        await add(store, "cat", "Nabi")
        value = await store.facts.edit(P, "DOG", ASSISTANT, value=" Bori the Brave ")
        assert (value.by, value.after.value, value.after.revision) == (ASSISTANT, "Bori the Brave", value.number)
        key = await store.facts.edit(P, fact.id, YOU, key="Dog")
        assert (key.after.key, key.after.value, key.after.revision) == ("Dog", "Bori the Brave", key.number)
        category = await store.facts.edit(P, fact.id, YOU, category=" 반려 \n 동물")
        assert (category.after.category, category.after.revision) == ("반려 동물", key.number)
        same = await store.facts.edit(P, fact.id, YOU, value="Bori the Brave")
        assert same.number > category.number and same.after == category.after
        with pytest.raises(BadInput) as caught:
            await store.facts.edit(P, fact.id, YOU, key="CAT")
        assert caught.value.params == {"what": "CAT", "why": "fact_key_taken"}
        for name in ("nothing", ""):
            with pytest.raises(NotFound):
                await store.facts.edit(P, name, YOU, value="x")
        assert await keys(store) == ["Dog", "cat"]

    with_store(tmp_path, work)
    assert faults(tmp_path) == []


def test_pinned_ones_come_first_then_the_newest_change(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        for key in "abcd":
            await add(store, key, key)
        assert await keys(store) == ["d", "c", "b", "a"]
        change = await store.facts.pin(P, "b", True)
        assert (change.action.value, change.after.pinned, change.after.revision) == ("pinned", True, 2)
        await store.facts.edit(P, "a", YOU, category="x")
        assert await keys(store) == ["b", "a", "d", "c"]
        change = await store.facts.pin(P, "b", False)
        assert (change.action.value, change.after.pinned) == ("unpinned", False)
        assert await keys(store) == ["b", "a", "d", "c"]
        await store.facts.delete(P, "d", YOU)
        await store.facts.delete(P, "a", YOU)
        assert await keys(store) == ["b", "c"]
        assert await keys(store, DELETED) == ["a", "d"]
        assert sorted(await keys(store, DELETED, ACTIVE)) == ["a", "b", "c", "d"]

    with_store(tmp_path, work)


def test_a_deleted_fact_is_out_of_everything_and_its_key_is_free(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        old = await add(store, "dog", "Bori")
        give_vectors(store)
        change = await store.facts.delete(P, "dog", ASSISTANT)
        assert (change.action.value, change.by, change.after.state) == ("deleted", ASSISTANT, DELETED)
        assert change.after == replace(old, state=DELETED)
        assert ask(tmp_path, "SELECT count(*) FROM fact_vector") == [(0,)]
        assert ask(tmp_path, "SELECT count(*) FROM fact_words") == [(0,)]
        assert owed(tmp_path) == [(old.id, "remove")]
        for call in (
            store.facts.delete(P, "dog", YOU),
            store.facts.pin(P, "dog", True),
            store.facts.edit(P, old.id, YOU, value="x"),
            store.facts.accept(P, old.id),
        ):
            with pytest.raises(NotFound):
                await call
        assert await store.facts.fact(P, "dog") == change.after
        new = await add(store, "dog", "Choco")
        assert new.id != old.id
        assert await store.facts.fact(P, "Dog") == new
        assert (await store.facts.fact(P, old.id)).value == "Bori"
        assert lines(await store.facts.history(P, old.id)) == [("added", None, "Bori"), ("deleted", "Bori", "Bori")]

    with_store(tmp_path, work)
    assert faults(tmp_path) == []


def test_a_name_means_the_active_one_then_a_pending_one_then_the_last_deleted(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        for value in ("deleted first", "deleted last"):
            await add(store, "k", value)
            await store.facts.delete(P, "k", YOU)
        assert (await store.facts.fact(P, "k")).value == "deleted last"
        await propose(store, "k", "proposed")
        assert (await store.facts.fact(P, "k")).value == "proposed"
        active = await add(store, "k", "active")
        assert await store.facts.fact(P, "k") == active
        # An id goes before a key, even one that looks like it.
        await add(store, active.id, "a key like an id")
        assert await store.facts.fact(P, active.id) == active

    with_store(tmp_path, work)


def test_the_index_is_owed_the_newest_text_once(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        fact = await add(store, "k", "1")
        give_vectors(store)
        await store.facts.pin(P, "k", True)
        await store.facts.edit(P, "k", YOU, category="c")
        assert ask(tmp_path, "SELECT revision FROM fact_vector") == [(1,)]
        await store.facts.edit(P, "k", YOU, value="2")
        assert ask(tmp_path, "SELECT count(*) FROM fact_vector") == [(0,)]
        assert owed(tmp_path) == [(fact.id, "put")]
        assert ask(tmp_path, "SELECT max(number) FROM owed") == [(2,)]

    with_store(tmp_path, work)
    assert faults(tmp_path) == []


def test_a_proposal_waits_outside_of_everything(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        active = await add(store, "dog", "Bori")
        waiting = await propose(store, "DOG", "Choco", origin=FactOrigin.ASSISTANT, source=SOURCE)
        assert (waiting.state, waiting.origin) == (PENDING, ASSISTANT)
        assert await store.facts.facts(P) == [active]
        assert await store.facts.facts(P, PENDING) == [waiting]
        assert (await store.facts.word_matches(P, ["choco"])).scores == {}
        again = await store.facts.keep(
            P, FactDraft("dog", " Choco", origin=FactOrigin.ASSISTANT, by=ASSISTANT), pending=True
        )
        assert (again.fact_id, again.action.value, again.number) == (waiting.id, "repeated", 0)
        other = await propose(store, "dog", "Mong")
        assert [fact.id for fact in await store.facts.facts(P, PENDING)] == [other.id, waiting.id]
        denied = await store.facts.delete(P, other.id, YOU)
        assert denied.after.state is DELETED
        assert owed(tmp_path) == [(active.id, "put")]

    with_store(tmp_path, work)
    assert faults(tmp_path) == []


def test_accepting_a_proposal_of_a_new_key_makes_it_active(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        waiting = await propose(store, "dog", "Bori", origin=FactOrigin.ASSISTANT, by=ASSISTANT)
        change = await store.facts.accept(P, waiting.id, "Bori!")
        assert (change.action.value, change.by, change.before) == ("accepted", YOU, waiting)
        assert change.after == await store.facts.fact(P, "dog")
        assert (change.after.id, change.after.state, change.after.value) == (waiting.id, ACTIVE, "Bori!")
        assert change.after.revision == change.number
        assert set((await store.facts.word_matches(P, ["bori"])).scores) == {waiting.id}
        for name in (waiting.id, "nothing"):
            with pytest.raises(NotFound):
                await store.facts.accept(P, name)

    with_store(tmp_path, work)
    assert faults(tmp_path) == []


def test_accepting_a_proposal_gives_the_active_one_of_its_key_the_value(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        active = await add(store, "dog", "Bori", category="pets")
        waiting = await propose(store, "Dog", "Choco", source=SOURCE)
        change = await store.facts.accept(P, waiting.id)
        assert (change.action.value, change.fact_id, change.before) == ("accepted", active.id, active)
        assert (change.after.value, change.after.category, change.after.source) == ("Choco", "pets", SOURCE)
        assert await store.facts.facts(P) == [change.after]
        assert await store.facts.facts(P, PENDING) == []
        assert lines(await store.facts.history(P, "dog")) == [("added", None, "Bori"), ("accepted", "Bori", "Choco")]
        assert (await store.facts.fact(P, waiting.id)).state is DELETED

    with_store(tmp_path, work)
    assert faults(tmp_path) == []


def test_uses_are_counted_without_a_line_of_history(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        one, two = await add(store, "one", "1"), await add(store, "two", "2")
        start = now()
        await store.facts.mark_used([one.id, one.id, "nothing"])
        await store.facts.mark_used([one.id])
        await store.facts.mark_used([])
        used = await store.facts.fact(P, one.id)
        assert used.uses == 2 and used.last_used_at is not None and start <= used.last_used_at <= now()
        assert replace(used, uses=0, last_used_at=None) == one
        assert await store.facts.fact(P, two.id) == two
        assert await store.facts.last_change() == 2
        edited = await store.facts.edit(P, one.id, YOU, value="3")
        assert edited.after.uses == 2

    with_store(tmp_path, work)
    assert faults(tmp_path) == []


def test_two_profiles_never_meet(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        facts = store.facts
        mine = await add(store, "dog", "Bori", profile="home")
        waiting = await propose(store, "cat", "Nabi", profile="home")
        theirs = await add(store, "DOG", "Rex", profile="work")
        assert theirs.id != mine.id
        assert await values(store, *FactState, profile="work") == {"DOG": "Rex"}
        assert await values(store, *FactState, profile="elsewhere") == {}
        for call in (
            facts.fact("work", mine.id),
            facts.fact("work", "cat"),
            facts.edit("work", mine.id, YOU, value="x"),
            facts.pin("work", mine.id, True),
            facts.delete("work", mine.id, YOU),
            facts.accept("work", waiting.id),
            facts.history("work", mine.id),
        ):
            with pytest.raises(NotFound):
                await call
        before = await facts.last_change()
        assert await facts.undo("work", 1) is None
        assert await facts.undo("elsewhere") is None
        assert await facts.last_change() == before
        assert (await facts.word_matches("work", ["bori", "dog"])).scores.keys() == {theirs.id}
        # A key taken by one profile is free in the other.
        await add(store, "cat", "Tom", profile="work")
        await facts.edit("work", "cat", YOU, key="lion")
        await facts.delete("work", "dog", YOU)
        undone = await facts.undo("work")
        assert undone and undone.fact_id == theirs.id
        await facts.accept("home", waiting.id)
        assert await values(store, profile="home") == {"dog": "Bori", "cat": "Nabi"}
        assert await values(store, profile="work") == {"DOG": "Rex", "lion": "Tom"}
        assert await facts.history("home", mine.id) == [(await facts.history("home", "dog"))[0]]

    with_store(tmp_path, work)
    assert faults(tmp_path) == []


def test_what_was_deleted_long_ago_goes_with_its_history(tmp_path: Path) -> None:
    async def write(store: Store) -> list[str]:
        old, new, kept = [await add(store, key, f"secret {key}") for key in ("old", "new", "kept")]
        for key in ("old", "new"):
            await store.facts.delete(P, key, YOU)
        return [old.id, new.id, kept.id]

    old, new, kept = with_store(tmp_path, write)
    for fact_id, days in ((old, 31), (new, 29)):
        moment = (now() - timedelta(days=days)).isoformat(timespec="microseconds")
        ask(tmp_path, f"UPDATE fact SET deleted_at = '{moment}' WHERE id = '{fact_id}'")

    async def read(store: Store) -> None:
        assert sorted(await keys(store, *FactState)) == ["kept", "new"]
        with pytest.raises(NotFound):
            await store.facts.history(P, old)
        assert await store.facts.last_change() == 5
        undone = await store.facts.undo(P)
        assert undone and (undone.fact_id, undone.number) == (new, 6)
        assert undone.after.state is ACTIVE

    with_store(tmp_path, read)
    assert ask(tmp_path, "SELECT count(*) FROM fact_change WHERE after LIKE '%secret old%'") == [(0,)]
    assert {fact_id for fact_id, _ in owed(tmp_path)} == {old, new, kept}
