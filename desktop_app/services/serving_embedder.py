"""The embedder that is searched with now: whoever holds this need not know that it may change."""

from __future__ import annotations

from collections.abc import Sequence

from desktop_app.core.ports import Embedder
from desktop_app.core.recall.values import Spread
from desktop_app.core.vectors import MadeVector


class ServingEmbedder:
    """Fulfils `core.ports.Embedder`; each vector knows by whom it was made."""

    def __init__(self, embedder: Embedder) -> None:
        self._now = embedder

    @property
    def name(self) -> str:
        """That of the one in use."""
        return self._now.name

    @property
    def dimension(self) -> int:
        """That of the one in use."""
        return self._now.dimension

    @property
    def unrelated(self) -> Spread:
        """That of the one in use."""
        return self._now.unrelated

    @property
    def korean(self) -> bool:
        """Whether the one in use tells Korean texts apart."""
        return self._now.korean

    async def embed(self, texts: Sequence[str], *, asked: bool = False) -> list[bytes]:
        """Vectors of the one that is in use when it is asked, also where another has taken its place meanwhile."""
        now = self._now
        return [MadeVector(vector, now.name) for vector in await now.embed(texts, asked=asked)]

    def switch(self, embedder: Embedder) -> Embedder:
        """Puts another one in its place and returns the one before, still open."""
        before, self._now = self._now, embedder
        return before

    async def close(self) -> None:
        """Closes the one in use."""
        await self._now.close()
