"""No embedder at all: everything is found by its words."""

from __future__ import annotations

from collections.abc import Sequence

from desktop_app.core.errors import EmbedderUnavailable
from desktop_app.core.recall.values import Spread

NO_NAME = "none"


class WordsOnly:
    """Fulfils `core.ports.Embedder` for whoever wants none."""

    name = NO_NAME
    dimension = 0
    unrelated = Spread(0, 0.0, 1.0)
    korean = False

    async def embed(self, texts: Sequence[str], *, asked: bool = False) -> list[bytes]:  # noqa: ARG002
        """Raises EmbedderUnavailable for any text."""
        if texts:
            raise EmbedderUnavailable(name=NO_NAME)
        return []

    async def close(self) -> None:
        """There is nothing to end."""
