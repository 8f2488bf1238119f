"""Long-term facts as the person curates them: one service for the panel, the commands and the tools."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from desktop_app.core.errors import EmbedderUnavailable, NotFound
from desktop_app.core.fact_relations import Related
from desktop_app.core.facts import (
    Fact,
    FactActor,
    FactChange,
    FactDraft,
    FactSource,
    FactState,
    ShownFacts,
    clean_category,
    clean_key,
    clean_value,
)
from desktop_app.core.ports import ConversationStore, FactSearch, FactStore
from desktop_app.core.recall.values import FactHit
from desktop_app.core.settings import ProfileInUse
from desktop_app.services.claims import Claims
from desktop_app.services.recalling import Recalling, ShownFind, ShownRecollection
from desktop_app.services.settings import SettingsService
from desktop_app.services.standing import Standing, standing_of
from desktop_app.services.turn_context import TurnContext
from desktop_app.services.turn_facts import TurnFacts

_MOST_FOUND = 200


@dataclass(frozen=True, slots=True)
class Waiting:
    """A fact that waits, and how it stands to others; `fact.source` quotes what it comes from."""

    fact: Fact
    relations: tuple[Related, ...] = ()


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
        recalling: Recalling,
        turn_facts: TurnFacts,
    ) -> None:
        self._facts = facts
        self._search = search
        self._store = store
        self._settings = settings
        self._context = context
        self._claims = claims
        self._recalling = recalling
        self._turn_facts = turn_facts

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
            clean_category(category),
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
        expected: int | None = None,
        allow_secrets: bool = False,
    ) -> FactChange:
        """Changes what is given; `expected` is the revision that was edited. Secrets are masked as in `add`.

        Raises NotFound, BadInput, FactChanged.
        """
        return await self._facts.edit(
            self.profile,
            name,
            FactActor.YOU,
            key=None if key is None else clean_key(key),
            value=None if value is None else clean_value(value),
            category=None if category is None else clean_category(category),
            expected=expected,
            keeps_secrets=allow_secrets,
        )

    async def narrow(self, name: str, conversation_id: str) -> FactChange:
        """Lets a fact hold in one conversation only, or in the whole profile for an empty id; raises NotFound."""
        profile = self.profile
        if conversation_id and (await self._store.conversation(conversation_id)).profile != profile:
            raise NotFound(what="conversation")
        return await self._facts.edit(profile, name, FactActor.YOU, scope=conversation_id)

    async def expire(self, name: str, at: datetime | None) -> FactChange:
        """Lets a fact hold until a moment, or for good; raises NotFound, BadInput for a moment that is over."""
        return await self._facts.edit(self.profile, name, FactActor.YOU, expires_at=at)

    async def pin(self, name: str, pinned: bool) -> FactChange:
        """Pins or unpins; raises NotFound."""
        return await self._facts.pin(self.profile, name, pinned)

    async def delete(self, name: str) -> FactChange:
        """Takes a fact out of list, search, index and later prompts; raises NotFound."""
        return await self._facts.delete(self.profile, name, FactActor.YOU)

    async def pause(self, name: str) -> FactChange:
        """Tells a fact to nobody until it is resumed; raises NotFound, BadInput for one that is not in use."""
        return await self._facts.pause(self.profile, name, FactActor.YOU)

    async def resume(self, name: str) -> FactChange:
        """Uses a paused fact again; raises NotFound, BadInput."""
        return await self._facts.resume(self.profile, name, FactActor.YOU)

    async def archive(self, name: str) -> FactChange:
        """Puts a fact away, to be restored at any time; raises NotFound, BadInput."""
        return await self._facts.archive(self.profile, name, FactActor.YOU)

    async def restore(self, name: str, key: str | None = None) -> FactChange:
        """Brings back what was archived, superseded or deleted, under another key if given; raises NotFound, BadInput
        where the key is in use."""
        return await self._facts.restore(self.profile, name, FactActor.YOU, None if key is None else clean_key(key))

    async def supersede(
        self, old: str, new: str, *, even_pinned: bool = False, shown: ShownFacts | None = None
    ) -> FactChange:
        """Lets one fact take the place of another; raises NotFound, BadInput, FactPinned, and FactChanged where one is
        not as it was `shown`."""
        return await self._facts.supersede(self.profile, old, new, FactActor.YOU, even_pinned=even_pinned, shown=shown)

    async def merge(
        self,
        kept: str,
        gone: Sequence[str],
        value: str | None = None,
        *,
        even_pinned: bool = False,
        shown: ShownFacts | None = None,
    ) -> FactChange:
        """Makes one fact of several, with another value if given; raises as `supersede`."""
        value = None if value is None else clean_value(value)
        by = FactActor.YOU
        return await self._facts.merge(self.profile, kept, gone, value, by, even_pinned=even_pinned, shown=shown)

    async def pending(self) -> list[Waiting]:
        """The facts that wait for the person, oldest first, each with its relations to others."""
        profile = self.profile
        facts = await self._facts.facts(profile, FactState.PENDING)
        relations = await self._facts.relations(profile, [fact.id for fact in facts])
        waiting = [Waiting(fact, relations.get(fact.id, ())) for fact in facts]
        return sorted(waiting, key=lambda one: one.fact.created_at)

    async def accept(
        self,
        fact_id: str,
        value: str | None = None,
        *,
        replacing: Sequence[str] = (),
        even_pinned: bool = False,
        shown: ShownFacts | None = None,
        allow_secrets: bool = False,
    ) -> FactChange:
        """Makes a pending fact active, in place of the active one of its key and of those in `replacing`.

        Secrets in the value given are masked as in `add`. Raises NotFound, BadInput, FactPinned, and FactChanged where
        one of these is not as it was `shown`.
        """
        value = None if value is None else clean_value(value)
        return await self._facts.accept(
            self.profile,
            fact_id,
            value,
            replacing=replacing,
            even_pinned=even_pinned,
            shown=shown,
            keeps_secrets=allow_secrets,
        )

    async def keep_both(
        self,
        fact_id: str,
        key: str | None = None,
        value: str | None = None,
        *,
        shown: ShownFacts | None = None,
        allow_secrets: bool = False,
    ) -> FactChange:
        """Makes a pending fact active beside what there is, under another key if given; raises NotFound, BadInput
        where its key is in use, FactChanged where it is not as it was `shown`. Secrets as in `accept`."""
        pending = await self._facts.fact(self.profile, fact_id)
        value = None if value is None else clean_value(value)
        key = clean_key(pending.key if key is None else key)
        return await self._facts.accept(self.profile, fact_id, value, key=key, shown=shown, keeps_secrets=allow_secrets)

    async def deny(self, fact_id: str) -> FactChange:
        """Refuses a pending fact; raises NotFound, FactChanged where it does not wait any more."""
        return await self._facts.deny(self.profile, fact_id)

    async def undo(self, number: int | None = None) -> FactChange | None:
        """Takes back a change, the person's newest by default; None when there is nothing to take back."""
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
        if not text.strip():
            return []
        return await self._search.search(self.profile, text, limit, conversation_id=None, sought=True)

    async def recall(self, text: str) -> list[ShownFind]:
        """What would be recalled for a text at the beginning of a conversation, and what came near. Raises
        MemoryPaused."""
        found = await self._turn_facts.trial(ProfileInUse(self.profile, self._settings.profile), text)
        return await self._recalling.shown(self.profile, found.recollection)

    @property
    def index_trouble(self) -> str:
        """Where the index is that could not be used, so that everything is compared; empty where that is not so."""
        return self._recalling.index_trouble

    @property
    def meaning_trouble(self) -> EmbedderUnavailable | None:
        """Why the last question was asked by words alone; None where that is not so, or wished for."""
        return self._recalling.meaning_trouble

    async def recalled(self, message_id: str) -> ShownRecollection | None:
        """What was recalled for a message, with what it says now; None where nothing was looked for."""
        return await self._recalling.of_message(self.profile, message_id)

    async def still_stands(self, fact: Fact) -> Standing:
        """Where its value still stands: deleting a fact does not rewrite what was said, or noted of it."""
        return await standing_of(self._store, self.profile, [fact])

    async def rebuild(self, conversation_id: str) -> None:
        """Begins a new epoch of a conversation with the facts of today; its next message re-writes the prefix.

        Raises Busy while a turn or a folding runs there, NotFound.
        """
        async with self._claims.alone(conversation_id):
            path = await self._store.path(conversation_id)
            await self._context.setting(conversation_id, path, store_epoch=True, rebuild=True)
