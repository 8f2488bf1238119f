"""What a request cost and what the cache saved of it: a dated price list, each token priced once, in Decimal."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import cache
from typing import Any

from desktop_app import assets
from desktop_app.core.models import undated
from desktop_app.core.money.price_rows import PRICED_HOST, PriceRow, Rates, built_in_rows
from desktop_app.core.request_log import RequestRecord
from desktop_app.core.usage import SidePass, Usage

_MILLION = Decimal(1_000_000)
_NOTHING = Decimal(0)


@dataclass(frozen=True, slots=True)
class Cost:
    """USD by kind of token. `sides` is what passes beside the answer cost, part of the total and of nothing else.

    `estimated` where the split of a write or the output is not known for sure.
    """

    uncached: Decimal = _NOTHING
    write_5m: Decimal = _NOTHING
    write_1h: Decimal = _NOTHING
    read: Decimal = _NOTHING
    output: Decimal = _NOTHING
    estimated: bool = False
    sides: Decimal = _NOTHING

    @property
    def input(self) -> Decimal:
        """The input of the answer."""
        return self.uncached + self.write_5m + self.write_1h + self.read

    @property
    def total(self) -> Decimal:
        """Input and output of the answer, and the passes beside it."""
        return self.input + self.output + self.sides

    def __add__(self, other: Cost) -> Cost:
        return Cost(
            self.uncached + other.uncached,
            self.write_5m + other.write_5m,
            self.write_1h + other.write_1h,
            self.read + other.read,
            self.output + other.output,
            self.estimated or other.estimated,
            self.sides + other.sides,
        )


@dataclass(frozen=True, slots=True)
class PriceList:
    """The rates of each model at Anthropic as they were known on the day `dated`, and the person's own by host and
    model. Rates of one's own take the place of all others of that model at that host."""

    dated: date
    models: Mapping[str, tuple[Rates, ...]]
    own: Mapping[tuple[str, str], tuple[Rates, ...]] = field(default_factory=dict)

    def rates(self, model: str, prompt: int, at: datetime, *, host: str = PRICED_HOST) -> Rates | None:
        """What holds for a prompt of so many tokens sent at that moment; None for a model without a price."""
        day = at.astimezone(UTC).date()
        holding = [row for row in self.standing(model, host) if row.since <= day and row.above < prompt]
        return max(holding, key=lambda row: (row.above, row.since), default=None)

    def cost(self, model: str, usage: Usage | None, at: datetime, *, host: str = PRICED_HOST) -> Cost | None:
        """The cost of a request; None, never 0, where the price or the tokens are unknown.

        A cache write without its split counts at the five-minute rate. A pass beside the answer is a prompt of its
        own length.
        """
        if usage is None or not usage.billed_input or (usage.input_total and usage.output is None):
            return None
        rates = self.rates(model, usage.input_total or 0, at, host=host)
        beside = [(side, self.rates(model, side.input_total, at, host=host)) for side in usage.sides]
        sides = [_whole(side, found) for side, found in beside if found]
        if rates is None or len(sides) < len(beside):
            return None
        estimated = usage.output_estimated or not usage.split_known
        return replace(_whole(usage, rates), estimated=estimated, sides=sum((one.total for one in sides), _NOTHING))

    def saved(self, model: str, usage: Usage | None, at: datetime, *, host: str = PRICED_HOST) -> Decimal | None:
        """USD the same input would have cost uncached, less what it cost; negative where writing did not pay off.

        None, never 0, where the price or the tokens are unknown, or nothing of a cache was reported.
        """
        if usage is None or not usage.input_total or (usage.read is None and usage.written is None):
            return None
        rates = self.rates(model, usage.input_total, at, host=host)
        if rates is None:
            return None
        kinds = ((usage.write_5m, rates.write_5m), (usage.write_1h, rates.write_1h), (usage.read, rates.read))
        return sum((_priced(tokens, rates.input - rate) for tokens, rate in kinds), _NOTHING)

    def cost_of(self, record: RequestRecord) -> Cost | None:
        """The cost of a request in the log at the host it was sent to."""
        return self.cost(record.answered_by or record.model, record.usage, record.sent_at, host=record.host)

    def saved_of(self, record: RequestRecord) -> Decimal | None:
        """What the cache saved of a request in the log."""
        return self.saved(record.answered_by or record.model, record.usage, record.sent_at, host=record.host)

    def standing(self, model: str, host: str = PRICED_HOST) -> tuple[Rates, ...]:
        """All rates of a model at a host, of every day and length; none without a price."""
        names = dict.fromkeys((model, undated(model)))
        for name in names:
            if (host, name) in self.own:
                return self.own[host, name]
        if host != PRICED_HOST:
            return ()
        return next((self.models[name] for name in names if name in self.models), ())

    def is_own(self, model: str, host: str = PRICED_HOST) -> bool:
        """Whether what this model costs there is the person's own word."""
        return (host, model) in self.own or (host, undated(model)) in self.own

    def rows(self) -> list[PriceRow]:
        """What holds, row by row: Anthropic's models in the order of the list, then others, then other hosts."""
        listed = [(PRICED_HOST, model) for model in self.models]
        others = sorted(set(self.own) - set(listed), key=lambda place: (place[0] != PRICED_HOST, place))
        return [
            PriceRow(model, rates, host, own=(host, model) in self.own)
            for host, model in (*listed, *others)
            for rates in sorted(self.standing(model, host), key=lambda row: (row.above, row.since))
        ]

    def with_own(self, rows: Iterable[PriceRow]) -> PriceList:
        """The list with these rows of the person in place of those it had."""
        own: dict[tuple[str, str], tuple[Rates, ...]] = {}
        for row in rows:
            place = (row.host, row.model)
            own[place] = (*own.get(place, ()), row.rates)
        return replace(self, own=own)


def dollars(amount: Decimal) -> str:
    """`$3.27`, `$0.0131`, `−$0.0040`: two places from one dollar on, four below; what rounds to nothing `< $0.0001`."""
    size, minus = abs(amount), "−" if amount < 0 else ""
    if not size:
        return "$0"
    if size < Decimal("0.00005"):
        return "> −$0.0001" if minus else "< $0.0001"
    return f"{minus}${size:,.2f}" if size >= 1 else f"{minus}${size:,.4f}"


@cache
def load_prices() -> PriceList:
    """The list in resources/prices.toml."""
    return prices_from(tomllib.loads(assets.read_text("prices.toml")))


def prices_from(table: Mapping[str, Any]) -> PriceList:
    """A price list from its parsed file."""
    models: dict[str, tuple[Rates, ...]] = {}
    for row in built_in_rows(table):
        models[row.model] = (*models.get(row.model, ()), row.rates)
    return PriceList(table["dated"], models)


def _whole(usage: Usage | SidePass, rates: Rates) -> Cost:
    return Cost(
        _priced(usage.uncached, rates.input),
        _priced(usage.write_5m, rates.write_5m),
        _priced(usage.write_1h, rates.write_1h),
        _priced(usage.read, rates.read),
        _priced(usage.output, rates.output),
    )


def _priced(tokens: int | None, rate: Decimal) -> Decimal:
    return (tokens or 0) * rate / _MILLION
