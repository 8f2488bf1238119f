"""Looks through an exchange for facts once its turn is over; what it finds waits for the person."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress

from desktop_app.core.compaction.language import language_of_texts
from desktop_app.core.conversation import Message, Origin, Role
from desktop_app.core.errors import AppError
from desktop_app.core.extraction import SCHEMA, Extracted, extraction_texts, read_extraction
from desktop_app.core.fact_prompts import extraction_system
from desktop_app.core.facts import GONE, FactDraft, same_key, same_words
from desktop_app.core.money.pricing import Cost
from desktop_app.core.money.spent_cost import cost_of
from desktop_app.core.ports import ConversationStore, FactStore
from desktop_app.core.request_log import RequestPurpose, RequestRecord, RequestState
from desktop_app.core.self_told import why_nothing
from desktop_app.core.settings import ProfileSettings
from desktop_app.core.turn_events import MemoriesExtracted
from desktop_app.services.aside import HOUSE, Aside, Asked
from desktop_app.services.endpoint_access import EndpointAccess
from desktop_app.services.gate import Gate
from desktop_app.services.prices import PriceService
from desktop_app.services.remembering import Outcome, Remembering
from desktop_app.services.reply_writing import Emit
from desktop_app.services.settings import SettingsService

_MOST_TOKENS = 4_000
_SECONDS = 120.0


class ExtractionService:
    """Never holds up a turn, and writes nothing but proposals: each is compared with the facts of that moment, so that
    what the person did meanwhile stands."""

    def __init__(
        self,
        store: ConversationStore,
        facts: FactStore,
        settings: SettingsService,
        access: EndpointAccess,
        aside: Aside,
        remembering: Remembering,
        gate: Gate,
        prices: PriceService,
    ) -> None:
        self._store = store
        self._facts = facts
        self._settings = settings
        self._access = access
        self._aside = aside
        self._remembering = remembering
        self._gate = gate
        self._prices = prices
        self._running: set[asyncio.Task[None]] = set()

    def begin(self, conversation_id: str, turn_id: str, emit: Emit) -> None:
        """Looks through a turn that is over, beside whatever comes next; `emit` is told what came of it."""
        task = asyncio.create_task(self._tell(conversation_id, turn_id, emit))
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def idle(self) -> None:
        """Returns when nothing is looked through any more."""
        while self._running:
            await asyncio.wait(set(self._running))

    def stop(self) -> None:
        """Calls off what runs."""
        for task in self._running:
            task.cancel()

    async def close(self) -> None:
        """Calls off what runs and waits for its end."""
        self.stop()
        await self.idle()

    async def wanted(self, profile: str) -> bool:
        """Whether exchanges of a profile, which has to be the one in use, are looked through."""
        settings = self._settings.settings
        if settings.profile != profile or self._gate.is_shut(profile):
            return False
        return await self._is_on(settings.of(profile))

    async def look_through(self, conversation_id: str, turn_id: str) -> MemoriesExtracted | None:
        """What came of one exchange; None where the profile does not want it. Raises StoreUnavailable, NotFound."""
        profile = (await self._store.conversation(conversation_id)).profile
        if not await self.wanted(profile):
            return None
        ids = conversation_id, turn_id
        question, *replies = await self._exchange(turn_id)
        skipped = await self._why_skipped(question)
        if skipped is not None:
            return MemoriesExtracted(*ids, skipped=skipped)
        language = language_of_texts((question.text,))
        texts = extraction_texts(question.text, _said(replies), language)
        asked = Asked(RequestPurpose.EXTRACTION, extraction_system(language), texts, SCHEMA, _MOST_TOKENS)
        try:
            async with asyncio.timeout(_SECONDS):
                answer = await self._aside.ask(profile, ids, asked)
        except TimeoutError:
            return MemoriesExtracted(*ids)
        except AppError as error:
            return MemoriesExtracted(*ids, error=error)
        found = read_extraction(answer.text, question)
        return await self._proposed(profile, ids, found, self._cost(answer.record))

    async def _tell(self, conversation_id: str, turn_id: str, emit: Emit) -> None:
        with suppress(AppError):  # the answer is whole; what is not learnt of it can be said again
            report = await self.look_through(conversation_id, turn_id)
            if report is not None:
                emit(report)

    async def _is_on(self, profile: ProfileSettings) -> bool:
        if profile.extract != "auto":
            return profile.extract == "on"
        return (await self._access.endpoint()).kind in HOUSE

    async def _exchange(self, turn_id: str) -> list[Message]:
        """The message that opened a turn, and what followed to its end on its newest version."""
        path = await self._store.path_to(await self._store.tip_below(turn_id))
        start = next(place for place, message in enumerate(path) if message.id == turn_id)
        end = next((place for place in range(start + 1, len(path)) if path[place].opens_turn), len(path))
        return path[start:end]

    async def _why_skipped(self, question: Message) -> str | None:
        if question.origin is not Origin.TYPED:
            return "not_typed"
        nothing = why_nothing(question.text)
        if nothing is not None:
            return nothing
        records = await self._store.requests(question.conversation_id)
        return "done" if any(_looked_through(record, question.id) for record in records) else None

    async def _proposed(
        self, profile: str, ids: tuple[str, str], found: Extracted, cost: Cost | None
    ) -> MemoriesExtracted:
        waiting, repeated, dropped = [], 0, sum(found.dropped.values())
        for draft in found.drafts:
            if not await self.wanted(profile):
                break  # switched off, or another profile is in use meanwhile
            if await self._is_turned_down(profile, draft):
                dropped += 1
                continue
            written = await self._remembering.write(draft, profile=profile)
            if written.outcome is Outcome.WAITS and written.fact is not None:
                waiting.append(written.fact)
            elif written.outcome is Outcome.REPEATED:
                repeated += 1
        return MemoriesExtracted(*ids, tuple(waiting), repeated, dropped, cost=cost)

    async def _is_turned_down(self, profile: str, draft: FactDraft) -> bool:
        """Whether the person denied or deleted it."""
        gone = await self._facts.facts(profile, *GONE)
        return any(same_key(one.key) == same_key(draft.key) and same_words(one.value, draft.value) for one in gone)

    def _cost(self, record: RequestRecord) -> Cost | None:
        return cost_of(record, self._prices.prices)


def _looked_through(record: RequestRecord, turn_id: str) -> bool:
    asked = record.purpose is RequestPurpose.EXTRACTION and record.turn_id == turn_id
    return asked and record.state is RequestState.ANSWERED


def _said(replies: Sequence[Message]) -> str:
    """What the assistant said: no thinking, no calls, no results of tools."""
    return "\n\n".join(message.text for message in replies if message.role is Role.ASSISTANT and message.text)
