"""Importing again, growing exports, local changes and deletions in between."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from desktop_app.adapters.claude_export import read_export
from desktop_app.adapters.store import Store
from desktop_app.adapters.store.tables import ConversationRow
from desktop_app.core.conversation import Conversation, MessageState, Origin, Role, text_block
from desktop_app.core.importing import ImportedConversation, ImportedMessage, ImportReport
from tests.adapters.store_parts import ask, opened, reply, user, with_store

pytestmark = pytest.mark.usefixtures("database")

DATA = Path(__file__).parent / "data"
NOON = datetime(2025, 7, 1, 12, tzinfo=UTC)


def said(*texts: str, start: int = 0) -> tuple[ImportedMessage, ...]:
    """Question and answer in turn, a second apart, ids by place."""
    return tuple(
        ImportedMessage(
            f"msg-{place}",
            Role.ASSISTANT if place % 2 else Role.USER,
            (text_block(text),),
            NOON + timedelta(seconds=place),
        )
        for place, text in enumerate(texts, start=start)
    )


def exported(*texts: str, source_id: str = "s1", title: str = "chat") -> ImportedConversation:
    return ImportedConversation(source_id, title, said(*texts), NOON)


async def only(store: Store) -> Conversation:
    (conversation,) = await store.conversations("default")
    return conversation


async def texts(store: Store, conversation_id: str) -> list[str]:
    return [message.text for message in await store.path(conversation_id)]


async def bring(store: Store, *conversations: ImportedConversation) -> ImportReport:
    return await store.import_conversations("default", conversations)


def test_the_exports_of_one_account_over_time(tmp_path: Path) -> None:
    async def file(store: Store, name: str) -> ImportReport:
        return await store.import_conversations("default", read_export(DATA / name)[0])

    async def work(store: Store) -> None:
        assert await file(store, "again_v1.json") == ImportReport(3, 0, 6, 0, 0)
        assert await file(store, "again_v1.json") == ImportReport(0, 0, 0, 3, 0)
        assert await file(store, "again_v1.zip") == ImportReport(0, 0, 0, 3, 0)
        removed = next(c for c in await store.conversations("default") if c.title == "removed later")
        assert await file(store, "again_v2.json") == ImportReport(1, 1, 4, 1, 0)
        grown = next(c for c in await store.conversations("default") if c.title == "grows")
        assert await texts(store, grown.id) == ["first", "reply", "more", "more reply"]
        assert grown.excerpt == "more reply"
        assert await file(store, "again_v1.json") == ImportReport(0, 0, 0, 3, 0)
        assert sorted(c.title for c in await store.conversations("default")) == [
            "brand new",
            "grows",
            "removed later",
            "stays",
        ]
        assert ask(tmp_path, "SELECT count(*) FROM message") == [(10,)]
        await store.delete(removed.id)
        assert await file(store, "again_v1.json") == ImportReport(0, 0, 0, 2, 1)
        assert len(await store.conversations("default")) == 3

    with_store(tmp_path, work)


def test_an_imported_conversation_looks_as_it_was(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        await bring(store, exported("질문", "대답", title="제목"))
        chat = await only(store)
        assert chat.imported and not chat.simulated
        assert (chat.title, chat.excerpt, chat.created_at) == ("제목", "대답", NOON)
        assert chat.updated_at == NOON + timedelta(seconds=1)
        question, answer = await store.path(chat.id)
        assert (question.role, question.origin, question.state) == (
            Role.USER,
            Origin.TYPED,
            MessageState.COMPLETE,
        )
        assert (answer.role, answer.origin, answer.created_at) == (
            Role.ASSISTANT,
            Origin.REPLY,
            NOON + timedelta(seconds=1),
        )
        assert await store.mark_interrupted() == 0

    with_store(tmp_path, work)


def test_unknown_times_stay_unknown_and_are_listed_last(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        await store.import_conversations("default", read_export(DATA / "timezones.json")[0])
        found = await store.conversations("default")
        assert [chat.title for chat in found] == [
            "future",
            "DST NY 2",
            "DST NY 1",
            "naive",
            "offset",
            "00:30 KST July 2",
            "23:30 KST July 1",
            "epoch0",
            "null",
        ]
        assert [message.created_at for message in await store.path(found[-1].id)] == [None, None]
        by_title = {chat.title: chat.created_at for chat in found}
        assert (found[-1].created_at, found[-1].updated_at) == (None, None)
        assert by_title["epoch0"] == datetime(1970, 1, 1, tzinfo=UTC)
        assert by_title["naive"] == datetime(2025, 7, 2, 9, tzinfo=UTC)
        assert by_title["offset"] == datetime(2025, 7, 2, 0, tzinfo=UTC)

    with_store(tmp_path, work)


def test_a_conversation_continued_here_keeps_its_path_and_gets_the_rest_as_a_branch(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        await bring(store, exported("q", "a"))
        chat = await only(store)
        mine = await store.add_message(user(chat.id, (await store.path(chat.id))[-1], "my own"))
        used = (await only(store)).updated_at
        longer = exported("q", "a", "q2", "a2")
        assert await bring(store, longer) == ImportReport(0, 1, 2, 0, 0)
        assert await texts(store, chat.id) == ["q", "a", "my own"]
        assert (await only(store)).updated_at == used
        (branch,) = await store.branches(chat.id)
        assert branch.message_id == mine.id and len(branch.siblings) == 2
        assert await bring(store, longer) == ImportReport(0, 0, 0, 1, 0)
        await store.move_head(chat.id, await store.tip_below(branch.siblings[1]))
        assert await texts(store, chat.id) == ["q", "a", "q2", "a2"]
        assert await bring(store, exported("q", "a", "q2", "a2", "q3")) == ImportReport(0, 1, 1, 0, 0)
        assert await texts(store, chat.id) == ["q", "a", "q2", "a2", "q3"]

    with_store(tmp_path, work)


def test_a_conversation_edited_here_is_not_overwritten(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        await bring(store, exported("q", "a"))
        chat = await only(store)
        edited = await store.add_message(user(chat.id, None, "q, edited"))
        await store.add_message(reply(chat.id, edited, "another answer"))
        await store.rename(chat.id, "my title")
        await bring(store, exported("q", "a", "q2", title="their title"))
        assert await texts(store, chat.id) == ["q, edited", "another answer"]
        assert (await only(store)).title == "my title"

    with_store(tmp_path, work)


def test_a_message_edited_at_the_source_becomes_a_branch(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        await bring(store, exported("q", "a", "q2", "a2"))
        changed = exported("q", "a", "q2, edited there", "new answer")
        assert await bring(store, changed) == ImportReport(0, 1, 2, 0, 0)
        assert await bring(store, changed) == ImportReport(0, 0, 0, 1, 0)
        chat = await only(store)
        assert await texts(store, chat.id) == ["q", "a", "q2", "a2"]
        assert ask(tmp_path, "SELECT count(*) FROM message") == [(6,)]

    with_store(tmp_path, work)


def test_someone_who_went_back_is_left_where_they_are(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        await bring(store, exported("q", "a", "q2", "a2"))
        chat = await only(store)
        await store.move_head(chat.id, (await store.path(chat.id))[1].id)
        await bring(store, exported("q", "a", "q2", "a2", "q3"))
        assert await texts(store, chat.id) == ["q", "a"]
        await bring(store, exported("q", "a", "other", "end"))
        assert await texts(store, chat.id) == ["q", "a"]

    with_store(tmp_path, work)


def test_what_was_deleted_stays_deleted_even_when_it_is_gone_for_good(tmp_path: Path) -> None:
    async def begin(store: Store) -> None:
        await bring(store, exported("q", "a"))
        chat = await only(store)
        await store.delete(chat.id)
        assert await bring(store, exported("q", "a", "q2")) == ImportReport(0, 0, 0, 0, 1)

        def age(session: Any) -> None:
            session.get(ConversationRow, chat.id).deleted_at = datetime.now(UTC) - timedelta(days=31)

        store.threads._writing(age)

    async def again(store: Store) -> None:
        assert ask(tmp_path, "SELECT count(*) FROM message") == [(0,)]
        assert await bring(store, exported("q", "a")) == ImportReport(0, 0, 0, 0, 1)
        assert await store.conversations("default") == []
        assert await store.import_conversations("work", [exported("q", "a")]) == ImportReport(1, 0, 2, 0, 0)

    with_store(tmp_path, begin)
    with_store(tmp_path, again)


def test_a_restored_conversation_grows_again(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        await bring(store, exported("q", "a"))
        chat = await only(store)
        await store.delete(chat.id)
        await store.restore(chat.id)
        assert await bring(store, exported("q", "a", "q2")) == ImportReport(0, 1, 1, 0, 0)

    with_store(tmp_path, work)


def test_an_import_that_was_broken_off_is_completed_by_the_next(tmp_path: Path) -> None:
    chats = [exported("q", "a", source_id=f"s{number}", title=f"t{number}") for number in range(50)]

    async def work() -> None:
        async with opened(tmp_path) as store:
            task = asyncio.ensure_future(bring(store, *chats))
            while not await store.conversations("default"):
                pass
            task.cancel()
            await asyncio.wait([task])
        async with opened(tmp_path) as store:
            here = len(await store.conversations("default"))
            assert 0 < here < 50
            report = await bring(store, *chats)
            assert (report.conversations_added, report.unchanged) == (50 - here, here)
            assert len(await store.conversations("default")) == 50

    asyncio.run(work())
    assert ask(tmp_path, "SELECT count(*) FROM message") == [(100,)]


def test_text_is_kept_to_the_byte_and_cache_marks_are_not(tmp_path: Path) -> None:
    marked = {"type": "text", "text": "nfd \u1112\u1161\u11ab\n", "cache_control": {"type": "ephemeral"}}
    inner = {"type": "tool_result", "tool_use_id": "t", "content": [{**marked}], "cache_control": {"a": 1}}
    chat = ImportedConversation("s", "", (ImportedMessage("m", Role.USER, (marked, inner)),))

    async def work(store: Store) -> None:
        assert await bring(store, chat) == ImportReport(1, 0, 1, 0, 0)
        unmarked = replace(
            chat,
            messages=(replace(chat.messages[0], blocks=({"type": "text", "text": marked["text"]}, inner)),),
        )
        assert await bring(store, unmarked) == ImportReport(0, 0, 0, 1, 0)
        found = await only(store)
        assert found.title == "nfd \u1112\u1161\u11ab"
        assert (await store.path(found.id))[0].blocks == (
            {"type": "text", "text": "nfd \u1112\u1161\u11ab\n"},
            {
                "type": "tool_result",
                "tool_use_id": "t",
                "content": [{"type": "text", "text": "nfd \u1112\u1161\u11ab\n"}],
            },
        )

    with_store(tmp_path, work)


def test_the_same_message_ids_in_two_conversations_are_two_messages(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        await bring(store, exported("same", "words"), exported("same", "words", source_id="s2"))
        assert await bring(store, exported("same", "words", "and more", source_id="s2")) == ImportReport(0, 1, 1, 0, 0)
        lengths = sorted([len(await store.path(chat.id)) for chat in await store.conversations("default")])
        assert lengths == [2, 3]

    with_store(tmp_path, work)
