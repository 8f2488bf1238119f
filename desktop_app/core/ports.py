"""What the services need from the outside: Protocols that adapters fulfil."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import EllipsisType
from typing import Protocol

from desktop_app.core.archive import ArchiveFound
from desktop_app.core.compaction.compaction import Compaction
from desktop_app.core.conversation import Block, Conversation, Epoch, Message
from desktop_app.core.documents import Document, DocumentAdded, DocumentPassage, DocumentText
from desktop_app.core.embedders import Counts, EmbedderChoice, EmbedderKind, KnownEmbedder
from desktop_app.core.endpoints import Endpoint, LocalServer
from desktop_app.core.fact_notes import MessageNotes, PassageNote
from desktop_app.core.fact_relations import Related
from desktop_app.core.facts import Fact, FactActor, FactChange, FactDraft, FactState, ShownFacts
from desktop_app.core.gate import Proposal, Verdict
from desktop_app.core.importing import ImportedConversation, ImportReport
from desktop_app.core.memory_files.outcomes import Move
from desktop_app.core.models import ModelInfo
from desktop_app.core.money.price_rows import PriceRow
from desktop_app.core.money.spending import SpentRequest
from desktop_app.core.money.written_prices import PriceNotice
from desktop_app.core.passages import PassageKind
from desktop_app.core.recall.recollection import Recollection
from desktop_app.core.recall.said import Said
from desktop_app.core.recall.selection import Likeness
from desktop_app.core.recall.values import FactHit, Neighbours, Spread, WordMatches
from desktop_app.core.request import Request
from desktop_app.core.request_log import RequestRecord
from desktop_app.core.secrets.kinds import Secret
from desktop_app.core.settings import ProfileSettings, Settings
from desktop_app.core.stream import StreamEvent
from desktop_app.core.token_estimate import Calibration
from desktop_app.core.tool_call import ToolCall
from desktop_app.core.usage import Figure
from desktop_app.core.vectors import Debt, ItemIds, ItemVector, Unembedded, VectorPool


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


class FactStore(Protocol):
    """Long-term facts, each profile by itself. All methods raise StoreUnavailable when the disk refuses.

    Secrets are masked (`core.secrets`) in whatever is written, and in what was kept before whenever it is read, save
    where the person wanted a fact kept as it is; `FactChange.masked` tells of what kinds.

    Every write keeps a line of history, the words to search by, and what the vector index owes, in one transaction.
    Names of facts are ids or keys (`same_key`); one of another profile is NotFound. What is read as active has not
    expired: a fact whose time is over is archived by whoever looks first.
    """

    async def facts(self, profile: str, *states: FactState, conversation_id: str | None = None) -> list[Fact]:
        """Those in these states (active ones by default): pinned first, then newest change first.

        With a conversation only those that hold in it, with an empty one those that hold everywhere.
        """

    async def fact(self, profile: str, name: str) -> Fact:
        """One by id, or by key: the active one, else a pending one, else the last of another state; raises NotFound."""

    async def active(self, profile: str, fact_ids: Sequence[str]) -> dict[str, Fact]:
        """Those of these facts that are active in the profile, by id."""

    async def of_other_conversations(self, profile: str, conversation_id: str) -> list[str]:
        """Ids of the active facts that hold in another conversation only."""

    async def keep(
        self,
        profile: str,
        draft: FactDraft,
        *,
        pending: bool = False,
        replacing: Sequence[str] = (),
        expected: int | None = None,
        even_pinned: bool = False,
    ) -> FactChange:
        """Adds a fact, or gives the active one of this key the new value (not when `pending`).

        What is kept in the same words already is counted: REPEATED, and nothing else is written; so is a proposal of
        what waits or is paused. One that was paused, archived or superseded in the same words is brought back by a
        write that is not `pending`, for that was allowed; it is RESUMED or RESTORED. The facts in `replacing` give
        their place to it: one act. `expected` is the revision of the active one of the key as it was seen, 0 for none;
        raises FactChanged where it is another now, and white space counts, for so it was shown. A pinned one gets
        another value from the person only, and gives its place to nobody: FactPinned, unless `even_pinned` says that
        the person wants it. Raises BadInput where the key is that of a fact of another conversation.
        """

    async def repeat(self, profile: str, fact_id: str, revision: int, by: FactActor) -> FactChange:
        """Counts that an active fact was told again, and writes nothing else; raises NotFound, FactChanged where it is
        not active in this revision any more."""

    async def edit(
        self,
        profile: str,
        name: str,
        by: FactActor,
        *,
        key: str | None = None,
        value: str | None = None,
        category: str | None = None,
        scope: str | None = None,
        expires_at: datetime | EllipsisType | None = ...,
        expected: int | None = None,
        keeps_secrets: bool = False,
    ) -> FactChange:
        """Changes what is given (an expiry of None: it never expires); raises NotFound, BadInput for the key of another
        fact or an expiry that is over, FactChanged where the revision is not the `expected` one.

        With a value, `keeps_secrets` is whether the person wants the fact kept as it is from now on.
        """

    async def move(self, profile: str, moves: Sequence[Move], by: FactActor) -> None:
        """Gives facts other keys or categories, all in one act; raises as `edit`, FactChanged for one that is not as it
        was seen."""

    async def pin(self, profile: str, name: str, pinned: bool) -> FactChange:
        """Pins or unpins."""

    async def delete(self, profile: str, name: str, by: FactActor) -> FactChange:
        """Takes it out of list, search, index and prompts; it can be brought back for 30 days."""

    async def delete_together(self, profile: str, facts: Sequence[Fact], by: FactActor) -> None:
        """Deletes facts, all in one act; raises NotFound, FactChanged for one that is not as it was seen."""

    async def deny(self, profile: str, fact_id: str) -> FactChange:
        """Deletes a pending fact; raises NotFound, FactChanged where it does not wait any more."""

    async def accept(
        self,
        profile: str,
        fact_id: str,
        value: str | None = None,
        *,
        replacing: Sequence[str] = (),
        key: str | None = None,
        even_pinned: bool = False,
        shown: ShownFacts | None = None,
    ) -> FactChange:
        """Makes a pending fact active, with another value if given; it takes the place of the active one of its key.

        Those in `replacing` give their place to it in the same act. With a `key` it is kept under that, beside what
        there is: BadInput where another fact has it. Raises FactPinned where a pinned one would get another value or
        give its place, unless `even_pinned`; FactChanged where one of these facts is not as it was `shown`.
        """

    async def pause(self, profile: str, name: str, by: FactActor) -> FactChange:
        """Tells an active fact to nobody until it is resumed; raises NotFound, BadInput for another state."""

    async def resume(self, profile: str, name: str, by: FactActor) -> FactChange:
        """Makes a paused one active again; raises NotFound, BadInput for another state, or a key in use."""

    async def archive(self, profile: str, name: str, by: FactActor) -> FactChange:
        """Puts an active or paused one away; raises NotFound, BadInput for another state."""

    async def restore(self, profile: str, name: str, by: FactActor) -> FactChange:
        """Brings back what was archived, superseded or deleted, as it stood before; an expiry that is over is dropped.

        Raises NotFound, BadInput for another state, or where its key is in use.
        """

    async def supersede(
        self,
        profile: str,
        old_id: str,
        by_id: str,
        by: FactActor,
        *,
        even_pinned: bool = False,
        shown: ShownFacts | None = None,
    ) -> FactChange:
        """An active fact takes the place of another one, which keeps a link to it and the date.

        Raises NotFound, BadInput for one that does not stand, FactPinned, FactChanged where one is not as `shown`.
        """

    async def merge(
        self,
        profile: str,
        kept_id: str,
        gone_ids: Sequence[str],
        value: str | None,
        by: FactActor,
        *,
        even_pinned: bool = False,
        shown: ShownFacts | None = None,
    ) -> FactChange:
        """An active fact takes others in, with another value if given, in one act. Raises as `supersede`.

        Secrets that were allowed in it stay only while its value does.
        """

    async def relate(self, profile: str, fact_id: str, relations: Sequence[Related]) -> None:
        """Keeps how a fact that waits stands to others, in place of what was kept of it; raises NotFound."""

    async def relations(self, profile: str, fact_ids: Sequence[str]) -> dict[str, tuple[Related, ...]]:
        """By id how these facts stand to others that are not deleted, each of those as it is now."""

    async def expire(self, profile: str) -> int:
        """Archives what has expired (by FactActor.RULE); how many."""

    async def unused(self, profile: str, since: datetime) -> list[str]:
        """Ids of active unpinned facts that were neither used, told, repeated nor changed since a moment."""

    async def archive_unused(self, profile: str, since: datetime, fact_ids: Sequence[str]) -> int:
        """Archives those of these facts that are unused still (by FactActor.RULE); how many."""

    async def undo(self, profile: str, number: int | None = None) -> FactChange | None:
        """Takes back a change with those made as one with it; None when there is none.

        By default the newest of the person's own that is not yet undone.
        """

    async def suspected(self, profile: str) -> list[Fact]:
        """Those of any state in whose text or history a secret is kept that the person did not ask to keep, newest
        change first. They are masked, as in all that is read."""

    async def mask(self, profile: str, name: str) -> Fact:
        """Masks a fact and every line of its history where they are kept, for good; raises NotFound."""

    async def history(self, profile: str, name: str) -> list[FactChange]:
        """All changes of a fact, oldest first."""

    async def last_change(self) -> int:
        """The number of the newest change of any fact; 0 before the first."""

    async def mark_used(self, fact_ids: Sequence[str]) -> None:
        """They were recalled now."""

    async def mark_told(self, fact_ids: Collection[str]) -> None:
        """They stand in the prefix of a request: not unused, but not recalled either."""

    async def word_matches(self, profile: str, words: Sequence[str], most: int | None = None) -> WordMatches:
        """BM25 of the active facts that hold any of these search words (`core.search_words`): of all of them, or of the
        best `most`, by their rarer words where that takes less time."""

    async def holding(self, profile: str, letters: Sequence[str]) -> dict[str, list[str]]:
        """By each of these (`core.lone_letters`) the ids of the active facts it stands in anywhere."""


class FactSearch(Protocol):
    """Finds facts by words and meaning."""

    async def search(
        self,
        profile: str,
        query: str,
        limit: int,
        without: Collection[str] = (),
        conversation_id: str | None = "",
        *,
        sought: bool = False,
    ) -> list[FactHit]:
        """The best active facts for a text, best first, those in `without` (ids) left out.

        In a conversation only those that hold in it; with an empty one those that hold everywhere, with None all. What
        a person has `sought` is found by a single word, too, that most facts hold.
        """


class DocumentStore(Protocol):
    """Documents and their passages, each profile by itself. All methods raise StoreUnavailable when the disk refuses.

    Every write is one transaction with the words to search by and what the vector index has to forget. Ids of passages
    are those of `core.passages.PassageKind.DOCUMENT`; a removed document has none.
    """

    async def add(self, profile: str, read: DocumentText) -> DocumentAdded:
        """Keeps a document. One whose text is kept already is not added; one from the same place is replaced, and can
        be brought back; a removed one with this text comes back."""

    async def documents(self, profile: str, *, deleted: bool = False) -> list[Document]:
        """Those there are, or those that can be brought back; last added, or last removed, first."""

    async def remove(self, profile: str, document_id: str) -> Document:
        """Takes it out of list, search and index; it can be brought back for 30 days. Raises DocumentNotFound."""

    async def restore(self, profile: str, document_id: str) -> Document:
        """Brings a removed one back; one that came from its place meanwhile is removed for it. Raises
        DocumentNotFound."""

    async def word_matches(self, profile: str, words: Sequence[str]) -> WordMatches:
        """BM25 of the passages of documents that hold any of these search words, by id of the passage."""

    async def texts(self, profile: str, passage_ids: Sequence[str]) -> dict[str, DocumentPassage]:
        """Those of these passages there are in the profile, by id."""


class Embedder(Protocol):
    """Turns texts into vectors, on this machine unless the person chose a server."""

    @property
    def name(self) -> str:
        """Model, version and dimension: vectors of one name can be compared."""

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""

    @property
    def unrelated(self) -> Spread:
        """How close texts that have nothing to do with each other lie."""

    @property
    def korean(self) -> bool:
        """Whether it tells Korean texts apart; where not, they are found by their words."""

    async def embed(self, texts: Sequence[str], *, asked: bool = False) -> list[bytes]:
        """A vector (float32, little endian, length 1) for each text, none of them blank.

        `asked`: the texts are questions, which some models embed otherwise than what answers them, and somebody waits.
        Raises EmbedderUnavailable.
        """

    async def close(self) -> None:
        """Ends its thread or connections."""


class Embedders(Protocol):
    """Opens embedders."""

    def installed(self, kind: EmbedderKind) -> bool:
        """Whether this machine has what a kind needs."""

    async def identify(self, choice: EmbedderChoice, known: KnownEmbedder | None = None) -> KnownEmbedder:
        """Finds out name, dimension and habits of what was chosen; one on a server is tried, unless it goes by the
        name of one that is `known`. Raises EmbedderUnavailable."""

    def open(self, known: KnownEmbedder) -> Embedder:
        """One that is known, without asking anybody; its model is loaded with the first text."""


class VectorStore(Protocol):
    """The vectors of active facts and of passages, and what the index has yet to learn. Raises StoreUnavailable."""

    async def cut_messages(self, limit: int, profile: str | None = None) -> int:
        """Cuts the oldest messages (of one profile) that were not cut yet into passages, at most `limit`; how many."""

    async def lacking(self, embedder: str, limit: int, profile: str | None = None) -> list[Unembedded]:
        """Active facts, then passages (of one profile), without a vector of this embedder, oldest first."""

    async def put(self, embedder: str, vectors: Sequence[ItemVector], *, owe: bool = True) -> None:
        """Keeps vectors beside those of other embedders and, with `owe`, that the index has yet to learn of them;
        those of a text that has changed since are left out."""

    async def set_aside(self, embedder: str, one: Unembedded) -> None:
        """An embedder could not take this text: it is lacking again in an hour, or when it has changed."""

    async def pool(
        self, profile: str, embedder: str, ids: Sequence[str] | None = None, kind: PassageKind = PassageKind.FACT
    ) -> VectorPool:
        """All vectors of a profile of one kind, or those of some items."""

    async def debts(self, limit: int) -> list[Debt]:
        """What the index has yet to learn, oldest first."""

    async def settle(self, numbers: Sequence[int]) -> None:
        """The index has learnt it."""


class VectorIndex(Protocol):
    """Finds facts and passages by vectors of one embedder: through an index where this process owns it, else by
    comparing all."""

    @property
    def owned(self) -> bool:
        """Whether the index is open in this process."""

    @property
    def trouble(self) -> str:
        """Where the index is that could not be used, so that everything is compared; empty where that is not so."""

    async def open(self) -> bool:
        """Opens the index in step with the vectors that are kept; False where it is another's, or cannot be used."""

    async def learn(
        self, profile: str, pool: VectorPool, gone: Sequence[str], kind: PassageKind = PassageKind.FACT
    ) -> bool:
        """Takes in vectors, in place of older ones of the same items, and forgets the items in `gone`, also such as it
        never had. False where it is not open, or found that it cannot be used."""

    async def nearest(
        self,
        profile: str,
        vector: bytes,
        limit: int,
        also: Collection[str] = (),
        kind: PassageKind = PassageKind.FACT,
    ) -> Neighbours:
        """The nearest items of each script, at most `limit` of each, and those in `also`; none for the vector of
        another embedder than its own."""

    async def likeness(self, profile: str, finds: ItemIds, held: ItemIds, *, korean: bool) -> Likeness:
        """How alike passages that were found are, and how close each comes to what is `held`; without `korean` those
        that hold Hangul are left out."""

    def switch(self, embedder: str) -> None:
        """From now on it finds by vectors of another embedder, comparing all until it is opened again."""

    async def rebuild(self) -> bool:
        """Throws the index away and builds it from the vectors that are kept; False where it is another's."""

    async def close(self) -> None:
        """Ends its thread and gives the index up."""


