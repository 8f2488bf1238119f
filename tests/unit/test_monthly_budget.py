"""The monthly budget: what can be typed, how much of it is spent, and that each warning is given once."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from desktop_app.core.errors import BadInput
from desktop_app.core.money.monthly_budget import BudgetState, budget_from, kept_budget
from desktop_app.core.money.pricing import Cost
from desktop_app.core.money.spending import SpendingLine
from desktop_app.core.money.spending_words import budget_figures, budget_spent, budget_warning
from desktop_app.core.words import load_words

NOVEMBER = date(2026, 11, 1)
EN, KO = load_words("en"), load_words("ko")


def state(spent: str, limit: str | None = "20", month: date = NOVEMBER) -> BudgetState:
    cost = Cost(output=Decimal(spent))
    return BudgetState(month, None if limit is None else Decimal(limit), SpendingLine(1, cost=cost))


@pytest.mark.parametrize(
    ("typed", "amount"),
    [("20", "20"), (" $1,250.50 ", "1250.50"), ("0.01", "0.01"), ("1000000", "1000000"), ("", None), ("0", None)],
)
def test_amounts_that_can_be_typed(typed: str, amount: str | None) -> None:
    assert budget_from(typed) == (None if amount is None else Decimal(amount))


@pytest.mark.parametrize(
    "typed", ["-5", "0.001", "1000001", "NaN", "Infinity", "1e400", "twenty", "1 2", "€5", "²", "1,5", "1e2"]
)
def test_other_texts_are_refused_and_as_a_setting_mean_none(typed: str) -> None:
    with pytest.raises(BadInput) as caught:
        budget_from(typed)
    assert caught.value.params["why"] == "budget"
    assert kept_budget(typed) is None


@pytest.mark.parametrize(
    ("spent", "level", "percent"),
    [("0", 0, 0), ("15.9999", 0, 79), ("16", 80, 80), ("19.9999", 80, 99), ("20", 100, 100), ("51", 100, 255)],
)
def test_levels_are_reached_exactly(spent: str, level: int, percent: int) -> None:
    assert (state(spent).level, state(spent).percent) == (level, percent)


def test_each_level_is_told_once_a_month() -> None:
    at_80, at_100 = state("16.50"), state("21")
    assert at_80.to_warn("") and at_80.mark == "2026-11 80"
    assert not at_80.to_warn(at_80.mark)
    assert at_100.to_warn(at_80.mark) and not at_100.to_warn(at_100.mark)
    assert not at_80.to_warn(at_100.mark), "less is spent again, when a price was corrected: nothing new"
    december = state("16.50", month=date(2026, 12, 1))
    assert december.to_warn(at_100.mark)


def test_nothing_is_told_without_a_budget_or_below_it() -> None:
    assert not state("500", limit=None).to_warn("")
    assert (state("500", limit=None).share, state("500", limit=None).level) == (None, 0)
    assert not state("3").to_warn("")


def test_a_mark_no_one_can_read_does_not_silence_the_warning() -> None:
    assert state("16.50").to_warn("2026-11 soon") and state("16.50").to_warn("80")


@pytest.mark.parametrize(
    ("line", "spent"),
    [
        (SpendingLine(3, cost=Cost(output=Decimal(3))), "$3.00"),
        (SpendingLine(3, cost=Cost(output=Decimal(3), estimated=True)), "≈ $3.00"),
        (SpendingLine(3, cost=Cost(output=Decimal(3), estimated=True), unpriced=2), "≥ $3.00"),
        (SpendingLine(3, unpriced=3), "≥ $0"),
    ],
)
def test_figures_have_the_signs_of_every_other_sum(line: SpendingLine, spent: str) -> None:
    state = BudgetState(NOVEMBER, Decimal(20), line)
    assert (budget_figures(state)["spent"], budget_figures(state)["limit"]) == (spent, "$20.00")


def test_sentences_say_how_many_requests_they_leave_out() -> None:
    part = BudgetState(NOVEMBER, Decimal(20), SpendingLine(9, cost=Cost(output=Decimal(17)), unpriced=2))
    told = budget_spent(EN, part, "2026-11")
    assert told == "2026-11: ≥ $17.00 of $20.00 spent (85 %). At least that much: the price of 2 requests is unknown."
    assert EN.say(budget_warning(part), **budget_figures(part)) == (
        "85 % of this month's budget is spent: ≥ $17.00 of $20.00. The price of 2 requests is unknown, so it may be "
        "more. Nothing is blocked."
    )
    assert "2개" in KO.say(budget_warning(part), **budget_figures(part))
    assert "2개" in budget_spent(KO, part, "2026-11")
    free = replace(part, limit=None)
    assert budget_spent(EN, free, "2026-11").startswith("2026-11: ≥ $17.00 spent. At least")
    whole = state("17")
    assert budget_spent(EN, whole, "2026-11") == "2026-11: $17.00 of $20.00 spent (85 %)."
    assert budget_warning(whole) == "money.warning_80"
