"""How a fact that is to be kept stands to those there are: by rule where code is certain, else a cheap model says."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from desktop_app.core.compaction.language import language_of_texts
from desktop_app.core.errors import AppError, NotFound
from desktop_app.core.fact_judging import SCHEMA, judging_texts, read_verdicts
from desktop_app.core.fact_prompts import judging_system
from desktop_app.core.fact_relations import JudgedBy, Near, Related, Relation, by_rule, may_bear
from desktop_app.core.facts import Fact, FactDraft, FactState
from desktop_app.core.ports import FactSearch, FactStore
from desktop_app.core.request_log import RequestPurpose
from desktop_app.services.aside import Aside, Asked

MOST_NEAR = 4
"""Facts a new one is compared with, besides that of its key."""
_MOST_TOKENS = 2_000
_SECONDS = 30.0


class Judging:
    """Finds the facts that may bear on a new one, and judges them.

    How alike two are decides about neither: where nobody can judge, it says which the person has to look at.
    """

    def __init__(self, facts: FactStore, search: FactSearch, aside: Aside) -> None:
        self._facts = facts
        self._search = search
        self._aside = aside

    async def near(self, profile: str, draft: FactDraft) -> list[Near]:
        """The active fact of the same key first, then those nearest by words and meaning: of those that hold where the
        draft holds.

        Where that of its key says the same, no other is looked for.
        """
        found = await self.of_key(profile, draft.key)
        own = [Near(found)] if found is not None and found.scope in ("", draft.scope) else []
        if own and by_rule(draft, own[0].fact) is Relation.SAME:
            return own
        hits = await self._search.search(profile, f"{draft.key} {draft.value}", MOST_NEAR, conversation_id=draft.scope)
        return [*own, *(Near(hit.fact, hit.meaning) for hit in hits if found is None or hit.fact.id != found.id)]

    async def of_key(self, profile: str, key: str) -> Fact | None:
        """The active fact of a key, wherever it holds."""
        try:
            fact = await self._facts.fact(profile, key)
        except NotFound:
            return None
        return fact if fact.state is FactState.ACTIVE else None

    async def judged(
        self, profile: str, draft: FactDraft, near: Sequence[Near], ids: tuple[str, str] | None
    ) -> list[Related]:
        """How a draft stands to each of these facts, in order.

        `ids` are the conversation and the turn a model is asked for. What its answer says nothing usable of is UNSURE.
        Without them, or where it cannot be asked, so is a fact that is close (`may_bear`); any other is DIFFERENT.
        """
        facts = [one.fact for one in near]
        ruled = {fact.id: by_rule(draft, fact) for fact in facts}
        open_ones = [fact for fact in facts if ruled[fact.id] is None]
        if any(relation is Relation.SAME for relation in ruled.values()):
            open_ones = []  # it is kept already, whatever else it stands to
        said = await self._said(profile, draft, open_ones, ids) if open_ones and ids is not None else {}
        return [_related(draft, one, ruled[one.fact.id], said.get(one.fact.id)) for one in near]

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


def _related(draft: FactDraft, near: Near, ruled: Relation | None, said: Relation | None) -> Related:
    if ruled is not None:
        return Related(near.fact, ruled, JudgedBy.RULE)
    if said is not None:
        return Related(near.fact, said, JudgedBy.MODEL)
    doubtful = may_bear(draft, near)
    return Related(near.fact, Relation.UNSURE if doubtful else Relation.DIFFERENT, JudgedBy.NOBODY)
