"""The monthly budget: how much of it is spent, and when the person is to be warned, at 80 % and at 100 %, once each."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from desktop_app.core.errors import BadInput
from desktop_app.core.money.spending import SpendingLine

LEVELS = (100, 80)
"""Percent of the budget at which the person is warned."""
_MOST = Decimal(1_000_000)
_AMOUNT = re.compile(r"(\d{1,3}(,\d{3})+|\d{1,9})(\.\d{1,2})?", re.ASCII)


@dataclass(frozen=True, slots=True)
class BudgetState:
    """USD spent in the month that begins on `month`, of `limit` (None without a budget)."""

    month: date
    limit: Decimal | None
    spent: SpendingLine

    @property
    def usd(self) -> Decimal:
        """What is spent as far as it is known."""
        return self.spent.cost.total

    @property
    def share(self) -> float | None:
        """The share of the budget that is spent, 0 on; None without a budget."""
        return None if self.limit is None else float(self.usd / self.limit)

    @property
    def percent(self) -> int:
        """The same in whole percent, rounded down; 0 without a budget."""
        return 0 if self.limit is None else int(self.usd * 100 / self.limit)

    @property
    def level(self) -> int:
        """The highest of LEVELS that is reached, 0 below them."""
        return next((level for level in LEVELS if self.percent >= level), 0)

    @property
    def mark(self) -> str:
        """What is kept once the person was warned of this level."""
        return f"{self.month:%Y-%m} {self.level}"

    def to_warn(self, warned: str) -> bool:
        """Whether the person was not warned of this level yet; `warned` is the mark that was kept last."""
        month, _, level = warned.partition(" ")
        known = int(level) if month == f"{self.month:%Y-%m}" and level.isascii() and level.isdigit() else 0
        return self.level > known


def budget_from(text: str) -> Decimal | None:
    """The budget in USD that was typed; None for none. Raises BadInput for what is no amount from a cent on."""
    clean = text.strip().removeprefix("$").strip()
    if not clean:
        return None
    amount = Decimal(clean.replace(",", "")) if _AMOUNT.fullmatch(clean) else None
    if amount is None or amount > _MOST:
        raise BadInput(what=text, why="budget")
    return amount or None


def budget_changes(text: str) -> dict[str, str]:
    """The settings that change with another budget: of that one no warning was given yet. Raises BadInput."""
    amount = budget_from(text)
    return {"monthly_budget": format(amount, "f") if amount else "", "budget_warned": ""}


def kept_budget(setting: str) -> Decimal | None:
    """The budget in the settings; None also for what a foreign hand made unusable."""
    try:
        return budget_from(setting)
    except BadInput:
        return None
