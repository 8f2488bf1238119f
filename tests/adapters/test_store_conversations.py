"""The list of conversations: order, names, deleting and restoring."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from desktop_app.adapters.store import Store
from desktop_app.adapters.store.tables import ConversationRow
from desktop_app.core.conversation import Conversation, new_id
from desktop_app.core.errors import NotFound
from tests.adapters.store_parts import add_chain, ask, record_of, request_of, with_store

pytestmark = pytest.mark.usefixtures("database")


async def titles(store: Store, profile: str = "default") -> list[str]:
    return [conversation.title for conversation in await store.conversations(profile)]


def test_a_conversation_is_made_named_and_listed_last_used_first(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        first = await store.create_conversation("default", "first", True)
        await store.create_conversation("default", "second", False)
        await store.create_conversation("work", "elsewhere", False)
        assert first.simulated and not first.imported and first.head_id is None
        assert first.created_at == first.updated_at and first.created_at.tzinfo is UTC
        assert await titles(store) == ["second", "first"]
        (message,) = await add_chain(store, first.id, ["hello"])
        await store.rename(first.id, "첫째 대화")
        assert await titles(store) == ["첫째 대화", "second"]
        assert await titles(store, "work") == ["elsewhere"]
        found = await store.conversation(first.id)
        assert found == replace(
            first, title="첫째 대화", head_id=message.id, excerpt="hello", updated_at=found.updated_at
        )
        assert found.updated_at > first.updated_at

    with_store(tmp_path, work)


def test_a_deleted_conversation_leaves_the_list_only(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        chat = await store.create_conversation("default", "gone", False)
        chain = await add_chain(store, chat.id, ["q", "a"])
        await store.delete(chat.id)
        assert await titles(store) == []
        assert (await store.conversation(chat.id)).title == "gone"
        assert await store.path(chat.id) == chain
        (late,) = await add_chain(store, chat.id, ["an answer that was on its way"])
        assert await titles(store) == []
        await store.restore(chat.id)
        assert await titles(store) == ["gone"]
        assert await store.path(chat.id) == [late]

    with_store(tmp_path, work)


def test_what_is_not_there_cannot_be_named_deleted_or_restored(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        for call in (
            store.conversation("x"),
            store.rename("x", "y"),
            store.delete("x"),
            store.restore("x"),
            store.epochs("x"),
            store.requests("x"),
        ):
            with pytest.raises(NotFound) as caught:
                await call
            assert caught.value.params == {"what": "conversation"}

    with_store(tmp_path, work)


@pytest.mark.parametrize(("days", "stays"), [(29, True), (31, False)])
def test_thirty_days_after_deletion_it_is_gone_for_good(database: str, tmp_path: Path, days: int, stays: bool) -> None:
    async def fill(store: Store) -> tuple[Conversation, Conversation]:
        chats = [await store.create_conversation("default", name, False) for name in ("kept", "deleted")]
        for chat in chats:
            own = await add_chain(store, chat.id, ["said in both", f"said in {chat.title} only"])
            for length in (1, 2):
                request = request_of(own[:length])
                await store.save_request(record_of(chat.id, request), request)
        await store.delete(chats[1].id)
        moment = datetime.now(UTC) - timedelta(days=days)

        def age(session: Any) -> None:
            session.get(ConversationRow, chats[1].id).deleted_at = moment

        store.threads._writing(age)
        return chats[0], chats[1]

    kept, deleted = with_store(tmp_path, fill)

    async def look(store: Store) -> None:
        assert [message.text for message in await store.path(kept.id)] == ["said in both", "said in kept only"]
        assert len(await store.requests(kept.id)) == 2
        if stays:
            await store.restore(deleted.id)
            assert [message.text for message in await store.path(deleted.id)][1] == "said in deleted only"
        else:
            with pytest.raises(NotFound):
                await store.restore(deleted.id)

    with_store(tmp_path, look)
    bodies = "".join(body for (body,) in ask(tmp_path, "SELECT body FROM block"))
    assert "said in both" in bodies and ("said in deleted only" in bodies) is stays
    if database == "sqlite":
        assert (b"said in deleted only" in (tmp_path / "mnemoscope.db").read_bytes()) is stays


@pytest.mark.timed
def test_2000_conversations_are_listed_quickly(tmp_path: Path) -> None:
    moment = datetime(2026, 1, 1, tzinfo=UTC)

    def fill(session: Any) -> None:
        session.add_all(
            ConversationRow(
                id=new_id(),
                profile="default",
                title=f"conversation {number}",
                created_at=moment,
                updated_at=moment + timedelta(minutes=number),
                excerpt="word " * 24,
            )
            for number in range(2000)
        )

    async def work(store: Store) -> float:
        store.threads._writing(fill)
        taken = []
        for _ in range(6):  # the best of them tells of the store, the others of what else the machine did
            start = time.perf_counter()
            found = await store.conversations("default")
            taken.append(time.perf_counter() - start)
        seconds = min(taken)
        assert [chat.title for chat in found] == [f"conversation {number}" for number in reversed(range(2000))]
        return seconds

    seconds = with_store(tmp_path, work)
    print(f"list of 2,000 conversations: {seconds * 1000:.0f} ms")
    assert seconds < 0.3
