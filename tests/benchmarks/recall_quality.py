"""Who finds the turns and facts that answer a question: our own recall, what it is made of alone, and a peer."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from statistics import fmean
from typing import Any

from desktop_app.adapters.fact_index.closeness import cosines, vector_of
from desktop_app.adapters.secret_detector import SecretDetector
from desktop_app.core.facts import FactDraft
from desktop_app.core.passages import PassageKind
from desktop_app.core.ports import Embedder
from desktop_app.core.search_words import query_words
from desktop_app.services.passage_search import PassageSearch
from desktop_app.services.question_vectors import QuestionVectors
from tests.adapters.recall_parts import Memory, P
from tests.benchmarks import recall_peer
from tests.benchmarks.locomo import Sample
from tests.benchmarks.recall_tuning import DEPTHS, Call, left_out, recorded

OURS, VECTOR, WORDS, RRF, PEER = "ours", "vector", "FTS5", "RRF", "mem0"
TURN_DEPTHS, FACT_DEPTHS = (5, 10, 20), (1, 5)
LEFT_OUT = "all, weights of the others"
_MOST = 200
_RRF = 60

Found = dict[str, list[list[str]]]
"""By system the ids it found for each question, best first."""


@dataclass
class Quality:
    """Shares of what should be found by (category, depth), for each system; reasons for those that are missing."""

    shares: dict[str, dict[tuple[str, int], float]]
    missing: list[str]


async def turns(embedder: Embedder, samples: Sequence[Sample]) -> Quality:
    """Each sample in a profile of its own, in one store; the category `LEFT_OUT` is that of `recall_tuning`."""
    asked: list[_Asked] = []
    with tempfile.TemporaryDirectory() as folder:
        memory = Memory(Path(folder), embedder)  # type: ignore[arg-type]
        try:
            await _fill(memory, samples)
            found: Found = defaultdict(list)
            for sample in samples:
                asked.append(_Asked(sample, await _turn_ids(memory, sample), []))
                for system, answers in (await _turns_found(memory, asked[-1])).items():
                    found[system] += answers
        finally:
            await memory.indexing.close()
            await memory.store.close()
    missing = []
    try:
        pools = [(sample.turns, [question.text for question in sample.questions]) for sample in samples]
        found[PEER] = list(chain.from_iterable(await recall_peer.ranked(embedder, pools, max(TURN_DEPTHS))))
    except recall_peer.NotInstalled as reason:
        missing.append(str(reason))
    wanted = [(question.evidence, question.category) for sample in samples for question in sample.questions]
    shares = {name: dict(_recalled(answers, wanted)) for name, answers in found.items()}
    shares[OURS] |= _left_out(asked)
    return Quality(shares, missing)


@dataclass
class _Asked:
    """A sample, its turns by id of a message, and what its questions were ranked with."""

    sample: Sample
    turn_of: Mapping[str, str]
    calls: list[Call]

    def ids(self, message_ids: Iterable[str]) -> list[str]:
        """Ids of turns."""
        return [self.turn_of[one] for one in dict.fromkeys(message_ids)]


def _left_out(asked: Sequence[_Asked]) -> dict[tuple[str, int], float]:
    def share(at: int, place: int, message_ids: Sequence[str], depth: int) -> float:
        evidence = asked[at].sample.questions[place].evidence
        return len(evidence & set(asked[at].ids(message_ids[:depth]))) / len(evidence)

    shares = left_out([one.calls for one in asked], share)
    return {(LEFT_OUT, depth): found for depth, found in zip(DEPTHS, shares, strict=True)}


def _recalled(
    found: Sequence[Sequence[str]], wanted: Sequence[tuple[frozenset[str], str]]
) -> Iterator[tuple[tuple[str, int], float]]:
    """The share of a question's evidence among the first, over all questions and those of each category."""
    for depth in TURN_DEPTHS:
        by_category: dict[str, list[float]] = defaultdict(list)
        for ids, (evidence, category) in zip(found, wanted, strict=True):
            share = len(evidence & set(ids[:depth])) / len(evidence)
            by_category["all"].append(share)
            by_category[category].append(share)
        yield from (((category, depth), fmean(shares)) for category, shares in by_category.items())


async def _fill(memory: Memory, samples: Sequence[Sample]) -> None:
    for sample in samples:
        await memory.store.import_conversations(sample.name, sample.sessions)
        await _settle(memory, sample.name)
    assert await memory.index.open()


async def _settle(memory: Memory, profile: str) -> None:
    """Cuts and embeds all there is."""
    while True:
        await memory.indexing.catch_up(profile)
        if not await memory.store.vectors.lacking(memory.encoder.name, 1, profile):
            return


