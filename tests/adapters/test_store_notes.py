"""Notes beside messages, and compactions: kept as they were, gone with their conversation."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from desktop_app.adapters.store import Store
from desktop_app.core.compaction.compaction import Compaction, CompactionCause, CompactionState, Strategy, WrittenBy
from desktop_app.core.conversation import new_id, now, to_json
from desktop_app.core.errors import Busy, NotFound
from desktop_app.core.fact_notes import FactNote, MessageNotes, NoteKind
from tests.adapters.store_parts import add_chain, ask, reply, user, with_store

pytestmark = pytest.mark.usefixtures("database")

NOTES = MessageNotes(
    2,
    (
        FactNote("f1", 7, NoteKind.RECALLED, '- "강아지 \\"이름\\"": "보리\\n\\u003cb>\\u0000 👩‍👩‍👧"'),
        FactNote("f2", 9, NoteKind.EDITED, "- \u202e\u2028"),
        FactNote("f2", 9, NoteKind.ADDED, ""),
    ),
)


def test_notes_come_with_every_way_to_read_a_message(tmp_path: Path) -> None:
    async def write(store: Store) -> tuple[str, list[str]]:
        chat = await store.create_conversation("default", "", False)
        chain = await add_chain(store, chat.id, ["one", "two", "three"])
        assert [message.notes for message in await store.path(chat.id)] == [None, None, None]
        await store.add_notes(chain[0].id, NOTES)
        await store.add_notes(chain[2].id, MessageNotes(0))
        return chat.id, [message.id for message in chain]

    chat_id, ids = with_store(tmp_path, write)

    async def read(store: Store) -> None:
        expected = [NOTES, None, MessageNotes(0)]
        for messages in (await store.path(chat_id), await store.path_to(ids[2]), await store.tail(chat_id, 9)):
            assert [message.notes for message in messages] == expected
        assert [(await store.message(message_id)).notes for message_id in ids] == expected
        assert [message.notes for message in await store.tail(chat_id, 1)] == expected[2:]
        assert (await store.conversation(chat_id)).excerpt == "three"

    with_store(tmp_path, read)


def test_notes_are_written_once(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        chat = await store.create_conversation("default", "", False)
        question = await store.add_message(user(chat.id, None, "one"))
        await store.add_notes(question.id, NOTES)
        await store.add_notes(question.id, NOTES)
        for other in (replace(NOTES, epoch=3), replace(NOTES, notes=NOTES.notes[:2]), MessageNotes(2)):
            with pytest.raises(Busy):
                await store.add_notes(question.id, other)
        assert (await store.message(question.id)).notes == NOTES
        with pytest.raises(NotFound):
            await store.add_notes("nothing", NOTES)

    with_store(tmp_path, work)


def test_a_message_that_is_stored_with_notes_keeps_them(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        chat = await store.create_conversation("default", "", False)
        question = await store.add_message(replace(user(chat.id, None, "one"), notes=NOTES))
        assert await store.path(chat.id) == [question]
        assert question.notes == NOTES

    with_store(tmp_path, work)


def compaction_of(conversation_id: str, until: str, **fields: object) -> Compaction:
    plain = Compaction(
        id=new_id(),
        conversation_id=conversation_id,
        until_message_id=until,
        summary='목표: "보리"\n\u0000\u202e 👩‍👩‍👧',
        folded=2,
        before=90_000,
        after=12_000,
        created_at=now(),
        model="claude-opus-5-5",
        seconds=4.25,
        request_ids=("r1", "r2"),
        cause=CompactionCause.AUTOMATIC,
        focus="금액은 그대로",
    )
    return replace(plain, **fields)  # type: ignore[arg-type]


SERVERS: dict[str, object] = {
    "strategy": Strategy.SERVER,
    "written_by": WrittenBy.SERVER,
    "base_id": "k0",
    "folded_tokens": 80_000,
    "summary_tokens": 900,
    "predicted": 11_500,
    "block": {"type": "compaction", "content": "요약 🐶", "encrypted_content": "Eo==", "a": [1, None, 2.50]},
    "failure": "",
    "result_limit": 2_000,
}


def test_compactions_come_back_in_order_with_every_field(tmp_path: Path) -> None:
    async def write(store: Store) -> list[Compaction]:
        chat = await store.create_conversation("default", "", False)
        other = await store.create_conversation("default", "", False)
        chain = await add_chain(store, chat.id, ["one", "two", "three", "four"])
        first = compaction_of(chat.id, chain[1].id, request_ids=(), written_by=WrittenBy.NOBODY)
        # The clock went back between the two.
        second = compaction_of(chat.id, chain[3].id, created_at=first.created_at.replace(year=2000), **SERVERS)
        third = compaction_of(chat.id, chain[3].id, state=CompactionState.FAILED, failure="blank", edited=True)
        for compaction in (first, second, third, compaction_of(other.id, "x")):
            await store.add_compaction(compaction)
        return [first, second, third]

    kept = with_store(tmp_path, write)
    assert with_store(tmp_path, lambda store: store.compactions(kept[0].conversation_id)) == kept
    (body,) = ask(tmp_path, "SELECT block FROM compaction WHERE block IS NOT NULL")[0]
    assert body == '{"type":"compaction","content":"요약 🐶","encrypted_content":"Eo==","a":[1,null,2.5]}'
    assert ask(tmp_path, "SELECT request_ids FROM compaction")[:2] == [("[]",), ('["r1","r2"]',)]


def test_of_a_compaction_only_state_sizes_and_text_change(tmp_path: Path) -> None:
    async def write(store: Store) -> tuple[str, list[Compaction]]:
        chat = await store.create_conversation("default", "", False)
        first, second = (compaction_of(chat.id, until, **SERVERS) for until in ("m1", "m2"))
        for compaction in (first, second):
            await store.add_compaction(compaction)
        changed = {
            "state": CompactionState.UNDONE,
            "after": 11_000,
            "predicted": None,
            "summary": "새 요약",
            "summary_tokens": 7,
            "edited": True,
        }
        await store.update_compaction(replace(second, **changed, folded=99, block=None, focus="x", request_ids=()))
        for call in (
            store.compactions("nothing"),
            store.add_compaction(compaction_of("nothing", "x")),
            store.update_compaction(replace(first, id="nothing")),
            store.activate(replace(first, id="nothing")),
            store.compaction("nothing"),
        ):
            with pytest.raises(NotFound):
                await call
        return chat.id, [first, replace(second, **changed)]

    chat_id, kept = with_store(tmp_path, write)
    assert with_store(tmp_path, lambda store: store.compactions(chat_id)) == kept


def test_only_a_proposal_comes_into_use_and_with_the_text_given(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        chat = await store.create_conversation("default", "", False)
        proposed = compaction_of(chat.id, "m1", state=CompactionState.PROPOSED)
        await store.add_compaction(proposed)
        edited = replace(proposed, summary="손본 요약", summary_tokens=4, after=300, edited=True)
        active = await store.activate(edited)
        assert active == replace(edited, state=CompactionState.ACTIVE)
        assert await store.compactions(chat.id) == [active]
        assert await store.compaction(active.id) == active
        for state in (CompactionState.ACTIVE, CompactionState.REJECTED, CompactionState.UNDONE, CompactionState.FAILED):
            await store.update_compaction(replace(active, state=state))
            with pytest.raises(Busy):
                await store.activate(proposed)
            assert await store.compactions(chat.id) == [replace(active, state=state)]

    with_store(tmp_path, work)


def test_notes_and_compactions_go_with_their_conversation(tmp_path: Path) -> None:
    async def write(store: Store) -> None:
        chat = await store.create_conversation("default", "", False)
        chain = await add_chain(store, chat.id, ["one", "two"])
        await store.add_notes(chain[0].id, NOTES)
        await store.add_compaction(compaction_of(chat.id, chain[1].id))
        await store.delete(chat.id)

    with_store(tmp_path, write)
    ask(tmp_path, "UPDATE conversation SET deleted_at = '2000-01-01T00:00:00.000000+00:00'")

    async def read(store: Store) -> None:
        assert await store.deleted_conversations("default") == []

    with_store(tmp_path, read)
    assert ask(tmp_path, "SELECT (SELECT count(*) FROM message_note), (SELECT count(*) FROM compaction)") == [(0, 0)]


TEXTS = [
    "보리",
    'says "보리차"',
    "line\nbreak",
    "back\\slash \\n",
    "tab\there",
    "NUL\0here",
    "👩‍👩‍👧",
    "שלום \u202e",
    "</b>&amp;'",
]


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_a_text_is_found_in_the_messages_where_it_stands(tmp_path: Path, text: str) -> None:
    async def work(store: Store) -> None:
        chat = await store.create_conversation("default", "", False)
        inside = await store.add_message(user(chat.id, None, "something else", f"before {text} after"))
        exact = await store.add_message(reply(chat.id, inside, text))
        await store.add_message(user(chat.id, exact, f"{text[:-1]} {text[1:]}"))
        found = await store.messages_with("default", [text])
        assert found == {chat.id: [inside.id, exact.id]}

    with_store(tmp_path, work)


@pytest.mark.parametrize(
    ("text", "whole", "inside"),
    [
        ("cat", ["The cat.", "a\ncat", "cat을 봤다", "(cat)"], ["concatenate", "cats", "cat_1", "tomcat"]),
        ("보리", ["보리는 개다", "보리"], ["보 리"]),
        ("12", ["12 eggs", "12시"], ["312", "120", "v12"]),
        ("кот", ["Это кот."], ["котик"]),
        ("über", ["das über allem"], ["überall"]),
    ],
)
def test_whole_words_count_and_insides_of_others_do_not(
    tmp_path: Path, text: str, whole: list[str], inside: list[str]
) -> None:
    async def work(store: Store) -> None:
        chat = await store.create_conversation("default", "", False)
        parent = None
        wanted = []
        for said in [*whole, *inside]:
            parent = await store.add_message(user(chat.id, parent, said))
            told = {"type": "tool_result", "tool_use_id": "t", "content": to_json({"said": said})}
            result = await store.add_message(user(chat.id, parent, told))
            wanted += [parent.id, result.id] if said in whole else []
            parent = result
        assert await store.messages_with("default", [text]) == {chat.id: wanted}

    with_store(tmp_path, work)


def test_only_text_of_conversations_that_are_there_counts(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        here = await store.create_conversation("default", "보리", False)
        question = await store.add_message(user(here.id, None, "보리"))
        await store.add_notes(question.id, MessageNotes(0, (FactNote("f", 1, NoteKind.RECALLED, "비밀"),)))
        hidden = await store.add_message(
            reply(
                here.id,
                question,
                {"type": "thinking", "thinking": "비밀", "signature": "비밀"},
                {"type": "tool_use", "id": "t", "name": "x", "input": {"text": "비밀"}},
                {"type": "text", "text": "nothing", "citations": [{"text": "비밀"}]},
            )
        )
        result = {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": "비밀"}]}
        said = await store.add_message(user(here.id, hidden, result))
        branch = await store.add_message(user(here.id, question, "보리 and cat"))
        for profile, deleted in (("default", True), ("other", False)):
            chat = await store.create_conversation(profile, "", False)
            await store.add_message(user(chat.id, None, "보리 비밀"))
            if deleted:
                await store.delete(chat.id)
        assert await store.messages_with("default", ["비밀"]) == {here.id: [said.id]}
        assert await store.messages_with("default", ["보리"]) == {here.id: [question.id, branch.id]}
        assert await store.messages_with("default", ["cat", "보리", "cat"]) == {here.id: [question.id, branch.id]}
        assert await store.messages_with("default", ["cat", *map(str, range(1500))]) == {here.id: [branch.id]}
        # Neither the words of JSON nor its escapes are text.
        for text in ("type", "text", '"', "\\", "citations", "", "보 리", "BORI"):
            assert await store.messages_with("default", [text]) == {}
        assert await store.messages_with("default", []) == {}

    with_store(tmp_path, work)


def test_the_letter_of_an_escape_is_no_letter_of_the_text(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        chat = await store.create_conversation("default", "", False)
        message = await store.add_message(user(chat.id, None, "b\na\tc\u0001"))
        assert await store.messages_with("default", ["na", "u0001", "\\n"]) == {}
        assert await store.messages_with("default", ["\na"]) == {chat.id: [message.id]}

    with_store(tmp_path, work)


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_what_was_given_to_memory_and_what_tools_said_counts(tmp_path: Path, text: str) -> None:
    async def work(store: Store) -> None:
        chat = await store.create_conversation("default", "", False)
        saves = {"type": "tool_use", "id": "t1", "name": "save_memory", "input": {"key": "k", "value": text}}
        other = {"type": "tool_use", "id": "t2", "name": "calculator", "input": {"expression": text}}
        kept = "Saved: " + json.dumps({"k": text}, ensure_ascii=False)
        result = {"type": "tool_result", "tool_use_id": "t1", "content": kept}
        question = await store.add_message(user(chat.id, None, "Keep it."))
        called = await store.add_message(reply(chat.id, question, saves))
        answered = await store.add_message(user(chat.id, called, result))
        await store.add_message(reply(chat.id, answered, other))
        assert await store.messages_with("default", [text]) == {chat.id: [called.id, answered.id]}

    with_store(tmp_path, work)


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_memos_in_which_a_text_stands_count_until_they_are_taken_back(tmp_path: Path, text: str) -> None:
    async def work(store: Store) -> None:
        chat = await store.create_conversation("default", "", False)
        chain = await add_chain(store, chat.id, ["one", "two"])
        first = compaction_of(chat.id, chain[0].id, summary=f"- {text}.")
        second = compaction_of(chat.id, chain[1].id, summary=text)
        for compaction in (first, second, compaction_of(chat.id, chain[1].id, summary="없음")):
            await store.add_compaction(compaction)
        assert await store.compactions_with("default", [text]) == [first.id, second.id]
        assert await store.compactions_with("other", [text]) == []
        await store.update_compaction(replace(second, state=CompactionState.UNDONE))
        assert await store.compactions_with("default", [text]) == [first.id]
        await store.delete(chat.id)
        assert await store.compactions_with("default", [text]) == []

    with_store(tmp_path, work)
