"""Embedders as rows: which one is serving, how much has a vector of one, and dropping what is needed no more."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Row, delete, func, insert, select, update
from sqlalchemy.orm import Session

from desktop_app.adapters.store import passages, vectors
from desktop_app.adapters.store.passage_tables import EMBEDDERS, UNEMBEDDED
from desktop_app.adapters.store.sql import sql
from desktop_app.adapters.store.threads import StoreThreads
from desktop_app.core.embedders import Counts, EmbeddedCount, EmbedderChoice, EmbedderKind, KnownEmbedder
from desktop_app.core.passages import PassageKind
from desktop_app.core.recall.values import Spread

_EVER = ""
_FACTS = sql(
    """
    SELECT count(*), count(fact_vector.fact_number) FROM fact
    LEFT JOIN fact_vector ON fact_number = fact.number AND embedder = :embedder WHERE state = 'active'
    """
)
_PASSAGES = sql(
    f"""
    SELECT passage.kind, count(*), count(passage_vector.passage_number) FROM passage
    LEFT JOIN passage_vector ON passage_number = passage.number AND embedder = :embedder
    WHERE {passages.FINDABLE} GROUP BY passage.kind
    """
)
_DROPS = [
    sql(
        f"DELETE FROM {table} WHERE ({column}, embedder) IN "
        f"(SELECT {column}, embedder FROM {table} WHERE embedder = :embedder LIMIT :limit)"
    )
    for table, column in (("fact_vector", "fact_number"), ("passage_vector", "passage_number"))
]
_NAMES = sql("SELECT embedder FROM fact_vector UNION SELECT embedder FROM passage_vector")


class EmbedderStore:
    """Fulfils `core.ports.EmbedderStore`; works on the threads of the store."""

    def __init__(self, threads: StoreThreads) -> None:
        self._threads = threads

    def serving_at_start(self) -> KnownEmbedder | None:
        """The one that is searched with, read at once: for the start, where nothing else runs yet."""
        return next((one for one in self._threads.read_at_start(_known) if one.serving), None)

    async def known(self) -> list[KnownEmbedder]:
        """All of them, the one that is serving first."""
        return await self._threads.read(_known)

    async def add(self, known: KnownEmbedder) -> None:
        """Keeps one, or what is known of it now; which one is serving stays as it is."""
        await self._threads.write(lambda session: _add(session, known))

    async def serve(self, name: str, *, anyway: bool = False) -> bool:
        """Makes it the one that is searched with, in one transaction; False where something lacks a vector of it."""
        return await self._threads.write(lambda session: _serve(session, name, anyway))

    async def counts(self, name: str) -> Counts:
        """What there is of each kind, and how much of it has a vector of this embedder."""
        return await self._threads.read(lambda session: _counts(session, name))

    async def drop_others(self, names: Collection[str], limit: int) -> int:
        """Drops vectors of embedders that are not among these, at most `limit`; how many."""
        return await self._threads.write(lambda session: _drop_others(session, names, limit))

    async def drop_vectors(self, name: str, limit: int) -> int:
        """Drops vectors of one embedder, at most `limit`; how many."""
        return await self._threads.write(lambda session: _drop(session, name, limit))


def _known(session: Session) -> list[KnownEmbedder]:
    ordered = select(EMBEDDERS).order_by(EMBEDDERS.c.serving.desc(), EMBEDDERS.c.since)
    return [_of_row(row) for row in session.execute(ordered)]


def _of_row(row: Row[Any]) -> KnownEmbedder:
    choice = EmbedderChoice(EmbedderKind(row.kind), row.url, row.model)
    return KnownEmbedder(
        row.name, row.dimension, choice, Spread(0, row.mean, row.deviation), bool(row.korean), bool(row.serving)
    )


def _add(session: Session, known: KnownEmbedder) -> None:
    values = {
        "dimension": known.dimension,
        "kind": known.choice.kind.value,
        "url": known.choice.url,
        "model": known.choice.model,
        "mean": known.unrelated.mean,
        "deviation": known.unrelated.deviation,
        "korean": known.korean,
    }
    own = EMBEDDERS.c.name == known.name
    if session.execute(select(EMBEDDERS.c.name).where(own)).first() is None:
        session.execute(insert(EMBEDDERS).values(name=known.name, serving=False, since=datetime.now(UTC), **values))
    else:
        session.execute(update(EMBEDDERS).where(own).values(values))


def _serve(session: Session, name: str, anyway: bool) -> bool:
    own = EMBEDDERS.c.name == name
    row = session.execute(select(EMBEDDERS.c.kind).where(own)).first()
    if row is None:
        return False
    needs_none = anyway or row.kind == EmbedderKind.NONE.value
    if not needs_none and vectors.lacking(session, name, 1, None, _EVER):
        return False
    session.execute(update(EMBEDDERS).where(~own).values(serving=False))
    session.execute(update(EMBEDDERS).where(own).values(serving=True, since=datetime.now(UTC)))
    return True


def _counts(session: Session, name: str) -> Counts:
    found = {kind: EmbeddedCount() for kind in PassageKind}
    rows: Sequence[Row[Any]] = session.execute(_PASSAGES, {"embedder": name}).all()
    total, done = session.execute(_FACTS, {"embedder": name}).one()
    failed = select(UNEMBEDDED.c.kind, func.count()).where(UNEMBEDDED.c.embedder == name).group_by(UNEMBEDDED.c.kind)
    missed = {PassageKind(kind): count for kind, count in session.execute(failed)}
    for kind, of_kind, with_vector in [("fact", total, done), *rows]:
        one = PassageKind(kind)
        found[one] = EmbeddedCount(of_kind, with_vector, min(missed.get(one, 0), of_kind - with_vector))
    return found


def _drop_others(session: Session, names: Collection[str], limit: int) -> int:
    others = sorted({name for (name,) in session.execute(_NAMES)} - set(names))
    for name in others:
        if dropped := _drop(session, name, limit):
            return dropped
    session.execute(delete(EMBEDDERS).where(EMBEDDERS.c.name.not_in(names)))
    session.execute(delete(UNEMBEDDED).where(UNEMBEDDED.c.embedder.not_in(names)))
    return 0


def _drop(session: Session, name: str, limit: int) -> int:
    for statement in _DROPS:
        if dropped := int(session.execute(statement, {"embedder": name, "limit": limit}).rowcount):  # type: ignore[attr-defined]
            return dropped
    return 0
