"""Turns in order: what words, meaning, neighbours, the kind of a turn and the question's cues add."""

from __future__ import annotations

import unicodedata
from datetime import UTC, datetime, timedelta, timezone
from typing import Literal

import pytest

from desktop_app.core.recall.cues import cues_of
from desktop_app.core.recall.turn_words import turn_word_scores
from desktop_app.core.recall.turns import rank_turns
from desktop_app.core.recall.values import Neighbours, Part, Scored, Spread, Turn, WordMatches

UNRELATED = Spread(0, 0.02, 0.065)
NOW = datetime(2026, 11, 18, 9, 30, tzinfo=UTC)


def said(*texts: str, session: str = "s", when: datetime | None = None) -> list[Turn]:
    """Turns of two speakers in turn; ids are the session and the place."""
    return [
        Turn(f"{session}{place}", session, place, ("user", "assistant")[place % 2], text, when)
        for place, text in enumerate(texts)
    ]


def ranked(question: str, turns: list[Turn], total: int = 400, near: Neighbours | None = None) -> dict[str, Scored]:
    """In order, by id; every word of the question stands in one turn of the pool but those in none of these."""
    words = {word for word in question.lower().rstrip("?").split() if any(word in turn.text.lower() for turn in turns)}
    matches = WordMatches(total, dict.fromkeys(words, 1), {})
    return {one.id: one for one in rank_turns(question, turns, matches, near, UNRELATED, NOW)}


def test_nothing_to_rank_gives_nothing() -> None:
    assert rank_turns("kettle", [], WordMatches(0), None, UNRELATED) == []


def test_the_parts_sum_to_the_score_and_order_it() -> None:
    turns = said("Where did you buy the kettle?", "In Lyon, from a friend.", "Nice", "It is red.", "Bye")
    found = list(ranked("kettle Lyon", turns).values())
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    for one in found:
        assert one.score == pytest.approx(sum(one.parts.values())) and all(one.parts.values())


def test_an_answer_comes_before_the_question_it_answers() -> None:
    found = ranked("kettle", said("Where is the kettle?", "Upstairs, next to the old radio.", "OK"))
    assert next(iter(found)) == "s1"
    assert found["s1"].parts[Part.ANSWER] > 0 and Part.ANSWER not in found["s2"].parts
    assert found["s0"].parts[Part.ASKING] < 0


def test_who_asks_for_questions_finds_them() -> None:
    found = ranked("what did I ask about the kettle", said("Where is the kettle?", "Upstairs.", "OK"))
    assert next(iter(found)) == "s0" and Part.ASKING not in found["s0"].parts


def test_words_are_found_by_their_stems_and_rare_ones_tell_more() -> None:
    turns = said("We were hiking all day", "We painted all day", "Nothing")
    scores = turn_word_scores("paint or hike", turns, WordMatches(400, {"paint": 2, "hike": 40}, {}), 8.0)
    assert scores["s1"] > scores["s0"] > scores["s2"] > 0


def test_a_longer_turn_holds_a_word_less() -> None:
    turns = [*said("kettle"), *said("kettle " + "and more of what is not asked " * 5, session="t")]
    scores = turn_word_scores("kettle", turns, WordMatches(400, {"kettle": 2}, {}), 8.0)
    assert scores["s0"] > scores["t0"]


def test_what_the_pool_does_not_know_makes_words_tell_less() -> None:
    turns = said("kettle")
    known = turn_word_scores("kettle", turns, WordMatches(400, {"kettle": 2}, {}), 8.0)["s0"]
    missed = turn_word_scores("kettle zebra", turns, WordMatches(400, {"kettle": 2, "zebra": 0}, {}), 8.0)["s0"]
    assert 0 < missed < known


def test_meaning_alone_orders_where_no_word_is_shared() -> None:
    turns = said("a", "b") + said("c", session="t")
    near = Neighbours({"s0": 0.1, "s1": 0.2, "t0": 0.6}, frozenset(), {False: Spread(100, 0.1, 0.1)})
    found = ranked("zebra", turns, near=near)
    assert next(iter(found)) == "t0" and found["t0"].parts[Part.MEANING] == pytest.approx(1.0)