class ProcessLock(Protocol):
    """Held by one process at a time; the system takes it back from one that dies."""

    def take(self) -> bool:
        """Whether it is held now."""

    def release(self) -> None:
        """Gives it up."""


class EmbedderStore(Protocol):
    """The embedders there are vectors of. Raises StoreUnavailable."""

    async def known(self) -> list[KnownEmbedder]:
        """All of them, the one that is serving first."""

    async def add(self, known: KnownEmbedder) -> None:
        """Keeps one, or what is known of it now; which one is serving stays as it is."""

    async def serve(self, name: str, *, anyway: bool = False) -> bool:
        """Makes it the one that is searched with, in one transaction; False where something lacks a vector of it,
        unless `anyway`."""

    async def counts(self, name: str) -> Counts:
        """What there is of each kind, and how much of it has a vector of this embedder."""

    async def drop_others(self, names: Collection[str], limit: int) -> int:
        """Drops vectors of embedders that are not among these, at most `limit`; how many. With the last goes what is
        known of them."""

    async def drop_vectors(self, name: str, limit: int) -> int:
        """Drops vectors of one embedder, at most `limit`; how many."""


class SaidStore(Protocol):
    """What was said in the conversations of a profile, to be recalled. Raises StoreUnavailable."""

    async def matches(
        self, profile: str, words: Sequence[str], most: int, without: Collection[str] = ()
    ) -> WordMatches:
        """BM25 of the messages that hold any of these search words, the best `most` of those that are not `without`;
        by message id."""

    async def holding(
        self, profile: str, letters: Sequence[str], without: Collection[str] = ()
    ) -> Mapping[str, Sequence[str]]:
        """By each letter of Hangul, Han or kana the ids of messages in which a word begins with it, or goes on after
        it; none for one that very many hold."""

    async def told(
        self, profile: str, message_ids: Sequence[str], passage_ids: Sequence[str], *, in_use: bool = False
    ) -> list[Said]:
        """These messages and those the passages are of, with up to two before and behind each; `in_use`: without any
        that were edited away."""

    async def passage_ids(self, profile: str, message_ids: Collection[str]) -> list[str]:
        """The passages of these messages that can be found."""

    async def anything(self, profile: str, without: Collection[str]) -> bool:
        """Whether anything was said besides these messages."""

    async def standing(self, profile: str, told: Collection[PassageNote]) -> set[str]:
        """Ids of those of these passages whose message or document was not deleted, and that tell no deleted fact."""

    async def recollection(self, profile: str, message_id: str) -> Recollection | None:
        """What was recalled for a message; None where nothing was looked for."""


