"""What was said as passages: cut once, found by words in their own profile, told with neighbours, never as an echo."""

from __future__ import annotations

import struct
from dataclasses import replace
from pathlib import Path

import pytest

from desktop_app.adapters.store import Store
from desktop_app.core.conversation import Epoch, Message, MessageState, Origin, text_block
from desktop_app.core.fact_notes import FactNote, MessageNotes, NoteKind
from desktop_app.core.facts import FactActor, FactDraft
from desktop_app.core.passages import PassageKind
from desktop_app.core.search_words import query_words
from desktop_app.core.vectors import ItemVector
from tests.adapters.store_parts import add_chain, ask, record_of, reply, request_of, streaming, user, with_store

pytestmark = pytest.mark.usefixtures("database")

P, TURN = "default", PassageKind.TURN


async def chat(store: Store, texts: list[str], profile: str = P) -> list[Message]:
    conversation = await store.create_conversation(profile, "chat", simulated=False)
    return await add_chain(store, conversation.id, texts)


async def found(store: Store, query: str, profile: str = P) -> list[str]:
    return list((await store.said.matches(profile, query_words(query), 50)).scores)


async def passages(store: Store, profile: str = P) -> list[str]:
    return [one.text for one in await store.vectors.lacking("m/1", 100, profile) if one.kind is TURN]


async def with_vectors(store: Store) -> None:
    lacking = await store.vectors.lacking("m/1", 100)
    vectors = [ItemVector(one.item_id, 0, struct.pack("<f", 1), one.kind) for one in lacking]
    await store.vectors.put("m/1", vectors)


