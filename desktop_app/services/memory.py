"""Long-term facts as the person curates them: one service for the panel, the commands and the tools."""

from __future__ import annotations

from dataclasses import dataclass

from desktop_app.core.facts import (
    Fact,
    FactActor,
    FactChange,
    FactDraft,
    FactSource,
    FactState,
    clean_key,
    clean_value,
)
from desktop_app.core.ports import ConversationStore, FactSearch, FactStore
from desktop_app.core.recall.values import FactHit
from desktop_app.services.claims import Claims
from desktop_app.services.settings import SettingsService
from desktop_app.services.turn_context import TurnContext

_MOST_FOUND = 200


@dataclass(frozen=True, slots=True)
class Standing:
    """In how many messages of how many conversations a text still stands after its fact was deleted, and in how
    many summaries that stand in place of messages."""

    messages: int
    conversations: int
    summaries: int = 0


class MemoryService:
    """Works on the profile in use. Every change can be undone; nothing here touches what was said in a conversation."""

    def __init__(
        self,
        facts: FactStore,
        search: FactSearch,
        store: ConversationStore,
        settings: SettingsService,
        context: TurnContext,
        claims: Claims,
    ) -> None:
        self._facts = facts
        self._search = search
        self._store = store
        self._settings = settings
        self._context = context
        self._claims = claims

    @property
    def profile(self) -> str:
        """The name of the profile in use."""
        return self._settings.settings.profile

    async def facts(self, *states: FactState) -> list[Fact]:
        """Facts in these states, active ones by default: pinned first, then the newest change."""
        return await self._facts.facts(self.profile, *states)

    async def fact(self, name: str) -> Fact:
        """One by id or key; raises NotFound."""
        return await self._facts.fact(self.profile, name)

    async def add(
        self,
        key: str,
        value: str,
        category: str = "",
        *,
        pinned: bool = False,
        source: FactSource | None = None,
        allow_secrets: bool = False,
    ) -> FactChange:
        """Keeps a fact, or gives the one of this key another value; `source` is the message its words stood in.

        Secrets in it are masked, unless the person said of this very fact that they may stay. Raises BadInput.
        """
        draft = FactDraft(
            clean_key(key),
            clean_value(value),
            " ".join(category.split()),
            pinned,
            source=source,
            keeps_secrets=allow_secrets,
        )
        return await self._facts.keep(self.profile, draft)

    async def edit(
        self,
        name: str,
        *,
        key: str | None = None,
        value: str | None = None,
        category: str | None = None,
        allow_secrets: bool = False,
    ) -> FactChange:
        """Changes what is given; secrets are masked as in `add`. Raises NotFound, BadInput."""
        return await self._facts.edit(
            self.profile,
            name,
            FactActor.YOU,
            key=None if key is None else clean_key(key),
            value=None if value is None else clean_value(value),
            category=None if category is None else " ".join(category.split()),
            keeps_secrets=allow_secrets,
        )

    async def pin(self, name: str, pinned: bool) -> FactChange:
        """Pins or unpins; raises NotFound."""
        return await self._facts.pin(self.profile, name, pinned)

    async def delete(self, name: str) -> FactChange:
        """Takes a fact out of list, search, index and later prompts; raises NotFound."""
        return await self._facts.delete(self.profile, name, FactActor.YOU)

    async def accept(self, fact_id: str, value: str | None = None) -> FactChange:
        """Makes a pending fact active; raises NotFound, BadInput."""
        return await self._facts.accept(self.profile, fact_id, None if value is None else clean_value(value))

    async def deny(self, fact_id: str) -> FactChange:
        """Refuses a pending fact; raises NotFound."""
        return await self._facts.delete(self.profile, fact_id, FactActor.YOU)

    async def undo(self, number: int | None = None) -> FactChange | None:
        """Takes back a change, the newest by default; None when there is nothing to take back."""
        return await self._facts.undo(self.profile, number)

    async def suspected(self) -> list[Fact]:
        """Facts in which a secret is kept that the person did not ask to keep, from before they were masked: shown
        masked, as everywhere, but not so in the database."""
        return await self._facts.suspected(self.profile)

    async def mask(self, name: str) -> Fact:
        """Masks the secrets of a fact and of its history for good; raises NotFound."""
        return await self._facts.mask(self.profile, name)

    async def history(self, name: str) -> list[FactChange]:
        """All changes of a fact, oldest first; raises NotFound."""
        return await self._facts.history(self.profile, name)

    async def search(self, text: str, limit: int = _MOST_FOUND) -> list[FactHit]:
        """Active facts by words and meaning, best first; none for a blank text."""
        return await self._search.search(self.profile, text, limit) if text.strip() else []

    async def still_stands(self, fact: Fact) -> Standing:
        """Where its value still stands: deleting a fact does not rewrite what was said, or noted of it."""
        profile = self.profile
        found = await self._store.messages_with(profile, [fact.value])
        summaries = await self._store.compactions_with(profile, [fact.value])
        return Standing(sum(len(ids) for ids in found.values()), len(found), len(summaries))

    async def rebuild(self, conversation_id: str) -> None:
        """Begins a new epoch of a conversation with the facts of today; its next message re-writes the prefix.

        Raises Busy while a turn or a folding runs there, NotFound.
        """
        async with self._claims.alone(conversation_id):
            path = await self._store.path(conversation_id)
            await self._context.setting(conversation_id, path, store_epoch=True, rebuild=True)
