"""Small embedders that count letters three by three, in place of models: of 8, of 16, and another of 8 numbers."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from desktop_app.core.embedders import EmbedderChoice, EmbedderKind, KnownEmbedder
from desktop_app.core.errors import EmbedderRefused, EmbedderUnreachable
from desktop_app.core.recall.values import Spread
from tests.fakes.embedding_server import packed, toy_vector

SIZES = {EmbedderKind.USE: 8, EmbedderKind.E5: 16, EmbedderKind.OPENAI: 8}
UNRELATED = Spread(0, 0.6, 0.15)


class ToyEmbedder:
    """Fulfils `core.ports.Embedder`; `refuses` is a part of texts it cannot take, `down` lets it fail for all."""

    korean = True
    unrelated = UNRELATED

    def __init__(self, kind: EmbedderKind, version: str = "1") -> None:
        self.kind = kind
        self.dimension = SIZES.get(kind, 8)
        self.name = f"toy-{kind.value}/{version}/{self.dimension}"
        self.refuses = ""
        self.down = False
        self.embedded: list[str] = []

    async def embed(self, texts: Sequence[str], *, asked: bool = False) -> list[bytes]:
        await asyncio.sleep(0)
        if self.down:
            raise EmbedderUnreachable(host="toy")
        if self.refuses and any(self.refuses in text for text in texts):
            raise EmbedderRefused(host="toy", reason="this text")
        self.embedded += texts
        return [packed(toy_vector(text, self.dimension, self.name)) for text in texts]

    async def close(self) -> None:
        """Nothing to end: one for the whole test."""


class ToyEmbedders:
    """Fulfils `core.ports.Embedders`; `made` are the embedders by kind."""

    def __init__(self, version: str = "1") -> None:
        self.made = {kind: ToyEmbedder(kind, version) for kind in EmbedderKind}

    def installed(self, kind: EmbedderKind) -> bool:
        return True

    async def identify(self, choice: EmbedderChoice, known: KnownEmbedder | None = None) -> KnownEmbedder:
        toy = self.made[choice.kind]
        if toy.down:
            raise EmbedderUnreachable(host="toy")
        return KnownEmbedder(toy.name, toy.dimension, choice, toy.unrelated, toy.korean)

    def open(self, known: KnownEmbedder) -> ToyEmbedder:
        return self.made[known.choice.kind]
