"""Messages and requests to fill a store with, and a store that is closed at the end."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from desktop_app.adapters.store import Store
from desktop_app.core.conversation import Block, Message, MessageState, Origin, Role, new_id, now, text_block
from desktop_app.core.request import Request, RequestMessage
from desktop_app.core.request_log import RequestRecord, SegmentSpan
from desktop_app.core.segment import Segment
from desktop_app.core.usage import Figure, Known
from tests.fakes.postgres_server import rows, url_of


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[Store]:
    store = Store.open(folder, url_of(folder))
    try:
        yield store
    finally:
        await store.close()


def with_store(folder: Path, work: Callable[[Store], Coroutine[Any, Any, Any]]) -> Any:
    """Runs `work` on a store of its own."""

    async def run() -> Any:
        async with opened(folder) as store:
            return await work(store)

    return asyncio.run(run())


def user(conversation_id: str, parent: Message | None, *blocks: Block | str) -> Message:
    return _message(conversation_id, parent, Role.USER, Origin.TYPED, blocks)


def reply(conversation_id: str, parent: Message | None, *blocks: Block | str, **fields: Any) -> Message:
    return replace(_message(conversation_id, parent, Role.ASSISTANT, Origin.REPLY, blocks), **fields)


def streaming(conversation_id: str, parent: Message | None, *blocks: Block | str, **fields: Any) -> Message:
    return reply(conversation_id, parent, *blocks, state=MessageState.STREAMING, **fields)


def _message(
    conversation_id: str, parent: Message | None, role: Role, origin: Origin, blocks: Sequence[Block | str]
) -> Message:
    parts = tuple(text_block(block) if isinstance(block, str) else block for block in blocks)
    return Message(new_id(), conversation_id, parent.id if parent else None, role, parts, origin)


async def add_chain(store: Store, conversation_id: str, texts: Sequence[str]) -> list[Message]:
    """Question and answer in turn, one message a text."""
    chain: list[Message] = []
    for number, text in enumerate(texts):
        make = user if number % 2 == 0 else reply
        chain.append(await store.add_message(make(conversation_id, chain[-1] if chain else None, text)))
    return chain


def request_of(messages: Sequence[Message], system: str = "be kind", tools: Sequence[Block] = ()) -> Request:
    return Request(
        {"model": "claude-opus-5-5", "max_tokens": 100, "stream": True},
        tuple(tools),
        (text_block(system),),
        tuple(RequestMessage(message.role.value, message.blocks) for message in messages),
    )


def record_of(conversation_id: str, request: Request, **fields: Any) -> RequestRecord:
    digests = request.prefix_digests()
    record = RequestRecord(
        id=new_id(),
        conversation_id=conversation_id,
        turn_id="turn",
        turn=1,
        round=1,
        sent_at=now(),
        host="127.0.0.1:1",
        model=request.model,
        digest=digests[-1] if digests else "",
        reserve=100,
        window=200_000,
        estimated=41,
        rows=((Segment.SYSTEM, Figure(11, Known.ESTIMATED)), (Segment.CURRENT, Figure(30, Known.COUNTED))),
        spans=(SegmentSpan(Segment.CURRENT, 0, 0, 1),),
    )
    return replace(record, **fields)


def ask(folder: Path, statement: str) -> list[Any]:
    """Rows straight from the database, past the store."""
    if url := url_of(folder):
        return rows(url, statement)
    with closing(sqlite3.connect(folder / "mnemoscope.db")) as connection, connection:
        return connection.execute(statement).fetchall()
