"""Full text over facts: who is found, how often words stand, and scores that another profile does not move."""

from __future__ import annotations

import math
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from desktop_app.adapters.store import Store, word_scores
from desktop_app.adapters.store.fact_tables import FactRow
from desktop_app.core.facts import FactActor, FactDraft
from desktop_app.core.recall.values import WordMatches
from desktop_app.core.search_words import query_words, search_words
from tests.adapters.fact_parts import P, add, faults
from tests.adapters.store_parts import ask, with_store

pytestmark = pytest.mark.usefixtures("database")

FACTS = {
    "강아지 이름": "보리",
    "마시는 것": "아침마다 보리차를 마신다",
    "order number": "A-1042-XK, shipped 2026-11-30",
    "running": "ran the marathon of Chuncheon, runs every morning",
    "favourite café": "Café Blau in der Straße",
    "config": "~/project/app_config.toml",
    "cat": "Nabi",
}


async def fill(store: Store, profile: str = P) -> dict[str, str]:
    """Ids by key."""
    return {key: (await add(store, key, value, profile=profile)).id for key, value in FACTS.items()}


async def found(store: Store, query: str, profile: str = P) -> list[str]:
    """Keys of the facts a question finds, best first."""
    scores = (await store.facts.word_matches(profile, query_words(query))).scores
    keys = {fact.id: fact.key for fact in await store.facts.facts(profile)}
    return [keys[fact_id] for fact_id in sorted(scores, key=lambda fact_id: -scores[fact_id])]


@pytest.mark.parametrize(
    ("query", "keys"),
    [
        ("우리 강아지 이름이 뭐지?", ["강아지 이름"]),
        ("보리차", ["마시는 것", "강아지 이름"]),
        ("where is order a-1042-xk?", ["order number"]),
        ("1042", ["order number"]),
        ("I run", ["running"]),
        ("CAFE", ["favourite café"]),
        ("café", ["favourite café"]),
        ("app_config", ["config"]),
        ("toml", ["config"]),
        ("what is the", []),
        ("elephant", []),
        ("", []),
    ],
)
def test_what_a_question_finds(tmp_path: Path, query: str, keys: list[str]) -> None:
    async def work(store: Store) -> list[str]:
        await fill(store)
        return await found(store, query)

    assert with_store(tmp_path, work) == keys


