"""Price tags of acts: tokens and USD worked out by hand, warm, cold, unknown and without prices."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from desktop_app.core.money.price_rows import Rates
from desktop_app.core.money.price_tag import (
    Act,
    Later,
    PriceTag,
    WarmGround,
    begun_anew,
    messages_anew,
    noted,
    other_lifetime,
    other_model,
    pinned,
    said_otherwise,
    shown_otherwise,
    stands_nowhere,
)


def rates(input_: str, output: str, write_5m: str, write_1h: str, read: str) -> Rates:
    return Rates(*map(Decimal, (input_, output, write_5m, write_1h, read)))


SONNET = rates("3", "15", "3.75", "6", "0.30")
OPUS = rates("4", "20", "5", "8", "0.20")
HAIKU = rates("0.10", "0.50", "0.125", "0.20", "0.01")
WARM = WarmGround(60_000, 4_000, 3_000, 6_000, 2_000, 60_500, 1_900, rates=SONNET)
COLD = replace(WARM, warm=0, head=0, fixed=0)
UNKNOWN = replace(COLD, warm=None, rates=None)


@pytest.mark.parametrize("act", [Act.FACT_ADDED, Act.FACT_EDITED])
def test_a_fact_that_is_added_or_edited_travels_with_the_next_message(act: Act) -> None:
    tag = noted(act, WARM, 24)
    assert (tag.now_tokens, tag.now_usd) == (0, 0)
    assert (tag.later, tag.later_tokens, tag.later_usd) == (Later.NEXT_MESSAGE, 24, Decimal("0.00009"))
    hour = noted(act, replace(WARM, lifetime="1h"), 24)
    assert hour.later_usd == Decimal("0.000144")
    assert noted(act, replace(WARM, lifetime="head"), 24).later_usd == Decimal("0.00009")
    unpriced = noted(act, UNKNOWN, 24)
    assert (unpriced.now_tokens, unpriced.now_usd, unpriced.later_tokens, unpriced.later_usd) == (0, None, 24, None)


def test_a_pinned_fact_costs_nothing_until_the_next_fold() -> None:
    tag = pinned(WARM)
    assert (tag.now_tokens, tag.now_usd) == (0, 0)
    assert (tag.later, tag.later_tokens, tag.later_usd) == (Later.NEXT_FOLD, 0, 0)


def test_a_deleted_fact_that_was_never_told_costs_nothing() -> None:
    tag = stands_nowhere(WARM)
    assert (tag.now_tokens, tag.now_usd, tag.later) == (0, 0, Later.NEVER)


def test_a_deleted_fact_of_the_block_writes_everything_anew_but_the_thinking() -> None:
    tag = begun_anew(Act.FACT_DELETED, WARM)
    assert tag.now_tokens == 58_000
    assert tag.then_usd == Decimal("0.2175")
    assert tag.instead_usd == Decimal("0.018")
    assert tag.now_usd == Decimal("0.1995")
    assert tag.later is Later.NEVER


def test_a_deleted_fact_of_a_note_leaves_tools_and_system() -> None:
    tag = begun_anew(Act.FACT_DELETED, WARM, 4_000)
    assert tag.now_tokens == 54_000
    assert tag.then_usd == Decimal("0.2037")  # 54,000 at 3.75, 4,000 at 0.30
    assert tag.now_usd == Decimal("0.1857")


def test_a_rebuild_can_wait_for_the_next_fold() -> None:
    tag = begun_anew(Act.REBUILD, WARM)
    assert (tag.now_tokens, tag.now_usd) == (58_000, Decimal("0.1995"))
    assert (tag.later, tag.later_tokens) == (Later.NEXT_FOLD, 0)


@pytest.mark.parametrize("act", [Act.TOOLS, Act.INSTRUCTIONS, Act.MEMORY])
@pytest.mark.parametrize(("lifetime", "usd"), [("5m", "0.1995"), ("head", "0.213"), ("1h", "0.33")])
def test_what_stands_at_the_head_writes_everything_anew(act: Act, lifetime: str, usd: str) -> None:
    tag = begun_anew(act, replace(WARM, lifetime=lifetime))
    assert (tag.now_tokens, tag.now_usd) == (58_000, Decimal(usd))


def test_tools_that_are_switched_off_are_not_written_anew() -> None:
    tag = begun_anew(Act.TOOLS, WARM, gone=900)
    assert (tag.now_tokens, tag.then_usd) == (57_100, Decimal("0.214125"))


def test_thinking_that_is_shown_or_not_writes_nothing_anew() -> None:
    tag = shown_otherwise(WARM)
    assert (tag.act, tag.now_tokens, tag.now_usd, tag.later) == (Act.THINKING, 0, 0, Later.NEVER)


def test_another_effort_leaves_tools_and_system() -> None:
    tag = messages_anew(Act.EFFORT, WARM)
    assert (tag.now_tokens, tag.now_usd) == (56_000, Decimal("0.1932"))
    without_mark = messages_anew(Act.EFFORT, replace(WARM, head=0))
    assert (without_mark.now_tokens, without_mark.now_usd) == (60_000, Decimal("0.207"))


def test_another_model_writes_everything_at_its_own_rates() -> None:
    tag = other_model(WARM, OPUS)
    assert (tag.now_tokens, tag.then_usd, tag.instead_usd) == (58_000, Decimal("0.29"), Decimal("0.018"))
    assert tag.now_usd == Decimal("0.272")
    cheaper = other_model(WARM, HAIKU)
    assert (cheaper.then_usd, cheaper.now_usd) == (Decimal("0.00725"), Decimal("-0.01075"))
    untold = other_model(WARM, None)
    assert (untold.now_tokens, untold.now_usd, untold.then_usd) == (58_000, None, None)


def test_another_lifetime_costs_nothing_now_and_another_price_from_now_on() -> None:
    tag = other_lifetime(WARM, "1h")
    assert (tag.now_tokens, tag.now_usd, tag.later) == (0, 0, Later.FROM_NOW_ON)
    assert (tag.later_tokens, tag.later_usd) == (1_900, Decimal("0.004275"))
    assert (tag.lifetime, tag.factors) == ("1h", (Decimal("1.25"), Decimal("2")))
    back = other_lifetime(replace(WARM, lifetime="1h"), "5m")
    assert back.later_usd == Decimal("-0.004275")
    assert other_lifetime(WARM, "head").later_usd == 0
    unpriced = other_lifetime(UNKNOWN, "1h")
    assert (unpriced.later_usd, unpriced.factors) == (None, None)


@pytest.mark.parametrize(
    "tag",
    [
        begun_anew(Act.FACT_DELETED, COLD),
        begun_anew(Act.REBUILD, COLD),
        messages_anew(Act.EFFORT, COLD),
        other_model(COLD, OPUS),
        other_lifetime(COLD, "1h"),
        pinned(COLD),
    ],
)
def test_where_nothing_is_warm_nothing_is_lost_and_the_tag_says_so(tag: PriceTag) -> None:
    assert (tag.now_tokens, tag.now_usd, tag.warm) == (0, 0, False)


@pytest.mark.parametrize(
    "tag", [begun_anew(Act.REBUILD, UNKNOWN), messages_anew(Act.EFFORT, UNKNOWN), other_model(UNKNOWN, None)]
)
def test_where_nothing_is_known_of_a_cache_the_price_is_unknown_and_never_nought(tag: PriceTag) -> None:
    assert (tag.now_tokens, tag.now_usd, tag.warm) == (None, None, False)


@pytest.mark.parametrize("ground", [WARM, COLD, UNKNOWN])
def test_what_only_says_otherwise_what_holds_writes_nothing_anew_whatever_is_known(ground: WarmGround) -> None:
    tag = said_otherwise(Act.EFFORT, ground)
    assert (tag.now_tokens, tag.later, tag.same) == (0, Later.NEVER, True)
    assert tag.now_usd == (None if ground is UNKNOWN else 0)


def test_without_prices_there_are_tokens_and_no_money() -> None:
    free = replace(WARM, rates=None)
    assert begun_anew(Act.TOOLS, free) == PriceTag(Act.TOOLS, 58_000, None)
    assert messages_anew(Act.EFFORT, free) == PriceTag(Act.EFFORT, 56_000, None)
    assert other_model(free, OPUS) == PriceTag(Act.MODEL, 58_000, None)


def test_more_thinking_than_is_written_anew_leaves_nothing_to_write() -> None:
    tag = begun_anew(Act.FACT_DELETED, replace(WARM, thinking=59_000), 4_000)
    assert tag.now_tokens == 0
    assert tag.now_usd == Decimal("-0.0168")  # 56,000 tokens less are read
