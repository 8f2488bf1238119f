"""Long-term memory for programs beside the app, such as clients of the MCP server: they read, and propose to write."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from desktop_app.core.conversation import is_blank
from desktop_app.core.errors import BadInput, FactNotFound, MemoryPaused
from desktop_app.core.facts import (
    Fact,
    FactActor,
    FactDraft,
    FactOrigin,
    FactState,
    clean_category,
    clean_key,
    clean_value,
)
from desktop_app.core.gate import Answer, deletion
from desktop_app.core.ports import FactStore
from desktop_app.core.recall.recollection import Fate
from desktop_app.core.token_estimate import text_tokens
from desktop_app.core.tool_call import ToolCall
from desktop_app.services.gate import Gate
from desktop_app.services.recalling import Question, Recalling, ShownFind
from desktop_app.services.remembering import Remembering, Written
from desktop_app.services.settings import SettingsService


@dataclass(frozen=True, slots=True)
class FactPage:
    """Some facts of a list, and how many it has in all."""

    facts: Sequence[Fact]
    total: int


@dataclass(frozen=True, slots=True)
class Forgotten:
    """The fact that was named, and whether it was deleted: PENDING means that the person has to do it."""

    fact: Fact
    answer: Answer


class OutsideMemory:
    """Each method works in the profile it is given, on facts that hold in all of it: what holds in one conversation
    is no business of others. All raise MemoryPaused, StoreUnavailable.

    Settings are read anew with every call, so that what the person switches off in a window is off here.
    """

    def __init__(
        self, facts: FactStore, recalling: Recalling, remembering: Remembering, gate: Gate, settings: SettingsService
    ) -> None:
        self._facts = facts
        self._recalling = recalling
        self._remembering = remembering
        self._gate = gate
        self._settings = settings

    async def remember(self, profile: str, key: str, value: str, category: str = "") -> Written:
        """Proposes a fact: kept where the gate allows it, else it waits for the person. Raises BadInput, also for
        the key of a fact that holds in one conversation only."""
        self._look(profile)
        draft = FactDraft(
            key=clean_key(key),
            value=clean_value(value),
            category=clean_category(category),
            origin=FactOrigin.ASSISTANT,
            by=FactActor.MCP,
        )
        return await self._remembering.write(draft, _call(profile), profile=profile)

    async def recall(self, profile: str, query: str) -> list[ShownFind]:
        """What would be told beside a message of these words: facts, and as the profile's settings allow what was said
        and documents. Raises BadInput for a blank text."""
        self._look(profile)
        if is_blank(query):
            raise BadInput(what=query, why="recall_blank")
        budget = self._settings.settings.of(profile).recall_budget
        question = Question(profile, query, budget=budget, now=datetime.now().astimezone())
        found = await self._recalling.recall(question, text_tokens())
        shown = await self._recalling.shown(profile, found.recollection)
        told = [one for one in shown if one.find.fate is Fate.TOLD and (one.fact or one.passage)]
        await self._facts.mark_used([one.fact.id for one in told if one.fact])
        return told

    async def page(self, profile: str, category: str = "", limit: int = 50, offset: int = 0) -> FactPage:
        """Active facts (of one category), pinned ones first, then the newest change."""
        self._look(profile)
        facts = await self._facts.facts(profile, FactState.ACTIVE, conversation_id="")
        if wanted := _folded(category):
            facts = [fact for fact in facts if _folded(fact.category) == wanted]
        return FactPage(facts[offset : offset + limit], len(facts))

    async def forget(self, profile: str, name: str) -> Forgotten:
        """Deletes the active fact of this key or id where the gate allows it; it can be brought back for 30 days.
        Raises FactNotFound."""
        self._look(profile)
        async with self._gate.passing:
            fact = await self._facts.fact(profile, name)
            if fact.state is not FactState.ACTIVE or fact.scope:
                raise FactNotFound(name=name)
            verdict = await self._gate.decide(deletion(_call(profile), [fact]))
            if verdict.answer is Answer.ALLOWED:
                await self._facts.delete(profile, fact.id, FactActor.MCP)
            return Forgotten(fact, verdict.answer)

    def _look(self, profile: str) -> None:
        self._settings.refresh()
        if not self._settings.settings.of(profile).memory:
            raise MemoryPaused(profile=profile)


def _call(profile: str) -> ToolCall:
    """A call outside of any conversation; nothing is known of what the person typed."""
    return ToolCall(profile, "", "", "", foreign_text=True)


def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", " ".join(text.split()).casefold())
