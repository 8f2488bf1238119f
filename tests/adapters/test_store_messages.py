"""The tree of messages: paths, branches, streaming and finishing, bodies kept to the byte."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psutil
import pytest

from desktop_app.adapters.store import Store, conversations, messages, owners
from desktop_app.core.conversation import Message, MessageState, Origin, text_block, to_json
from desktop_app.core.errors import NotFound
from desktop_app.core.ports import Branches
from desktop_app.core.request_log import RequestState
from desktop_app.core.usage import Usage
from tests.adapters.store_parts import (
    add_chain,
    ask,
    record_of,
    reply,
    request_of,
    streaming,
    user,
    with_store,
)

pytestmark = pytest.mark.usefixtures("database")

BODIES = [
    {"type": "thinking", "thinking": "흠 …", "signature": "Eo=+/"},
    {"type": "text", "text": '한글 \u1112\u1161\u11ab é e\u0301 👩‍👩‍👧 \u0000\u2028\x7f "quoted" \\ /'},
    {"zeta": 1, "alpha": [1.0, 1e300, -0.0, 2**70, True, None], "type": "tool_use", "id": "toolu_1"},
]


def test_messages_come_back_equal_and_their_bodies_stand_on_the_disk_as_they_are_sent(
    database: str, tmp_path: Path
) -> None:
    async def write(store: Store) -> tuple[str, list[Message]]:
        chat = await store.create_conversation("default", "", False)
        question = await store.add_message(user(chat.id, None, *BODIES))
        answer = reply(
            chat.id, question, "yes", model="m", epoch=3, request_id="r", stop_reason="end_turn", seconds=1.25
        )
        return chat.id, [question, await store.add_message(answer)]

    chat_id, added = with_store(tmp_path, write)

    async def read(store: Store) -> tuple[list[Message], Message]:
        return await store.path(chat_id), await store.message(added[0].id)

    assert with_store(tmp_path, read) == (added, added[0])
    assert added[0].created_at is not None and added[0].created_at.tzinfo is UTC
    stored = {body for (body,) in ask(tmp_path, "SELECT body FROM block")}
    assert stored == {to_json(block) for block in [*BODIES, text_block("yes")]}
    if database == "sqlite":
        assert all(to_json(block).encode() in whole_file(tmp_path) for block in BODIES)


def whole_file(folder: Path) -> bytes:
    return (folder / "mnemoscope.db").read_bytes()


def test_half_a_surrogate_pair_does_not_lose_the_message(tmp_path: Path) -> None:
    async def work(store: Store) -> str:
        chat = await store.create_conversation("default", "", False)
        await store.add_message(user(chat.id, None, "a\ud83d b \ud83d\ude00 c"))
        return (await store.path(chat.id))[0].text

    assert with_store(tmp_path, work) == "a\ufffd b 😀 c"


def test_order_does_not_come_from_the_clock(tmp_path: Path) -> None:
    noon = datetime(2026, 1, 1, 12, tzinfo=UTC)

    async def work(store: Store) -> list[str]:
        chat = await store.create_conversation("default", "", False)
        first = await store.add_message(replace(user(chat.id, None, "first"), created_at=noon))
        early = noon - timedelta(hours=1)
        second = await store.add_message(replace(reply(chat.id, first, "second"), created_at=early))
        await store.add_message(replace(user(chat.id, second, "third"), created_at=early))
        return [message.text for message in await store.path(chat.id)]

    assert with_store(tmp_path, work) == ["first", "second", "third"]


def test_edits_and_repeats_are_branches(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        chat = await store.create_conversation("default", "", False)
        first, answer, again = await add_chain(store, chat.id, ["q", "a", "q2"])
        other_answer = await store.add_message(reply(chat.id, first, "a'"))
        other_first = await store.add_message(user(chat.id, None, "edited"))
        assert await store.path(chat.id) == [other_first]
        assert await store.branches(chat.id) == [Branches(other_first.id, (first.id, other_first.id))]
        assert await store.tip_below(first.id) == other_answer.id
        assert await store.tip_below(answer.id) == again.id
        assert await store.tip_below(again.id) == again.id
        await store.move_head(chat.id, await store.tip_below(answer.id))
        assert await store.path(chat.id) == [first, answer, again]
        assert await store.branches(chat.id) == [
            Branches(first.id, (first.id, other_first.id)),
            Branches(answer.id, (answer.id, other_answer.id)),
        ]
        assert await store.path_ids(chat.id) == [first.id, answer.id, again.id]
        await store.move_head(chat.id, None)
        assert await store.path(chat.id) == await store.path_ids(chat.id) == []
        assert await store.branches(chat.id) == []

    with_store(tmp_path, work)


def test_what_does_not_exist_is_said_and_changes_nothing(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        chat = await store.create_conversation("default", "", False)
        other = await store.create_conversation("default", "", False)
        stranger = await store.add_message(user(other.id, None, "elsewhere"))
        own = await store.add_message(user(chat.id, None, "here"))
        for call in (
            store.add_message(user("nowhere", None, "x")),
            store.add_message(user(chat.id, stranger, "x")),
            store.move_head(chat.id, stranger.id),
            store.move_head(chat.id, "nothing"),
            store.message("nothing"),
            store.tip_below("nothing"),
            store.path("nowhere"),
            store.path_ids("nowhere"),
            store.flush_partial(streaming(chat.id, own, "x")),
            store.finish(own, record_of(chat.id, request_of([own]))),
        ):
            with pytest.raises(NotFound):
                await call
        assert await store.path(chat.id) == [own]

    with_store(tmp_path, work)


def test_a_streaming_answer_is_replaced_until_it_ends(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        chat = await store.create_conversation("default", "", False)
        question = await store.add_message(user(chat.id, None, "q"))
        request = request_of([question])
        record = record_of(chat.id, request)
        await store.save_request(record, request)
        answer = await store.add_message(streaming(chat.id, question, request_id=record.id))
        for text in ("one", "one two", "one two three"):
            await store.flush_partial(replace(answer, blocks=(text_block(text),)))
            assert (await store.message(answer.id)).text == text
        assert {body for (body,) in ask(tmp_path, "SELECT body FROM block")} == {
            to_json(text_block(text)) for text in ("q", "be kind", "one two three")
        }
        assert (await store.conversations("default"))[0].excerpt == "q"
        ended = replace(
            answer,
            blocks=(text_block("one two three four"),),
            state=MessageState.COMPLETE,
            stop_reason="end_turn",
            seconds=2.5,
        )
        known = replace(record, state=RequestState.ANSWERED, usage=Usage(uncached=9, output=4), seconds=2.5)
        await store.finish(ended, known)
        await store.flush_partial(replace(answer, blocks=(text_block("too late"),)))
        assert await store.path(chat.id) == [question, ended]
        assert await store.requests(chat.id) == [known]
        assert (await store.conversations("default"))[0].excerpt == "one two three four"

    with_store(tmp_path, work)


def test_finish_is_one_transaction_and_leaves_the_head_where_the_person_went(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        chat = await store.create_conversation("default", "", False)
        question = await store.add_message(user(chat.id, None, "q"))
        answer = await store.add_message(streaming(chat.id, question, "partial"))
        await store.move_head(chat.id, question.id)
        unsaved = record_of(chat.id, request_of([question]))
        ended = replace(answer, state=MessageState.COMPLETE)
        with pytest.raises(NotFound):
            await store.finish(ended, unsaved)
        assert (await store.message(answer.id)).state is MessageState.STREAMING
        await store.save_request(unsaved, request_of([question]))
        await store.finish(ended, replace(unsaved, state=RequestState.STOPPED))
        assert (await store.conversation(chat.id)).head_id == question.id
        assert (await store.message(answer.id)).state is MessageState.COMPLETE

    with_store(tmp_path, work)


def test_what_a_former_run_left_open_becomes_interrupted_and_live_streams_do_not(tmp_path: Path) -> None:
    async def begin(store: Store) -> tuple[str, Message]:
        chat = await store.create_conversation("default", "", False)
        question = await store.add_message(user(chat.id, None, "q"))
        request = request_of([question])
        record = record_of(chat.id, request)
        await store.save_request(record, request)
        answer = await store.add_message(streaming(chat.id, question, "half", request_id=record.id))
        assert await store.mark_interrupted() == 0
        return chat.id, answer

    chat_id, left = with_store(tmp_path, begin)

    async def again(store: Store) -> None:
        live = await store.add_message(streaming(chat_id, left, "still coming"))
        assert await store.mark_interrupted() == 1
        assert await store.message(left.id) == replace(left, state=MessageState.INTERRUPTED)
        assert (await store.message(live.id)).state is MessageState.STREAMING
        assert [record.state for record in await store.requests(chat_id)] == [RequestState.STOPPED]
        assert await store.mark_interrupted() == 0

    with_store(tmp_path, again)


def test_a_process_number_that_was_given_again_is_not_its_former_owner() -> None:
    own = owners.this_owner()
    pid, started, mark = own.split(":")
    assert owners.lives(own, own)
    assert not owners.lives(f"{pid}:{started}:other", own)
    parent = psutil.Process(os.getppid())
    assert owners.lives(f"{parent.pid}:{parent.create_time()}:x", own)
    assert not owners.lives(f"{parent.pid}:{parent.create_time() - 60}:x", own)
    assert not owners.lives(f"{2**22 + 1}:{started}:{mark}", own)
    assert not owners.lives(None, own)


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["first", "second"], "second"),
        (["shown", "\n\n \u3164"], "shown"),
        (["   two\n  lines\twith   gaps "], "two lines with gaps"),
        (["가" * 500], "가" * 120),
        (["\u200b"], ""),
    ],
)
def test_the_excerpt_is_the_start_of_the_last_visible_text(tmp_path: Path, texts: list[str], expected: str) -> None:
    async def work(store: Store) -> tuple[str, str]:
        chat = await store.create_conversation("default", "", False)
        await add_chain(store, chat.id, texts)
        return (await store.conversations("default"))[0].excerpt, (await store.conversation(chat.id)).excerpt

    assert with_store(tmp_path, work) == (expected, expected)


def test_the_excerpt_follows_the_path_in_use(tmp_path: Path) -> None:
    async def work(store: Store) -> list[str]:
        chat = await store.create_conversation("default", "", False)
        first, _ = await add_chain(store, chat.id, ["q", "a"])
        result = user(chat.id, first, {"type": "tool_result", "tool_use_id": "t", "content": "hidden"})
        excerpts = []
        for step in (
            store.move_head(chat.id, first.id),
            store.add_message(replace(result, origin=Origin.TOOL_RESULTS)),
            store.move_head(chat.id, None),
        ):
            await step
            excerpts.append((await store.conversation(chat.id)).excerpt)
        return excerpts

    assert with_store(tmp_path, work) == ["q", "q", ""]


def long_conversation(store: Store, count: int) -> str:
    """A chain written in one transaction."""

    def work(session: Any) -> str:
        chat = conversations.create(session, "default", "long", False)
        chain: list[Message] = []
        for number in range(count):
            make = reply if number % 2 else user
            blocks = [f"message {number} " + "words " * 40, *([f"part {number}"] if number % 2 else [])]
            chain.append(make(chat.id, chain[-1] if chain else None, *blocks))
        messages.write(session, store._key, chain)
        conversations.set_head(session, chat.id, chain[-1].id)
        return chat.id

    return store.threads._writing(work)


@pytest.mark.timed
def test_a_path_of_5000_messages_opens_quickly(tmp_path: Path) -> None:
    async def work(store: Store) -> float:
        chat_id = long_conversation(store, 5000)
        taken = []
        for _ in range(6):  # the best of them tells of the store, the others of what else the machine did
            start = time.perf_counter()
            path = await store.path(chat_id)
            taken.append(time.perf_counter() - start)
        seconds = min(taken)
        assert [message.text.split()[1] for message in path] == [str(number) for number in range(5000)]
        assert await store.tip_below(path[0].id) == path[-1].id
        assert await store.branches(chat_id) == []
        return seconds

    seconds = with_store(tmp_path, work)
    print(f"path of 5,000 messages: {seconds * 1000:.0f} ms")
    assert seconds < 0.3


@pytest.mark.of_file
def test_a_very_long_conversation_can_be_purged(tmp_path: Path) -> None:
    async def fill(store: Store) -> None:
        await store.delete(long_conversation(store, 5000))

    with_store(tmp_path, fill)
    old = (datetime.now(UTC) - timedelta(days=31)).isoformat(timespec="microseconds")

    ask(tmp_path, f"UPDATE conversation SET deleted_at = '{old}'")

    async def look(store: Store) -> None:
        assert await store.conversations("default") == []

    with_store(tmp_path, look)
    for table in ("conversation", "message", "message_block", "block"):
        assert ask(tmp_path, f"SELECT count(*) FROM {table}") == [(0,)]
