"""The asynchronous face of long-term facts; works on the threads of the store."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from types import EllipsisType
from typing import TypeVar

from sqlalchemy.orm import Session

from desktop_app.adapters.store import (
    fact_aging,
    fact_changes,
    fact_checks,
    fact_letters,
    fact_masking,
    fact_places,
    fact_relation_rows,
    fact_rows,
    fact_undo,
    fact_words,
)
from desktop_app.adapters.store.fact_guard import GuardedThreads
from desktop_app.adapters.store.threads import StoreThreads
from desktop_app.core.errors import StoreUnavailable
from desktop_app.core.fact_relations import Related
from desktop_app.core.facts import Fact, FactActor, FactChange, FactDraft, FactState, ShownFacts
from desktop_app.core.memory_files.outcomes import Move
from desktop_app.core.recall.values import WordMatches

_Result = TypeVar("_Result")
_ARCHIVED_AT_ONCE = 100
"""Others get their turn between the transactions."""


class FactStore:
    """Fulfils `core.ports.FactStore`; every write is one transaction."""

    def __init__(self, threads: StoreThreads) -> None:
        self._threads = GuardedThreads(threads)
        self._unguarded = threads

    async def facts(self, profile: str, *states: FactState, conversation_id: str | None = None) -> list[Fact]:
        """Those in these states, active ones by default: pinned first, then newest change first."""
        wanted = states or (FactState.ACTIVE,)
        await self.expire(profile)
        facts, clean = await self._unguarded.read(
            lambda session: fact_checks.listed(session, profile, wanted, conversation_id)
        )
        if clean:
            with suppress(StoreUnavailable):  # the next reading finds them still
                await self._unguarded.write(lambda session: fact_checks.mark(session, clean))
        return facts

    async def fact(self, profile: str, name: str) -> Fact:
        """One by id or key."""
        return await self._read(profile, lambda session: fact_rows.find(session, profile, name))

    async def active(self, profile: str, fact_ids: Sequence[str]) -> dict[str, Fact]:
        """Those of these facts that are active, by id."""
        return await self._read(profile, lambda session: fact_rows.active(session, profile, fact_ids))

    async def of_other_conversations(self, profile: str, conversation_id: str) -> list[str]:
        """Ids of the active facts that hold in another conversation only."""
        return await self._threads.read(
            lambda session: fact_rows.of_other_conversations(session, profile, conversation_id)
        )

    async def keep(
        self,
        profile: str,
        draft: FactDraft,
        *,
        pending: bool = False,
        replacing: Sequence[str] = (),
        expected: int | None = None,
        even_pinned: bool = False,
    ) -> FactChange:
        """Adds a fact, or gives the active one of this key the new value."""
        work = partial(
            fact_changes.keep,
            profile=profile,
            draft=draft,
            pending=pending,
            replacing=replacing,
            expected=expected,
            even_pinned=even_pinned,
        )
        return await self._threads.write(work)

    async def repeat(self, profile: str, fact_id: str, revision: int, by: FactActor) -> FactChange:
        """Counts that an active fact was told again."""
        return await self._threads.write(lambda session: fact_changes.repeat(session, profile, fact_id, revision, by))

    async def edit(
        self,
        profile: str,
        name: str,
        by: FactActor,
        *,
        key: str | None = None,
        value: str | None = None,
        category: str | None = None,
        scope: str | None = None,
        expires_at: datetime | EllipsisType | None = ...,
        expected: int | None = None,
        keeps_secrets: bool = False,
    ) -> FactChange:
        """Changes what is given."""
        work = partial(
            fact_changes.edit,
            profile=profile,
            name=name,
            by=by,
            key=key,
            value=value,
            category=category,
            scope=scope,
            expires_at=expires_at,
            expected=expected,
            keeps_secrets=keeps_secrets,
        )
        return await self._threads.write(work)

    async def pin(self, profile: str, name: str, pinned: bool) -> FactChange:
        """Pins or unpins."""
        return await self._threads.write(lambda session: fact_changes.pin(session, profile, name, pinned=pinned))

    async def move(self, profile: str, moves: Sequence[Move], by: FactActor) -> None:
        """Gives facts other keys or categories, as one act."""
        await self._threads.write(lambda session: fact_changes.move(session, profile, moves, by))

    async def delete(self, profile: str, name: str, by: FactActor) -> FactChange:
        """Takes it out of list, search and index; restorable for 30 days."""
        return await self._threads.write(lambda session: fact_changes.remove(session, profile, name, by))

    async def delete_together(self, profile: str, facts: Sequence[Fact], by: FactActor) -> None:
        """Deletes facts as they were seen, as one act."""
        await self._threads.write(lambda session: fact_changes.remove_together(session, profile, facts, by))

    async def deny(self, profile: str, fact_id: str) -> FactChange:
        """Refuses a pending fact."""
        return await self._threads.write(lambda session: fact_changes.deny(session, profile, fact_id))

    async def accept(
        self,
        profile: str,
        fact_id: str,
        value: str | None = None,
        *,
        replacing: Sequence[str] = (),
        key: str | None = None,
        even_pinned: bool = False,
        shown: ShownFacts | None = None,
        keeps_secrets: bool = False,
    ) -> FactChange:
        """Makes a pending fact active."""
        work = partial(
            fact_changes.accept,
            profile=profile,
            fact_id=fact_id,
            value=value,
            replacing=replacing,
            key=key,
            even_pinned=even_pinned,
            shown=shown,
            keeps_secrets=keeps_secrets,
        )
        return await self._threads.write(work)

    async def pause(self, profile: str, name: str, by: FactActor) -> FactChange:
        """Tells it to nobody until it is resumed."""
        return await self._threads.write(lambda session: fact_places.pause(session, profile, name, by))

    async def resume(self, profile: str, name: str, by: FactActor) -> FactChange:
        """Makes a paused one active again."""
        return await self._threads.write(lambda session: fact_places.resume(session, profile, name, by))

    async def archive(self, profile: str, name: str, by: FactActor) -> FactChange:
        """Puts it away."""
        return await self._threads.write(lambda session: fact_places.archive(session, profile, name, by))

    async def restore(self, profile: str, name: str, by: FactActor, key: str | None = None) -> FactChange:
        """Brings back what was archived, superseded or deleted, under another key if given."""
        return await self._threads.write(lambda session: fact_places.restore(session, profile, name, by, key))

    async def supersede(
        self,
        profile: str,
        old_id: str,
        by_id: str,
        by: FactActor,
        *,
        even_pinned: bool = False,
        shown: ShownFacts | None = None,
    ) -> FactChange:
        """An active fact takes the place of another one."""
        work = partial(
            fact_places.supersede,
            profile=profile,
            old=old_id,
            new=by_id,
            by=by,
            even_pinned=even_pinned,
            shown=shown,
        )
        return await self._threads.write(work)

    async def merge(
        self,
        profile: str,
        kept_id: str,
        gone_ids: Sequence[str],
        value: str | None,
        by: FactActor,
        *,
        even_pinned: bool = False,
        shown: ShownFacts | None = None,
    ) -> FactChange:
        """An active fact takes others in."""
        work = partial(
            fact_places.merge,
            profile=profile,
            kept=kept_id,
            gone=gone_ids,
            value=value,
            by=by,
            even_pinned=even_pinned,
            shown=shown,
        )
        return await self._threads.write(work)

    async def relate(self, profile: str, fact_id: str, relations: Sequence[Related]) -> None:
        """Keeps how a fact stands to others."""
        await self._threads.write(lambda session: fact_relation_rows.put(session, profile, fact_id, relations))

    async def relations(self, profile: str, fact_ids: Sequence[str]) -> dict[str, tuple[Related, ...]]:
        """By id how these facts stand to others."""
        return await self._threads.read(lambda session: fact_relation_rows.of(session, profile, fact_ids))

    async def expire(self, profile: str) -> int:
        """Archives what has expired; how many."""
        over = await self._threads.read(lambda session: fact_aging.expired(session, profile))
        return await self._in_portions(over, lambda some, session: fact_aging.expire(session, profile, some))

    async def unused(self, profile: str, since: datetime) -> list[str]:
        """Ids of active facts that were neither used, told, changed nor pinned since a moment."""
        return await self._threads.read(lambda session: fact_aging.unused(session, profile, since))

    async def archive_unused(self, profile: str, since: datetime, fact_ids: Sequence[str]) -> int:
        """Archives those of these facts that are unused still; how many."""
        return await self._in_portions(
            fact_ids, lambda some, session: fact_aging.archive_unused(session, profile, since, some)
        )

    async def undo(self, profile: str, number: int | None = None) -> FactChange | None:
        """Takes back a change."""
        return await self._threads.write(lambda session: fact_undo.undo(session, profile, number))

    async def suspected(self, profile: str) -> list[Fact]:
        """Those with a secret in their rows or their history."""
        found, clean = await self._threads.read(lambda session: fact_masking.suspected(session, profile))
        if clean:
            await self._threads.write(lambda session: fact_masking.mark_clean(session, clean))
        return found

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

    async def mark_told(self, fact_ids: Collection[str]) -> None:
        """They stand in the prefix of a request; kept to the day."""
        if late := await self._threads.read(lambda session: fact_aging.to_be_told(session, fact_ids)):
            await self._threads.write(lambda session: fact_aging.mark_told(session, late))

    async def word_matches(self, profile: str, words: Sequence[str], most: int | None = None) -> WordMatches:
        """BM25 of the active facts that hold any of these search words, of all or the best `most`."""
        return await self._threads.read(lambda session: fact_words.matches(session, profile, words, most))

    async def holding(self, profile: str, letters: Sequence[str]) -> dict[str, list[str]]:
        """By each of these letters the ids of the active facts it stands in anywhere."""
        return await self._threads.read(lambda session: fact_letters.holding(session, profile, letters))

    async def _read(self, profile: str, work: Callable[[Session], _Result]) -> _Result:
        """The result of reading when what is over was put away: what is active by its state is active by its time."""
        await self.expire(profile)
        return await self._threads.read(work)

    async def _in_portions(self, fact_ids: Sequence[str], work: Callable[[Sequence[str], Session], int]) -> int:
        """The sum of what comes of some facts at a time."""
        done = 0
        for start in range(0, len(fact_ids), _ARCHIVED_AT_ONCE):
            some = fact_ids[start : start + _ARCHIVED_AT_ONCE]
            done += await self._threads.write(partial(work, some))
        return done