class SecretDetector(Protocol):
    """Knows secrets and numbers of persons in texts. Never asks the network for anything."""

    def find(self, text: str) -> tuple[Secret, ...]:
        """The secrets of a text, in order and apart; quick, from any thread."""


class KeyVault(Protocol):
    """The operating system's store of secrets. No method blocks longer than its time limit."""

    async def get(self, name: str) -> str | None:
        """The secret kept under a name; None where there is none. Raises KeyVaultError."""

    async def set(self, name: str, secret: str) -> None:
        """Keeps one, and reads it back to be sure. Raises KeyVaultError."""

    async def delete(self, name: str) -> bool:
        """Removes it; whether there was one. Raises KeyVaultError."""

    async def backend(self) -> str:
        """The name of the store in use; raises KeyVaultError where there is none that is safe."""


class Approver(Protocol):
    """Whoever can ask the person."""

    async def ask(self, proposal: Proposal) -> Verdict:
        """Shows exactly what would be written and waits for the answer; closing is a denial."""


class ModelEndpoint(Protocol):
    """A server of the Messages API. All methods raise kinds of EndpointError."""

    @property
    def endpoint(self) -> Endpoint:
        """Where it is."""

    def stream(self, request: Request) -> AbstractAsyncContextManager[AsyncIterator[StreamEvent]]:
        """Sends a request and yields its answer; leaving the context closes the connection."""

    async def count(self, request: Request) -> int:
        """Input tokens of a request by count_tokens."""

    async def models(self) -> list[ModelInfo]:
        """The models it lists."""

    async def model(self, model_id: str) -> ModelInfo:
        """One model; raises ModelUnknown."""

    async def close(self) -> None:
        """Closes connections."""