def test_words_of_a_category_are_found_and_old_ones_are_not(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        fact = await add(store, "dog", "Bori", category="pets")
        for query, is_found in (("pets", True), ("bori", True), ("choco", False)):
            assert bool(await found(store, query)) is is_found
        await store.facts.edit(P, fact.id, FactActor.YOU, value="Choco", category="family")
        for query, is_found in (("pets", False), ("bori", False), ("choco", True), ("family", True), ("dog", True)):
            assert bool(await found(store, query)) is is_found
        await store.facts.delete(P, fact.id, FactActor.YOU)
        assert await found(store, "choco family dog") == []

    with_store(tmp_path, work)


def test_only_active_facts_of_the_profile_count(tmp_path: Path) -> None:
    async def work(store: Store) -> WordMatches:
        await add(store, "a", "apple apple pear")
        await add(store, "b", "apple")
        await add(store, "c", "plum")
        await store.facts.keep(P, FactDraft("d", "apple"), pending=True)
        await add(store, "e", "apple")
        await store.facts.delete(P, "e", FactActor.YOU)
        await add(store, "a", "apple plum pear fig", profile="other")
        return await store.facts.word_matches(P, ["apple", "pear", "fig", "plum", "apple"])

    result = with_store(tmp_path, work)
    assert result.total == 3
    assert result.frequency == {"apple": 2, "pear": 1, "fig": 0, "plum": 1}
    assert len(result.scores) == 3 and min(result.scores.values()) > 0


def test_scores_are_bm25_of_the_profile_by_itself(database: str, tmp_path: Path) -> None:
    words = ["보리", "order", "marathon", "the", "morn"]

    async def alone(store: Store) -> dict[str, float]:
        ids = await fill(store)
        scores = (await store.facts.word_matches(P, words)).scores
        return {key: scores[ids[key]] for key in ids if ids[key] in scores}

    async def beside(store: Store) -> dict[str, float]:
        # The other profile is full of the same words: their weight there must not count here.
        for number in range(20):
            await add(store, f"보리 order {number}", "marathon the morning", profile="other")
        return await alone(store)

    mine, shared = with_store(tmp_path / "alone", alone), with_store(tmp_path / "beside", beside)
    assert mine.keys() == shared.keys() == {"강아지 이름", "마시는 것", "order number", "running"}
    for key, score in mine.items():
        # What is left of the others is the mean length of a row.
        assert shared[key] == pytest.approx(score, rel=0.1)
    if database == "postgresql":
        return
    asked = " OR ".join(f'"{word}"' for word in words)
    plain = ask(tmp_path / "alone", f"SELECT -bm25(fact_words) FROM fact_words WHERE fact_words MATCH '{asked}'")
    assert sorted(mine.values()) == pytest.approx(sorted(score for (score,) in plain))


def test_a_word_that_stands_everywhere_weighs_next_to_nothing(tmp_path: Path) -> None:
    async def work(store: Store) -> WordMatches:
        for number in range(4):
            await add(store, f"k{number}", f"common {'rare' if number == 2 else ''}")
        return await store.facts.word_matches(P, ["common", "rare"])

    scores = sorted(with_store(tmp_path, work).scores.values())
    assert scores[2] < 1e-5 and scores[3] > 0.5 * math.log(3.5 / 1.5)


@pytest.mark.parametrize("other", [False, True], ids=["the only profile", "beside another"])
def test_the_best_are_found_by_the_rarer_words_where_many_hold_the_others(
    tmp_path: Path, other: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(word_scores, "_ROWS_SCORED", 20)

    async def work(store: Store) -> None:
        for number in range(30):
            often = " often" * (number % 3 == 0) + " common" * (number % 5 < 2)
            await add(store, f"fact {number}", f"word{number}{often}")
        if other:
            await add(store, "first", "common", profile="other")
        asked = ["often", "common", "word6"]
        best = await store.facts.word_matches(P, asked, 4)
        assert best.total == 30 and best.frequency == {"often": 10, "common": 12, "word6": 1}
        assert len(best.scores) == 4
        # Without the most frequent word, what the others give stays what it is.
        whole = (await store.facts.word_matches(P, ["often", "word6"])).scores
        assert {one: whole[one] for one in best.scores} == pytest.approx(best.scores)
        assert len(whole) == 10 and max(best.scores.values()) == pytest.approx(max(whole.values()))
        assert len((await store.facts.word_matches(P, asked)).scores) == 18
        assert len((await store.facts.word_matches(P, ["common"], 50)).scores) == 12

    with_store(tmp_path, work)


@pytest.mark.parametrize(
    "word", ['"', 'a"b', "*", "a*", "NEAR(a b)", "words:a", "a OR b", "^a", "-a", "", " ", "a\0b", "()"]
)
def test_words_are_never_a_query_of_their_own(tmp_path: Path, word: str) -> None:
    async def work(store: Store) -> WordMatches:
        await add(store, "k", "alpha beta")
        return await store.facts.word_matches(P, [word])

    assert with_store(tmp_path, work).scores == {}


@pytest.mark.timed
def test_a_long_text_asks_in_good_time(tmp_path: Path) -> None:
    words = search_words(" ".join(f"word{number} 낱말{number}" for number in range(2000)))

    async def work(store: Store) -> float:
        await add(store, "last", "word1999")
        same = ", ".join(name for name in FactRow.model_fields if name not in ("number", "id", "key", "same_key"))
        with closing(sqlite3.connect(tmp_path / "mnemoscope.db")) as connection, connection:
            connection.execute(
                "WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) "
                f"INSERT INTO fact (number, id, key, same_key, {same}) "
                f"SELECT i, 'id' || i, key || i, same_key || i, {same} FROM fact, n"
            )
            connection.execute(
                "INSERT INTO fact_words (rowid, words) "
                "SELECT number, 'everywhere word' || number FROM fact WHERE number > 1"
            )
        start = time.perf_counter()
        matches = await store.facts.word_matches(P, words)
        seconds = time.perf_counter() - start
        assert matches.total == 2000 and len(matches.scores) == 1999
        # A word of nearly all is left to those that tell more, unless it stands alone.
        both = await store.facts.word_matches(P, ["everywhere", "word77"])
        assert both.frequency == {"everywhere": 1999, "word77": 1} and len(both.scores) == 1
        assert len((await store.facts.word_matches(P, ["everywhere"])).scores) == 1999
        return seconds

    assert with_store(tmp_path, work) < 1


def test_the_index_can_be_checked(tmp_path: Path) -> None:
    with_store(tmp_path, fill)
    assert faults(tmp_path) == []
