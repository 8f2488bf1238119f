"""Budgets and usage as JSON values and as marked numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from desktop_app.core.context_budget import Budget
from desktop_app.core.usage import Figure, Usage

_KINDS = ("uncached", "write_5m", "write_1h", "read", "output", "thinking")


def mark(figure: Figure) -> str:
    """`=` for a counted or measured figure, `≈` for an estimate."""
    return figure.known.sign


def budget_json(budget: Budget) -> dict[str, Any]:
    """Rows that sum to the total, and the window they stand in; all in tokens, None where unknown."""
    return {
        "rows": [
            {"segment": row.segment.value, "tokens": row.figure.tokens, "known": row.figure.known.value}
            for row in budget.rows
        ],
        "total": {"tokens": budget.total.tokens, "known": budget.total.known.value},
        "estimated_total": budget.estimated_total,
        "reserve": budget.reserve,
        "free": budget.free,
        "window": budget.window,
    }


def usage_json(usages: Sequence[Usage | None]) -> dict[str, Any] | None:
    """Tokens by kind over all requests of a turn; a kind one of them did not report is None, never 0."""
    if not usages:
        return None
    known = [usage or Usage() for usage in usages]
    sums = {kind: _sum([getattr(usage, kind) for usage in known]) for kind in _KINDS}
    return {
        **sums,
        "input_total": _sum([usage.input_total for usage in known]),
        "output_estimated": any(usage.output_estimated for usage in known),
    }


def _sum(values: Sequence[int | None]) -> int | None:
    numbers = [value for value in values if value is not None]
    return sum(numbers) if len(numbers) == len(values) else None
