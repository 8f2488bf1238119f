"""Finds the facts that bear on a text, by its words and, where the embedder loads, by its meaning."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping

from desktop_app.core.conversation import is_blank
from desktop_app.core.embedders import trusted
from desktop_app.core.lone_letters import lone_letters
from desktop_app.core.ports import Embedder, FactStore, VectorIndex
from desktop_app.core.recall.exact import named_forms, with_exact
from desktop_app.core.recall.facts import fuse
from desktop_app.core.recall.values import FactHit, Neighbours, WordMatches
from desktop_app.core.recall.words import with_letters
from desktop_app.core.search_words import query_words
from desktop_app.services.question_vectors import QuestionVectors, asked

_SPARE, _NAMED_SPARE = 20, 100
_WORD_MATCHES = 200
_WORD_MATCHES_COMPARED = 30


class RecallService:
    """Fulfils `core.ports.FactSearch`: by words alone wherever meaning cannot be asked."""

    def __init__(self, facts: FactStore, embedder: Embedder, index: VectorIndex, vectors: QuestionVectors) -> None:
        self._facts = facts
        self._embedder = embedder
        self._index = index
        self._vectors = vectors

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
        """The best active facts for a text, best first; none that has nothing to do with it. Raises StoreUnavailable.

        In a conversation only those that hold in it; with an empty one those that hold everywhere, with None all. Of a
        long text its beginning and its end are asked by. What a person has `sought` is found by a single word, too,
        that most facts hold.
        """
        text = asked(query)
        if limit < 1 or is_blank(text):
            return []
        # One-syllable words are sought in every fact: that takes as long as all the rest, and is done beside it.
        (matches, vector), letters, others = await asyncio.gather(
            self._asked(profile, text), self._letters(profile, text), self._others(profile, conversation_id)
        )
        if not matches.total:
            return []
        matches = with_letters(matches, letters)
        left_out = {*without, *others}
        near = await self._near(profile, vector, matches, limit + len(left_out) + _SPARE)
        found = [
            one for one in fuse(matches, near, self._embedder.unrelated, 1 if sought else 2) if one.id not in left_out
        ]
        # Some may have gone since they were found; and what is named outright may stand far below.
        looked_at = found[: limit + (_NAMED_SPARE if named_forms(text) else _SPARE)]
        facts = await self._facts.active(profile, [one.id for one in looked_at])
        ranked = with_exact(text, looked_at, facts)[:limit]
        return [FactHit(facts[one.id], one.score, one.words, one.meaning, one.parts) for one in ranked]

    async def _asked(self, profile: str, text: str) -> tuple[WordMatches, bytes | None]:
        """What holds the words of a text, and its meaning; without facts no model is loaded for it."""
        matches = await self._facts.word_matches(profile, query_words(text), _WORD_MATCHES)
        return matches, await self._vectors.of(profile, text) if matches.total else None

    async def _letters(self, profile: str, text: str) -> Mapping[str, Collection[str]]:
        letters = lone_letters(text)
        return await self._facts.holding(profile, letters) if letters else {}

    async def _others(self, profile: str, conversation_id: str | None) -> Collection[str]:
        """The facts that do not hold here."""
        return () if conversation_id is None else await self._facts.of_other_conversations(profile, conversation_id)

    async def _near(self, profile: str, vector: bytes | None, matches: WordMatches, limit: int) -> Neighbours | None:
        if vector is None:
            return None
        by_words = sorted(matches.scores, key=lambda fact_id: -matches.scores[fact_id])
        try:
            near = await self._index.nearest(profile, vector, limit, by_words[:_WORD_MATCHES_COMPARED])
            return trusted(near, self._embedder.korean)
        except Exception:  # whatever is wrong with the index, words are found without it
            return None
