"""One reading of the facts of a profile: all of them, those a search found, and which fit the facts block."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from desktop_app.bridge.visible_text import search_form
from desktop_app.bridge.waiting_fact import WaitingFact, waiting_fact
from desktop_app.core.conversation import text_block
from desktop_app.core.errors import AppError, NotFound
from desktop_app.core.fact_block import make_block
from desktop_app.core.fact_notes import fact_line
from desktop_app.core.facts import Fact, FactAction, FactActor, FactState, same_key
from desktop_app.core.token_estimate import TokenEstimator, block_features
from desktop_app.services.memory import MemoryService


@dataclass(frozen=True, slots=True)
class FactReading:
    """What the panel shows of a profile at one moment.

    `shown` are the facts in `state`, or those of them that `query` found; `told` are ids of active ones that fit
    the facts block, `tokens` estimates by id; `texts` are what is searched of each of `listed`,
    `by_key` the active ones by `same_key`; `error` is what kept the search by meaning from answering.
    """

    profile: str
    query: str = ""
    state: FactState = FactState.ACTIVE
    active: tuple[Fact, ...] = ()
    waiting: tuple[WaitingFact, ...] = ()
    listed: tuple[Fact, ...] = ()
    shown: tuple[Fact, ...] = ()
    texts: tuple[str, ...] = ()
    by_key: dict[str, Fact] = field(default_factory=dict)
    told: frozenset[str] = frozenset()
    tokens: dict[str, int] = field(default_factory=dict)
    error: AppError | None = None

    def fact(self, fact_id: str | None) -> Fact | None:
        """An active fact, or one that is listed, by its id."""
        return next((fact for fact in (*self.listed, *self.active) if fact.id == fact_id), None)


async def read_facts(
    memory: MemoryService,
    query: str,
    budget: int,
    state: FactState = FactState.ACTIVE,
    before: FactReading | None = None,
) -> FactReading:
    """Reads everything anew; `budget` is that of the facts block in tokens, `before` the reading whose estimates hold
    where a fact is as it was. Raises StoreUnavailable."""
    profile = memory.profile
    active = await memory.facts()
    by_key = await asyncio.to_thread(lambda: {same_key(fact.key): fact for fact in active})
    waiting = await _read_waiting(memory, active, by_key)
    listed = active if state is FactState.ACTIVE else await memory.facts(state)
    found, error = await found_by_meaning(memory, query, state)
    known = before if before is not None and before.profile == profile else FactReading(profile)
    tokens, told = await asyncio.to_thread(_weigh, active, budget, known)
    texts = await asyncio.to_thread(_searched_texts, listed, known)
    shown = matching(listed, texts, query, found)
    return FactReading(
        profile,
        query,
        state,
        tuple(active),
        waiting,
        tuple(listed),
        tuple(shown),
        texts,
        by_key,
        told,
        tokens,
        error,
    )


async def found_by_meaning(
    memory: MemoryService, query: str, state: FactState = FactState.ACTIVE
) -> tuple[list[Fact], AppError | None]:
    """What a search finds among the active facts, and what kept it from answering."""
    if not query.strip() or state is not FactState.ACTIVE:
        return [], None
    try:
        return [hit.fact for hit in await memory.search(query)], None
    except AppError as refused:
        return [], refused


async def _read_waiting(
    memory: MemoryService, active: Sequence[Fact], by_key: Mapping[str, Fact]
) -> tuple[WaitingFact, ...]:
    """Who found it is told of the one in front only: that takes its history."""
    pending = await memory.pending()
    found_by: list[FactActor | None] = [None] * len(pending)
    if pending:
        with suppress(NotFound):  # answered meanwhile in another window
            history = await memory.history(pending[0].fact.id)
            found_by[0] = next((line.by for line in reversed(history) if line.action is FactAction.PROPOSED), None)
    by_id = {fact.id: fact for fact in active} if pending else {}
    return tuple(waiting_fact(one, by_id, by_key, by) for one, by in zip(pending, found_by, strict=True))


def matching(listed: Sequence[Fact], texts: Sequence[str], query: str, found: Sequence[Fact]) -> list[Fact]:
    """Those in whose text every word of `query` stands as it was typed, then what the search `found`, best first."""
    words = search_form(query).split()
    if not words:
        return list(listed)
    typed = [fact for fact, text in zip(listed, texts, strict=True) if all(word in text for word in words)]
    if not found:
        return typed
    by_id = {fact.id: fact for fact in listed}
    named = {fact.id for fact in typed}
    return [*typed, *(by_id[fact.id] for fact in found if fact.id in by_id and fact.id not in named)]


def _searched_texts(listed: Sequence[Fact], known: FactReading) -> tuple[str, ...]:
    before = {fact.id: (fact.revision, text) for fact, text in zip(known.listed, known.texts, strict=True)}
    return tuple(_same(before.get(fact.id), fact) or _searched(fact) for fact in listed)


def _searched(fact: Fact) -> str:
    return search_form("\n".join((fact.key, fact.value, fact.category)))


def _same(before: tuple[int, str] | None, fact: Fact) -> str:
    return before[1] if before is not None and before[0] == fact.revision else ""


def _weigh(facts: Sequence[Fact], budget: int, known: FactReading) -> tuple[dict[str, int], frozenset[str]]:
    tokens = _tokens()
    same = {fact.id: fact.revision for fact in known.active if fact.id in known.tokens}
    costs = {
        fact.id: known.tokens[fact.id] if same.get(fact.id) == fact.revision else tokens(fact_line(fact) + "\n")
        for fact in facts
    }
    return costs, frozenset(fact_id for fact_id, _ in make_block(facts, budget, tokens).facts)


def _tokens() -> Callable[[str], int]:
    estimator = TokenEstimator()
    known: dict[str, int] = {}

    def tokens(text: str) -> int:
        if text not in known:
            known[text] = round(estimator.estimate(block_features(text_block(text), "system")).tokens)
        return known[text]

    return tokens
