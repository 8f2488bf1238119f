"""What services need to find what was said and kept: documents, embedders, vectors and their index."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from desktop_app.core.documents import Document, DocumentAdded, DocumentPassage, DocumentText
from desktop_app.core.embedders import Counts, EmbedderChoice, EmbedderKind, KnownEmbedder
from desktop_app.core.fact_notes import PassageNote
from desktop_app.core.passages import PassageKind
from desktop_app.core.recall.recollection import Recollection
from desktop_app.core.recall.said import Said
from desktop_app.core.recall.selection import Likeness
from desktop_app.core.recall.values import Neighbours, Spread, WordMatches
from desktop_app.core.vectors import Debt, ItemIds, ItemVector, Unembedded, VectorPool


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

    async def holding(self, profile: str, letters: Sequence[str]) -> Mapping[str, Sequence[str]]:
        """By each of these (`core.lone_letters`) the passages in which a word begins with the letter, or goes on after
        it, or the sign stands anywhere."""

    async def texts(self, profile: str, passage_ids: Sequence[str]) -> dict[str, DocumentPassage]:
        """Those of these passages there are in the profile, by id."""


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

    async def passage_ids(self, profile: str, message_ids: Collection[str]) -> Mapping[str, str]:
        """The passages of these messages that can be found, each with its message."""

    async def anything(self, profile: str, without: Collection[str]) -> bool:
        """Whether anything was said besides these messages."""

    async def standing(self, profile: str, told: Collection[PassageNote]) -> set[str]:
        """Ids of those of these passages whose message or document was not deleted, and that tell no deleted fact."""

    async def recollection(self, profile: str, message_id: str) -> Recollection | None:
        """What was recalled for a message; None where nothing was looked for."""


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
