"""How sums and groups of spending are named in a report."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from desktop_app.core.money.monthly_budget import BudgetState
from desktop_app.core.money.price_rows import PRICED_HOST
from desktop_app.core.money.pricing import dollars
from desktop_app.core.money.spending import SpendingBy, SpendingGroup, SpendingLine
from desktop_app.core.words import Words


def amount(words: Words, line: SpendingLine) -> str:
    """`$0.84`, with `≈` before an estimate and `≥` where part of it has no known price; a word where all is unknown."""
    usd = line.usd
    if usd is None:
        return words.say("money.unknown")
    return f"{_sign(line)}{dollars(usd)}"


def group_name(
    words: Words,
    group: SpendingGroup,
    by: SpendingBy,
    *,
    day: Callable[[date], str] = date.isoformat,
    profile: Callable[[str], str] = str,
) -> str:
    """What a group is called; titles as the person or a file gave them. `day` and `profile` write theirs."""
    first = group.first
    match by:
        case SpendingBy.DAY:
            return day(group.day)
        case SpendingBy.PROFILE:
            return profile(first.profile)
        case SpendingBy.MODEL:
            model, host = group.key
            return model if host == PRICED_HOST else f"{model} · {host}"
        case SpendingBy.CONVERSATION:
            return _title(words, group)
        case SpendingBy.TURN:
            return f"{words.say('money.turn', turn=first.record.turn)} · {_title(words, group)}"


def budget_figures(state: BudgetState) -> dict[str, str | int]:
    """What the sentences of a budget name: what is spent (`≥ $0` where all is unknown), of how much, the percentage.

    `n` requests have no known price.
    """
    spent = f"{_sign(state.spent)}{dollars(state.usd)}"
    limit = f"${state.limit or 0:,.2f}"
    return {"spent": spent, "limit": limit, "percent": state.percent, "n": state.spent.unpriced}


def budget_warning(state: BudgetState) -> str:
    """The catalogue id of the warning that a level is reached; `budget_figures` fill it."""
    return f"money.warning_{state.level}{'_at_least' if state.spent.unpriced else ''}"


def budget_spent(words: Words, state: BudgetState, month: str) -> str:
    """What is spent in a month, of the budget where there is one, and how many requests that leaves out."""
    if state.limit is None:
        sentence = words.say("money.spent_in_month", month=month, spent=amount(words, state.spent))
    else:
        sentence = words.say("money.budget_spent", month=month, **budget_figures(state))
    return with_unpriced(words, sentence, state.spent, "money.at_least")


def with_unpriced(words: Words, sentence: str, line: SpendingLine, unpriced: str = "money.unpriced") -> str:
    """The sentence, and that a sum is without requests of unknown price where there are any."""
    return f"{sentence} {words.say(unpriced, n=line.unpriced)}" if line.unpriced else sentence


def _sign(line: SpendingLine) -> str:
    return "≥ " if line.unpriced else "≈ " if line.estimated else ""


def _title(words: Words, group: SpendingGroup) -> str:
    if group.first.gone:
        return words.say("money.gone")
    return group.first.title or words.say("money.untitled")
