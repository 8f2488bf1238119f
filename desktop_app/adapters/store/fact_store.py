"""The asynchronous face of long-term facts; works on the threads of the store."""

from __future__ import annotations

from collections.abc import Sequence

from desktop_app.adapters.store import fact_changes, fact_letters, fact_masking, fact_rows, fact_undo, fact_words
from desktop_app.adapters.store.fact_guard import GuardedThreads
from desktop_app.adapters.store.threads import StoreThreads
from desktop_app.core.facts import Fact, FactActor, FactChange, FactDraft, FactState
from desktop_app.core.recall.values import WordMatches


class FactStore:
    """Fulfils `core.ports.FactStore`; every write is one transaction."""

    def __init__(self, threads: StoreThreads) -> None:
        self._threads = GuardedThreads(threads)

    async def facts(self, profile: str, *states: FactState) -> list[Fact]:
        """Those in these states, active ones by default: pinned first, then newest change first."""
        return await self._threads.read(lambda session: fact_rows.listed(session, profile, states))

    async def fact(self, profile: str, name: str) -> Fact:
        """One by id or key."""
        return await self._threads.read(lambda session: fact_rows.find(session, profile, name))

    async def active(self, profile: str, fact_ids: Sequence[str]) -> dict[str, Fact]:
        """Those of these facts that are active, by id."""
        return await self._threads.read(lambda session: fact_rows.active(session, profile, fact_ids))

    async def keep(self, profile: str, draft: FactDraft, *, pending: bool = False) -> FactChange:
        """Adds a fact, or gives the active one of this key the new value."""
        return await self._threads.write(lambda session: fact_changes.keep(session, profile, draft, pending=pending))

    async def edit(
        self,
        profile: str,
        name: str,
        by: FactActor,
        *,
        key: str | None = None,
        value: str | None = None,
        category: str | None = None,
        keeps_secrets: bool = False,
    ) -> FactChange:
        """Changes what is given."""
        return await self._threads.write(
            lambda session: fact_changes.edit(
                session, profile, name, by, key, value, category, keeps_secrets=keeps_secrets
            )
        )

    async def pin(self, profile: str, name: str, pinned: bool) -> FactChange:
        """Pins or unpins."""
        return await self._threads.write(lambda session: fact_changes.pin(session, profile, name, pinned=pinned))

    async def delete(self, profile: str, name: str, by: FactActor) -> FactChange:
        """Takes it out of list, search and index; restorable for 30 days."""
        return await self._threads.write(lambda session: fact_changes.remove(session, profile, name, by))

    async def accept(self, profile: str, fact_id: str, value: str | None = None) -> FactChange:
        """Makes a pending fact active."""
        return await self._threads.write(lambda session: fact_changes.accept(session, profile, fact_id, value))

    async def undo(self, profile: str, number: int | None = None) -> FactChange | None:
        """Takes back a change."""
        return await self._threads.write(lambda session: fact_undo.undo(session, profile, number))

    async def suspected(self, profile: str) -> list[Fact]:
        """Those with a secret in their rows or their history."""
        return await self._threads.read(lambda session: fact_masking.suspected(session, profile))

    async def mask(self, profile: str, name: str) -> Fact:
        """Masks a fact and its history where they are kept."""
        return await self._threads.write(lambda session: fact_masking.mask(session, profile, name))

    async def history(self, profile: str, name: str) -> list[FactChange]:
        """All changes of a fact, oldest first."""
        return await self._threads.read(lambda session: fact_rows.history(session, profile, name))

    async def last_change(self) -> int:
        """The number of the newest change of any fact."""
        return await self._threads.read(fact_rows.last_change)

    async def mark_used(self, fact_ids: Sequence[str]) -> None:
        """They were recalled now."""
        await self._threads.write(lambda session: fact_rows.mark_used(session, fact_ids))

    async def word_matches(self, profile: str, words: Sequence[str]) -> WordMatches:
        """BM25 of the active facts that hold any of these search words."""
        return await self._threads.read(lambda session: fact_words.matches(session, profile, words))

    async def holding(self, profile: str, letters: Sequence[str]) -> dict[str, list[str]]:
        """By each of these letters the ids of the active facts it stands in anywhere."""
        return await self._threads.read(lambda session: fact_letters.holding(session, profile, letters))
