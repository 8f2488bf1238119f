"""What says the same as another find, or as the context, comes later; what does not stays where it is."""

from __future__ import annotations

import pytest

from desktop_app.core.recall.selection import Likeness, without_repetition
from desktop_app.core.recall.values import Spread

USE, E5 = Spread(0, 0.028, 0.063), Spread(0, 0.755, 0.034)
SCORES = {"first": 1.0, "again": 0.95, "other": 0.8, "far": 0.2}


def both_ways(one: str, other: str, cosine: float) -> dict[tuple[str, str], float]:
    return {(one, other): cosine, (other, one): cosine}


def order(likeness: Likeness, unrelated: Spread = USE) -> list[str]:
    return [one for one, _ in without_repetition(SCORES, likeness, unrelated)]


def test_without_vectors_the_order_stays_and_nothing_is_taken() -> None:
    assert without_repetition(SCORES, Likeness(), USE) == [(one, 0.0) for one in SCORES]
    assert without_repetition({}, Likeness(), USE) == []


def test_a_repetition_of_a_better_find_comes_after_what_is_new() -> None:
    assert order(Likeness({}, both_ways("first", "again", 0.97))) == ["first", "other", "again", "far"]


def test_what_the_context_says_comes_after_what_is_new() -> None:
    found = without_repetition(SCORES, Likeness({"first": 0.99}), USE)
    assert [one for one, _ in found] == ["again", "other", "first", "far"]
    assert dict(found)["first"] == pytest.approx(-0.3, abs=0.01) and dict(found)["again"] == 0.0


def test_a_repetition_is_not_lost_and_still_stands_before_what_hardly_fits() -> None:
    everything = {(one, other): 1.0 for one in SCORES for other in SCORES if one != other}
    assert order(Likeness(dict.fromkeys(SCORES, 1.0), everything)) == list(SCORES)


@pytest.mark.parametrize("unrelated", [USE, E5])
def test_likeness_counts_from_where_unrelated_texts_of_the_model_end(unrelated: Spread) -> None:
    unlike = unrelated.mean + 2 * unrelated.deviation
    assert order(Likeness({}, both_ways("first", "again", unlike)), unrelated) == list(SCORES)
    nearly = 1 - 0.1 * (1 - unlike)
    assert order(Likeness({}, both_ways("first", "again", nearly)), unrelated)[:2] == ["first", "other"]


def test_a_model_that_finds_everything_alike_takes_nothing() -> None:
    assert order(Likeness(dict.fromkeys(SCORES, 0.98)), Spread(0, 1.0, 0.0)) == list(SCORES)