def test_messages_are_cut_once_and_found_in_their_own_profile(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        mine = await chat(store, ["Where is the kettle?", "The kettle is in 부산 창고."])
        other = await chat(store, ["my kettle is secret"], "work")
        assert await found(store, "kettle") == []
        assert (await store.vectors.cut_messages(1), await store.vectors.cut_messages(9)) == (1, 2)
        assert await store.vectors.cut_messages(9) == 0
        assert set(await found(store, "kettle")) == {message.id for message in mine}
        assert await found(store, "창고에서") == [mine[1].id]
        assert await found(store, "kettle", "work") == [other[0].id]
        matches = await store.said.matches(P, ["kettle", "secret", "창고"], 50)
        assert (matches.total, dict(matches.frequency)) == (2, {"kettle": 2, "secret": 0, "창고": 1})
        assert await passages(store) == ["Where is the kettle?", "The kettle is in 부산 창고."]

    with_store(tmp_path, work)
    assert ask(tmp_path, "SELECT hangul FROM passage ORDER BY number") == [(0,), (1,), (0,)]


def test_a_long_message_has_several_passages_that_are_its_own_letters(tmp_path: Path) -> None:
    long = " ".join(f"On day {day} we walked to village number {day * 7}." for day in range(120))

    async def work(store: Store) -> None:
        (message,) = await chat(store, [long])
        await store.vectors.cut_messages(9)
        (said,) = await store.said.told(P, [message.id], [])
        pieces = [said.text[one.start : one.end] for one in said.passages]
        assert pieces == await passages(store)
        assert len(pieces) > 3 and said.text == long
        (again,) = await store.said.told(P, [], [said.passages[-1].id])
        assert again == said

    with_store(tmp_path, work)


def test_results_of_tools_and_what_still_streams_are_not_said(tmp_path: Path) -> None:
    result = {"type": "tool_result", "tool_use_id": "t", "content": "kettle prices"}
    call = {"type": "tool_use", "id": "t", "name": "calculator", "input": {"expression": "kettle"}}

    async def work(store: Store) -> None:
        (first,) = await chat(store, ["kettle?"])
        called = await store.add_message(reply(first.conversation_id, first, "Let me see", call))
        results = replace(user(first.conversation_id, called, result), origin=Origin.TOOL_RESULTS)
        result_message = await store.add_message(results)
        open_reply = await store.add_message(streaming(first.conversation_id, result_message, "the ket"))
        await store.vectors.cut_messages(9)
        assert await passages(store) == ["kettle?", "Let me see"]
        ended = replace(open_reply, blocks=(text_block("the kettle costs 9"),), state=MessageState.COMPLETE)
        request = request_of([first])
        record = record_of(first.conversation_id, request)
        await store.save_request(record, request)
        await store.finish(ended, record)
        assert await store.vectors.cut_messages(9) == 1
        assert await passages(store) == ["kettle?", "Let me see", "the kettle costs 9"]

    with_store(tmp_path, work)


def test_neighbours_come_along_in_the_order_of_what_was_said(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        chain = await chat(store, [f"line {number}" for number in range(8)])
        await chat(store, ["elsewhere"])
        await store.vectors.cut_messages(99)
        told = await store.said.told(P, [chain[4].id], [])
        assert [(one.place, one.text) for one in sorted(told, key=lambda one: one.place)] == [
            (place, f"line {place}") for place in range(2, 7)
        ]
        assert await store.said.told("work", [chain[4].id], []) == []

    with_store(tmp_path, work)


def test_an_answer_that_repeats_what_was_told_is_no_evidence(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        (question,) = await chat(store, ["Who repaired our boiler, and when?"])
        conversation_id = question.conversation_id
        line = '- "plumber": "Mr. Choi repaired the boiler, call 010-5521-8834"'
        await store.add_notes(question.id, MessageNotes(1, (FactNote("f", 1, NoteKind.RECALLED, line),)))
        echo = "Mr. Choi repaired the boiler, call 010-5521-8834."
        answer = await store.add_message(reply(conversation_id, question, echo, epoch=1))
        more = await store.add_message(user(conversation_id, answer, "It was on the ninth of May, he says."))
        await store.add_epoch(conversation_id, Epoch(2, "m", "", facts='- "cat": "Mango, a grey Russian Blue"'))
        cat = await store.add_message(reply(conversation_id, more, "Mango, a grey Russian Blue!", epoch=2))
        new = await store.add_message(reply(conversation_id, cat, "Boilers last about fifteen years.", epoch=2))
        await store.vectors.cut_messages(99)
        assert await passages(store) == [question.text, more.text, new.text]
        assert await found(store, "Choi") == [] and await found(store, "Mango") == []

    with_store(tmp_path, work)


def test_an_answer_that_gives_results_of_memory_tools_again_is_no_evidence(tmp_path: Path) -> None:
    def call(number: int, name: str) -> dict[str, object]:
        return {"type": "tool_use", "id": f"t{number}", "name": name, "input": {}}

    def result(number: int, text: str) -> dict[str, object]:
        return {"type": "tool_result", "tool_use_id": f"t{number}", "content": text}

    async def work(store: Store) -> None:
        (question,) = await chat(store, ["What is twice my locker code?"])
        above = question
        for number, name, text in (
            (1, "search_memory", '- "locker code": "7731"'),
            (2, "calculate", "15462"),
        ):
            above = await store.add_message(reply(question.conversation_id, above, call(number, name)))
            results = user(question.conversation_id, above, result(number, text))
            above = await store.add_message(replace(results, origin=Origin.TOOL_RESULTS))
        recited = reply(question.conversation_id, above, "Your memory says your locker code is 7731.")
        answer = await store.add_message(recited)
        new = reply(question.conversation_id, answer, "Twice the code is 15462.")
        await store.add_message(new)
        await store.vectors.cut_messages(99)
        assert await passages(store) == [question.text, new.text]

    with_store(tmp_path, work)


def test_a_deleted_conversation_is_found_no_more_until_it_is_restored(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        mine = await chat(store, ["the kettle"])
        await store.vectors.cut_messages(9)
        await with_vectors(store)
        (debt,) = await store.vectors.debts(9)
        await store.vectors.settle([debt.number])
        assert (await store.vectors.pool(P, "m/1", None, TURN)).ids == (debt.item_id,)
        await store.delete(mine[0].conversation_id)
        assert await found(store, "kettle") == []
        assert (await store.vectors.pool(P, "m/1", None, TURN)).ids == ()
        assert [(one.kind, one.item_id) for one in await store.vectors.debts(9)] == [(TURN, debt.item_id)]
        await store.restore(mine[0].conversation_id)
        assert await found(store, "kettle") == [mine[0].id]
        assert await store.vectors.scripts("m/1") == {(P, TURN): {debt.item_id: False}}

    with_store(tmp_path, work)


def test_of_a_long_message_only_the_passages_that_tell_of_the_deleted_fact_are_lost(tmp_path: Path) -> None:
    rest = " ".join(f"On day {day} we walked to village number {day}00." for day in range(60))

    async def work(store: Store) -> None:
        fact = (await store.facts.keep(P, FactDraft("locker code", "7731-Q"))).after
        (message,) = await chat(store, [f"The locker code is 7731-Q. {rest}"])
        await store.vectors.cut_messages(9)
        whole = await store.said.matches(P, ["village"], 9)
        await store.facts.delete(P, fact.id, FactActor.YOU)
        assert await found(store, "village") == [message.id]
        assert (await store.said.matches(P, ["village"], 9)).frequency == whole.frequency == {"village": 1}
        assert (await store.said.matches(P, ["village"], 9)).total == 1
        (said,) = await store.said.told(P, [message.id], [])
        assert "village number 5900" in said.findable and "7731" not in said.findable
        assert await store.said.holding(P, ["책"]) == {"책": []}

    with_store(tmp_path, work)


def test_letters_are_found_where_a_word_begins_with_them_but_not_in_what_is_left_out(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        first = await chat(store, ["책은 둘째 칸에 있어", "그 책", "헌책방에 갔어", "산책"])
        await chat(store, ["책은 여기 있어"], "work")
        await store.vectors.cut_messages(9)
        held = [message.id for message in first[:3]]
        assert {one: sorted(ids) for one, ids in (await store.said.holding(P, ["책", "돈"])).items()} == {
            "책": sorted(held),
            "돈": [],
        }
        assert await store.said.holding(P, ["책"], held[1:]) == {"책": [held[0]]}
        assert sorted(await found(store, "둘째 책방")) == sorted([first[0].id, first[2].id])
        without = await store.said.matches(P, query_words("둘째 책방"), 9, [first[0].id])
        assert list(without.scores) == [first[2].id]

    with_store(tmp_path, work)


@pytest.mark.of_file
def test_of_a_conversation_that_is_gone_for_good_nothing_is_left_to_be_found(tmp_path: Path) -> None:
    """Its messages, what was attached, passages, vectors, words and requests; and the index is owed that they went."""
    word = "zanzibarquux"
    file = {
        "type": "document",
        "title": f"{word}.txt",
        "source": {"type": "text", "media_type": "text/plain", "data": f"attached {word}"},
    }

    async def fill(store: Store) -> str:
        await chat(store, ["Where is the kettle?", "In the kitchen of the boathouse."])
        gone = await store.create_conversation(P, f"about {word}", simulated=False)
        question = await store.add_message(user(gone.id, None, file, f"Please read {word} in the kitchen"))
        answer = await store.add_message(reply(gone.id, question, f"It says {word}, and nothing of the boathouse."))
        request = request_of([question, answer])
        await store.save_request(record_of(gone.id, request), request)
        await store.vectors.cut_messages(9)
        await with_vectors(store)
        await store.vectors.settle([debt.number for debt in await store.vectors.debts(100)])
        await store.delete(gone.id)
        return gone.id

    gone = with_store(tmp_path, fill)
    assert ask(tmp_path, "SELECT count(*) FROM passage_vector") == [(4,)]
    ask(tmp_path, f"UPDATE conversation SET deleted_at = '2026-01-01T00:00:00.000000+00:00' WHERE id = '{gone}'")

    async def look(store: Store) -> None:
        assert await found(store, word) == []
        assert len(await found(store, "kitchen boathouse")) == 1
        assert (await store.search_messages(P, word, 8)).hits == ()
        assert len(await store.vectors.debts(100)) == 2

    with_store(tmp_path, look)
    assert ask(tmp_path, "SELECT count(*) FROM passage_vector") == [(2,)]
    assert ask(tmp_path, "SELECT count(*) FROM passage") == [(2,)]
    ask(tmp_path, "PRAGMA wal_checkpoint(TRUNCATE)")
    assert word.encode() not in (tmp_path / "mnemoscope.db").read_bytes()