def test_what_was_said_in_the_time_asked_for_is_raised() -> None:
    days = {"a": datetime(2026, 11, 17, 20, tzinfo=UTC), "b": datetime(2026, 11, 3, 20, tzinfo=UTC)}
    turns = [turn for name, day in days.items() for turn in said("We talked about the garden.", session=name, when=day)]
    for question in ("What about the garden yesterday?", "어제 garden 얘기"):
        found = ranked(question, turns)
        assert next(iter(found)) == "a0"
        assert found["a0"].parts[Part.DATE] == pytest.approx(0.4) and Part.DATE not in found["b0"].parts
    assert Part.DATE not in ranked("What about the garden?", turns)["a0"].parts


@pytest.mark.parametrize(
    ("question", "part", "text"),
    [
        ("When was it?", Part.WHEN, "It was last Friday."),
        ("언제 갔지", Part.WHEN, "지난 토요일에 갔어."),
        ("How many cups?", Part.COUNT, "I broke three of them."),
        ("몇 개 샀어", Part.COUNT, "두 개 샀어."),
        ("Where was it?", Part.PLACE, "It was in Lisbon."),
        ("어디서 만났어", Part.PLACE, "부산에서 만났어."),
    ],
)
def test_what_tells_what_is_looked_for_is_raised(question: str, part: Part, text: str) -> None:
    found = ranked(question, said(text, "그래 that is nice to hear"))
    assert part in found["s0"].parts and part not in found["s1"].parts


def test_the_speaker_a_question_names_is_raised() -> None:
    turns = said("Anna: the tulips are out", "Ben: the tulips are out")
    assert next(iter(ranked("What did Anna say of tulips", turns))) == "s0"
    assert Part.SPEAKER not in ranked("What did Anna tell Ben", turns)["s0"].parts
    mine = ranked("what did I say of tulips", said("the tulips are out", "the tulips are out"))
    assert Part.SPEAKER in mine["s0"].parts and Part.SPEAKER not in mine["s1"].parts


def test_branches_at_the_same_place_both_stand_beside_what_follows() -> None:
    first, second = said("the kettle is red"), said("never mind")
    other = Turn("other", "s", 0, "user", second[0].text)
    behind = Turn("behind", "s", 1, "assistant", "Good.")
    found = ranked("kettle", [other, *first, behind])
    assert found["behind"].parts[Part.BESIDE] == pytest.approx(0.2 * (found["s0"].parts[Part.WORDS]))


@pytest.mark.parametrize(
    ("question", "now", "said_at"),
    [
        ("what did I buy yesterday", "2026-11-18T09:30+09:00", "2026-11-16T16:00+00:00"),
        ("what did I buy yesterday", "2026-11-18T09:30-08:00", "2026-11-18T02:00+00:00"),
        ("오늘 산 것", "2026-11-18T00:45+09:00", "2026-11-17T15:30+00:00"),
        (unicodedata.normalize("NFD", "어제 산 것"), "2026-11-18T09:30+09:00", "2026-11-16T16:00+00:00"),
    ],
)
def test_days_begin_where_the_person_is(question: str, now: str, said_at: str) -> None:
    def date_part(when: datetime) -> float:
        (turn,) = rank_turns(
            question, said("A kettle.", when=when), WordMatches(9), None, UNRELATED, datetime.fromisoformat(now)
        )
        return turn.parts.get(Part.DATE, 0.0)

    then = datetime.fromisoformat(said_at)
    assert date_part(then) > 0
    assert date_part(then + timedelta(days=1)) == date_part(then - timedelta(days=1)) == 0


def test_the_written_day_is_that_of_the_person() -> None:
    turns = said("A kettle.", when=datetime(2026, 11, 16, 16, 0, tzinfo=UTC))
    seoul = timezone(timedelta(hours=9))
    matches = WordMatches(400)
    assert (
        turn_word_scores("kettle 17일", turns, matches, 8.0, seoul)["s0"]
        > (turn_word_scores("kettle 16일", turns, matches, 8.0, seoul)["s0"])
    )


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_a_korean_question_is_read_in_whatever_letters_it_comes(form: Literal["NFC", "NFD"]) -> None:
    cues = cues_of(unicodedata.normalize(form, "언제 몇 개를 어디에 뒀는지 내가 물었지"), {"user"}, NOW)
    assert (cues.when, cues.count, cues.place, cues.questions, cues.speaker) == (True, True, True, True, "user")
