"""Vectors of texts that were embedded before, kept in the cache folder, so that measuring again takes minutes less."""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Sequence
from pathlib import Path

from desktop_app.core.ports import Embedder
from desktop_app.core.recall.values import Spread

CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "mnemoscope-benchmarks"


class KeptVectors:
    """Fulfils `core.ports.Embedder` with another one; only hashes of texts are kept."""

    def __init__(self, embedder: Embedder) -> None:
        CACHE.mkdir(parents=True, exist_ok=True)
        self._embedder = embedder
        self._kept = sqlite3.connect(CACHE / "vectors.db")
        self._kept.execute("CREATE TABLE IF NOT EXISTS vector (text TEXT PRIMARY KEY, vector BLOB NOT NULL)")

    @property
    def name(self) -> str:
        """That of the other."""
        return self._embedder.name

    @property
    def dimension(self) -> int:
        """That of the other."""
        return self._embedder.dimension

    @property
    def unrelated(self) -> Spread:
        """That of the other."""
        return self._embedder.unrelated

    @property
    def korean(self) -> bool:
        """That of the other."""
        return self._embedder.korean

    async def embed(self, texts: Sequence[str], *, asked: bool = False) -> list[bytes]:
        """Asks the other for those that are not kept yet."""
        digests = {text: hashlib.sha256(f"{self.name}|{asked}|{text}".encode()).hexdigest() for text in texts}
        found = {text: self._of(digest) for text, digest in digests.items()}
        missing = [text for text, vector in found.items() if vector is None]
        if missing:
            made = dict(zip(missing, await self._embedder.embed(missing, asked=asked), strict=True))
            with self._kept:
                rows = [(digests[text], vector) for text, vector in made.items()]
                self._kept.executemany("INSERT OR REPLACE INTO vector VALUES (?, ?)", rows)
            found |= made
        return [vector for text in texts if (vector := found[text]) is not None]

    async def close(self) -> None:
        """Left to `end`, since several stores use it one after the other."""

    async def end(self) -> None:
        """Ends both."""
        self._kept.close()
        await self._embedder.close()

    def _of(self, digest: str) -> bytes | None:
        row = self._kept.execute("SELECT vector FROM vector WHERE text = ?", (digest,)).fetchone()
        return None if row is None else bytes(row[0])
