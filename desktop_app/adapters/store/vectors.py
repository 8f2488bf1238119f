"""The vectors of active facts and of passages as rows, and what the vector index has yet to learn of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Row, delete, insert, select
from sqlalchemy.orm import Session

from desktop_app.adapters.store import blocks, passages, turns
from desktop_app.adapters.store.backend import backend_of
from desktop_app.adapters.store.fact_tables import OWED
from desktop_app.adapters.store.passage_tables import UNEMBEDDED
from desktop_app.adapters.store.sql import sql
from desktop_app.adapters.store.threads import StoreThreads
from desktop_app.core.conversation import to_json
from desktop_app.core.passages import PassageKind
from desktop_app.core.vectors import Debt, ItemVector, Unembedded, VectorPool, bytes_of

# Where a fact's text has changed its vectors are gone, so that one that is there is of the present text.
_LACKING = sql(
    """
    SELECT id, revision, key || ': ' || value AS text FROM fact
    WHERE state = 'active' AND (CAST(:profile AS TEXT) IS NULL OR profile = :profile) AND NOT EXISTS
        (SELECT 1 FROM fact_vector WHERE fact_number = fact.number AND embedder = :embedder
         AND (:bytes = 0 OR length(vector) = :bytes))
    AND NOT EXISTS (SELECT 1 FROM unembedded WHERE unembedded.embedder = :embedder AND unembedded.kind = 'fact'
        AND unembedded.item_id = fact.id AND unembedded.revision = fact.revision AND unembedded.tried_at > :tried_since)
    ORDER BY number LIMIT :limit
    """
)
_TRIED_AGAIN = timedelta(hours=1)
_NOTHING_LACKING = "nothing lacking"
_HOLDS_HANGUL = "{hangul:fact.key || fact.value}"
_OWN = "fact.profile = :profile AND fact.state = 'active' AND fact_vector.embedder = :embedder"
_ALL = sql(
    f"""
    SELECT fact.id, {_HOLDS_HANGUL}, vector FROM fact_vector {{then}} fact ON fact.number = fact_number WHERE {_OWN}
    """
)
# The order of the joins is forced: ids first, where SQLite would read the whole profile.
_SOME = sql(
    f"""
    SELECT fact.id, {_HOLDS_HANGUL}, vector FROM {{each:asked}}
    {{then}} fact ON fact.id = asked.value {{then}} fact_vector ON fact_number = fact.number WHERE {_OWN}
    """
)
_SCRIPTS = sql(
    f"""
    SELECT fact.profile, fact.id, {_HOLDS_HANGUL} FROM fact JOIN fact_vector ON fact_number = fact.number
    WHERE fact.state = 'active' AND embedder = :embedder
    """
)
_PUT = sql(
    """
    INSERT INTO fact_vector (fact_number, embedder, revision, vector)
    SELECT number, :embedder, revision, :vector FROM fact
    WHERE id = :item_id AND revision = :revision AND state = 'active'
    ON CONFLICT (fact_number, embedder) DO UPDATE SET revision = excluded.revision, vector = excluded.vector
    RETURNING fact_number
    """
)
_OWE = sql(
    """
    INSERT INTO owed (profile, kind, item_id, action) SELECT profile, 'fact', id, 'put' FROM fact
    WHERE number = :number AND NOT EXISTS (SELECT 1 FROM owed WHERE kind = 'fact' AND item_id = fact.id)
    """
)
Scripts = dict[tuple[str, PassageKind], dict[str, bool]]
"""By profile and kind the ids of items with a vector, and whether their text holds Hangul."""


class VectorStore:
    """Fulfils `core.ports.VectorStore`; works on the threads of the store."""

    def __init__(self, threads: StoreThreads) -> None:
        self._threads = threads

    async def cut_messages(self, limit: int, profile: str | None = None) -> int:
        """Cuts the oldest messages that were not cut yet into passages, at most `limit`; how many were."""
        return await self._threads.write(lambda session: turns.cut(session, limit, profile))

    async def lacking(self, embedder: str, limit: int, profile: str | None = None) -> list[Unembedded]:
        """Active facts, then passages, without a vector of this embedder, oldest first."""

        def work(session: Session) -> list[Unembedded]:
            since = datetime.now(UTC) - _TRIED_AGAIN
            # Every search asks, and looking at all facts takes long: until something is written nothing is lacking.
            state = (backend_of(session).seen_version(session), since.date(), since.hour)
            known = session.connection().info.setdefault(_NOTHING_LACKING, {})
            if state[0] is not None and known.get((embedder, profile)) == state:
                return []
            found = lacking(session, embedder, limit, profile, _written(since))
            if not found:
                known[embedder, profile] = state
            return found

        return await self._threads.read(work)

    async def put(self, embedder: str, vectors: Sequence[ItemVector], *, owe: bool = True) -> None:
        """Keeps vectors; those of a text that has changed since are left out."""
        await self._threads.write(lambda session: _put(session, embedder, vectors, owe))

    async def set_aside(self, embedder: str, one: Unembedded) -> None:
        """An embedder could not take this text: it is lacking again in an hour, or when it has changed."""
        await self._threads.write(lambda session: _set_aside(session, embedder, one))

    async def pool(
        self, profile: str, embedder: str, ids: Sequence[str] | None = None, kind: PassageKind = PassageKind.FACT
    ) -> VectorPool:
        """All vectors of a profile of one kind, or those of some items."""

        def work(session: Session) -> VectorPool:
            if kind is PassageKind.FACT:
                return _matrix(_facts(session, profile, embedder, ids), embedder)
            return _matrix(passages.pool(session, profile, kind, embedder, ids), embedder)

        return await self._threads.read(work)

    async def scripts(self, embedder: str) -> Scripts:
        """By profile and kind the ids of items with a vector, and whether their text holds Hangul."""
        return await self._threads.read(lambda session: _scripts(session, embedder))

    async def debts(self, limit: int) -> list[Debt]:
        """What the index has yet to learn, oldest first."""
        return await self._threads.read(lambda session: _debts(session, limit))

    @property
    def shared(self) -> bool:
        """Whether other workstations may have the database open, too."""
        return self._threads.shared

    def teaching(self) -> AbstractAsyncContextManager[bool]:
        """Whether this store alone may change an index that others share, for as long as this lasts."""
        return self._threads.teaching()

    async def settle(self, numbers: Sequence[int]) -> None:
        """The index has learnt it."""
        await self._threads.write(lambda session: _settle(session, numbers))


def _matrix(rows: Sequence[Row[Any]], embedder: str) -> VectorPool:
    """Rows of (id, whether the text holds Hangul, vector) as one; a vector of another length is lacking."""
    size = bytes_of(embedder)
    fit = [tuple(row) for row in rows if not size or len(row.vector) == size]
    ids, hangul, vectors = zip(*fit, strict=True) if fit else ((), (), ())
    return VectorPool(tuple(ids), tuple(map(bool, hangul)), b"".join(vectors))


def lacking(session: Session, embedder: str, limit: int, profile: str | None, tried_since: str) -> list[Unembedded]:
    """Active facts, then passages, without a vector of this embedder; not those it was tried with since then."""
    values = {"embedder": embedder, "limit": limit, "profile": profile, "tried_since": tried_since}
    values["bytes"] = bytes_of(embedder)
    facts = [Unembedded(*row) for row in session.execute(_LACKING, values)]
    return [*facts, *turns.lacking(session, embedder, limit - len(facts), profile, tried_since)]


def _written(moment: datetime) -> str:
    """As moments stand in the database."""
    return moment.isoformat(timespec="microseconds")


def _put(session: Session, embedder: str, vectors: Sequence[ItemVector], owe: bool) -> None:
    for one in vectors:
        if one.kind is not PassageKind.FACT:
            continue
        values = {"item_id": one.item_id, "revision": one.revision, "vector": one.vector, "embedder": embedder}
        number = session.execute(_PUT, values).scalar()
        if number is not None and owe:
            session.execute(_OWE, {"number": number})
    passages.put_vectors(session, embedder, [one for one in vectors if one.kind is not PassageKind.FACT], owe=owe)


def _set_aside(session: Session, embedder: str, one: Unembedded) -> None:
    own = {"embedder": embedder, "kind": one.kind.value, "item_id": one.item_id}
    session.execute(delete(UNEMBEDDED).filter_by(**own))
    session.execute(insert(UNEMBEDDED).values(**own, revision=one.revision, tried_at=datetime.now(UTC)))


def _facts(session: Session, profile: str, embedder: str, ids: Sequence[str] | None) -> Sequence[Row[Any]]:
    values = {"profile": profile, "embedder": embedder}
    if ids is None:
        return session.execute(_ALL, values).all()
    return session.execute(_SOME, {**values, "asked": to_json(list(ids))}).all()


def _scripts(session: Session, embedder: str) -> Scripts:
    found: Scripts = defaultdict(dict)
    for profile, fact_id, hangul in session.execute(_SCRIPTS, {"embedder": embedder}):
        found[profile, PassageKind.FACT][fact_id] = bool(hangul)
    for profile, kind, item_id, hangul in passages.scripts(session, embedder):
        found[profile, kind][item_id] = hangul
    return dict(found)


def _debts(session: Session, limit: int) -> list[Debt]:
    columns = (OWED.c.number, OWED.c.profile, OWED.c.item_id, OWED.c.kind)
    rows = session.execute(select(*columns).order_by(OWED.c.number).limit(limit))
    return [Debt(row.number, row.profile, row.item_id, PassageKind(row.kind)) for row in rows]


def _settle(session: Session, numbers: Sequence[int]) -> None:
    for some in blocks.chunks(list(numbers)):
        session.execute(delete(OWED).where(OWED.c.number.in_(some)))
