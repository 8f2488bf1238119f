"""Full text of messages: found by words, phrases and letters, in step with what is written and purged."""

from __future__ import annotations

import asyncio
import time
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from desktop_app.adapters.store import Store
from desktop_app.core.archive import ArchiveHit
from desktop_app.core.conversation import Block, Message, MessageState, Origin, Role, text_block
from desktop_app.core.importing import ImportedConversation, ImportedMessage
from desktop_app.core.request_log import RequestState
from tests.adapters.store_parts import (
    add_chain,
    ask,
    opened,
    record_of,
    reply,
    request_of,
    streaming,
    user,
    with_store,
)

pytestmark = pytest.mark.usefixtures("database")

P = "default"
CALL: Block = {"type": "tool_use", "id": "toolu_1", "name": "read_file", "input": {"path": "/srv/백업/restic.log"}}
RESULT: Block = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "snapshot 9f3ab27c saved"}


async def hits(
    store: Store, query: str, limit: int = 8, within: str | None = None, profile: str = P
) -> list[ArchiveHit]:
    return list((await store.search_messages(profile, query, limit, within)).hits)


async def texts(store: Store, query: str, within: str | None = None) -> list[str]:
    return [hit.excerpt for hit in await hits(store, query, 8, within)]


async def new_chat(store: Store, said: Sequence[str], profile: str = P) -> tuple[str, list[Message]]:
    chat = await store.create_conversation(profile, "", False)
    return chat.id, await add_chain(store, chat.id, said)


SAID = [
    "Where does the backup go?",
    "To the bucket b2:mn-offsite-eu, every night.",
    "비밀번호는 3월에 바꿨어요.",
    "고양이 보리가 산책을 다녀왔습니다.",
    "Set MAX_UPLOAD_MB=250 in /etc/mnemo/app-prod.toml",
    "The offsite copy, mn and eu: all fine.",
    "돈보다 시간",
    "강아지는 초코🐶, 셋이 산다 👩‍👩‍👧",
]


