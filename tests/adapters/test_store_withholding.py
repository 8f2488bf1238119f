"""What was said of a deleted fact is not recalled, whatever way it was deleted; what only shares a word with it is."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from desktop_app.adapters.store import Store
from desktop_app.core.conversation import Message
from desktop_app.core.fact_notes import PassageNote
from desktop_app.core.facts import FactActor, FactDraft, FactSource
from desktop_app.core.passages import PassageKind
from desktop_app.core.search_words import query_words
from tests.adapters.store_parts import add_chain, with_store

pytestmark = pytest.mark.usefixtures("database")

P, YOU = "default", FactActor.YOU


async def chat(store: Store, *texts: str) -> list[Message]:
    """A conversation of these messages, cut into passages."""
    conversation = await store.create_conversation(P, "chat", simulated=False)
    said = await add_chain(store, conversation.id, list(texts))
    await store.vectors.cut_messages(99)
    return said


async def found(store: Store, query: str) -> list[str]:
    """Ids of the messages found, in no order."""
    return sorted((await store.said.matches(P, query_words(query), 50)).scores)


def ids(*messages: Message) -> list[str]:
    return sorted(message.id for message in messages)


def said_in(message: Message) -> FactSource:
    return FactSource(message.id, message.conversation_id)


def test_what_was_said_of_a_deleted_fact_is_withheld_until_it_comes_back(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        fact = (await store.facts.keep(P, FactDraft("사물함", "자리 번호는 7731"))).after
        conversation = await store.create_conversation(P, "chat", simulated=False)
        before = await add_chain(
            store, conversation.id, ["사물함 자리 번호는 7731이야", "Noted.", "The locker is blue."]
        )
        await store.vectors.cut_messages(2)
        await store.facts.delete(P, fact.id, YOU)
        await store.vectors.cut_messages(9)
        assert await found(store, "7731 locker") == [before[2].id]
        await chat(store, "다시 말하지만 사물함 자리 번호는 7731이야")
        assert len(await found(store, "7731")) == 1, "what is said anew can be found"
        await store.facts.undo(P)
        assert len(await found(store, "7731")) == 2

    with_store(tmp_path, work)


def test_what_is_cut_late_is_withheld_for_a_fact_whose_adding_was_taken_back(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        conversation = await store.create_conversation(P, "chat", simulated=False)
        await add_chain(store, conversation.id, ["my locker is 7731"])
        await store.facts.keep(P, FactDraft("locker", "7731"))
        await store.facts.undo(P)
        await store.vectors.cut_messages(9)
        assert await found(store, "7731") == []

    with_store(tmp_path, work)


def test_a_denied_proposal_withholds_nothing(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        (said,) = await chat(store, "my locker is 7731")
        waiting = await store.facts.keep(P, FactDraft("locker", "7731"), pending=True)
        await store.facts.delete(P, waiting.fact_id, YOU)
        assert await found(store, "7731") == [said.id]
        conversation = await store.create_conversation(P, "chat", simulated=False)
        late = await add_chain(store, conversation.id, ["the locker 7731 again"])
        await store.vectors.cut_messages(9)
        assert await found(store, "7731") == ids(said, *late)

    with_store(tmp_path, work)


async def paused(store: Store, fact_id: str) -> None:
    await store.facts.pause(P, fact_id, YOU)


async def archived(store: Store, fact_id: str) -> None:
    await store.facts.archive(P, fact_id, YOU)


async def superseded(store: Store, fact_id: str) -> None:
    other = await store.facts.keep(P, FactDraft("cupboard", "has no number"))
    await store.facts.supersede(P, fact_id, other.fact_id, YOU)


async def restored_and_archived(store: Store, fact_id: str) -> None:
    await store.facts.delete(P, fact_id, YOU)
    await store.facts.restore(P, fact_id, YOU)
    await store.facts.archive(P, fact_id, FactActor.RULE)


@pytest.mark.parametrize("put_aside", [paused, archived, superseded, restored_and_archived])
def test_a_fact_is_withheld_wherever_it_stood_before_it_was_deleted(
    tmp_path: Path, put_aside: Callable[[Store, str], Awaitable[None]]
) -> None:
    async def work(store: Store) -> None:
        (said,) = await chat(store, "my locker is 7731")
        fact = await store.facts.keep(P, FactDraft("locker", "7731"))
        await put_aside(store, fact.fact_id)
        assert await found(store, "7731") == [said.id], "it was only put aside"
        await store.facts.delete(P, fact.fact_id, YOU)
        assert await found(store, "7731") == []
        await store.facts.restore(P, fact.fact_id, YOU)
        assert await found(store, "7731") == [said.id]

    with_store(tmp_path, work)


@pytest.mark.parametrize("cut_first", [True, False])
def test_a_passage_that_tells_two_facts_is_found_when_both_are_back(tmp_path: Path, cut_first: bool) -> None:
    async def work(store: Store) -> None:
        conversation = await store.create_conversation(P, "chat", simulated=False)
        (said,) = await add_chain(store, conversation.id, ["The cat is chipped as 88213; the bank PIN is 4471."])
        if cut_first:
            await store.vectors.cut_messages(9)
        cat = await store.facts.keep(P, FactDraft("cat chip", "88213"))
        bank = await store.facts.keep(P, FactDraft("bank", "4471"))
        for fact in (cat, bank):
            await store.facts.delete(P, fact.fact_id, YOU)
        await store.vectors.cut_messages(9)
        assert await found(store, "bank") == []
        await store.facts.restore(P, cat.fact_id, YOU)
        assert await found(store, "bank") == [], "the bank's fact is deleted still"
        await store.facts.restore(P, bank.fact_id, YOU)
        assert await found(store, "bank") == [said.id]

    with_store(tmp_path, work)


def test_the_messages_of_all_revisions_and_the_answers_to_them_are_withheld(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        first = await chat(store, "We call the dog Rex.", "A fine name for a dog.")
        second = await chat(store, "No, we call the dog Ari by now.", "Ari it is, a good dog.")
        other = await chat(store, "Rex and Ari are names of kings; no dog is meant.")
        fact = await store.facts.keep(P, FactDraft("pet", "Rex", source=said_in(first[0])))
        await store.facts.keep(P, FactDraft("pet", "Ari", source=said_in(second[0])))
        await store.facts.delete(P, fact.fact_id, YOU)
        assert await found(store, "dog") == ids(*other)
        await store.facts.undo(P)
        assert await found(store, "dog") == ids(*first, *second, *other)

    with_store(tmp_path, work)


def test_a_common_value_stays_recallable_where_nobody_says_what_the_fact_says(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        trips = [
            await chat(store, text)
            for text in (
                "서울 여행 계획을 세우자",
                "서울 가는 기차는 몇 시야?",
                "서울 호텔 예약했어",
                "서울 날씨는 어때?",
                "서울 맛집 알려줘",
            )
        ]
        (told,) = await chat(store, "내가 사는 곳은 서울이야")
        fact = await store.facts.keep(P, FactDraft("사는 곳", "서울"))
        await store.facts.delete(P, fact.fact_id, YOU)
        assert await found(store, "서울") == ids(*(trip for (trip,) in trips))
        assert told.id not in await found(store, "사는 곳")

    with_store(tmp_path, work)


def test_a_passage_told_before_may_not_be_told_while_its_fact_is_deleted(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        said = await chat(store, "my locker is 7731", "Noted.")
        ((one,), (two,)) = [await store.said.passage_ids(P, [message.id]) for message in said]
        told = [
            PassageNote(PassageKind.TURN, message.id, passage, "- line")
            for message, passage in zip(said, (one, two), strict=True)
        ]
        fact = await store.facts.keep(P, FactDraft("locker", "7731"))
        assert await store.said.standing(P, told) == {one, two}
        await store.facts.delete(P, fact.fact_id, YOU)
        assert await store.said.standing(P, told) == {two}
        await store.delete(said[0].conversation_id)
        assert await store.said.standing(P, told) == set()

    with_store(tmp_path, work)
