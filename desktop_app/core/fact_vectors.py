"""Vectors of facts as they cross from the database to the embedder and the index."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Unembedded:
    """An active fact without a vector; `text` is what is to be embedded."""

    fact_id: str
    revision: int
    text: str


@dataclass(frozen=True, slots=True)
class FactVector:
    """The vector (float32, little endian, length 1) of the text a fact had at `revision`."""

    fact_id: str
    revision: int
    vector: bytes


@dataclass(frozen=True, slots=True)
class VectorPool:
    """Vectors of active facts as one matrix, a row for each of `ids`; `hangul` says whose text holds Hangul."""

    ids: tuple[str, ...]
    hangul: tuple[bool, ...]
    matrix: bytes


NO_VECTORS = VectorPool((), (), b"")


@dataclass(frozen=True, slots=True)
class Debt:
    """A fact of whose present state the index has yet to learn."""

    number: int
    profile: str
    fact_id: str
