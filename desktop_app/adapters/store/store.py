"""The asynchronous face of the database: one thread writes, two read, only core values cross."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TypeVar

from sqlalchemy.orm import Session

from desktop_app.adapters.store import blocks, conversations, importing, messages, owners, prefixes, requests
from desktop_app.adapters.store.engine import READERS, Engines, open_engines, unavailable
from desktop_app.core.conversation import Conversation, Epoch, Message
from desktop_app.core.importing import ImportedConversation, ImportReport
from desktop_app.core.ports import Branches
from desktop_app.core.request import Request
from desktop_app.core.request_log import RequestRecord
from desktop_app.core.token_estimate import Calibration
from desktop_app.core.usage import Figure

_Result = TypeVar("_Result")
_Work = Callable[[Session], _Result]


class Store:
    """Fulfils `core.ports.ConversationStore`. `notices` are catalogue ids about how the file is kept."""

    def __init__(self, engines: Engines, key: bytes) -> None:
        self.file = engines.path
        self.notices = engines.notices
        self._engines = engines
        self._key = key
        self._owner = owners.this_owner()
        self._writer = ThreadPoolExecutor(1, "store-writer")
        self._readers = ThreadPoolExecutor(READERS, "store-reader")

    @classmethod
    def open(cls, data_dir: Path) -> Store:
        """Opens or makes the database in `data_dir`; raises StoreUnavailable, StoreTooNew."""
        engines = open_engines(data_dir)
        try:
            with unavailable(engines.path):
                with Session(engines.reader) as session:
                    key = blocks.install_key(session)
                    late = conversations.long_deleted(session)
                if late:
                    with Session(engines.writer) as session, session.begin():
                        conversations.purge(session)
        except BaseException:
            engines.dispose()
            raise
        return cls(engines, key)

    async def close(self) -> None:
        """Ends its threads after what was begun is done; further calls are errors."""
        loop = asyncio.get_running_loop()
        for executor in (self._readers, self._writer):
            await loop.run_in_executor(executor, lambda: None)
            executor.shutdown()
        self._engines.dispose()

    async def data_version(self) -> int:
        """A number that changes when another process wrote.

        Asked on the connection that writes, because SQLite does not count a connection's own commits.
        """
        return await asyncio.get_running_loop().run_in_executor(self._writer, self._data_version)

    async def conversations(self, profile: str) -> list[Conversation]:
        """Those not deleted, last used first."""
        return await self._read(lambda session: conversations.listed(session, profile))

    async def conversation(self, conversation_id: str) -> Conversation:
        """One, also a deleted one."""
        return await self._read(lambda session: conversations.value_of(conversations.row_of(session, conversation_id)))

    async def create_conversation(self, profile: str, title: str, simulated: bool) -> Conversation:
        """A new, empty one."""
        return await self._write(lambda session: conversations.create(session, profile, title, simulated))

    async def rename(self, conversation_id: str, title: str) -> None:
        """Gives it a title."""
        await self._write(lambda session: conversations.rename(session, conversation_id, title))

    async def delete(self, conversation_id: str) -> None:
        """Takes it out of the list; restorable for 30 days."""
        await self._write(lambda session: conversations.mark_deleted(session, conversation_id))

    async def restore(self, conversation_id: str) -> None:
        """Undoes a deletion."""
        await self._write(lambda session: conversations.restore(session, conversation_id))

    async def claim(self, conversation_id: str) -> None:
        """Takes the conversation for a turn."""
        await self._write(
            lambda session: conversations.claim(
                session, conversation_id, self._owner, lambda owner: owners.lives(owner, self._owner)
            )
        )

    async def release(self, conversation_id: str) -> None:
        """Ends the claim."""
        await self._write(lambda session: conversations.release(session, conversation_id, self._owner))

    async def path_to(self, message_id: str) -> list[Message]:
        """The messages down to one, root first."""
        return await self._read(lambda session: messages.path_to(session, message_id))

    async def path(self, conversation_id: str) -> list[Message]:
        """The messages in use, root first."""
        return await self._read(lambda session: messages.path(session, conversation_id))

    async def tail(self, conversation_id: str, count: int) -> list[Message]:
        """The last messages in use, at most `count`, oldest first."""
        return await self._read(lambda session: messages.tail(session, conversation_id, count))

    async def branches(self, conversation_id: str) -> list[Branches]:
        """For each message of the path that has siblings."""
        return await self._read(lambda session: messages.branches(session, conversation_id))

    async def message(self, message_id: str) -> Message:
        """One message."""
        return await self._read(lambda session: messages.one(session, message_id))

    async def tip_below(self, message_id: str) -> str:
        """The newest leaf below a message."""
        return await self._read(lambda session: messages.tip_below(session, message_id))

    async def add_message(self, message: Message) -> Message:
        """Stores a message and makes it the head of its conversation."""
        return await self._write(lambda session: messages.add(session, self._key, message, self._owner))

    async def move_head(self, conversation_id: str, message_id: str | None) -> None:
        """Makes another message of the tree the head."""
        await self._write(lambda session: messages.move_head(session, conversation_id, message_id))

    async def flush_partial(self, message: Message) -> None:
        """Replaces the blocks of a message that is still streaming."""
        await self._write(lambda session: messages.flush(session, self._key, message))

    async def finish(self, message: Message, record: RequestRecord) -> None:
        """The message as it ended and what came of its request, in one transaction."""

        def work(session: Session) -> None:
            messages.finish(session, self._key, message)
            requests.replace_record(session, record)

        await self._write(work)

    async def mark_interrupted(self) -> int:
        """Streaming messages whose process is gone become interrupted, their requests stopped."""
        alive = partial(owners.lives, own=self._owner)
        return await self._write(lambda session: messages.interrupt(session, alive))

    async def epochs(self, conversation_id: str) -> list[Epoch]:
        """All epochs of a conversation, oldest first."""
        return await self._read(lambda session: prefixes.epochs(session, conversation_id))

    async def add_epoch(self, conversation_id: str, epoch: Epoch) -> None:
        """Stores the bytes of a new prefix."""
        await self._write(lambda session: prefixes.add_epoch(session, conversation_id, epoch))

    async def save_request(self, record: RequestRecord, request: Request) -> None:
        """Keeps a request exactly as it is about to be sent."""
        await self._write(lambda session: requests.save(session, self._key, record, request, self._owner))

    async def update_request(self, record: RequestRecord) -> None:
        """Replaces what is known of a request."""
        await self._write(lambda session: requests.replace_record(session, record))

    async def requests(self, conversation_id: str) -> list[RequestRecord]:
        """All requests of a conversation, oldest first."""
        return await self._read(lambda session: requests.records(session, conversation_id))

    async def request(self, request_id: str) -> tuple[RequestRecord, Request]:
        """A request as it was sent."""
        return await self._read(lambda session: requests.one(session, request_id))

    async def known_totals(self, conversation_id: str, digests: Sequence[str]) -> Mapping[str, Figure]:
        """Measured or counted totals of requests with these digests."""
        return await self._read(lambda session: requests.known_totals(session, conversation_id, digests))

    async def calibration(self, model_key: str) -> Calibration | None:
        """The estimator's state for a model of an endpoint."""
        return await self._read(lambda session: prefixes.calibration(session, model_key))

    async def save_calibration(self, model_key: str, calibration: Calibration) -> None:
        """Keeps it."""
        await self._write(lambda session: prefixes.save_calibration(session, model_key, calibration))

    async def import_conversations(self, profile: str, conversations: Sequence[ImportedConversation]) -> ImportReport:
        """Adds what is new, a transaction for each conversation, so that others get their turn between them.

        A run that was broken off is completed by running it again.
        """
        outcomes: Counter[importing.Outcome] = Counter()
        messages_added = 0
        for exported in conversations:
            outcome, count = await self._write(partial(self._import, profile, exported))
            outcomes[outcome] += 1
            messages_added += count
        return ImportReport(
            conversations_added=outcomes[importing.Outcome.ADDED],
            conversations_grown=outcomes[importing.Outcome.GROWN],
            messages_added=messages_added,
            unchanged=outcomes[importing.Outcome.UNCHANGED],
            skipped=outcomes[importing.Outcome.SKIPPED],
        )

    def _import(self, profile: str, exported: ImportedConversation, session: Session) -> tuple[importing.Outcome, int]:
        return importing.add(session, self._key, profile, exported)

    async def _read(self, work: _Work[_Result]) -> _Result:
        return await asyncio.get_running_loop().run_in_executor(self._readers, self._reading, work)

    async def _write(self, work: _Work[_Result]) -> _Result:
        # A caller that is cancelled (Stop) must not take a write along that was already asked for.
        job = asyncio.get_running_loop().run_in_executor(self._writer, self._writing, work)
        return await asyncio.shield(job)

    def _reading(self, work: _Work[_Result]) -> _Result:
        with unavailable(self.file), Session(self._engines.reader) as session:
            return work(session)

    def _writing(self, work: _Work[_Result]) -> _Result:
        with unavailable(self.file), Session(self._engines.writer) as session, session.begin():
            return work(session)

    def _data_version(self) -> int:
        with unavailable(self.file), self._engines.writer.connect() as connection:
            found: int = connection.connection.cursor().execute("PRAGMA data_version").fetchone()[0]
            return found
