"""What models that compute on this machine have in common: a thread of their own, small pieces, one at a time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from threading import Lock
from typing import Any, ClassVar

from desktop_app.adapters.worker_thread import WorkerThread
from desktop_app.core.conversation import is_blank, well_formed
from desktop_app.core.errors import EmbedderUnavailable
from desktop_app.core.recall.values import Spread

_TEXTS_AT_ONCE = 32
_one_at_a_time = Lock()


class LocalModel(ABC):
    """Fulfils `core.ports.Embedder`. The model is loaded in its own thread with the first text."""

    title: ClassVar[str]
    """How it is called in its name."""
    package: ClassVar[str]
    dimension: ClassVar[int]
    unrelated: ClassVar[Spread]
    korean: ClassVar[bool] = True
    letters_at_once: ClassVar[int]
    """So many take some tens of milliseconds: a question need not wait longer for many facts."""

    def __init__(self) -> None:
        self._thread = WorkerThread("embedder")
        self._failed: EmbedderUnavailable | None = None

    @classmethod
    def called(cls) -> str:
        """Model, version of its package, dimension."""
        return f"{cls.title}/{_release(cls.package)}/{cls.dimension}"

    @property
    def name(self) -> str:
        """The same."""
        return self.called()

    async def embed(self, texts: Sequence[str], *, asked: bool = False) -> list[bytes]:
        """A vector for each text, none of them blank; in pieces, so that a question need not wait for many facts."""
        cleaned = clean_texts(texts)
        vectors: list[bytes] = []
        for some in pieces(cleaned, _TEXTS_AT_ONCE, self.letters_at_once):
            vectors += await self._thread.run(self._encode, some, asked)
        return vectors

    async def close(self) -> None:
        """Ends its thread."""
        await self._thread.close()

    @abstractmethod
    def load(self) -> Any:
        """The model, loaded once in a process; raises whatever is wrong with it."""

    @abstractmethod
    def compute(self, model: Any, texts: list[str], asked: bool) -> Sequence[Any]:
        """Rows of numpy, one for each text."""

    def _encode(self, texts: list[str], asked: bool) -> list[bytes]:
        with _one_at_a_time:
            return [row.astype("<f4").tobytes() for row in self.compute(self._loaded(), texts, asked)]

    def _loaded(self) -> Any:
        if self._failed is None:
            try:
                return self.load()
            except EmbedderUnavailable as error:
                self._failed = error
            except Exception as error:  # whatever is wrong with it, search goes on by words
                self._failed = EmbedderUnavailable(f"{type(error).__name__}: {error}", name=self.title)
        raise self._failed from None


@cache
def _release(package: str) -> str:
    """Read once: every search asks for the name."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"


def clean_texts(texts: Sequence[str]) -> list[str]:
    """The texts as a model can read them to their end; raises ValueError for a blank one."""
    cleaned = [well_formed(text).replace("\0", " ") for text in texts]  # after a NUL nothing would be read
    if any(is_blank(text) for text in cleaned):
        raise ValueError("a blank text has no meaning to embed")
    return cleaned


def pieces(texts: Sequence[str], most: int, letters_at_once: int) -> Iterator[list[str]]:
    """Runs of at most so many texts and letters, of one text at least."""
    piece: list[str] = []
    letters = 0
    for text in texts:
        if piece and (len(piece) == most or letters + len(text) > letters_at_once):
            yield piece
            piece, letters = [], 0
        piece.append(text)
        letters += len(text)
    if piece:
        yield piece
