"""The blocks of a sent request lead to the messages they came from, in time for a slider over a thousand turns."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from desktop_app.adapters.store import Store
from desktop_app.core.conversation import Message, Role, text_block
from desktop_app.core.errors import NotFound
from desktop_app.core.importing import ImportedConversation, ImportedMessage
from desktop_app.core.request import RequestMessage
from desktop_app.services.context_view import ContextView
from tests.adapters.store_parts import add_chain, record_of, reply, request_of, user, with_store

pytestmark = pytest.mark.usefixtures("database")


async def sent(store: Store, talk: str, path: list[Message], **fields: Any) -> str:
    """Keeps the request of a path; its id."""
    request = request_of(path)
    record = record_of(talk, request, turn_id=path[-1].id, **fields)
    await store.save_request(record, request)
    return record.id


def test_repeated_words_lead_each_to_their_own_message(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        talk = (await store.create_conversation("default", "t", False)).id
        path = await add_chain(store, talk, ["go on", "yes", "go on", "yes", "go on"])
        request_id = await sent(store, talk, path)
        answer = reply(talk, path[-1], "yes", request_id=request_id)
        await store.add_message(answer)
        await add_chain_below(store, talk, answer)
        sources = await store.sources(request_id)
        assert [sources[number, 0] for number in range(5)] == [message.id for message in path]

    with_store(tmp_path, work)


async def add_chain_below(store: Store, talk: str, answer: Message) -> None:
    """A later turn with the same words."""
    await store.add_message(user(talk, answer, "go on"))


def test_a_request_without_answer_is_found_down_its_turn(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        talk = (await store.create_conversation("default", "t", False)).id
        path = await add_chain(store, talk, ["a", "b", "c"])
        request_id = await sent(store, talk, path)
        assert set((await store.sources(request_id)).values()) == {message.id for message in path}
        other = record_of(talk, request_of(path), turn_id="gone")
        await store.save_request(other, request_of(path))
        assert await store.sources(other.id) == {}
        with pytest.raises(NotFound):
            await store.sources("nothing")

    with_store(tmp_path, work)


def test_what_was_mended_or_told_leads_nowhere(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        talk = (await store.create_conversation("default", "t", False)).id
        path = await add_chain(store, talk, ["a", "b", "c"])
        request = request_of(path)
        told = RequestMessage("user", (*request.messages[2].blocks, text_block("a note")))
        request = replace(request, messages=(*request.messages[:2], told))
        record = record_of(talk, request, turn_id=path[-1].id)
        await store.save_request(record, request)
        sources = await store.sources(record.id)
        assert (2, 1) not in sources and sources[2, 0] == path[2].id

    with_store(tmp_path, work)


@pytest.mark.timed
def test_the_last_of_a_thousand_turns_opens_within_a_tenth_of_a_second(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        said = tuple(
            ImportedMessage(f"m{place}", list(Role)[place % 2], (text_block(f"{place} 백업 and the bucket " * 15),))
            for place in range(2_000)
        )
        await store.import_conversations("default", [ImportedConversation("x", "long", said)])
        talk = (await store.conversations("default"))[0].id
        path = await store.path(talk)
        request_id = await sent(store, talk, path, spans=())
        view = ContextView(store, None)  # type: ignore[arg-type]
        seconds = []
        for _ in range(5):
            began = time.perf_counter()
            past = await view.past(request_id)
            seconds.append(time.perf_counter() - began)
        named = [part.block.message_id for row in past.budget.rows for part in row.blocks]
        assert [one for one in named if one] == [message.id for message in path]
        assert min(seconds) < 0.1

    with_store(tmp_path, work)
