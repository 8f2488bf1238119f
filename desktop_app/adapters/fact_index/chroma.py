"""A folder of Chroma: ids and vectors only, a collection for each profile, kind, embedder and script.

Blocks; used by one thread.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import chromadb
from chromadb.config import Settings
from chromadb.errors import ChromaError

from desktop_app.adapters.fact_index.closeness import Floats, matrix_of
from desktop_app.adapters.fact_index.damage import IndexDamaged
from desktop_app.adapters.fact_index.shelf import Shelf
from desktop_app.core.passages import PassageKind
from desktop_app.core.vectors import VectorPool

if TYPE_CHECKING:
    from chromadb.api import ClientAPI
    from chromadb.api.models.Collection import Collection as ChromaCollection

_AT_ONCE = 1_000
_SEARCH = {"space": "cosine", "ef_construction": 200, "ef_search": 200, "max_neighbors": 32}


class ChromaFolder:
    """All methods raise IndexDamaged."""

    def __init__(self, folder: Path, embedder: str) -> None:
        self.embedder = embedder
        self._opened: dict[Shelf, ChromaCollection] = {}
        # Nothing of the environment or of a file .env may turn a local folder into a server, or telemetry on.
        settings = Settings(
            _env_file=None,
            anonymized_telemetry=False,
            chroma_otel_collection_endpoint=None,
            chroma_otel_granularity=None,
            chroma_api_impl="chromadb.api.rust.RustBindingsAPI",
        )
        with _damage():
            self._client: ClientAPI = chromadb.PersistentClient(folder, settings)

    def close(self) -> None:
        """Lets go of every file."""
        self._opened.clear()
        with _damage():
            self._client.close()

    def keep_only(self, shelves: Collection[Shelf]) -> None:
        """Drops collections of other profiles."""
        kept = {shelf.name(self.embedder) for shelf in shelves}
        with _damage():
            for collection in self._client.list_collections():
                if collection.name not in kept:
                    self._client.delete_collection(collection.name)

    def ids(self, shelf: Shelf) -> set[str]:
        """The items it holds."""
        with _damage():
            return set(self._collection(shelf).get(include=[])["ids"])

    def put(self, profile: str, kind: PassageKind, pool: VectorPool) -> None:
        """Adds items, or puts them in place of what there was of them, also of the other script."""
        for hangul in (True, False):
            places = [place for place, own in enumerate(pool.hangul) if own is hangul]
            ids = [pool.ids[place] for place in places]
            self.remove(Shelf(profile, kind, not hangul), ids)
            with _damage():
                for start in range(0, len(ids), _AT_ONCE):
                    end = start + _AT_ONCE
                    self._collection(Shelf(profile, kind, hangul)).upsert(
                        ids=ids[start:end], embeddings=matrix_of(pool)[places[start:end]]
                    )

    def remove(self, shelf: Shelf, ids: Collection[str]) -> None:
        """Removes those that are there."""
        if not ids:
            return
        with _damage():
            collection = self._collection(shelf)
            if there := collection.get(ids=list(ids), include=[])["ids"]:
                collection.delete(ids=there)

    def nearest(self, shelf: Shelf, vector: Floats, limit: int) -> dict[str, float]:
        """Cosines of the nearest items by id."""
        with _damage():
            collection = self._collection(shelf)
            wanted = min(limit, collection.count())
            if not wanted:
                return {}
            found = collection.query(query_embeddings=[vector], n_results=wanted, include=["distances"])
            ids, distances = found["ids"][0], (found["distances"] or [[]])[0]
            if len(ids) < 0.9 * wanted:
                raise IndexDamaged(f"{len(ids)} of {wanted} found")
            return {item: 1.0 - distance for item, distance in zip(ids, distances, strict=True)}

    def _collection(self, shelf: Shelf) -> ChromaCollection:
        if shelf not in self._opened:
            self._opened[shelf] = self._client.get_or_create_collection(
                shelf.name(self.embedder),
                metadata={"embedder": self.embedder},
                configuration={"hnsw": _SEARCH},
                embedding_function=None,  # the default one would download a model
            )
        return self._opened[shelf]


@contextmanager
def _damage() -> Iterator[None]:
    """What Chroma says of a folder it cannot read; mistakes of ours pass through."""
    try:
        yield
    except (ChromaError, OSError) as error:
        raise IndexDamaged(str(error)) from error
    except BaseException as error:
        if type(error).__module__ == "pyo3_runtime":  # a panic in its Rust part, no Exception
            raise IndexDamaged(str(error)) from error
        raise
