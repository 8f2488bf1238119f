"""`mnemoscope cost`: what was spent, by day, conversation, model, profile or turn, as a table, as JSON or as a file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Any

from desktop_app.cli.options import RunOptions
from desktop_app.cli.output import note, one_line, table, write, write_bytes, write_json
from desktop_app.cli.session import Session, open_session
from desktop_app.core.errors import BadInput, StoreUnavailable
from desktop_app.core.money.monthly_budget import BudgetState
from desktop_app.core.money.price_sources import sources_words
from desktop_app.core.money.spending import SpendingBy, SpendingGroup, SpendingLine, SpendingReport, SpentOn
from desktop_app.core.money.spending_words import amount, budget_figures, budget_spent, budget_warning, group_name
from desktop_app.core.words import Words
from desktop_app.services.spending import ALL_TIME, Exported, Period, month_of

_TITLE = 48
_ALL = "all"


async def cost(run: RunOptions, by: str, month: str | None, csv: str | None) -> int:
    """What one profile spent, if one is named, or all together, shown or written into a file (- is standard output).

    A file that stood there is replaced, which is told. Raises BadInput for a month that is none, StoreUnavailable for
    a file that cannot be written.
    """
    async with open_session(run) as session:
        spending = session.services.spending
        period = _period(month, spending.day())
        if csv == "-":
            write_bytes(await spending.csv(run.profile, period))
            return 0
        if csv is not None:
            file = _file(csv)
            return _written(session, file, await spending.export(file, run.profile, period))
        report = await spending.report(SpendingBy(by), run.profile, period)
        budget = await spending.budget()
    if run.as_json:
        write_json(_as_json(report, period, run.profile, budget))
    else:
        write(_text(session.words, report, period, run.profile, budget))
    return 0


async def warn_of_budget(session: Session) -> None:
    """Tells once that 80 % or all of the monthly budget is spent."""
    spending = session.services.spending
    state = await spending.warning()
    if state is None or state.limit is None:
        return
    note(session.words.say(budget_warning(state), **budget_figures(state)))
    session.services.settings.use(budget_warned=state.mark)
    with suppress(StoreUnavailable):  # it is told again then, and what was asked for is done
        session.services.settings.save()


def _file(given: str) -> Path:
    with suppress(RuntimeError):  # a ~ that is nobody's home is part of a name
        return Path(given).expanduser()
    return Path(given)


def _written(session: Session, file: Path, exported: Exported) -> int:
    if session.as_json:
        write_json({"file": str(file), "rows": exported.rows})
    if exported.replaced:
        note(session.words.say("cli.cost.replaced", path=str(file)))
    elif not session.as_json:
        note(session.words.say("cli.cost.written", path=str(file)))
    return 0


def _period(month: str | None, today: date) -> Period:
    if month is None:
        return month_of(today)
    if month == _ALL:
        return ALL_TIME
    found = re.fullmatch(r"(2\d{3})-(\d{2})", month, re.ASCII)
    with suppress(ValueError):
        if found:
            return month_of(date(int(found[1]), int(found[2]), 1))
    raise BadInput(what=month, why="month")


def _text(words: Words, report: SpendingReport, period: Period, profile: str | None, budget: BudgetState) -> str:
    say = words.say
    head = say(
        "cli.cost.heading",
        when=f"{period.first:%Y-%m}" if period.first else say("cli.cost.all_time"),
        who=one_line(profile, _TITLE) if profile else say("cli.cost.all_profiles"),
    )
    notes = _notes(words, report, budget)
    if not report.groups:
        return "".join(f"{line}\n" for line in (head, say("cli.cost.none"), *notes))
    names = [say(f"money.by_{report.by}"), say("money.column.requests"), say("money.column.input")]
    rows = [[*names, say("money.column.output"), say("money.column.cost")]]
    rows += [_row(words, one_line(group_name(words, group, report.by), _TITLE), group.total) for group in report.groups]
    rows.append(_row(words, say("money.total"), report.total))
    rows += [_row(words, "  " + say(f"money.on.{on}"), line, on) for on, line in report.lines.items()]
    return f"{head}\n" + table(rows, "<>>>>") + "".join(f"{line}\n" for line in notes)


def _row(words: Words, name: str, line: SpendingLine, on: SpentOn | None = None) -> list[str]:
    free = on is SpentOn.COUNTING
    shown = words.say("money.free") if free else amount(words, line)
    tokens = ["", ""] if free else [f"{line.input:,}", f"{line.output:,}"]
    return [name, f"{line.requests:,}", *tokens, shown]


def _notes(words: Words, report: SpendingReport, budget: BudgetState) -> list[str]:
    """What the sums leave out, the budget, and where the prices are from."""
    say, total = words.say, report.total
    notes = []
    if report.simulated:
        notes.append(say("money.simulated", n=report.simulated))
    if total.unpriced:
        notes.append(say("money.unpriced", n=total.unpriced))
    if budget.limit is not None:
        notes.append(budget_spent(words, budget, f"{budget.month:%Y-%m}"))
    if prices := sources_words(words, report.sources, report.dated.isoformat()):
        notes.append(prices)
    return notes


def _as_json(report: SpendingReport, period: Period, profile: str | None, budget: BudgetState) -> dict[str, Any]:
    """Tokens as far as they are known; money is a text with every digit, None where it is unknown."""
    return {
        "by": report.by.value,
        "from": period.first.isoformat() if period.first else None,
        "until": period.end.isoformat() if period.end else None,
        "profile": profile,
        "prices": report.dated.isoformat(),
        "groups": [
            {"key": list(group.key), **_named(group, report.by), **_sum(group.lines, group.total)}
            for group in report.groups
        ],
        "total": _sum(report.lines, report.total),
        "simulated": report.simulated,
        "budget": None
        if budget.limit is None
        else {
            "month": f"{budget.month:%Y-%m}",
            "limit_usd": format(budget.limit, "f"),
            "spent_usd": format(budget.usd, "f"),
            "level": budget.level,
            "estimated": budget.spent.estimated,
            "unpriced": budget.spent.unpriced,
        },
    }


def _named(group: SpendingGroup, by: SpendingBy) -> dict[str, Any]:
    """What a group is, beside the key that tells it from the others."""
    if by not in (SpendingBy.CONVERSATION, SpendingBy.TURN):
        return {}
    first = group.first
    named = {"title": first.title, "profile": first.profile, "deleted": first.gone}
    if by is SpendingBy.TURN:
        named |= {"turn": first.record.turn, "sent_at": first.record.sent_at.isoformat()}
    return named


def _sum(lines: Mapping[SpentOn, SpendingLine], total: SpendingLine) -> dict[str, Any]:
    return {**_line(total), "lines": {on.value: _line(line) for on, line in lines.items()}}


def _line(line: SpendingLine) -> dict[str, Any]:
    return {
        "requests": line.requests,
        "input": line.input,
        "output": line.output,
        "usd": format(line.usd, "f") if line.usd is not None else None,
        "estimated": line.estimated,
        "unreported": line.unreported,
        "unpriced": line.unpriced,
    }
