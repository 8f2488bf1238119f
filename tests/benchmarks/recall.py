"""How well facts are found in Korean and English, and how long a search takes among one and ten thousand of them."""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from desktop_app.adapters.fact_index.closeness import matrix_of, vector_of
from desktop_app.adapters.fact_index.index import FactIndex
from desktop_app.adapters.store import fact_changes
from desktop_app.core.facts import FactDraft
from tests.adapters.recall_parts import Memory, P, SharedEncoder, remembering
from tests.benchmarks.report import Figure, Report, json_argument

FACTS = Path(__file__).parents[3] / "shared" / "data" / "facts" / "ko-en.json"
SIZES = (1_000, 10_000)
NEAREST = 10

PLACES = ("부산", "Lyon", "전주", "Lisbon", "판교", "Seoul", "제주", "Toronto", "강릉", "Kyoto")
THINGS = ("printer", "자전거", "piano", "노트북", "camera", "텐트", "bookshelf", "화분", "kettle", "우산")
PEOPLE = ("Minho", "서연", "Claire", "하준", "Ethan", "지우", "Mr. Choi", "이은영 선생님", "Anna", "박 부장")
SAYINGS = (
    ("{person} {thing}", "{person} keeps the {thing} in {place}, shelf {number}."),
    ("{place} 출장 {number}", "{person}와 함께 {place}에 가서 {thing}을 샀다."),
    ("{thing} 수리", "{place}의 가게에서 {number}번 예약으로 {thing}을 고쳤다. 담당은 {person}."),
    ("meeting {number}", "{person} wants to talk about the {thing} for the {place} office on day {number}."),
)
QUESTIONS = (
    *("Where is the kettle?", "누가 자전거를 고쳤지?", "부산 출장", "who do I meet about the camera", "예약 번호"),
    *("Which shelf is Anna's piano on?", "제주에서 뭘 샀어?", "meeting 417", "하준이와 어디 갔지?", "Toronto office"),
)


def many(count: int) -> list[FactDraft]:
    """Facts that differ, half of them with Hangul."""
    drafts = []
    for number in range(count):
        key, value = SAYINGS[number % len(SAYINGS)]
        names = {
            "person": PEOPLE[number // 4 % 10],
            "thing": THINGS[number // 40 % 10],
            "place": PLACES[number // 400 % 10],
            "number": str(number),
        }
        drafts.append(FactDraft(f"{key.format(**names)} #{number}", value.format(**names)))
    return drafts


async def fill(memory: Memory, drafts: list[FactDraft]) -> dict[str, str]:
    """Keeps them in one transaction; keys by id."""
    changes = await memory.store.threads.write(
        lambda session: [fact_changes.keep(session, P, draft, pending=False) for draft in drafts]
    )
    return {change.fact_id: change.after.key for change in changes}


async def settled(memory: Memory) -> float:
    """Seconds until every fact has its vector and the index knows them all."""
    began = time.perf_counter()
    memory.indexing.start()
    await memory.paid(600)
    return time.perf_counter() - began


async def quality(encoder: SharedEncoder, data: dict[str, Any]) -> tuple[float, float, float]:
    """Share of questions whose fact is first, among the first five; and how many facts are shown."""
    with tempfile.TemporaryDirectory() as folder:
        async with remembering(Path(folder), encoder) as memory:
            await fill(memory, [FactDraft(key, value) for key, value in data["facts"].items()])
            await settled(memory)
            found = [await memory.found(row["query"], 50) for row in data["queries"]]
    gold = [set(row["gold"]) for row in data["queries"]]
    shares = [
        statistics.fmean(bool(own & set(keys[:first])) for own, keys in zip(gold, found, strict=True))
        for first in (1, 5)
    ]
    return shares[0], shares[1], statistics.fmean(len(keys) for keys in found)


async def milliseconds(work: Callable[[str], Any]) -> tuple[float, float]:
    """Median and 95th percentile over all questions, three times each; the first round is not counted."""
    taken = []
    for round_number in range(4):
        for question in QUESTIONS:
            began = time.perf_counter()
            await work(question)
            if round_number:
                taken.append(1000 * (time.perf_counter() - began))
    return statistics.median(taken), statistics.quantiles(taken, n=20)[-1]


async def speed(encoder: SharedEncoder, count: int, report: Report) -> None:
    """One row for each way of searching among `count` facts."""
    with tempfile.TemporaryDirectory() as folder:
        async with remembering(Path(folder), encoder) as memory:
            await fill(memory, many(count))
            seconds = await settled(memory)
            pool = await memory.store.vectors.pool(P, encoder.name)
            matrix = matrix_of(pool)
            vectors = dict(zip(QUESTIONS, await encoder.embed(QUESTIONS), strict=True))
            scan = FactIndex(Path(folder), memory.store.vectors, encoder.name)

            async def bare(question: str) -> None:
                (matrix @ vector_of(vectors[question])).argpartition(-NEAREST)

            async def through_index(question: str) -> object:
                return await memory.index.nearest(P, vectors[question], NEAREST)

            async def comparing(question: str) -> object:
                return await scan.nearest(P, vectors[question], NEAREST)

            async def whole(question: str) -> object:
                return await memory.recall.search(P, question, 5)

            floor, _ = await milliseconds(bare)
            for name, work in (
                ("numpy scan, vectors in memory", bare),
                ("index", through_index),
                ("comparing all, vectors from the database", comparing),
                ("whole search, words and embedding too", whole),
            ):
                median, late = await milliseconds(work)
                report.rows.append((f"{count:,}", name, f"{median:.2f}", f"{late:.2f}", f"{median / floor:.1f}"))
            kept = []
            for question in QUESTIONS:
                here, there = await through_index(question), await comparing(question)
                kept.append(len(here.cosines.keys() & there.cosines.keys()) / len(there.cosines))  # type: ignore[attr-defined]
            whole_median, _ = await milliseconds(whole)
            report.figures += [
                Figure(f"ms a search among {count:,}", whole_median, 100),
                Figure(
                    f"nearest {NEAREST} lost by the index among {count:,}", 100 * (1 - statistics.fmean(kept)), 5, " %"
                ),
                Figure(f"s to embed and index {count:,}", seconds),
            ]
            await scan.close()


async def measure(place: Path) -> Report:
    """Quality where the questions are at hand, then speed."""
    report = Report("recall", ("facts", "search", "ms p50", "ms p95", "of a numpy scan"))
    encoder = SharedEncoder()
    try:
        if data := _read(place):
            first, five, shown = await quality(encoder, data)
            report.figures += [
                Figure("questions whose fact is not first", 1 - first, 0.25),
                Figure("questions whose fact is not among the first five", 1 - five, 0.1),
                Figure("facts shown for a question", shown),
            ]
        else:
            report.skipped.append(f"quality: no questions and facts at {place}; RECALL_FACTS names another file")
        for count in SIZES:
            await speed(encoder, count, report)
    finally:
        await encoder.end()
    return report


def _read(place: Path) -> Any:
    return json.loads(place.read_text(encoding="utf-8")) if place.is_file() else None


if __name__ == "__main__":
    target = json_argument(__doc__ or "")
    sys.exit(asyncio.run(measure(Path(os.environ.get("RECALL_FACTS", FACTS)))).finish(target))
