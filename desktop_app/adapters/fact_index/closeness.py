"""Arithmetic on vectors: cosines between a text and facts, and their spread over a whole pool."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from desktop_app.core.recall.selection import Likeness
from desktop_app.core.recall.values import Neighbours, Spread
from desktop_app.core.vectors import VectorPool

# One core compares ten thousand vectors in half a millisecond; waking the others takes longer.
threadpool_limits(1, "blas")

Floats = NDArray[np.floating[Any]]


def vector_of(stored: bytes) -> Floats:
    """A vector as numbers."""
    return np.frombuffer(stored, dtype="<f4")


def matrix_of(pool: VectorPool) -> Floats:
    """All vectors of a pool, one a row."""
    return np.frombuffer(pool.matrix, dtype="<f4").reshape(len(pool.ids), -1)


def cosines(pool: VectorPool, vector: Floats) -> list[float]:
    """Between a text and each fact of the pool."""
    return (matrix_of(pool) @ vector).tolist() if pool.ids else []


def scan(pool: VectorPool, vector: bytes, limit: int, also: Collection[str]) -> Neighbours:
    """Compares a text with every fact of the pool: the nearest of each script, and those in `also`."""
    if not pool.ids:
        return Neighbours({}, frozenset(), {})
    close = matrix_of(pool) @ vector_of(vector)
    hangul = np.array(pool.hangul)
    wanted = {place for place, fact_id in enumerate(pool.ids) if fact_id in also} if also else set()
    spreads: dict[bool, Spread] = {}
    for script in (True, False):
        places = np.flatnonzero(hangul == script)
        if places.size:
            own = close[places]
            spreads[script] = Spread(places.size, float(own.mean()), float(own.std()))
            nearest = np.argpartition(-own, min(limit, own.size) - 1)[:limit]
            wanted.update(places[nearest].tolist())
    return Neighbours(
        {pool.ids[place]: float(close[place]) for place in wanted},
        frozenset(pool.ids[place] for place in wanted if pool.hangul[place]),
        spreads,
    )


def likeness(finds: Sequence[VectorPool], held: Sequence[VectorPool], korean: bool) -> Likeness:
    """Cosines among finds, and of each to the closest of what is held; those in Hangul count only with `korean`."""
    own, there = _vectors(finds, korean), _vectors(held, korean)
    if not own:
        return Likeness()
    ids, matrix = list(own), np.array(list(own.values()))
    among = (matrix @ matrix.T).tolist()
    pairs = {(ids[row], ids[column]): among[row][column] for row, column in permutations(range(len(ids)), 2)}
    if not there:
        return Likeness({}, pairs)
    closest = (matrix @ np.array(list(there.values())).T).max(axis=1).tolist()
    return Likeness(dict(zip(ids, closest, strict=True)), pairs)


def _vectors(pools: Sequence[VectorPool], korean: bool) -> dict[str, Floats]:
    """By id; ids of facts are no ids of passages."""
    return {
        one: vector
        for pool in pools
        if pool.ids
        for one, hangul, vector in zip(pool.ids, pool.hangul, matrix_of(pool), strict=True)
        if korean or not hangul
    }


class Moments:
    """What the spread of the cosines to any text follows from, so that it needs no scan: mean vector and covariance."""

    def __init__(self, vectors: Floats) -> None:
        self.count = len(vectors)
        self._mean = vectors.mean(axis=0)
        apart = vectors - self._mean
        self._covariance = apart.T @ apart / self.count

    def spread(self, vector: Floats) -> Spread:
        """Mean and deviation of the cosines between a text and all these vectors."""
        square = float(vector @ self._covariance @ vector)
        return Spread(self.count, float(vector @ self._mean), max(square, 0.0) ** 0.5)


def moments(pool: VectorPool) -> dict[bool, Moments]:
    """Those of each script that has facts."""
    if not pool.ids:
        return {}
    matrix, hangul = matrix_of(pool), np.array(pool.hangul)
    return {script: Moments(matrix[hangul == script]) for script in (True, False) if (hangul == script).any()}
