"""What a request cost and what the cache saved of it: a dated price list, each token priced once, in Decimal."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import cache
from typing import Any

from desktop_app import assets
from desktop_app.core.endpoints import ANTHROPIC_URL, Endpoint, EndpointKind
from desktop_app.core.request_log import RequestRecord
from desktop_app.core.usage import Usage

_MILLION = Decimal(1_000_000)
_NOTHING = Decimal(0)
_DATE_SUFFIX = re.compile(r"-\d{8}$")
_PRICED_HOST = Endpoint(EndpointKind.ANTHROPIC, ANTHROPIC_URL).host


@dataclass(frozen=True, slots=True)
class Rates:
    """USD per million tokens, from the day `since` on, for prompts of more than `above` tokens."""

    input: Decimal
    output: Decimal
    write_5m: Decimal
    write_1h: Decimal
    read: Decimal
    since: date = date.min
    above: int = -1


@dataclass(frozen=True, slots=True)
class Cost:
    """USD by kind of token. `estimated` where the split of a write or the output is not known for sure."""

    uncached: Decimal = _NOTHING
    write_5m: Decimal = _NOTHING
    write_1h: Decimal = _NOTHING
    read: Decimal = _NOTHING
    output: Decimal = _NOTHING
    estimated: bool = False

    @property
    def input(self) -> Decimal:
        """All of it but the output."""
        return self.uncached + self.write_5m + self.write_1h + self.read

    @property
    def total(self) -> Decimal:
        """Input and output."""
        return self.input + self.output

    def __add__(self, other: Cost) -> Cost:
        return Cost(
            self.uncached + other.uncached,
            self.write_5m + other.write_5m,
            self.write_1h + other.write_1h,
            self.read + other.read,
            self.output + other.output,
            self.estimated or other.estimated,
        )


@dataclass(frozen=True, slots=True)
class PriceList:
    """The rates of each model as they were known on the day `dated`."""

    dated: date
    models: Mapping[str, tuple[Rates, ...]]

    def rates(self, model: str, prompt: int, at: datetime) -> Rates | None:
        """What holds for a prompt of so many tokens sent at that moment; None for a model without a price."""
        day = at.astimezone(UTC).date()
        rows = self.models.get(model) or self.models.get(undated(model), ())
        holding = [row for row in rows if row.since <= day and row.above < prompt]
        return max(holding, key=lambda row: (row.above, row.since), default=None)

    def cost(self, model: str, usage: Usage | None, at: datetime) -> Cost | None:
        """The cost of a request; None, never 0, where the price or the tokens are unknown.

        A cache write without its split counts at the five-minute rate.
        """
        if usage is None or not usage.input_total or usage.output is None:
            return None
        rates = self.rates(model, usage.input_total, at)
        if rates is None:
            return None
        return Cost(
            _priced(usage.uncached, rates.input),
            _priced(usage.write_5m, rates.write_5m),
            _priced(usage.write_1h, rates.write_1h),
            _priced(usage.read, rates.read),
            _priced(usage.output, rates.output),
            usage.output_estimated or not usage.split_known,
        )

    def saved(self, model: str, usage: Usage | None, at: datetime) -> Decimal | None:
        """USD the same input would have cost uncached, less what it cost; negative where writing did not pay off."""
        if usage is None or not usage.input_total:
            return None
        rates = self.rates(model, usage.input_total, at)
        if rates is None:
            return None
        kinds = ((usage.write_5m, rates.write_5m), (usage.write_1h, rates.write_1h), (usage.read, rates.read))
        return sum((_priced(tokens, rates.input - rate) for tokens, rate in kinds), _NOTHING)

    def write(self, model: str, tokens: int, at: datetime) -> Decimal | None:
        """USD for writing so many tokens into the five-minute cache; None for a model without a price."""
        rates = self.rates(model, tokens, at)
        return _priced(tokens, rates.write_5m) if rates is not None else None

    def cost_of(self, record: RequestRecord) -> Cost | None:
        """The cost of a request in the log; only Anthropic's own endpoint has prices."""
        if not has_prices(record.host):
            return None
        return self.cost(record.answered_by or record.model, record.usage, record.sent_at)

    def saved_of(self, record: RequestRecord) -> Decimal | None:
        """What the cache saved of a request in the log."""
        if not has_prices(record.host):
            return None
        return self.saved(record.answered_by or record.model, record.usage, record.sent_at)


def has_prices(host: str) -> bool:
    """Whether requests to this host are paid by the price list: those to Anthropic, no others."""
    return host == _PRICED_HOST


def undated(model: str) -> str:
    """The id of a model without the date of its version: `claude-haiku-4-5-20251001` is `claude-haiku-4-5`."""
    return _DATE_SUFFIX.sub("", model)


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
    for row in table["price"]:
        rates = Rates(
            input=Decimal(row["input"]),
            output=Decimal(row["output"]),
            write_5m=Decimal(row["write_5m"]),
            write_1h=Decimal(row["write_1h"]),
            read=Decimal(row["read"]),
            since=row.get("from", date.min),
            above=row.get("above", -1),
        )
        for model in row["models"]:
            models[model] = (*models.get(model, ()), rates)
    return PriceList(table["dated"], models)


def _priced(tokens: int | None, rate: Decimal) -> Decimal:
    return (tokens or 0) * rate / _MILLION
