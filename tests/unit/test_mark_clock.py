"""The clock of each mark: what it holds, until when, and what is no longer held."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from desktop_app.core.cache.forecast import CachePoint, PointPart
from desktop_app.core.cache.mark_clock import MarkHolds, last_forgotten, mark_clocks
from desktop_app.core.cache.prediction import WarmPoint, warm_points
from desktop_app.core.usage import Usage
from tests.unit.test_lifetime_advice import START, request

POINTS = (
    CachePoint(0, "fixed", 2_000, "1h", PointPart.FIXED),
    CachePoint(0, "head", 4_150, "1h", PointPart.HEAD),
    CachePoint(1, "memo", 6_000, "1h", PointPart.MEMO),
    CachePoint(7, "before", 40_000),
    CachePoint(9, "end", 61_204),
)
RECORD = replace(request(9, START, 61_204, 40_000), points=POINTS)


def test_each_mark_says_what_it_holds_and_for_how_long() -> None:
    clocks = mark_clocks(RECORD, warm_points([RECORD], START + timedelta(minutes=1)))
    assert [clock.holds for clock in clocks] == list(MarkHolds)
    now = START + timedelta(minutes=1)
    assert [clock.left(now) for clock in clocks] == [timedelta(minutes=59)] * 3 + [timedelta(minutes=4)] * 2
    assert [(clock.tokens, clock.measured) for clock in clocks][-2:] == [(40_000, True), (61_204, True)]
    assert last_forgotten(clocks) == START + timedelta(minutes=5)


def test_what_is_forgotten_has_no_time_left() -> None:
    later = START + timedelta(minutes=20)
    clocks = mark_clocks(RECORD, warm_points([RECORD], later))
    assert [clock.until is None for clock in clocks] == [False, False, False, True, True]
    assert [clock.tokens for clock in clocks] == [2_000, 4_150, 6_000, 40_000, 61_204]
    assert last_forgotten(clocks) == START + timedelta(hours=1)
    over = START + timedelta(hours=1)
    assert [clock.left(over) for clock in clocks] == [None] * 5
    assert last_forgotten(mark_clocks(RECORD, warm_points([RECORD], over))) is None


def test_a_lone_mark_before_the_messages_does_not_hold_the_whole_request() -> None:
    clocks = mark_clocks(replace(RECORD, points=POINTS[:2]), {})
    assert [clock.holds for clock in clocks] == [MarkHolds.FIXED, MarkHolds.HEAD]
    assert mark_clocks(None, {}) == ()
    assert mark_clocks(replace(RECORD, points=()), {}) == ()


def test_another_conversation_keeps_the_head_warm() -> None:
    """What lies in the cache counts, whoever read it last."""
    until = START + timedelta(minutes=70)
    warm = {"head": WarmPoint("head", 4_140, "1h", until, measured=True)}
    clock = mark_clocks(replace(RECORD, usage=Usage(1, output=1)), warm)[1]
    assert (clock.tokens, clock.until, clock.measured) == (4_140, until, True)
