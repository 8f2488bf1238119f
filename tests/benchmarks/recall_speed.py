"""How long a search among many facts takes, its embedding included, and what memory the process holds by then.

Run as a process of its own for each size: `python -m tests.benchmarks.recall_speed 10000` prints JSON.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import psutil
from sqlalchemy import text
from sqlalchemy.orm import Session

from desktop_app.adapters.embedding.sentence_encoder import SentenceEncoder
from desktop_app.core.facts import FactDraft
from desktop_app.core.search_words import search_words
from tests.adapters.recall_parts import Memory, P

SIZES = (1_000, 10_000, 100_000)
_ROUNDS = 6

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


def measured(count: int) -> dict[str, float]:
    """What a process of its own measures among `count` facts."""
    command = [sys.executable, "-m", "tests.benchmarks.recall_speed", str(count)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def copy_facts(session: Session, drafts: list[FactDraft], embedder: str, size: int) -> None:
    """Many facts as the one that is there, with vectors by chance: writing them one by one takes many minutes."""
    first = dict(session.execute(text("SELECT * FROM fact")).mappings().one())
    columns = ", ".join(f":{name}" for name in first)
    chance = np.random.default_rng(6)
    for start in range(0, len(drafts), 5_000):
        some = list(enumerate(drafts[start : start + 5_000], start + 2))
        rows = [
            {**first, "number": n, "id": f"f{n}", "key": one.key, "same_key": one.key.casefold(), "value": one.value}
            for n, one in some
        ]
        session.execute(text(f"INSERT INTO fact VALUES ({columns})"), rows)
        words = [{"n": n, "words": " ".join(search_words(f"{one.key}\n{one.value}"))} for n, one in some]
        session.execute(text("INSERT INTO fact_words (rowid, words) VALUES (:n, :words)"), words)
        vectors = chance.standard_normal((len(some), size)).astype("<f4")
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        own = [{"n": n, "e": embedder, "v": vector.tobytes()} for (n, _), vector in zip(some, vectors, strict=True)]
        session.execute(text("INSERT INTO fact_vector VALUES (:n, :e, 1, :v)"), own)


async def _measure(count: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        memory = Memory(Path(folder), SentenceEncoder())
        try:
            await memory.add({"first": "fact"})
            await memory.indexing.catch_up(P)
            drafts = many(count)[1:]
            await memory.store.threads.write(lambda session: copy_facts(session, drafts, memory.encoder.name, 512))
            began = time.perf_counter()
            assert await memory.index.open()
            indexed = time.perf_counter() - began
            taken = [await _search(memory, question) for _ in range(_ROUNDS) for question in QUESTIONS]
            return {
                "p50": statistics.median(taken[len(QUESTIONS) :]),
                "p95": statistics.quantiles(taken[len(QUESTIONS) :], n=20)[-1],
                "rss": psutil.Process().memory_info().rss / 2**20,
                "indexed": indexed,
            }
        finally:
            await memory.indexing.close()
            await memory.store.close()


async def _search(memory: Memory, question: str) -> float:
    """Milliseconds; a question is asked with another ending each time, so that it is embedded each time."""
    _search.asked += 1  # type: ignore[attr-defined]
    began = time.perf_counter()
    await memory.recall.search(P, f"{question} {'.' * (_search.asked % 7)}", 5)  # type: ignore[attr-defined]
    return 1000 * (time.perf_counter() - began)


_search.asked = 0  # type: ignore[attr-defined]

if __name__ == "__main__":
    result: Any = asyncio.run(_measure(int(sys.argv[1])))
    print(json.dumps(result))
