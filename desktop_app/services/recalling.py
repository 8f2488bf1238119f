"""Recall for a message: facts, what was said and documents from one budget, each find with why it came or did not."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import zip_longest

from desktop_app.core.errors import EmbedderUnavailable
from desktop_app.core.fact_notes import (
    FactNote,
    NoteKind,
    PassageNote,
    document_line,
    note_of,
    notes_text,
    said_line,
)
from desktop_app.core.facts import Fact
from desktop_app.core.passages import PassageKind
from desktop_app.core.ports import (
    DocumentStore,
    Embedder,
    FactSearch,
    FactStore,
    SaidStore,
    SecretDetector,
    VectorIndex,
)
from desktop_app.core.recall.passage_hits import PassageHit
from desktop_app.core.recall.recollection import Fate, Recalled, Recollection
from desktop_app.core.recall.selection import Likeness, without_repetition
from desktop_app.core.recall.small_talk import is_small_talk
from desktop_app.core.recall.values import FactHit, Part, Spread
from desktop_app.core.repeating import Told
from desktop_app.services.passage_search import PassageSearch, document_hit, turn_hit
from desktop_app.services.question_vectors import QuestionVectors

MOST_TOLD = 5
"""Of each kind beside one message."""
_LOOKED_AT = 12
"""Of each kind; those that are not told are shown as near misses."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is recalled for, and what stands in the context anyway.

    `message_id` is the message that asks, if one does. `known` are facts that are told already, `present` messages the
    model sees, that one among them, `said` texts that stand in the context; `budget` is in tokens, and 0 tells nothing.
    Without `facts` none are searched: all of them stand in the prompt, `in_block` of them. Those `in_prompt` are
    searched although they are told anyway.
    """

    profile: str
    text: str
    message_id: str = ""
    conversation_id: str = ""
    known: Collection[str] = ()
    present: Collection[str] = ()
    said: Sequence[str] = ()
    budget: int = 0
    facts: bool = True
    in_block: int = 0
    in_prompt: Collection[str] = ()
    now: datetime | None = None


@dataclass(frozen=True, slots=True)
class RecalledNotes:
    """What is to be told, and how it was found: None where nothing was looked for."""

    facts: tuple[FactNote, ...] = ()
    passages: tuple[PassageNote, ...] = ()
    recollection: Recollection | None = None


@dataclass(frozen=True, slots=True)
class ShownFind:
    """A find with what it says now: None where it was deleted since."""

    find: Recalled
    fact: Fact | None = None
    passage: PassageHit | None = None


@dataclass(frozen=True, slots=True)
class ShownRecollection:
    """What was recalled for a message; no facts were searched where `in_block` of them, all there were, stood in the
    prompt."""

    finds: tuple[ShownFind, ...]
    in_block: int = 0


class Recalling:
    """Raises StoreUnavailable."""

    def __init__(
        self,
        search: FactSearch,
        passages: PassageSearch,
        facts: FactStore,
        said: SaidStore,
        documents: DocumentStore,
        embedder: Embedder,
        index: VectorIndex,
        vectors: QuestionVectors,
        secrets: SecretDetector,
    ) -> None:
        self._index = index
        self._vectors = vectors
        self._search = search
        self._passages = passages
        self._facts = facts
        self._said = said
        self._documents = documents
        self._embedder = embedder
        self._find = secrets.find

    @property
    def index_trouble(self) -> str:
        """Where the index is that could not be used; empty where that is not so."""
        return self._index.trouble

    @property
    def meaning_trouble(self) -> EmbedderUnavailable | None:
        """Why the last question was asked by words alone; None where that is not so, or wished for."""
        return self._vectors.trouble

    async def recall(self, question: Question, tokens: Callable[[str], int]) -> RecalledNotes:
        """What bears on a question, from each kind in turn as far as the budget goes; `tokens` estimates a text.

        Nothing is looked for without a budget, or for small talk.
        """
        if not question.budget or is_small_talk(question.text):
            return RecalledNotes()
        hits: list[Sequence[FactHit | PassageHit]] = []
        if question.facts:
            found = await self._search.search(
                question.profile, question.text, _LOOKED_AT, question.known, question.conversation_id
            )
            hits.append(found)
        present = await self._said.passage_ids(question.profile, question.present) if question.present else {}
        passages = [
            await self._passages.turns(
                question.profile, question.text, _LOOKED_AT, question.present, question.now, present
            ),
            await self._passages.documents(question.profile, question.text, _LOOKED_AT),
        ]
        hits += await self._without_repetition(question, passages, present)
        choice = _Choice(question, tokens)
        for hit in _in_turn(hits):
            choice.take(hit)
        in_block = 0 if question.facts else question.in_block
        recollection = Recollection(tuple(choice.finds), self._embedder.name, in_block)
        return RecalledNotes(tuple(choice.facts), tuple(choice.passages), recollection)

    async def _without_repetition(
        self, question: Question, lists: Sequence[Sequence[PassageHit]], present: Mapping[str, str]
    ) -> list[list[PassageHit]]:
        """The same finds; what says nearly the same as the context or as a better one of its list comes later.

        `present` are the passages of the context, each with its message. Only of passages: facts that are alike may
        contradict each other.
        """
        every = [hit for hits in lists for hit in hits]
        finds = {kind: {hit.passage_id for hit in every if hit.kind is kind} for kind in PassageKind}
        if not any(finds.values()):
            return [list(hits) for hits in lists]
        others = [passage for passage, message in present.items() if message != question.message_id]
        held = {PassageKind.FACT: question.known, PassageKind.TURN: others}
        try:
            likeness = await self._index.likeness(question.profile, finds, held, korean=self._embedder.korean)
        except Exception:  # whatever is wrong with the index, the order by words stands
            likeness = Likeness()
        return [_apart(hits, likeness, self._embedder.unrelated) for hits in lists]

    async def of_message(self, profile: str, message_id: str) -> ShownRecollection | None:
        """What was recalled for a message, with what it says now; None where nothing was looked for."""
        kept = await self._said.recollection(profile, message_id)
        if kept is None:
            return None
        return ShownRecollection(tuple(await self.shown(profile, kept)), kept.in_block)

    async def shown(self, profile: str, recollection: Recollection | None) -> list[ShownFind]:
        """The finds with what they say now; none where nothing was looked for."""
        if recollection is None:
            return []
        by_kind = {kind: [find for find in recollection.finds if find.kind is kind] for kind in PassageKind}
        facts = await self._facts.active(profile, [find.source_id for find in by_kind[PassageKind.FACT]])
        said = {
            one.message_id: one
            for one in await self._said.told(profile, [find.source_id for find in by_kind[PassageKind.TURN]], [])
        }
        pieces = await self._documents.texts(profile, [find.passage_id for find in by_kind[PassageKind.DOCUMENT]])
        shown = []
        for find in recollection.finds:
            if find.kind is PassageKind.FACT:
                shown.append(ShownFind(find, fact=facts.get(find.source_id)))
            elif find.kind is PassageKind.TURN:
                one = said.get(find.source_id)
                hit = None if one is None else turn_hit(one, find.passage_id, find.score, find.parts, self._find)
                shown.append(ShownFind(find, passage=hit))
            else:
                piece = pieces.get(find.passage_id)
                hit = None if piece is None else document_hit(piece, find.score, find.parts, self._find)
                shown.append(ShownFind(find, passage=hit))
        return shown


class _Choice:
    """Takes finds in the order they come and tells as many as fit: the block they travel in counts as it is sent.

    A fact is left out only where it stands in the prompt as one: a value that was said somewhere, or that another key
    has, tells nothing of its own.
    """

    def __init__(self, question: Question, tokens: Callable[[str], int]) -> None:
        self._question = question
        self._tokens = tokens
        self._told = Told(question.said)
        self._counts = dict.fromkeys(PassageKind, 0)
        self.facts: list[FactNote] = []
        self.passages: list[PassageNote] = []
        self.finds: list[Recalled] = []

    def take(self, hit: FactHit | PassageHit) -> None:
        """Tells it, or says why not."""
        if isinstance(hit, FactHit):
            self._take_fact(hit)
        else:
            self._take_passage(hit)

    def _take_fact(self, hit: FactHit) -> None:
        fact, note = hit.fact, note_of(hit.fact, NoteKind.RECALLED)
        fate = Fate.IN_PROMPT if fact.id in self._question.in_prompt else self._fate(PassageKind.FACT, [note], [])
        self.finds.append(Recalled(PassageKind.FACT, fact.id, hit.score, hit.parts, fate))
        if fate is Fate.TOLD:
            self.facts.append(note)
            self._count(PassageKind.FACT, f"{fact.key} {fact.value}")

    def _take_passage(self, hit: PassageHit) -> None:
        note = PassageNote(hit.kind, hit.source_id, hit.passage_id, _line(hit))
        fate = self._fate(hit.kind, [], [note], hit.text) if hit.bears else Fate.WEAK
        self.finds.append(Recalled(hit.kind, hit.source_id, hit.score, hit.parts, fate, hit.passage_id))
        if fate is Fate.TOLD:
            self.passages.append(note)
            self._count(hit.kind, hit.text)

    def _fate(
        self, kind: PassageKind, facts: Sequence[FactNote], passages: Sequence[PassageNote], text: str = ""
    ) -> Fate:
        if self._counts[kind] >= MOST_TOLD:
            return Fate.BELOW
        if text and self._told.holds(text):
            return Fate.SIMILAR
        block = notes_text([*self.facts, *facts], [*self.passages, *passages])
        return Fate.TOLD if self._tokens(block) <= self._question.budget else Fate.OVER_BUDGET

    def _count(self, kind: PassageKind, text: str) -> None:
        self._counts[kind] += 1
        self._told.add(text)


def _apart(hits: Sequence[PassageHit], likeness: Likeness, unrelated: Spread) -> list[PassageHit]:
    by_passage = {hit.passage_id: hit for hit in hits if hit.bears}
    order = without_repetition({one: hit.score for one, hit in by_passage.items()}, likeness, unrelated)
    told = [
        replace(hit, score=hit.score + loss, parts={**hit.parts, Part.ALIKE: loss}) if loss else hit
        for hit, loss in ((by_passage[one], loss) for one, loss in order)
    ]
    return [*told, *(hit for hit in hits if not hit.bears)]


def _in_turn(lists: Sequence[Sequence[FactHit | PassageHit]]) -> Iterator[FactHit | PassageHit]:
    """The best of each list, then the second of each."""
    for hits in zip_longest(*lists):
        yield from (hit for hit in hits if hit is not None)


def _line(hit: PassageHit) -> str:
    if hit.kind is PassageKind.TURN:
        return said_line(hit.text, by_person=hit.by_person, title=hit.title, when=hit.when)
    return document_line(hit.text, name=hit.title, place=f"part {hit.place}")