class Endpoints(Protocol):
    """Opens endpoints."""

    async def open(self, endpoint: Endpoint, key: str | None) -> ModelEndpoint:
        """A client for it; the key stays inside. Raises NoKey or KeyRefused."""

    async def find_local(self) -> list[LocalServer]:
        """Servers of the Messages API that answer on loopback (Ollama, LM Studio, llama-server)."""

    async def close(self) -> None:
        """Ends what they were opened with, after the endpoints themselves."""


class SimulatedAssistant(Protocol):
    """The simulator as a child process."""

    async def url(self) -> str:
        """Its base URL; starts it when it is not running. Raises ServerFailed."""

    async def close(self) -> None:
        """Ends it."""


class SettingsStore(Protocol):
    """Settings on disk."""

    def load(self) -> tuple[Settings, list[str]]:
        """Settings and notices (catalogue ids) about what could not be read; never raises for bad content."""

    def save(self, settings: Settings) -> None:
        """Writes them whole or not at all; raises StoreUnavailable."""

    def take_untold(self) -> list[str]:
        """Notices about what was set aside since this was last asked, also by other processes; each only once."""


class PriceStore(Protocol):
    """The person's own prices on disk. Several processes may write them."""

    def mark(self) -> object:
        """A value that differs when anyone wrote since."""

    def load(self) -> tuple[list[PriceRow], list[PriceNotice]]:
        """The rows and notices about what could not be read; never raises for bad content."""

    def change(self, alter: Callable[[list[PriceRow]], list[PriceRow]]) -> list[PriceRow]:
        """Writes what `alter` makes of the rows there are, whole or not at all; raises StoreUnavailable."""


