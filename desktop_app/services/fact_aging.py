"""Puts facts away that have expired, or that nobody has used for long; each can be restored."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import timedelta

from desktop_app.core.conversation import now
from desktop_app.core.fact_block import make_block
from desktop_app.core.facts import Fact
from desktop_app.core.ports import FactStore
from desktop_app.core.token_estimate import text_tokens
from desktop_app.services.settings import SettingsService


class FactAging:
    """Works on every profile by its own settings."""

    def __init__(self, facts: FactStore, settings: SettingsService) -> None:
        self._facts = facts
        self._settings = settings

    async def run(self) -> int:
        """Archives what is due; how many facts of the profile in use. Raises StoreUnavailable."""
        archived = {name: await self._put_away(name) for name in self._settings.profile_names()}
        return archived.get(self._settings.settings.profile, 0)

    async def _put_away(self, profile: str) -> int:
        """Those whose time is over; those unused for the days of the setting, save what every prompt holds.

        What is in the block is read with each message, however long nobody wrote one. Nothing is unused while memory
        is paused.
        """
        settings = self._settings.settings.of(profile)
        archived = await self._facts.expire(profile)
        if not settings.memory or not settings.archive_after_days:
            return archived
        since = now() - timedelta(days=settings.archive_after_days)
        if unused := await self._facts.unused(profile, since):
            told = await asyncio.to_thread(_told, await self._facts.facts(profile), settings.facts_budget)
            rest = [fact_id for fact_id in unused if fact_id not in told]
            archived += await self._facts.archive_unused(profile, since, rest)
        return archived


def _told(facts: Sequence[Fact], budget: int) -> frozenset[str]:
    """Ids of the facts a conversation that begins now would be told."""
    block = make_block(facts, budget, text_tokens())
    return frozenset(fact_id for fact_id, _ in block.facts)