@pytest.mark.parametrize(
    ("query", "places"),
    [
        ("backups", [0]),
        ("b2:mn-offsite-eu", [1]),
        ("mn-offsite-eu로", [1]),
        ("mn-offs", [1]),
        ("비밀번호가 뭐였지", [2]),
        ("산책", [3]),
        ("max_upload_mb", [4]),
        ("app-prod.toml", [4]),
        ("/etc/mnemo", [4]),
        ("ffsit", [5, 1]),
        ('"all fine"', [5]),
        ("돈", [6]),
        ("🐶", [7]),
        ("초코🐶", [7]),
        ("👩‍👩‍👧 🐶", [7]),
        ("🐱", []),
        ("the", []),
        ("우주정거장", []),
        ("", []),
        ("\0\"'*()", []),
        ("NOT backup", [0]),
    ],
)
def test_messages_are_found(tmp_path: Path, query: str, places: list[int]) -> None:
    async def work(store: Store) -> None:
        chat_id, chain = await new_chat(store, SAID)
        for form in ("NFC", "NFD"):
            found = await hits(store, unicodedata.normalize(form, query))  # type: ignore[arg-type]
            assert [hit.message_id for hit in found] == [chain[place].id for place in places]
            for hit, place in zip(found, places, strict=True):
                assert (hit.conversation_id, hit.number, hit.turn) == (chat_id, place + 1, place // 2 + 1)
                assert (hit.role, hit.created_at) == (chain[place].role, chain[place].created_at)
                assert hit.score > 0 and hit.tool is None

    with_store(tmp_path, work)


def test_decomposed_text_is_found_and_the_find_is_marked(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        await new_chat(store, [unicodedata.normalize("NFD", "비밀번호는 ÉCOLE-7입니다")])
        for query in ("비밀번호", "école-7", unicodedata.normalize("NFD", "école-7")):
            (hit,) = await hits(store, query)
            start, end = hit.found
            assert hit.excerpt[start:end].lower() == unicodedata.normalize("NFC", query)

    with_store(tmp_path, work)


def test_tools_are_found_by_what_they_were_given_and_what_they_said(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        chat = await store.create_conversation(P, "", False)
        question = await store.add_message(user(chat.id, None, "Please look."))
        thinking = {"type": "thinking", "thinking": "hidden thought 🐶", "signature": "Eo="}
        called = await store.add_message(reply(chat.id, question, thinking, "One moment.", CALL))
        image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "hiddenBytes"}}
        told = {**RESULT, "content": [text_block("snapshot 9f3ab27c saved"), image]}
        await store.add_message(replace(user(chat.id, called, told), origin=Origin.TOOL_RESULTS))
        (given,) = await hits(store, "restic.log")
        assert (given.role, given.tool, given.tool_use_id, given.turn, given.number) == (
            Role.ASSISTANT,
            "read_file",
            "toolu_1",
            1,
            2,
        )
        (said,) = await hits(store, "9f3ab27c")
        assert (said.role, said.tool, said.tool_use_id, said.turn, said.number) == (
            Role.USER,
            "read_file",
            "toolu_1",
            1,
            3,
        )
        assert said.excerpt == "snapshot 9f3ab27c saved [image]"
        assert (await hits(store, "moment"))[0].tool is None
        assert await hits(store, "hidden thought hiddenBytes") == []
        assert await hits(store, "🐶") == []

    with_store(tmp_path, work)


def test_only_conversations_of_the_profile_that_are_not_deleted(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        first, _ = await new_chat(store, ["red needle"])
        second, _ = await new_chat(store, ["blue needle"])
        await new_chat(store, ["green needle"], "work")
        assert sorted(await texts(store, "needle")) == ["blue needle", "red needle"]
        assert await texts(store, "needle", second) == ["blue needle"]
        assert await texts(store, "eedl", second) == ["blue needle"]
        assert [hit.excerpt for hit in await hits(store, "needle", profile="work")] == ["green needle"]
        await store.delete(first)
        assert await texts(store, "needle") == ["blue needle"]
        assert await texts(store, "needle", first) == await texts(store, "eedl", first) == []
        await store.restore(first)
        assert len(await texts(store, "needle")) == 2

    with_store(tmp_path, work)


def test_a_reply_is_found_when_it_has_ended_and_as_it_ended(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        chat_id, chain = await new_chat(store, ["hello"])
        request = request_of(chain)
        record = record_of(chat_id, request)
        await store.save_request(record, request)
        half = await store.add_message(streaming(chat_id, chain[0], "early words", request_id=record.id))
        await store.flush_partial(replace(half, blocks=(text_block("later words"),)))
        assert await texts(store, "words") == []
        ended = replace(half, blocks=(text_block("last words"),), state=MessageState.COMPLETE)
        await store.finish(ended, replace(record, state=RequestState.ANSWERED))
        assert await texts(store, "words") == ["last words"]
        assert await texts(store, "early") == await texts(store, "later") == []
        after = await store.add_message(user(chat_id, ended, "thanks"))
        (hit,) = await hits(store, "thanks")
        assert (hit.message_id, hit.number, hit.turn) == (after.id, 3, 2)

    with_store(tmp_path, work)


def test_an_interrupted_reply_is_found_by_what_came_of_it(tmp_path: Path) -> None:
    async def begin(store: Store) -> None:
        chat_id, chain = await new_chat(store, ["hello"])
        half = await store.add_message(streaming(chat_id, chain[0], "early words"))
        await store.flush_partial(replace(half, blocks=(text_block("later words"),)))

    async def go_on(store: Store) -> None:
        assert await texts(store, "later") == []
        assert await store.mark_interrupted() == 1
        assert await texts(store, "later") == ["later words"]

    with_store(tmp_path, begin)
    with_store(tmp_path, go_on)


def test_numbers_count_along_the_path_of_each_branch(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        chat_id, chain = await new_chat(store, ["one", "two", "three", "four"])
        other = await store.add_message(reply(chat_id, chain[0], "another answer"))
        below = await store.add_message(user(chat_id, other, "another question"))
        found = {hit.message_id: (hit.number, hit.turn) for hit in await hits(store, "another four")}
        assert found == {other.id: (2, 1), below.id: (3, 2), chain[3].id: (4, 2)}

    with_store(tmp_path, work)


def test_imported_messages_are_found_at_once(tmp_path: Path) -> None:
    def exported(*said: str) -> ImportedConversation:
        return ImportedConversation(
            "s1",
            "old",
            tuple(
                ImportedMessage(f"m{place}", Role.ASSISTANT if place % 2 else Role.USER, (text_block(text),), None)
                for place, text in enumerate(said)
            ),
            None,
        )

    async def work(store: Store) -> None:
        await store.import_conversations(P, [exported("first needle", "an answer")])
        await store.import_conversations(P, [exported("first needle", "an answer", "second needle")])
        found = {hit.excerpt: (hit.number, hit.turn) for hit in await hits(store, "needle")}
        assert found == {"first needle": (1, 1), "second needle": (3, 2)}

    with_store(tmp_path, work)


@pytest.mark.of_file
def test_a_purge_leaves_no_word_behind(tmp_path: Path) -> None:
    async def write(store: Store) -> str:
        chat_id, _ = await new_chat(store, ["zanzibarquux stays a secret", "ok"])
        await new_chat(store, ["the other stays"])
        await store.delete(chat_id)
        return chat_id

    gone = with_store(tmp_path, write)
    ask(tmp_path, f"UPDATE conversation SET deleted_at = '2026-01-01T00:00:00.000000+00:00' WHERE id = '{gone}'")
    with_store(tmp_path, lambda store: store.data_version())
    assert ask(tmp_path, "SELECT words FROM message_words") == [("the other stays",)]
    ask(tmp_path, "PRAGMA wal_checkpoint(TRUNCATE)")
    assert b"zanzibarquux" not in (tmp_path / "mnemoscope.db").read_bytes()
    assert ask(tmp_path, "INSERT INTO message_words (message_words) VALUES ('integrity-check')") == []
    assert with_store(tmp_path, lambda store: hits(store, "stays"))[0].excerpt == "the other stays"


def test_a_word_met_by_chance_is_no_answer_beside_a_good_one(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        filler = [f"the server report number {number}" for number in range(30)]
        await new_chat(store, [*filler, "the zebra crossed the server room at midnight"])
        assert await texts(store, "zebra midnight server") == ["the zebra crossed the server room at midnight"]

    with_store(tmp_path, work)


def test_a_title_of_stop_words_alone_is_told_by_its_quotation_marks(tmp_path: Path) -> None:
    async def test(store: Store) -> None:
        said = [f"That is what it was, number {number}." for number in range(20)]
        await new_chat(store, [*said[:10], 'I saw "That" last night.', *said[10:]])
        assert await texts(store, "That") == ['I saw "That" last night.']
        assert await texts(store, "it was") == []

    with_store(tmp_path, test)


def test_results_of_a_call_by_its_id(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        chat_id, chain = await new_chat(store, ["hello", 'a text with "tool_use_id":"toolu_1" in it'])
        first = await store.add_message(user(chat_id, chain[1], {**RESULT, "content": "first"}))
        second = await store.add_message(
            user(chat_id, first, {**RESULT, "content": "second"}, {**RESULT, "tool_use_id": "toolu_12"})
        )
        other, _ = await new_chat(store, ["hello"])
        found = await store.tool_results(chat_id, "toolu_1")
        assert [(message_id, block["content"]) for message_id, block in found] == [
            (first.id, "first"),
            (second.id, "second"),
        ]
        assert await store.tool_results(other, "toolu_1") == await store.tool_results(chat_id, "toolu_") == []

    with_store(tmp_path, work)


def test_messages_of_an_earlier_version_are_found_little_by_little(tmp_path: Path) -> None:
    async def write(store: Store) -> None:
        await new_chat(store, [f"needle {number}" for number in range(6)])

    async def work(store: Store) -> None:
        found = await store.search_messages(P, "needle", 8)
        assert (found.hits, found.left) == ((), 6)
        assert [await store.index_messages(4), await store.index_messages(4), await store.index_messages(4)] == [
            2,
            0,
            0,
        ]
        found = await store.search_messages(P, "needle", 8)
        assert found.left == 0
        assert {(hit.excerpt, hit.number, hit.turn) for hit in found.hits} == {
            (f"needle {number}", number + 1, number // 2 + 1) for number in range(6)
        }

    with_store(tmp_path, write)
    ask(tmp_path, "INSERT INTO message_unindexed SELECT number FROM message")
    ask(tmp_path, "DELETE FROM message_words")
    with_store(tmp_path, work)


QUERIES = ("id-001234", "part-1999.tar", "0777", "백업 비밀번호", "report on server word7", "nothing zzqq", "서버")


@pytest.mark.timed
@pytest.mark.parametrize(("count", "most"), [(2_000, 0.03)])
def test_a_search_in_a_long_conversation_takes_no_time(tmp_path: Path, count: int, most: float) -> None:
    async def work(store: Store) -> None:
        said = (
            f"백업 서버 {number % 97}의 비밀번호 report on the server word{number % 50} id-{number:06} "
            f"/srv/data/part-{number}.tar.gz {'lorem ipsum dolor ' * 15}"
            for number in range(count)
        )
        messages = tuple(
            ImportedMessage(f"m{place}", Role.ASSISTANT if place % 2 else Role.USER, (text_block(text),), None)
            for place, text in enumerate(said)
        )
        await store.import_conversations(P, [ImportedConversation("s", "long", messages, None)])
        for query in QUERIES:
            times = []
            for _ in range(5):
                begun = time.perf_counter()
                await store.search_messages(P, query, 8)
                times.append(time.perf_counter() - begun)
            assert min(times) < most, query

    with_store(tmp_path, work)


def test_two_searches_at_once_and_a_write_between(tmp_path: Path) -> None:
    async def run() -> None:
        async with opened(tmp_path) as one, opened(tmp_path) as other:
            chat_id, chain = await new_chat(one, ["needle one"])
            assert len(await hits(other, "needle")) == 1
            await other.add_message(reply(chat_id, chain[0], "needle two"))
            assert len(await hits(one, "needle")) == 2

    asyncio.run(run())
