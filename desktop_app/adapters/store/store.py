"""The asynchronous face of the database: one thread writes, two read, only core values cross."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path

from sqlalchemy.orm import Session

from desktop_app.adapters.store import (
    archive,
    blocks,
    compactions,
    conversation_facts,
    conversations,
    document_rows,
    fact_rows,
    importing,
    message_notes,
    message_texts,
    message_words,
    messages,
    owners,
    prefixes,
    request_sources,
    requests,
    spending,
)
from desktop_app.adapters.store.backend import backend_of
from desktop_app.adapters.store.database import Database
from desktop_app.adapters.store.documents import DocumentStore
from desktop_app.adapters.store.embedders import EmbedderStore
from desktop_app.adapters.store.fact_store import FactStore
from desktop_app.adapters.store.postgres.engine import open_database
from desktop_app.adapters.store.request_columns import KnownRecords
from desktop_app.adapters.store.sqlite.engine import open_engines
from desktop_app.adapters.store.threads import StoreThreads
from desktop_app.adapters.store.turns import SaidStore
from desktop_app.adapters.store.vectors import VectorStore
from desktop_app.core.archive import ArchiveFound
from desktop_app.core.compaction.compaction import Compaction
from desktop_app.core.conversation import Block, Conversation, Epoch, Message
from desktop_app.core.fact_notes import MessageNotes
from desktop_app.core.importing import ImportedConversation, ImportReport
from desktop_app.core.money.spending import SpentRequest
from desktop_app.core.ports import Branches
from desktop_app.core.request import Request
from desktop_app.core.request_log import RequestRecord
from desktop_app.core.token_estimate import Calibration
from desktop_app.core.usage import Figure

_PURGED = (conversation_facts, fact_rows, document_rows)
"""What keeps deleted things for a while."""


class Store:
    """Fulfils `core.ports.ConversationStore`. `notices` are catalogue ids about how the database is kept.

    `facts` are the long-term facts of the same database, `vectors` those of all that can be recalled, `said` what was
    said as it is recalled, `documents` what was added to be found again; `threads` run whatever else reads and writes
    it. `place` is where it is, `mark` tells it from others where several keep something.
    """

    def __init__(self, database: Database, key: bytes, owner: str) -> None:
        self.place = database.name
        self.notices = database.notices
        self.threads = StoreThreads(database)
        self.facts = FactStore(self.threads)
        self.vectors = VectorStore(self.threads)
        self.said = SaidStore(self.threads)
        self.documents = DocumentStore(self.threads)
        self.embedders = EmbedderStore(self.threads)
        self._key = key
        self.mark = hashlib.sha256(b"index of " + key).hexdigest()[:12]
        self._owner = owner
        self._records = KnownRecords()

    @classmethod
    def open(cls, data_dir: Path, url: str | None = None) -> Store:
        """Opens or makes the database in `data_dir`, or the one at an address of PostgreSQL.

        Raises StoreUnavailable, StoreTooNew, and BadInput for an address.
        """
        owner = owners.this_owner()
        database: Database = open_engines(data_dir) if url is None else open_database(url, owner)
        try:
            with database.refusals():
                with Session(database.reader) as session:
                    key = blocks.install_key(session)
                    late = any(part.long_deleted(session) for part in _PURGED)
                if late:
                    with Session(database.writer) as session, session.begin():
                        for part in _PURGED:
                            part.purge(session)
        except BaseException:
            database.dispose()
            raise
        return cls(database, key, owner)

    async def close(self) -> None:
        """Ends its threads after what was begun is done; further calls are errors."""
        await self.threads.close()

    async def data_version(self) -> int:
        """A number that changes when another process wrote."""
        return await self.threads.data_version()

    async def conversations(self, profile: str) -> list[Conversation]:
        """Those not deleted, last used first."""
        return await self.threads.read(lambda session: conversations.listed(session, profile))

    async def deleted_conversations(self, profile: str) -> list[Conversation]:
        """Those that can be restored, last deleted first."""
        return await self.threads.read(lambda session: conversations.deleted(session, profile))

    async def conversation(self, conversation_id: str) -> Conversation:
        """One, also a deleted one."""
        return await self.threads.read(
            lambda session: conversations.value_of(conversations.row_of(session, conversation_id))
        )

    async def create_conversation(self, profile: str, title: str, simulated: bool) -> Conversation:
        """A new, empty one."""
        return await self.threads.write(lambda session: conversations.create(session, profile, title, simulated))

    async def rename(self, conversation_id: str, title: str) -> None:
        """Gives it a title."""
        await self.threads.write(lambda session: conversations.rename(session, conversation_id, title))

    async def delete(self, conversation_id: str) -> None:
        """Takes it out of the list; restorable for 30 days."""
        await self.threads.write(lambda session: conversation_facts.delete(session, conversation_id))

    async def restore(self, conversation_id: str) -> None:
        """Undoes a deletion."""
        await self.threads.write(lambda session: conversation_facts.restore(session, conversation_id))

    async def claim(self, conversation_id: str) -> None:
        """Takes the conversation for a turn."""
        await self.threads.write(
            lambda session: conversations.claim(session, conversation_id, self._owner, self._alive(session))
        )

    async def release(self, conversation_id: str) -> None:
        """Ends the claim."""
        await self.threads.write(lambda session: conversations.release(session, conversation_id, self._owner))

    async def path_to(self, message_id: str) -> list[Message]:
        """The messages down to one, root first."""
        return await self.threads.read(lambda session: messages.path_to(session, message_id))

    async def path(self, conversation_id: str) -> list[Message]:
        """The messages in use, root first."""
        return await self.threads.read(lambda session: messages.path(session, conversation_id))

    async def path_ids(self, conversation_id: str) -> list[str]:
        """The ids of the messages in use, root first."""
        return await self.threads.read(lambda session: messages.path_ids(session, conversation_id))

    async def tail(self, conversation_id: str, count: int) -> list[Message]:
        """The last messages in use, at most `count`, oldest first."""
        return await self.threads.read(lambda session: messages.tail(session, conversation_id, count))

    async def branches(self, conversation_id: str) -> list[Branches]:
        """For each message of the path that has siblings."""
        return await self.threads.read(lambda session: messages.branches(session, conversation_id))

    async def message(self, message_id: str) -> Message:
        """One message."""
        return await self.threads.read(lambda session: messages.one(session, message_id))

    async def tip_below(self, message_id: str) -> str:
        """The newest leaf below a message."""
        return await self.threads.read(lambda session: messages.tip_below(session, message_id))

    async def tips(self, conversation_id: str) -> list[str]:
        """The ids of the messages nothing follows."""
        return await self.threads.read(lambda session: messages.tips(session, conversation_id))

    async def add_message(self, message: Message) -> Message:
        """Stores a message and makes it the head of its conversation."""
        return await self.threads.write(lambda session: messages.add(session, self._key, message, self._owner))

    async def move_head(self, conversation_id: str, message_id: str | None) -> None:
        """Makes another message of the tree the head."""
        await self.threads.write(lambda session: messages.move_head(session, conversation_id, message_id))

    async def flush_partial(self, message: Message) -> None:
        """Replaces the blocks of a message that is still streaming."""
        await self.threads.write(lambda session: messages.flush(session, self._key, message))

    async def finish(self, message: Message, record: RequestRecord) -> None:
        """The message as it ended and what came of its request, in one transaction."""

        def work(session: Session) -> None:
            messages.finish(session, self._key, message)
            requests.replace_record(session, record)

        await self.threads.write(work)

    async def mark_interrupted(self) -> int:
        """Streaming messages whose process is gone become interrupted, their requests stopped."""
        return await self.threads.write(lambda session: messages.interrupt(session, self._alive(session)))

    async def epochs(self, conversation_id: str) -> list[Epoch]:
        """All epochs of a conversation, oldest first."""
        return await self.threads.read(lambda session: prefixes.epochs(session, conversation_id))

    async def add_epoch(self, conversation_id: str, epoch: Epoch) -> None:
        """Stores the bytes of a new prefix."""
        await self.threads.write(lambda session: prefixes.add_epoch(session, conversation_id, epoch))

    async def save_request(self, record: RequestRecord, request: Request) -> None:
        """Keeps a request exactly as it is about to be sent."""
        await self.threads.write(lambda session: requests.save(session, self._key, record, request, self._owner))

    async def update_request(self, record: RequestRecord) -> None:
        """Replaces what is known of a request."""
        await self.threads.write(lambda session: requests.replace_record(session, record))

    async def requests(self, conversation_id: str) -> list[RequestRecord]:
        """All requests of a conversation for every purpose, oldest first; whole spans only with `request`."""
        return await self.threads.read(lambda session: requests.records(session, conversation_id, self._records))

    async def requests_since(self, moment: datetime) -> list[RequestRecord]:
        """All requests sent after a moment, whatever their conversation, oldest first."""
        return await self.threads.read(lambda session: requests.since(session, moment, self._records))

    async def replayable(self, moment: datetime) -> list[RequestRecord]:
        """Requests of turns after a moment that were answered with figures of the cache, oldest first."""
        return await self.threads.read(lambda session: requests.replayable(session, moment))

    async def spent(self, profile: str | None, since: datetime | None) -> list[SpentRequest]:
        """Requests of a profile, or of all, sent at a moment or later, or ever; oldest first."""
        return await self.threads.read(lambda session: spending.spent(session, profile, since))

    async def request(self, request_id: str) -> tuple[RequestRecord, Request]:
        """A request as it was sent."""
        return await self.threads.read(lambda session: requests.one(session, request_id))

    async def sources(self, request_id: str) -> Mapping[tuple[int, int], str]:
        """The stored message each block of a request came from, by place."""
        return await self.threads.read(lambda session: request_sources.of_request(session, request_id))

    async def known_totals(self, conversation_id: str, digests: Sequence[str]) -> Mapping[str, Figure]:
        """Measured or counted totals of requests with these digests."""
        return await self.threads.read(lambda session: requests.known_totals(session, conversation_id, digests))

    async def add_notes(self, message_id: str, notes: MessageNotes) -> None:
        """Keeps what is told beside a message; raises Busy when it is told something else already."""
        await self.threads.write(lambda session: message_notes.add(session, message_id, notes))

    async def compactions(self, conversation_id: str) -> list[Compaction]:
        """All compactions of a conversation, oldest first."""
        return await self.threads.read(lambda session: compactions.all_of(session, conversation_id))

    async def compaction(self, compaction_id: str) -> Compaction:
        """One; raises NotFound."""
        return await self.threads.read(lambda session: compactions.one(session, compaction_id))

    async def add_compaction(self, compaction: Compaction, rejecting: Sequence[Compaction] = ()) -> None:
        """Keeps one, and rejects proposals."""
        await self.threads.write(lambda session: compactions.add(session, compaction, rejecting))

    async def update_compaction(self, compaction: Compaction) -> None:
        """Replaces its state, `after`, `predicted` and its text with what is known of that."""
        await self.update_compactions([compaction])

    async def update_compactions(self, changed: Sequence[Compaction]) -> None:
        """The same for several, all of them or none."""
        await self.threads.write(lambda session: compactions.replace_states(session, changed))

    async def activate(self, compaction: Compaction) -> Compaction:
        """Puts a proposed one into use, its text as given."""
        return await self.threads.write(lambda session: compactions.activate(session, compaction))

    async def search_messages(
        self, profile: str, query: str, limit: int, conversation_id: str | None = None, *, masked: bool = False
    ) -> ArchiveFound:
        """The messages that answer a query best."""
        return await self.threads.read(
            lambda session: archive.search(session, profile, query, limit, conversation_id, masked=masked)
        )

    async def index_messages(self, limit: int) -> int:
        """Lets some older messages be found by their words; how many are left."""
        return await self.threads.write(lambda session: message_words.index(session, limit))

    async def tool_results(self, conversation_id: str, tool_use_id: str) -> list[tuple[str, Block]]:
        """The results of calls with this id, oldest first, each with the id of its message."""
        return await self.threads.read(lambda session: archive.tool_results(session, conversation_id, tool_use_id))

    async def messages_with(self, profile: str, texts: Sequence[str]) -> dict[str, list[str]]:
        """By conversation: ids of messages in whose text one of the texts stands."""
        return await self.threads.read(lambda session: message_texts.messages_with(session, profile, texts))

    async def compactions_with(self, profile: str, texts: Sequence[str]) -> list[str]:
        """Ids of compactions in use or proposed in whose summary one of the texts stands."""
        return await self.threads.read(lambda session: message_texts.compactions_with(session, profile, texts))

    async def calibration(self, model_key: str) -> Calibration | None:
        """The estimator's state for a model of an endpoint."""
        return await self.threads.read(lambda session: prefixes.calibration(session, model_key))

    async def save_calibration(self, model_key: str, calibration: Calibration) -> None:
        """Keeps it."""
        await self.threads.write(lambda session: prefixes.save_calibration(session, model_key, calibration))

    async def import_conversations(self, profile: str, conversations: Sequence[ImportedConversation]) -> ImportReport:
        """Adds what is new, a transaction for each conversation, so that others get their turn between them.

        A run that was broken off is completed by running it again.
        """
        outcomes: Counter[importing.Outcome] = Counter()
        messages_added = 0
        for exported in conversations:
            outcome, count = await self.threads.write(partial(self._import, profile, exported))
            outcomes[outcome] += 1
            messages_added += count
        return ImportReport(
            conversations_added=outcomes[importing.Outcome.ADDED],
            conversations_grown=outcomes[importing.Outcome.GROWN],
            messages_added=messages_added,
            unchanged=outcomes[importing.Outcome.UNCHANGED],
            skipped=outcomes[importing.Outcome.SKIPPED],
        )

    def _alive(self, session: Session) -> Callable[[str | None], bool]:
        """Tells whether a store can still be writing, by the name of its owner."""
        return partial(backend_of(session).lives, session, own=self._owner)

    def _import(self, profile: str, exported: ImportedConversation, session: Session) -> tuple[importing.Outcome, int]:
        return importing.add(session, self._key, profile, exported)
