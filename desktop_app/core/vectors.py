"""Vectors of facts and passages as they cross from the database to the embedder and the index."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from desktop_app.core.passages import PassageKind


@dataclass(frozen=True, slots=True)
class Unembedded:
    """A fact or passage without a vector; `text` is what is to be embedded. Passages never change: revision 0."""

    item_id: str
    revision: int
    text: str
    kind: PassageKind = PassageKind.FACT


@dataclass(frozen=True, slots=True)
class ItemVector:
    """The vector (float32, little endian, length 1) of the text an item had at `revision`."""

    item_id: str
    revision: int
    vector: bytes
    kind: PassageKind = PassageKind.FACT


@dataclass(frozen=True, slots=True)
class VectorPool:
    """Vectors of items of one kind as one matrix, a row for each of `ids`; `hangul` says whose text holds Hangul."""

    ids: tuple[str, ...]
    hangul: tuple[bool, ...]
    matrix: bytes


class MadeVector(bytes):
    """A vector that knows the name of the embedder it was made by: which one is serving may change under way."""

    embedder: str

    def __new__(cls, vector: bytes, embedder: str) -> MadeVector:
        """The same numbers with the name."""
        made = super().__new__(cls, vector)
        made.embedder = embedder
        return made


def embedder_of(vector: bytes, otherwise: str) -> str:
    """The name of the embedder a vector was made by, as far as it knows."""
    return vector.embedder if isinstance(vector, MadeVector) else otherwise


def bytes_of(embedder: str) -> int:
    """How long a vector of an embedder is: its name ends with the dimension; 0 for one whose name does not."""
    dimension = embedder.rpartition("/")[2]
    return 4 * int(dimension) if dimension.isdecimal() else 0


ItemIds = Mapping[PassageKind, Collection[str]]
"""Ids of items by their kind."""

NO_VECTORS = VectorPool((), (), b"")


@dataclass(frozen=True, slots=True)
class Debt:
    """An item of whose present state the index has yet to learn."""

    number: int
    profile: str
    item_id: str
    kind: PassageKind = PassageKind.FACT
