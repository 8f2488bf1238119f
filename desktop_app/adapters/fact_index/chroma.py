"""A folder or a server of Chroma: ids and vectors only, a collection for each profile, kind, embedder and script.

Blocks; used by one thread.
"""

from __future__ import annotations

import socket
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
_ANSWER_SECONDS = 10
_SEARCH = {"space": "cosine", "ef_construction": 200, "ef_search": 200, "max_neighbors": 32}


class Chroma:
    """All methods raise IndexDamaged. Names of its collections begin with `mark`; others are left alone."""

    def __init__(self, client: ClientAPI, embedder: str, mark: str = "") -> None:
        self.embedder = embedder
        self._client = client
        self._mark = mark
        self._opened: dict[Shelf, ChromaCollection] = {}

    def close(self) -> None:
        """Lets go of every file."""
        self._opened.clear()
        with _damage():
            self._client.close()

    def keep_only(self, shelves: Collection[Shelf]) -> None:
        """Drops collections of other profiles."""
        kept = {self._name(shelf) for shelf in shelves}
        with _damage():
            for collection in self._client.list_collections():
                if collection.name.startswith(self._mark) and collection.name not in kept:
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
        if not limit:
            return {}
        with _damage():
            collection = self._collection(shelf)
            found = collection.query(query_embeddings=[vector], n_results=limit, include=["distances"])
            ids, distances = found["ids"][0], (found["distances"] or [[]])[0]
            # Counting takes as long as a search: only where less was found than asked for.
            if len(ids) < limit and len(ids) < 0.9 * (there := min(limit, collection.count())):
                raise IndexDamaged(f"{len(ids)} of {there} found")
            return {item: 1.0 - distance for item, distance in zip(ids, distances, strict=True)}

    def _collection(self, shelf: Shelf) -> ChromaCollection:
        if shelf not in self._opened:
            self._opened[shelf] = self._client.get_or_create_collection(
                self._name(shelf),
                metadata={"embedder": self.embedder},
                configuration={"hnsw": _SEARCH},
                embedding_function=None,  # the default one would download a model
            )
        return self._opened[shelf]

    def _name(self, shelf: Shelf) -> str:
        return self._mark + shelf.name(self.embedder)


class ChromaFolder(Chroma):
    """A folder of this process alone."""

    def __init__(self, folder: Path, embedder: str) -> None:
        with _damage():
            super().__init__(chromadb.PersistentClient(folder, _settings("rust.RustBindingsAPI")), embedder)


class ChromaServer(Chroma):
    """A server that others use, too."""

    def __init__(self, host: str, port: int, ssl: bool, mark: str, embedder: str) -> None:
        with _damage():
            # Its client has no limit of time, not even for this.
            socket.create_connection((host, port), _ANSWER_SECONDS).close()
            client: Any = chromadb.HttpClient(host, port, ssl, settings=_settings("fastapi.FastAPI"))
        super().__init__(client, embedder, mark)
        self._sessions = [one._server._session for one in (client, client._admin_client)]
        for session in self._sessions:
            session.timeout = _ANSWER_SECONDS

    def close(self) -> None:
        """Hangs up, which its client leaves undone."""
        super().close()
        for session in self._sessions:
            session.close()


def _settings(way: str) -> Settings:
    """Nothing of the environment or of a file .env may turn a folder into a server, or telemetry on."""
    return Settings(
        _env_file=None,
        anonymized_telemetry=False,
        chroma_otel_collection_endpoint=None,
        chroma_otel_granularity=None,
        chroma_api_impl=f"chromadb.api.{way}",
    )


@contextmanager
def _damage() -> Iterator[None]:
    """What Chroma says of a folder it cannot read; mistakes of ours pass through."""
    try:
        yield
    except (ChromaError, OSError) as error:
        raise IndexDamaged(str(error)) from error
    except BaseException as error:
        # A panic in its Rust part, no Exception; what its client says of a connection.
        if type(error).__module__.partition(".")[0] in ("pyo3_runtime", "httpx", "httpcore"):
            raise IndexDamaged(str(error)) from error
        raise
