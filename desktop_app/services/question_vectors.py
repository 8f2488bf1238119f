"""The meaning of a question, made once for all that is searched with it."""

from __future__ import annotations

from contextlib import suppress

from desktop_app.core.conversation import well_formed
from desktop_app.core.errors import EmbedderUnavailable
from desktop_app.core.ports import Embedder
from desktop_app.core.scripts import holds_hangul
from desktop_app.services.indexing import IndexingService

_LETTERS_ASKED = 2_000


class QuestionVectors:
    """Keeps the vector of the last question: facts, turns and documents are asked with the same one."""

    def __init__(self, embedder: Embedder, indexing: IndexingService) -> None:
        self._embedder = embedder
        self._indexing = indexing
        self._last: tuple[str, str, bytes] | None = None
        self.trouble: EmbedderUnavailable | None = None
        """Why the last question was asked by words alone; None where it was not, or where that is wished for."""

    async def of(self, profile: str, text: str) -> bytes | None:
        """The vector of a text that is not blank, with the index of the profile in step; None where there is no
        meaning to be had: words are found without it."""
        vector = None
        with suppress(Exception):  # whatever is wrong with the model
            vector = await self._vector(text)
        # Behind the question, which loads the model and finds out whether a server answers.
        with suppress(Exception):
            await self._indexing.catch_up(profile)
        return vector

    async def _vector(self, text: str) -> bytes | None:
        if self._indexing.follow is not None:
            await self._indexing.follow()
        if holds_hangul(text) and not self._embedder.korean:
            return None
        name = self._embedder.name
        if self._last is None or self._last[:2] != (name, text):
            try:
                (vector,) = await self._embedder.embed([text], asked=True)
            except EmbedderUnavailable as error:
                self.trouble = error if self._embedder.dimension else None
                raise
            self._last, self.trouble = (name, text, vector), None
        return self._last[2]


def asked(query: str) -> str:
    """What of a query is asked by: of a long text its beginning and its end."""
    query = well_formed(query)
    if len(query) <= _LETTERS_ASKED:
        return query
    half = _LETTERS_ASKED // 2
    return f"{query[:half]}\n{query[-half:]}"