class FileWriter(Protocol):
    """Writes files the person names."""

    def write_whole(self, path: Path, data: bytes) -> bool:
        """Puts the bytes in place of the file there, whole or not at all; whether there was one.

        A link, a pipe and a device stay what they are. Raises StoreUnavailable with the path.
        """


class FileReader(Protocol):
    """Reads files the person names."""

    def read_whole(self, path: Path, limit: int) -> bytes:
        """The bytes of a file, at most `limit` and one more; raises AttachmentUnusable for what is no plain file."""


class DocumentReader(Protocol):
    """Reads documents the person names as text."""

    async def read(self, path: Path) -> DocumentText:
        """The clean text of a PDF, Markdown, HTML or text file; raises DocumentUnusable. Nothing is fetched or run."""


class Tool(Protocol):
    """A tool the model may call."""

    @property
    def definition(self) -> Block:
        """The tool as the API takes it; its bytes never change within a version."""

    @property
    def waits_for_person(self) -> bool:
        """Whether a call may take as long as the person does."""

    def offered(self, profile: ProfileSettings) -> bool:
        """Whether the model is told of it under these settings."""

    async def run(self, arguments: Mapping[str, object], call: ToolCall) -> str | list[Block]:
        """The result: a text, or blocks where it is more than that. Raises ToolError with a text for the model."""


class ToolError(Exception):
    """A tool could not do what was asked; the text goes to the model as an error result."""
