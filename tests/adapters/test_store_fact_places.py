"""Facts that give their place, rest, wait, expire or grow old: what is told, and what comes back."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from desktop_app.adapters.settings_file import SettingsFile
from desktop_app.adapters.store import Store
from desktop_app.core.conversation import now
from desktop_app.core.errors import BadInput, FactChanged, FactPinned, NotFound
from desktop_app.core.fact_block import make_block
from desktop_app.core.fact_relations import JudgedBy, Related, Relation
from desktop_app.core.facts import FactActor, FactDraft, FactState
from desktop_app.core.token_estimate import text_tokens
from desktop_app.services.fact_aging import FactAging
from desktop_app.services.settings import SettingsService
from tests.adapters.child_processes import child, end, first_line
from tests.adapters.fact_parts import P, add, faults, give_vectors, keys, lines, propose, set_moment, values
from tests.adapters.store_parts import ask, opened, with_store

ACTIVE, PENDING, PAUSED = FactState.ACTIVE, FactState.PENDING, FactState.PAUSED
ARCHIVED, SUPERSEDED, DELETED = FactState.ARCHIVED, FactState.SUPERSEDED, FactState.DELETED
YOU, ASSISTANT, RULE = FactActor.YOU, FactActor.ASSISTANT, FactActor.RULE
SEQUENCE = json.loads(
    (Path(__file__).parents[1] / "end_to_end" / "data" / "memory_sequence.json").read_text(encoding="utf-8")
)


async def found(store: Store, *words: str) -> set[str]:
    """Keys of the facts that hold one of these words."""
    ids = (await store.facts.word_matches(P, words)).scores
    return {fact.key for fact in await store.facts.facts(P) if fact.id in ids}


def test_the_ten_steps_of_a_memory(tmp_path: Path) -> None:
    """What is told twice, contradicted, pinned, replaced and deleted ends as it must; verdicts come from elsewhere."""
    said = {step["step"]: step["text"] for step in SEQUENCE}

    async def work(store: Store) -> None:
        facts = store.facts
        coffee = await add(store, "커피", said[1])
        again = await facts.keep(P, FactDraft("커피", said[2], by=ASSISTANT))
        assert (again.action.value, again.number, again.after.repeats) == ("repeated", 0, 1)
        english = await propose(store, "coffee", said[3], by=FactActor.EXTRACTION)
        await facts.relate(P, english.id, [Related(coffee, Relation.SAME, JudgedBy.MODEL)])
        merged = await facts.merge(P, coffee.id, [english.id], None, YOU)
        assert (merged.after.value, await values(store)) == (said[1], {"커피": said[1]})
        tea = await facts.keep(P, FactDraft("마시는 것", said[4]), replacing=[coffee.id])
        assert await values(store) == {"마시는 것": said[4]}
        old = await facts.fact(P, coffee.id)
        assert (old.state, old.replaced_by) == (SUPERSEDED, tea.fact_id)
        assert old.replaced_at is not None and tea.at - old.replaced_at < timedelta(seconds=5)
        spicy = await add(store, "매운 음식", said[5])
        await facts.pin(P, spicy.id, True)
        with pytest.raises(FactPinned):
            await facts.keep(P, FactDraft("매운 음식", said[6], by=ASSISTANT))
        waiting = await propose(store, "매운 음식", said[6], by=ASSISTANT)
        assert (await facts.fact(P, "매운 음식")).value == said[5]
        first = await add(store, "work since 2020", said[7])
        second = await facts.keep(P, FactDraft("work since 2025", said[8]), replacing=[first.id])
        assert (await facts.fact(P, first.id)).replaced_by == second.fact_id
        stale = await propose(store, "커피", said[9], by=ASSISTANT)
        await facts.deny(P, stale.id)
        assert (await facts.fact(P, coffee.id)).state is SUPERSEDED
        await facts.delete(P, "마시는 것", YOU)
        give_vectors(store)
        assert await values(store) == {"매운 음식": said[5], "work since 2025": said[8]}
        assert await keys(store, PENDING) == [waiting.key]
        assert await found(store, "커피", "차", "coffee", "마시") == set()
        assert ask(tmp_path, "SELECT count(*) FROM fact_vector") == [(2,)]

    with_store(tmp_path, work)
    assert faults(tmp_path) == []


def test_a_replacement_is_taken_back_as_one_from_either_side(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        facts = store.facts
        for side in (0, 1):
            old = await add(store, f"old {side}", "coffee")
            new = await facts.keep(P, FactDraft(f"new {side}", "tea", by=ASSISTANT), replacing=[old.id])
            assert [change.act for change in await facts.history(P, new.fact_id)] == [new.number - 1]
            assert lines(await facts.history(P, old.id))[-1] == ("superseded", "coffee", "coffee")
            back = await facts.undo(P, new.number - side)
            assert back and (back.fact_id, back.after.state) == (new.fact_id, DELETED)
            assert f"old {side}" in await values(store) and f"new {side}" not in await values(store)
            # And the undo as a whole.
            assert await facts.undo(P, back.number + 1 - side)
            assert f"new {side}" in await values(store) and f"old {side}" not in await values(store)

    with_store(tmp_path, work)
    assert faults(tmp_path) == []


def test_what_gave_its_place_stands_again_when_the_other_never_came(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        facts = store.facts
        old, new = await add(store, "old", "coffee"), await facts.keep(P, FactDraft("new", "tea"))
        await facts.edit(P, "new", YOU, value="green tea")
        change = await facts.supersede(P, "old", "new", YOU)
        assert (change.after.state, change.after.replaced_by) == (SUPERSEDED, new.fact_id)
        await facts.undo(P, new.number)
        assert await values(store) == {"old": "coffee"}
        assert (await facts.fact(P, old.id)).replaced_by is None

    with_store(tmp_path, work)
    assert faults(tmp_path) == []


def test_a_deleted_fact_leaves_what_it_had_replaced_where_it_is(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        old = await add(store, "old", "coffee")
        await store.facts.keep(P, FactDraft("new", "tea"), replacing=["old"])
        await store.facts.delete(P, "new", YOU)
        assert await values(store) == {}
        back = await store.facts.restore(P, old.id, YOU)
        assert (back.after.state, back.after.replaced_by, back.after.replaced_at) == (ACTIVE, None, None)

    with_store(tmp_path, work)
    assert faults(tmp_path) == []


def test_a_merge_is_one_act_and_carries_the_new_value(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        facts = store.facts
        kept = await add(store, "dog", "Bori")
        paused, waiting = await add(store, "puppy", "Bori, 3"), await propose(store, "강아지", "보리")
        await facts.pause(P, paused.id, YOU)
        change = await facts.merge(P, "dog", [paused.id, waiting.id, kept.id], "Bori, three years", YOU)
        assert (change.action.value, change.after.value) == ("merged", "Bori, three years")
        assert await values(store, *FactState) == {"dog": "Bori, three years", "puppy": "Bori, 3", "강아지": "보리"}
        assert await keys(store, SUPERSEDED) == ["강아지", "puppy"]
        assert await facts.undo(P)
        assert [await values(store, state) for state in (ACTIVE, PAUSED, PENDING)] == [
            {"dog": "Bori"},
            {"puppy": "Bori, 3"},
            {"강아지": "보리"},
        ]
        with pytest.raises(BadInput) as caught:
            await facts.merge(P, "dog", ["dog"], None, YOU)
        assert caught.value.params["why"] == "fact_itself"

    with_store(tmp_path, work)
    assert faults(tmp_path) == []


def test_a_pinned_fact_gives_its_place_only_when_the_person_says_so(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        facts = store.facts
        pinned, other = await add(store, "spicy", "cannot eat it", pinned=True), await add(store, "food", "likes it")
        before = await facts.last_change()
        for call in (
            facts.supersede(P, pinned.id, other.id, ASSISTANT),
            facts.merge(P, other.id, [pinned.id], None, YOU),
            facts.keep(P, FactDraft("taste", "hot"), replacing=[other.id, pinned.id]),
            facts.keep(P, FactDraft("spicy", "likes it", by=FactActor.EXTRACTION)),
        ):
            with pytest.raises(FactPinned) as caught:
                await call
            assert caught.value.params == {"name": "spicy"}
        assert await facts.last_change() == before
        assert (await facts.keep(P, FactDraft("spicy", "cannot eat it", by=ASSISTANT))).action.value == "repeated"
        assert (await facts.keep(P, FactDraft("spicy", "a little"))).after.pinned  # the person's own words
        assert (await facts.supersede(P, pinned.id, other.id, YOU, even_pinned=True)).after.state is SUPERSEDED

    with_store(tmp_path, work)
    assert faults(tmp_path) == []


def test_an_accepted_proposal_takes_the_place_of_others_in_one_act(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        facts = store.facts
        await add(store, "job", "company A")
        same = await add(store, "employer", "company A")
        waiting = await propose(store, "job", "company B")
        await facts.relate(P, waiting.id, [Related(same, Relation.CONTRADICTS, JudgedBy.MODEL)])
        ((related,),) = (await facts.relations(P, [waiting.id])).values()
        assert (related.fact, related.relation, related.judged_by) == (same, Relation.CONTRADICTS, JudgedBy.MODEL)
        change = await facts.accept(P, waiting.id, replacing=[same.id])
        assert (await values(store), change.before and change.before.value) == ({"job": "company B"}, "company A")
        assert await facts.undo(P)
        assert await values(store) == {"job": "company A", "employer": "company A"}
        assert await values(store, PENDING) == {"job": "company B"}
        # Beside what there is: under a key of its own.
        with pytest.raises(BadInput) as caught:
            await facts.accept(P, waiting.id, key="job")
        assert caught.value.params["why"] == "fact_key_taken"
        await facts.accept(P, waiting.id, key="second job")
        assert await values(store) == {"job": "company A", "employer": "company A", "second job": "company B"}

    with_store(tmp_path, work)
    assert faults(tmp_path) == []


def test_what_rests_is_told_to_nobody_and_comes_back_only_under_a_free_key(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        facts = store.facts
        fact = await add(store, "dog", "Bori")
        for leave, back in ((facts.pause, facts.resume), (facts.archive, facts.restore)):
            give_vectors(store)
            await leave(P, fact.id, YOU)
            assert (await facts.active(P, [fact.id]), await found(store, "bori")) == ({}, set())
            assert ask(tmp_path, "SELECT count(*) FROM fact_vector") == [(0,)]
            other = await add(store, "DOG", "Choco")
            with pytest.raises(BadInput) as caught:
                await back(P, fact.id, YOU)
            assert caught.value.params == {"what": "dog", "why": "fact_key_taken"}
            await facts.delete(P, other.id, YOU)
            change = await back(P, fact.id, YOU)
            assert change.after.revision == change.number and await found(store, "bori") == {"dog"}
        for call in (facts.resume(P, fact.id, YOU), facts.restore(P, fact.id, YOU)):
            with pytest.raises(BadInput) as caught:
                await call
            assert caught.value.params["why"] == "fact_is_active"
        with pytest.raises(NotFound):
            await facts.pause(P, "cat", YOU)

    with_store(tmp_path, work)
    assert faults(tmp_path) == []


@pytest.mark.parametrize("state", [PENDING, PAUSED])
def test_what_is_restored_stands_as_it_stood(tmp_path: Path, state: FactState) -> None:
    async def work(store: Store) -> None:
        fact = await (propose if state is PENDING else add)(store, "dog", "Bori")
        if state is PAUSED:
            await store.facts.pause(P, fact.id, YOU)
        await store.facts.delete(P, fact.id, YOU)
        assert (await store.facts.restore(P, fact.id, YOU)).after.state is state

    with_store(tmp_path, work)
    assert faults(tmp_path) == []


def test_the_persons_own_words_bring_back_what_they_had_put_away(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        facts, draft = store.facts, FactDraft("dog", "Bori")
        fact = await add(store, "dog", "Bori")
        for leave in (facts.pause, facts.archive):
            await leave(P, fact.id, YOU)
            assert (await facts.keep(P, draft)).after.state is ACTIVE
        assert [one.id for one in await facts.facts(P, *FactState)] == [fact.id]

    with_store(tmp_path, work)
    assert faults(tmp_path) == []


def test_an_edit_of_what_changed_meanwhile_is_refused(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        async with opened(tmp_path) as other:
            seen = await add(store, "dog", "Bori")
            await other.facts.edit(P, "dog", YOU, value="Choco", expected=seen.revision)
            with pytest.raises(FactChanged) as caught:
                await store.facts.edit(P, seen.id, YOU, value="Mong", expected=seen.revision)
            assert caught.value.params == {"name": "dog"}
            with pytest.raises(FactChanged):
                await store.facts.keep(P, FactDraft("cat", "Nabi"), expected=seen.revision)
            with pytest.raises(FactChanged):
                await store.facts.keep(P, FactDraft("dog", "Mong"), expected=0)
            assert await values(store) == {"dog": "Choco"}

    with_store(tmp_path, work)
    assert faults(tmp_path) == []


def test_a_fact_of_one_conversation_holds_nowhere_else(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        facts = store.facts
        everywhere, here = await add(store, "dog", "Bori"), await add(store, "ticket", "A-1", scope="chat-1")
        assert {one.key for one in await facts.facts(P)} == {"dog", "ticket"}
        assert {one.key for one in await facts.facts(P, conversation_id="chat-1")} == {"dog", "ticket"}
        for elsewhere in ("", "chat-2"):
            assert await facts.facts(P, conversation_id=elsewhere) == [everywhere]
            assert await facts.of_other_conversations(P, elsewhere) == [here.id]
        with pytest.raises(BadInput) as caught:
            await facts.keep(P, FactDraft("ticket", "B-2", scope="chat-2"))
        assert caught.value.params["why"] == "fact_key_elsewhere"
        assert (await facts.keep(P, FactDraft("ticket", "A-1"))).after.scope == ""  # told for the whole profile
        narrowed = await facts.edit(P, "dog", YOU, scope="chat-1")
        assert narrowed.after.revision == everywhere.revision
        for wider in ("chat-2", ""):  # new to conversations that could not be told it before
            widened = await facts.edit(P, "dog", YOU, scope=wider)
            assert widened.after.revision == widened.number > everywhere.revision

    with_store(tmp_path, work)
    assert faults(tmp_path) == []


LONG_AGO = now() - timedelta(days=91)


def aging(store: Store, folder: Path, **settings: int | bool) -> FactAging:
    service = SettingsService(SettingsFile(folder))
    service.use_in_profile_for_run(**settings)
    return FactAging(store.facts, service)


def test_what_nobody_used_for_90_days_is_archived_once_not_all_fit(tmp_path: Path) -> None:
    async def fill(store: Store) -> dict[str, str]:
        long = "a note of some length " * 20
        names = ("pinned", "used", "told", "new", "left", "block")
        return {name: (await add(store, name, long, pinned=name == "pinned")).id for name in names}

    ids = with_store(tmp_path, fill)
    for name, fact_id in ids.items():
        if name != "new":
            set_moment(tmp_path, fact_id, updated_at=LONG_AGO)
    set_moment(tmp_path, ids["block"], last_used_at=LONG_AGO + timedelta(hours=1))

    async def work(store: Store) -> None:
        await store.facts.mark_used([ids["used"]])
        await store.facts.mark_told([ids["told"]])
        told = ask(tmp_path, "SELECT told_at, uses FROM fact WHERE key = 'told'")
        await store.facts.mark_told([ids["told"]])  # once a day is enough
        assert ask(tmp_path, "SELECT told_at, uses FROM fact WHERE key = 'told'") == told and told[0][1] == 0
        assert await aging(store, tmp_path).run() == 0  # all of them fit: every prompt holds them
        assert await aging(store, tmp_path, facts_budget=0, archive_after_days=0).run() == 0
        assert await aging(store, tmp_path, facts_budget=0, memory=False).run() == 0
        # Room for the pinned one and three more, the last used first.
        assert await aging(store, tmp_path, facts_budget=500).run() == 1
        assert sorted(await keys(store, ARCHIVED)) == ["left"]
        back = await store.facts.restore(P, "left", YOU)
        assert back.after.value and await aging(store, tmp_path, facts_budget=0).run() == 1
        assert sorted(await keys(store, ARCHIVED)) == ["block"]

    with_store(tmp_path, work)
    assert faults(tmp_path) == []


def test_each_of_five_thousand_facts_can_be_reached_and_the_prompt_holds_what_fits(tmp_path: Path) -> None:
    with_store(tmp_path, lambda store: store.facts.last_change())
    with closing(sqlite3.connect(tmp_path / "mnemoscope.db")) as connection, connection:
        connection.execute(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) "
            "INSERT INTO fact (id, profile, key, same_key, value, category, scope, state, origin, pinned, revision, "
            "created_at, updated_at, uses, repeats, keeps_secrets) SELECT 'id' || i, 'default', 'key ' || i, "
            "'key ' || i, 'the value of number ' || i, '', '', 'active', 'you', 0, 0, ?1, ?1, 0, 0, 0 FROM n",
            (now().isoformat(timespec="microseconds"),),
        )

    async def work(store: Store) -> None:
        listed = await store.facts.facts(P)
        assert {fact.key for fact in listed} == {f"key {number}" for number in range(1, 5001)}
        tokens = text_tokens()
        block = make_block(listed, 2_000, tokens)
        assert 1_800 < tokens(block.text) <= 2_000
        assert all(f'"{fact.key}"' in block.text for fact in listed if fact.id in dict(block.facts))
        assert (await store.facts.edit(P, "key 5000", YOU, value="another")).after.value == "another"

    with_store(tmp_path, work)


def test_parallel_identical_saves_make_one_fact(tmp_path: Path) -> None:
    async def work() -> None:
        async with opened(tmp_path) as store:
            other = child("repeat", tmp_path, 10)
            assert first_line(other) == "ready"
            assert other.stdin
            other.stdin.write("go\n")
            other.stdin.flush()
            draft = FactDraft("dog", "Bori", by=ASSISTANT)
            changes = await asyncio.gather(*(store.facts.keep(P, draft) for _ in range(20)))
            end(other)
            assert len({change.fact_id for change in changes}) == 1
            give_vectors(store)
            (fact,) = await store.facts.facts(P, *FactState)
            assert (fact.value, fact.repeats) == ("Bori", 29)
            proposed = replace(draft, key="cat")
            waiting = await asyncio.gather(*(store.facts.keep(P, proposed, pending=True) for _ in range(5)))
            assert len({change.fact_id for change in waiting}) == 1

    asyncio.run(work())
    assert ask(tmp_path, "SELECT count(*) FROM fact_vector") == [(1,)]
    assert faults(tmp_path) == []


def test_what_a_long_work_read_before_does_not_undo_what_the_person_did(tmp_path: Path) -> None:
    """A tidy that began with a snapshot: edited, deleted, pinned and added facts survive it."""

    async def work(store: Store) -> None:
        facts = store.facts
        ids = [(await add(store, key, "old")).id for key in ("edited", "deleted", "pinned", "left")]
        for fact_id in ids:
            set_moment(tmp_path, fact_id, updated_at=LONG_AGO)
        since = now() - timedelta(days=90)
        snapshot: Sequence[str] = await facts.unused(P, since)
        assert set(snapshot) == set(ids)
        seen = await facts.fact(P, "edited")
        await facts.edit(P, "edited", YOU, value="new")
        await facts.delete(P, "deleted", YOU)
        await facts.pin(P, "pinned", True)
        await add(store, "added", "new")
        assert await facts.archive_unused(P, since, snapshot) == 1
        with pytest.raises(FactChanged):
            await facts.edit(P, seen.id, FactActor.EXTRACTION, value="tidied", expected=seen.revision)
        assert await values(store) == {"edited": "new", "pinned": "old", "added": "new"}
        assert (await values(store, DELETED), await values(store, ARCHIVED)) == ({"deleted": "old"}, {"left": "old"})

    with_store(tmp_path, work)
    assert faults(tmp_path) == []
