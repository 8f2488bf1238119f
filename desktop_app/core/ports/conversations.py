"""What services need of the store of conversations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from desktop_app.core.archive import ArchiveFound
from desktop_app.core.compaction.compaction import Compaction
from desktop_app.core.conversation import Block, Conversation, Epoch, Message
from desktop_app.core.fact_notes import MessageNotes
from desktop_app.core.importing import ImportedConversation, ImportReport
from desktop_app.core.money.spending import SpentRequest
from desktop_app.core.request import Request
from desktop_app.core.request_log import RequestRecord
from desktop_app.core.token_estimate import Calibration
from desktop_app.core.usage import Figure


@dataclass(frozen=True, slots=True)
class Branches:
    """The alternatives at one message of the path: ids of all siblings in order, itself included."""

    message_id: str
    siblings: tuple[str, ...]


class ConversationStore(Protocol):
    """Conversations, messages, epochs and requests. All methods raise StoreUnavailable when the disk refuses.

    Every write is one transaction; when it returns, the data is on disk.
    """

    @property
    def notices(self) -> tuple[str, ...]:
        """Catalogue ids about how the data is kept, for the person to know."""

    @property
    def place(self) -> str:
        """The file or the address of the database, without a password."""

    async def close(self) -> None:
        """Ends its threads; further calls are errors."""

    async def data_version(self) -> int:
        """A number that changes when another process wrote."""

    async def conversations(self, profile: str) -> list[Conversation]:
        """Those not deleted, last used first; `excerpt` is the start of the last visible text."""

    async def deleted_conversations(self, profile: str) -> list[Conversation]:
        """Those that can be restored, last deleted first."""

    async def conversation(self, conversation_id: str) -> Conversation:
        """One, also a deleted one; raises NotFound."""

    async def create_conversation(self, profile: str, title: str, simulated: bool) -> Conversation:
        """A new, empty one."""

    async def rename(self, conversation_id: str, title: str) -> None:
        """Gives it a title; raises NotFound."""

    async def delete(self, conversation_id: str) -> None:
        """Takes it out of the list; restorable for 30 days. Facts that hold only in it are archived with it."""

    async def restore(self, conversation_id: str) -> None:
        """Undoes a deletion, of such facts too where nobody took their key; raises NotFound when it is gone."""

    async def claim(self, conversation_id: str) -> None:
        """Takes the conversation for a turn; raises Busy while a turn of another living process runs in it."""

    async def release(self, conversation_id: str) -> None:
        """Ends the claim of this process."""

    async def path_to(self, message_id: str) -> list[Message]:
        """The messages down to one, root first; empty when it does not exist."""

    async def path(self, conversation_id: str) -> list[Message]:
        """The messages in use, root first."""

    async def path_ids(self, conversation_id: str) -> list[str]:
        """The ids of the messages in use, root first, without reading what they say; raises NotFound."""

    async def tail(self, conversation_id: str, count: int) -> list[Message]:
        """The last messages in use, at most `count`, oldest first; as quick for a long conversation as for a short."""

    async def branches(self, conversation_id: str) -> list[Branches]:
        """For each message of the path that has siblings."""

    async def message(self, message_id: str) -> Message:
        """One message; raises NotFound."""

    async def tip_below(self, message_id: str) -> str:
        """The newest leaf below a message (itself when it has no children)."""

    async def tips(self, conversation_id: str) -> list[str]:
        """The ids of the messages nothing follows, newest first: where the versions of a conversation end."""

    async def add_message(self, message: Message) -> Message:
        """Stores a message and makes it the head of its conversation; returns it with `created_at`."""

    async def move_head(self, conversation_id: str, message_id: str | None) -> None:
        """Makes another message of the tree the head."""

    async def flush_partial(self, message: Message) -> None:
        """Replaces the blocks of a message that is still streaming."""

    async def finish(self, message: Message, record: RequestRecord) -> None:
        """The whole (or broken-off) message and what came of its request, in one transaction."""

    async def mark_interrupted(self) -> int:
        """Streaming messages whose process is gone become interrupted, their requests stopped; how many."""

    async def epochs(self, conversation_id: str) -> list[Epoch]:
        """All epochs of a conversation, oldest first."""

    async def add_epoch(self, conversation_id: str, epoch: Epoch) -> None:
        """Stores the bytes of a new prefix."""

    async def save_request(self, record: RequestRecord, request: Request) -> None:
        """Keeps a request exactly as it is about to be sent."""

    async def update_request(self, record: RequestRecord) -> None:
        """Replaces what is known of a request; its body never changes."""

    async def requests(self, conversation_id: str) -> list[RequestRecord]:
        """All requests of a conversation, oldest first."""

    async def requests_since(self, moment: datetime) -> list[RequestRecord]:
        """All requests of every conversation and profile sent after a moment, oldest first: they share one cache."""

    async def replayable(self, moment: datetime) -> list[RequestRecord]:
        """Requests of turns sent after a moment that were answered with figures of the cache, whatever their
        conversation, oldest first. Of each only what a replay of the cache needs: when it was sent and to whom, what
        it read and wrote, and what stood before its messages."""

    async def spent(self, profile: str | None, since: datetime | None) -> list[SpentRequest]:
        """Requests of a profile, or of all, sent at a moment or later, or ever, oldest first: also of conversations
        that are deleted, for good or not. Of the records only what concerns money."""

    async def request(self, request_id: str) -> tuple[RequestRecord, Request]:
        """A request as it was sent; raises NotFound."""

    async def sources(self, request_id: str) -> Mapping[tuple[int, int], str]:
        """By number of a message in a request and place of a block in it: the id of the stored message it came from.

        Blocks that no message holds as they were sent are left out. Raises NotFound.
        """

    async def known_totals(self, conversation_id: str, digests: Sequence[str]) -> Mapping[str, Figure]:
        """Measured or counted totals of requests with these digests."""

    async def add_notes(self, message_id: str, notes: MessageNotes) -> None:
        """Keeps what is told beside a message of the person; a second time only the same."""

    async def compactions(self, conversation_id: str) -> list[Compaction]:
        """All compactions of a conversation, oldest first, whatever their state."""

    async def compaction(self, compaction_id: str) -> Compaction:
        """One; raises NotFound."""

    async def add_compaction(self, compaction: Compaction, rejecting: Sequence[Compaction] = ()) -> None:
        """Keeps one; in the same transaction those of `rejecting` that are proposals still become rejected ones. Raises
        NotFound for its conversation."""

    async def update_compaction(self, compaction: Compaction) -> None:
        """Replaces state, `after`, `predicted`, `summary`, `summary_tokens` and `edited` of one, in one transaction;
        raises NotFound."""

    async def update_compactions(self, compactions: Sequence[Compaction]) -> None:
        """The same for several, all of them or none, in one transaction; raises NotFound."""

    async def activate(self, compaction: Compaction) -> Compaction:
        """Puts a proposed one into use, with what `update_compaction` replaces, in one transaction; returns it as it
        stands then. Raises NotFound, and Busy when it is a proposal no more."""

    async def search_messages(
        self, profile: str, query: str, limit: int, conversation_id: str | None = None, *, masked: bool = False
    ) -> ArchiveFound:
        """The messages of a profile, or of one conversation of it, that answer a query best; none of a deleted
        conversation, none that is still streaming. The standing of a hit is not looked at. `masked` excerpts are for
        a model: without secrets, and without the place of the find."""

    async def index_messages(self, limit: int) -> int:
        """Lets messages be found that were written before there was full text, oldest first; how many are left."""

    async def tool_results(self, conversation_id: str, tool_use_id: str) -> list[tuple[str, Block]]:
        """The `tool_result` blocks for this id in a conversation, oldest first, each with the id of its message."""

    async def messages_with(self, profile: str, texts: Sequence[str]) -> dict[str, list[str]]:
        """For conversations of the profile that are not deleted: ids of messages in whose text one stands, what was
        given to tools that write memory and what tools said included."""

    async def compactions_with(self, profile: str, texts: Sequence[str]) -> list[str]:
        """For conversations of the profile that are not deleted: ids of compactions, in use or proposed, in whose
        summary, the API's own included, one stands, oldest first."""

    async def calibration(self, model_key: str) -> Calibration | None:
        """The estimator's state for a model of an endpoint."""

    async def save_calibration(self, model_key: str, calibration: Calibration) -> None:
        """Keeps it."""

    async def import_conversations(self, profile: str, conversations: Sequence[ImportedConversation]) -> ImportReport:
        """Adds what is new by source id and content; never removes, never brings back what was deleted."""