async def _turn_ids(memory: Memory, sample: Sample) -> dict[str, str]:
    """Ids of turns by ids of messages: by what was said in a session, since a message keeps no id of an export."""
    pool = await memory.store.vectors.pool(sample.name, memory.encoder.name, None, PassageKind.TURN)
    told = await memory.store.said.told(sample.name, [], pool.ids)
    return {one.message_id: sample.turn_ids[one.title, one.text] for one in told}


async def _turns_found(memory: Memory, asked: _Asked) -> Found:
    said, vectors = memory.store.said, QuestionVectors(memory.encoder, memory.indexing)
    search = PassageSearch(said, memory.store.documents, memory.encoder, memory.index, vectors, SecretDetector())
    name = asked.sample.name
    pool = await memory.store.vectors.pool(name, memory.encoder.name, None, PassageKind.TURN)
    passages = {passage.id: one.message_id for one in await said.told(name, [], pool.ids) for passage in one.passages}
    found: Found = defaultdict(list)
    for question in asked.sample.questions:
        calls: list[Call] = []
        with recorded(calls):
            hits = await search.turns(name, question.text, max(TURN_DEPTHS), (), asked.sample.ended)
        asked.calls.append(calls[0] if calls else ())
        (vector,) = await memory.encoder.embed([question.text], asked=True)
        close = dict(zip(pool.ids, cosines(pool, vector_of(vector)), strict=True))
        near = [passages[one] for one in sorted(close, key=lambda one: -close[one])[:_MOST]]
        scores = (await said.matches(name, query_words(question.text), _MOST)).scores
        words = sorted(scores, key=lambda one: -scores[one])
        found[OURS].append(asked.ids(hit.source_id for hit in hits))
        found[VECTOR].append(asked.ids(near))
        found[WORDS].append(asked.ids(words))
        found[RRF].append(asked.ids(_fused(near, words)))
    return found


def _fused(*lists: Sequence[str]) -> list[str]:
    """Reciprocal rank fusion (Cormack, Clarke and Büttcher 2009)."""
    scores: dict[str, float] = defaultdict(float)
    for ids in lists:
        for rank, one in enumerate(ids, 1):
            scores[one] += 1 / (_RRF + rank)
    return sorted(scores, key=lambda one: -scores[one])


async def facts(embedder: Embedder, data: Mapping[str, Any]) -> Quality:
    """Questions in two languages over facts in two languages."""
    questions = [row["query"] for row in data["queries"]]
    with tempfile.TemporaryDirectory() as folder:
        memory = Memory(Path(folder), embedder)  # type: ignore[arg-type]
        try:
            for key, value in data["facts"].items():
                await memory.store.facts.keep(P, FactDraft(key, value))
            await _settle(memory, P)
            assert await memory.index.open()
            searches = await _fact_searches(memory)
            found = {name: [await ask(one) for one in questions] for name, ask in searches.items()}
        finally:
            await memory.indexing.close()
            await memory.store.close()
    missing = []
    try:
        pool = ({key: f"{key}: {value}" for key, value in data["facts"].items()}, questions)
        (found[PEER],) = await recall_peer.ranked(embedder, [pool], max(FACT_DEPTHS))
    except recall_peer.NotInstalled as reason:
        missing.append(str(reason))
    wanted = [set(row["gold"]) for row in data["queries"]]
    return Quality({name: _hit(answers, wanted) for name, answers in found.items()}, missing)


def _hit(found: Sequence[Sequence[str]], wanted: Sequence[set[str]]) -> dict[tuple[str, int], float]:
    """The share of questions one of whose facts is among the first."""
    return {
        ("all", depth): fmean(bool(gold & set(ids[:depth])) for ids, gold in zip(found, wanted, strict=True))
        for depth in FACT_DEPTHS
    }


async def _fact_searches(memory: Memory) -> Mapping[str, Callable[[str], Awaitable[list[str]]]]:
    pool = await memory.store.vectors.pool(P, memory.encoder.name)
    keys = {fact.id: fact.key for fact in await memory.store.facts.facts(P)}

    async def near(question: str) -> list[str]:
        (vector,) = await memory.encoder.embed([question], asked=True)
        close = dict(zip(pool.ids, cosines(pool, vector_of(vector)), strict=True))
        return [keys[one] for one in sorted(close, key=lambda one: -close[one])]

    async def words(question: str) -> list[str]:
        scores = (await memory.store.facts.word_matches(P, query_words(question))).scores
        return [keys[one] for one in sorted(scores, key=lambda one: -scores[one])]

    async def ours(question: str) -> list[str]:
        return await memory.found(question, max(FACT_DEPTHS))

    async def fused(question: str) -> list[str]:
        return _fused(await near(question), await words(question))

    return {OURS: ours, VECTOR: near, WORDS: words, RRF: fused}
