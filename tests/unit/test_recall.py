"""Words and meaning fused: the formulas by hand, small pools, and what counts as bearing on a text at all."""

from __future__ import annotations

import math
from statistics import fmean, pstdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.core.recall.facts import fuse
from desktop_app.core.recall.values import Neighbours, Spread, WordMatches
from desktop_app.core.recall.words import with_letters, word_weight

UNRELATED = Spread(0, 0.02, 0.065)
NONE = WordMatches(100)


def near(hangul: dict[str, float], other: dict[str, float]) -> Neighbours:
    groups = {True: hangul, False: other}
    return Neighbours(
        {**hangul, **other},
        frozenset(hangul),
        {
            script: Spread(len(group), fmean(group.values()), pstdev(group.values()))
            for script, group in groups.items()
            if group
        },
    )


def crowd(name: str, count: int, mean: float, deviation: float) -> dict[str, float]:
    """Cosines with exactly this mean and deviation (even count)."""
    return {f"{name}{number}": mean + deviation * (-1) ** number for number in range(count)}


def test_words_count_by_how_rare_they_are_and_how_much_of_the_question_is_known() -> None:
    matches = WordMatches(100, {"atlas": 2, "launch": 4, "zebra": 0}, {"a": 6.0, "b": 2.5})
    known = math.log(98.5 / 2.5) + math.log(96.5 / 4.5)
    unknown = math.log(201)
    (first, second) = fuse(matches, None, UNRELATED)
    assert (first.id, second.id) == ("a", "b")
    assert first.words == pytest.approx(3 * (known / unknown) * 6.0 / (1.85 * (known + unknown)))
    assert second.score == second.words == pytest.approx(first.words * 2.5 / 6.0)
    assert first.meaning is None


def test_a_word_that_stands_in_every_other_fact_finds_nothing() -> None:
    scores = {str(number): 1e-6 for number in range(60)}
    assert fuse(WordMatches(100, {"user": 60}, scores), None, UNRELATED) == []


def test_what_most_facts_hold_finds_them_where_it_is_most_of_the_text_or_was_sought() -> None:
    common = WordMatches(100, {"plant": 80, "water": 80}, {str(number): 2e-6 for number in range(80)})
    assert len(fuse(common, None, UNRELATED)) == 80
    half = WordMatches(100, {**common.frequency, "zebra": 0, "atlas": 0}, common.scores)
    assert fuse(half, None, UNRELATED) == []
    one = WordMatches(100, {"user": 60}, {str(number): 1e-6 for number in range(60)})
    assert len(fuse(one, None, UNRELATED, 1)) == 60


def test_among_texts_that_nearly_say_the_same_a_small_difference_is_none() -> None:
    alike = crowd("fact", 40, 0.30, 0.001) | {"other": 0.303}
    found = fuse(NONE, near({}, alike), UNRELATED)
    assert found == [] and pstdev(alike.values()) < 0.002


def test_meaning_is_measured_within_the_own_script() -> None:
    hangul = crowd("ko", 30, 0.30, 0.10) | {"ko*": 0.62}
    other = crowd("en", 30, 0.00, 0.05) | {"en*": 0.40}
    found = {one.id: one for one in fuse(NONE, near(hangul, other), UNRELATED)}
    assert list(found) == ["en*", "ko*"]
    for name, group in (("ko*", hangul), ("en*", other)):
        expected = (group[name] - fmean(group.values())) / pstdev(group.values())
        assert found[name].meaning == found[name].score == pytest.approx(expected)


def test_a_script_of_few_facts_is_measured_with_all() -> None:
    hangul = crowd("ko", 4, 0.30, 0.10)
    other = crowd("en", 40, 0.00, 0.05) | {"en*": 0.30}
    everything = [*hangul.values(), *other.values()]
    found = {one.id: one for one in fuse(NONE, near(hangul, other), UNRELATED)}
    assert found["ko0"].meaning == pytest.approx((0.40 - fmean(everything)) / pstdev(everything))
    assert found["en*"].meaning == pytest.approx((0.30 - fmean(other.values())) / pstdev(other.values()))


def test_in_a_small_pool_unrelated_texts_stand_in_for_what_is_missing() -> None:
    (only,) = fuse(WordMatches(1), near({"a": 0.32}, {}), UNRELATED)
    mean = (0.32 + 19 * 0.02) / 20
    square = ((0.32 - mean) ** 2 + 19 * (0.065**2 + (0.02 - mean) ** 2)) / 20
    assert only.meaning == pytest.approx((0.32 - mean) / math.sqrt(square))
    assert fuse(WordMatches(1), near({"a": 0.10}, {}), UNRELATED) == []


@pytest.mark.parametrize("total", [2, 4, 8, 18])
def test_among_few_facts_a_word_match_comes_before_a_likely_meaning(total: int) -> None:
    cosines = crowd("f", total - 2, 0.02, 0.065) | {"held": 0.07, "close": 0.13}
    matches = WordMatches(total, {"서울": 1}, {"held": word_weight(total, 1)})
    assert fuse(matches, near(cosines, {}), UNRELATED)[0].id == "held"


@pytest.mark.parametrize(("count", "clear"), [(20, 1.0), (54, 1.99), (100, 2.5), (5_000, 2.5)])
def test_clearly_above_the_rest_is_more_in_a_larger_pool(count: int, clear: float) -> None:
    spreads = {False: Spread(count, 0.0, 0.1)}
    shown = {
        share: bool(fuse(WordMatches(count), Neighbours({"a": 0.1 * clear * share}, frozenset(), spreads), UNRELATED))
        for share in (0.98, 1.02)
    }
    assert shown == {0.98: False, 1.02: True}


def test_alike_facts_and_no_facts_do_no_harm() -> None:
    assert fuse(WordMatches(0), Neighbours({}, frozenset(), {}), UNRELATED) == []
    same = {f"f{number}": 0.5 for number in range(30)}
    assert fuse(WordMatches(30), near(same, {}), UNRELATED) == []


def test_letters_inside_words_count_as_a_word_of_their_own() -> None:
    matches = with_letters(WordMatches(50, {"돈": 0, "api": 1}, {"b": 3.0}), {"돈": ["a", "b"]})
    assert matches.frequency == {"돈": 2, "api": 1}
    assert matches.scores == {"a": pytest.approx(math.log(48.5 / 2.5)), "b": 3.0}
    assert with_letters(WordMatches(50), {"돈": []}).scores == {}


cosine = st.floats(-1, 1, allow_nan=False)
ids = st.sampled_from("abcdefgh")


@given(
    st.dictionaries(ids, st.floats(0.001, 50)),
    st.dictionaries(ids, cosine),
    st.dictionaries(st.sampled_from("stuvwxyz"), cosine),
    st.integers(1, 40),
)
def test_the_parts_of_a_score_sum_and_order_it(
    scores: dict[str, float], hangul: dict[str, float], other: dict[str, float], total: int
) -> None:
    found = fuse(WordMatches(total, {"w": min(total, len(scores))}, scores), near(hangul, other), UNRELATED)
    for one in found:
        assert one.score == one.words + (one.meaning or 0.0) and math.isfinite(one.score)
        assert (one.meaning is None) == (one.id not in {*hangul, *other})
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    assert len({one.id for one in found}) == len(found)
