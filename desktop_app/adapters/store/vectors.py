"""The vectors of active facts as rows, and what the vector index has yet to learn of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Row, delete, literal, select, text
from sqlalchemy.orm import Session

from desktop_app.adapters.store import blocks
from desktop_app.adapters.store.fact_tables import FACT_VECTORS, FACTS, OWED
from desktop_app.adapters.store.threads import StoreThreads
from desktop_app.core.fact_vectors import Debt, FactVector, Unembedded, VectorPool
from desktop_app.core.facts import FactState

_ACTIVE = FACTS.c.state == FactState.ACTIVE.value
_TEXT = FACTS.c.key + ": " + FACTS.c.value
# Syllables, and the letters they are made of.
_HOLDS_HANGUL = _TEXT.op("GLOB")(literal("*[\uac00-\ud7a3\u1100-\u11ff\u3130-\u318f]*"))
# A vector of another text is none.
_JOINED = (FACT_VECTORS.c.fact_number == FACTS.c.number) & (FACT_VECTORS.c.revision == FACTS.c.revision)

_PUT = text(
    """
    INSERT OR REPLACE INTO fact_vector (fact_number, embedder, revision, vector)
    SELECT number, :embedder, revision, :vector FROM fact
    WHERE id = :fact_id AND revision = :revision AND state = 'active'
    RETURNING fact_number
    """
)
_DROP_OTHERS = text("DELETE FROM fact_vector WHERE fact_number = :number AND embedder <> :embedder")
_OWE = text(
    """
    INSERT INTO owed (profile, fact_id, action) SELECT profile, id, 'put' FROM fact
    WHERE number = :number AND NOT EXISTS (SELECT 1 FROM owed WHERE fact_id = fact.id)
    """
)


class VectorStore:
    """Fulfils `core.ports.VectorStore`; works on the threads of the store."""

    def __init__(self, threads: StoreThreads) -> None:
        self._threads = threads

    async def lacking(self, embedder: str, limit: int, profile: str | None = None) -> list[Unembedded]:
        """Active facts without a vector of this embedder, oldest first."""
        return await self._threads.read(lambda session: _lacking(session, embedder, limit, profile))

    async def put(self, embedder: str, vectors: Sequence[FactVector]) -> None:
        """Keeps vectors; those of a text that has changed since are left out."""
        await self._threads.write(lambda session: _put(session, embedder, vectors))

    async def pool(self, profile: str, embedder: str, fact_ids: Sequence[str] | None = None) -> VectorPool:
        """All vectors of a profile, or those of some facts."""
        return await self._threads.read(lambda session: _pool(session, profile, embedder, fact_ids))

    async def scripts(self, embedder: str) -> dict[str, dict[str, bool]]:
        """By profile the ids of facts with a vector, and whether their text holds Hangul."""
        return await self._threads.read(lambda session: _scripts(session, embedder))

    async def debts(self, limit: int) -> list[Debt]:
        """What the index has yet to learn, oldest first."""
        return await self._threads.read(lambda session: _debts(session, limit))

    async def settle(self, numbers: Sequence[int]) -> None:
        """The index has learnt it."""
        await self._threads.write(lambda session: _settle(session, numbers))


def _lacking(session: Session, embedder: str, limit: int, profile: str | None) -> list[Unembedded]:
    rows = session.execute(
        select(FACTS.c.id, FACTS.c.revision, _TEXT.label("text"))
        .outerjoin(FACT_VECTORS, _JOINED & (FACT_VECTORS.c.embedder == embedder))
        .where(_ACTIVE, FACT_VECTORS.c.vector.is_(None), *([FACTS.c.profile == profile] if profile else []))
        .order_by(FACTS.c.number)
        .limit(limit)
    )
    return [Unembedded(row.id, row.revision, row.text) for row in rows]


def _put(session: Session, embedder: str, vectors: Sequence[FactVector]) -> None:
    for one in vectors:
        values = {"fact_id": one.fact_id, "revision": one.revision, "vector": one.vector, "embedder": embedder}
        number = session.execute(_PUT, values).scalar()
        if number is not None:
            session.execute(_DROP_OTHERS, {"number": number, "embedder": embedder})
            session.execute(_OWE, {"number": number})


def _pool(session: Session, profile: str, embedder: str, fact_ids: Sequence[str] | None) -> VectorPool:
    asked = (
        select(FACTS.c.id, _HOLDS_HANGUL.label("hangul"), FACT_VECTORS.c.vector)
        .join(FACT_VECTORS, _JOINED)
        .where(FACTS.c.profile == profile, _ACTIVE, FACT_VECTORS.c.embedder == embedder)
        .order_by(FACTS.c.number)
    )
    rows: list[Row[Any]] = []
    if fact_ids is None:
        rows += session.execute(asked)
    else:
        for some in blocks.chunks(list(fact_ids)):
            rows += session.execute(asked.where(FACTS.c.id.in_(some)))
    return VectorPool(
        tuple(row.id for row in rows),
        tuple(bool(row.hangul) for row in rows),
        b"".join(row.vector for row in rows),
    )


def _scripts(session: Session, embedder: str) -> dict[str, dict[str, bool]]:
    found: dict[str, dict[str, bool]] = {}
    for row in session.execute(
        select(FACTS.c.profile, FACTS.c.id, _HOLDS_HANGUL.label("hangul"))
        .join(FACT_VECTORS, _JOINED)
        .where(_ACTIVE, FACT_VECTORS.c.embedder == embedder)
    ):
        found.setdefault(row.profile, {})[row.id] = bool(row.hangul)
    return found


def _debts(session: Session, limit: int) -> list[Debt]:
    rows = session.execute(select(OWED.c.number, OWED.c.profile, OWED.c.fact_id).order_by(OWED.c.number).limit(limit))
    return [Debt(row.number, row.profile, row.fact_id) for row in rows]


def _settle(session: Session, numbers: Sequence[int]) -> None:
    for some in blocks.chunks(list(numbers)):
        session.execute(delete(OWED).where(OWED.c.number.in_(some)))
