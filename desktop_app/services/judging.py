"""How a fact that is to be kept stands to those there are: by rule where code is certain, else a cheap model says."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from desktop_app.core.compaction.language import language_of_texts
from desktop_app.core.errors import AppError, NotFound
from desktop_app.core.fact_judging import SCHEMA, judging_texts, read_verdicts
from desktop_app.core.fact_prompts import judging_system
from desktop_app.core.fact_relations import JudgedBy, Related, Relation, by_rule
from desktop_app.core.facts import Fact, FactDraft, FactState
from desktop_app.core.ports import FactSearch, FactStore
from desktop_app.core.request_log import RequestPurpose
from desktop_app.services.aside import Aside, Asked

MOST_NEAR = 4
"""Facts a new one is compared with, besides that of its key."""
_MOST_TOKENS = 2_000
_SECONDS = 30.0


class Judging:
    """Finds the facts that may bear on a new one, and judges them. How alike two are decides nothing."""

    def __init__(self, facts: FactStore, search: FactSearch, aside: Aside) -> None:
        self._facts = facts
        self._search = search
        self._aside = aside

    async def near(self, profile: str, draft: FactDraft) -> list[Fact]:
        """The active fact of the same key first, then those nearest by words and meaning, where the draft holds.

        Where that of its key says the same, no other is looked for.
        """
        found = await self.of_key(profile, draft.key)
        if found is not None and by_rule(draft, found) is Relation.SAME:
            return [found]
        hits = await self._search.search(profile, f"{draft.key} {draft.value}", MOST_NEAR, conversation_id=draft.scope)
        others = [hit.fact for hit in hits if found is None or hit.fact.id != found.id]
        return [*([] if found is None else [found]), *others]

    async def of_key(self, profile: str, key: str) -> Fact | None:
        """The active fact of a key."""
        try:
            fact = await self._facts.fact(profile, key)
        except NotFound:
            return None
        return fact if fact.state is FactState.ACTIVE else None

    async def judged(
        self, profile: str, draft: FactDraft, facts: Sequence[Fact], ids: tuple[str, str] | None
    ) -> list[Related]:
        """How a draft stands to each of these facts, in order.

        `ids` are the conversation and the turn a model is asked for; without them, or without a usable answer, what no
        rule decides is UNSURE.
        """
        ruled = {fact.id: by_rule(draft, fact) for fact in facts}
        open_ones = [fact for fact in facts if ruled[fact.id] is None]
        if any(relation is Relation.SAME for relation in ruled.values()):
            open_ones = []  # it is kept already, whatever else it stands to
        said = await self._said(profile, draft, open_ones, ids) if open_ones and ids is not None else {}
        return [_related(fact, ruled[fact.id], said.get(fact.id)) for fact in facts]

    async def _said(
        self, profile: str, draft: FactDraft, facts: Sequence[Fact], ids: tuple[str, str]
    ) -> dict[str, Relation]:
        """What a model says of each; nothing where it cannot be asked."""
        language = language_of_texts((draft.key, draft.value))
        texts = judging_texts(draft, facts, language)
        asked = Asked(RequestPurpose.JUDGING, judging_system(language), texts, SCHEMA, _MOST_TOKENS)
        try:
            async with asyncio.timeout(_SECONDS):
                answer = await self._aside.ask(profile, ids, asked)
        except (AppError, TimeoutError):
            return {}
        verdicts = read_verdicts(answer.text, len(facts))
        return {fact.id: relation for fact, relation in zip(facts, verdicts, strict=True)}


def _related(fact: Fact, ruled: Relation | None, said: Relation | None) -> Related:
    if ruled is not None:
        return Related(fact, ruled, JudgedBy.RULE)
    if said is None:
        return Related(fact, Relation.UNSURE, JudgedBy.NOBODY)
    return Related(fact, said, JudgedBy.MODEL)
