"""Finds what was said in earlier conversations, and passages of documents, by words and by meaning."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from heapq import nlargest
from operator import itemgetter

from desktop_app.core.conversation import Role
from desktop_app.core.documents import DocumentPassage
from desktop_app.core.embedders import trusted
from desktop_app.core.lone_letters import lone_letters
from desktop_app.core.passages import PassageKind
from desktop_app.core.ports import DocumentStore, Embedder, SaidStore, SecretDetector, VectorIndex
from desktop_app.core.recall.bearing import bears_on, only_asks, passages_that_bear
from desktop_app.core.recall.exact import holds_form, named_forms, raised
from desktop_app.core.recall.facts import fuse
from desktop_app.core.recall.passage_hits import PassageHit
from desktop_app.core.recall.said import Said
from desktop_app.core.recall.small_talk import is_small_talk, tells_nothing
from desktop_app.core.recall.turns import rank_turns
from desktop_app.core.recall.values import Neighbours, Turn, WordMatches
from desktop_app.core.recall.words import with_letters
from desktop_app.core.search_words import query_words, search_words
from desktop_app.core.secrets.fact_text import Find, masked_text
from desktop_app.core.secrets.long_texts import masked_piece
from desktop_app.services.question_vectors import QuestionVectors, asked

_CANDIDATES = (120, 480, 1_920)
"""Messages looked at for their words, and as many for their meaning; those around them come along. More only where
too few of them stand in a conversation as it is now."""
_NAMED_SPARE = 100
"""Looked at further down where something is named outright."""
_NOTHING = Neighbours({}, frozenset(), {})


@dataclass(frozen=True, slots=True)
class _Question:
    """What is asked, and what is left out: messages, and the passages of these."""

    profile: str
    text: str
    vector: bytes | None
    without: frozenset[str]
    hidden: frozenset[str]
    now: datetime | None


class PassageSearch:
    """Raises StoreUnavailable. A text in which nothing tells (a greeting, a yes) finds nothing."""

    def __init__(
        self,
        said: SaidStore,
        documents: DocumentStore,
        embedder: Embedder,
        index: VectorIndex,
        vectors: QuestionVectors,
        secrets: SecretDetector,
    ) -> None:
        self._said = said
        self._documents = documents
        self._embedder = embedder
        self._index = index
        self._vectors = vectors
        self._find = secrets.find

    async def turns(
        self,
        profile: str,
        query: str,
        limit: int,
        without: Collection[str] = (),
        now: datetime | None = None,
        hidden: Collection[str] = (),
    ) -> list[PassageHit]:
        """The best of what was said, one passage of each message, best first; messages in `without`, whose passages
        are `hidden`, are left out, and such as were edited away. Each says whether it bears on the text at all.

        `now` is what "yesterday" counts from, in the person's zone.
        """
        text = asked(query)
        words = query_words(text)
        if not words or limit < 1 or is_small_talk(text):
            return []
        if not await self._said.anything(profile, without):
            return []  # before a model is loaded for nothing
        vector = await self._vectors.of(profile, text)
        question = _Question(profile, text, vector, frozenset(without), frozenset(hidden), now)
        hits: list[PassageHit] = []
        for most in _CANDIDATES:
            hits, more = await self._turns(question, limit, most)
            if len(hits) >= limit or not more:
                break
        return hits

    async def _turns(self, question: _Question, limit: int, most: int) -> tuple[list[PassageHit], bool]:
        """The best out of `most` candidates, and whether there may be more of these."""
        profile, vector, words = question.profile, question.vector, query_words(question.text)
        matches = await self._matches(question, words, most)
        near = await self._near(question, most)
        said = await self._said.told(profile, list(matches.scores), list(near.cosines), in_use=True)
        more = len(matches.scores) >= most or len(near.cosines) >= most
        if vector is not None:
            passages = [passage.id for one in said for passage in one.passages]
            missing = [passage for passage in passages if passage not in near.cosines]
            near = _with(near, await self._nearest(profile, vector, 0, missing, PassageKind.TURN))
        by_message = _by_message(said, near) if vector is not None else None
        turns = [_turn(one) for one in said if one.message_id not in question.without]
        ranked = rank_turns(question.text, turns, matches, by_message, self._embedder.unrelated, question.now)
        telling = bears_on(ranked, matches, by_message, self._embedder.unrelated)
        known = {one.message_id: one for one in said}
        forms = named_forms(question.text)
        if forms:
            named = {one.id for one in ranked if not only_asks(one) and holds_form(forms, known[one.id].findable)}
            ranked, telling = raised(ranked, named), telling | named
        telling -= {one for one in telling if known[one].role is Role.ASSISTANT and tells_nothing(known[one].text)}
        hits = [
            turn_hit(
                known[one.id],
                _best_passage(known[one.id], near.cosines, words, forms),
                one.score,
                one.parts,
                self._find,
            )
            for one in ranked[:limit]
        ]
        return [replace(hit, bears=hit.source_id in telling) for hit in hits], more

    async def _matches(self, question: _Question, words: Sequence[str], most: int) -> WordMatches:
        matches = await self._said.matches(question.profile, words, most, question.without)
        letters = [one for one in lone_letters(question.text) if one.isalnum()]
        if not letters:
            return matches
        held = with_letters(matches, await self._said.holding(question.profile, letters, question.without))
        return replace(held, scores=dict(nlargest(most, held.scores.items(), key=itemgetter(1))))

    async def documents(self, profile: str, query: str, limit: int) -> list[PassageHit]:
        """The best passages of documents, best first. Each says whether it bears on the text at all."""
        text = asked(query)
        words, letters = query_words(text), lone_letters(text)
        if not (words or letters) or limit < 1 or is_small_talk(text):
            return []
        matches = await self._documents.word_matches(profile, words)
        if not matches.total:
            return []
        if letters:
            matches = with_letters(matches, await self._documents.holding(profile, letters))
        vector = await self._vectors.of(profile, text)
        near = None
        if vector is not None:
            best = sorted(matches.scores, key=lambda one: -matches.scores[one])[: _CANDIDATES[0]]
            near = await self._nearest(profile, vector, limit, best, PassageKind.DOCUMENT)
        ranked = fuse(matches, near, self._embedder.unrelated)
        forms = named_forms(text)
        ranked = ranked[: 2 * limit + (_NAMED_SPARE if forms else 0)]
        texts = await self._documents.texts(profile, [one.id for one in ranked])
        ranked = [one for one in ranked if one.id in texts]
        said = {one: f"{piece.name}\n{piece.text}" for one, piece in texts.items()}
        telling = passages_that_bear([*words, *letters], said, matches, near, self._embedder.unrelated)
        if forms:
            named = {one.id for one in ranked if holds_form(forms, texts[one.id].text)}
            ranked, telling = raised(ranked, named), telling | named
        hits = [document_hit(texts[one.id], one.score, one.parts, self._find) for one in ranked[:limit]]
        return [replace(hit, bears=hit.passage_id in telling) for hit in hits]

    async def _near(self, question: _Question, most: int) -> Neighbours:
        """The nearest passages, `most` of each script beside those that are hidden."""
        if question.vector is None:
            return _NOTHING
        wanted = most
        while True:
            near = await self._nearest(question.profile, question.vector, wanted, (), PassageKind.TURN)
            hidden = len(question.hidden & near.cosines.keys())
            if most + hidden <= wanted:
                break
            wanted = most + 2 * hidden
        left = {one: cosine for one, cosine in near.cosines.items() if one not in question.hidden}
        return replace(near, cosines=left)

    async def _nearest(
        self, profile: str, vector: bytes, limit: int, also: Collection[str], kind: PassageKind
    ) -> Neighbours:
        try:
            return trusted(await self._index.nearest(profile, vector, limit, also, kind), self._embedder.korean)
        except Exception:  # whatever is wrong with the index, words are found without it
            return _NOTHING


def _turn(said: Said) -> Turn:
    return Turn(said.message_id, said.conversation_id, said.place, said.role.value, said.findable, said.when)


def _with(near: Neighbours, more: Neighbours) -> Neighbours:
    return Neighbours({**near.cosines, **more.cosines}, near.hangul | more.hangul, near.spreads or more.spreads)


def _by_message(said: Sequence[Said], near: Neighbours) -> Neighbours:
    """The closeness of each message is that of its closest passage."""
    cosines: dict[str, float] = {}
    hangul: set[str] = set()
    for one in said:
        own = {passage.id: near.cosines[passage.id] for passage in one.passages if passage.id in near.cosines}
        if own:
            best = max(own, key=lambda passage: own[passage])
            cosines[one.message_id] = own[best]
            if best in near.hangul:
                hangul.add(one.message_id)
    return Neighbours(cosines, frozenset(hangul), near.spreads)


def turn_hit(said: Said, passage_id: str, score: float, parts: Mapping[str, float], find: Find) -> PassageHit:
    """A passage of a message; the whole of one that is not cut.

    Secrets are masked: they were told in that conversation, not to whoever this is told to.
    """
    span = next((one for one in said.passages if one.id == passage_id), None)
    start, end = (0, len(said.text)) if span is None else (span.start, span.end)
    return PassageHit(
        PassageKind.TURN,
        said.message_id,
        passage_id,
        masked_piece(said.text, start, end, find).strip(),
        masked_text(said.title, find),
        score,
        parts,
        said.conversation_id,
        said.role is Role.USER,
        said.when,
    )


def document_hit(piece: DocumentPassage, score: float, parts: Mapping[str, float], find: Find) -> PassageHit:
    """A passage of a document; its text comes masked already, its name does not."""
    name = masked_text(piece.name, find)
    return PassageHit(
        PassageKind.DOCUMENT, piece.document_id, piece.id, piece.text, name, score, parts, place=piece.part
    )


def _best_passage(said: Said, cosines: Mapping[str, float], words: Sequence[str], forms: Sequence[str]) -> str:
    """The passage that holds what is named, else most words of the question; among equals the closest in meaning."""
    asked_for = set(words)

    def worth(place: int) -> tuple[bool, int, float]:
        passage = said.passages[place]
        text = said.text[passage.start : passage.end]
        own = set(search_words(text))
        return holds_form(forms, text), len(own & asked_for), cosines.get(passage.id, 0.0)

    return said.passages[max(range(len(said.passages)), key=worth)].id if said.passages else ""
