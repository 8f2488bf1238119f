"""Rows of a price list: what a model costs at a host, out of what a person typed or a file, every field checked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from desktop_app.core.endpoints import ANTHROPIC_URL, Endpoint, EndpointKind, endpoint_for
from desktop_app.core.errors import BadInput

PRICED_HOST = Endpoint(EndpointKind.ANTHROPIC, ANTHROPIC_URL).host
"""The host the built-in prices are those of."""
KINDS = ("input", "write_5m", "write_1h", "read", "output")
"""What is priced, in the order it is shown and asked for."""
ANY_PROMPT = -1
_HIGHEST = Decimal(1_000_000)
MOST_TOKENS = 1_000_000_000
_AMOUNT = re.compile(r"\$?\s*(\d{1,7}(?:\.\d{0,12})?|\.\d{1,12})", re.ASCII)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_LONGEST_MODEL = 200
_PROPOSED = {"write_5m": Decimal("1.25"), "write_1h": Decimal(2), "read": Decimal("0.1")}
"""Shares of the input price that most of the field asks; a proposal, never a price."""


@dataclass(frozen=True, slots=True)
class Rates:
    """USD per million tokens, from the day `since` (UTC) on, for prompts of more than `above` tokens."""

    input: Decimal
    output: Decimal
    write_5m: Decimal
    write_1h: Decimal
    read: Decimal
    since: date = date.min
    above: int = ANY_PROMPT


@dataclass(frozen=True, slots=True)
class PriceRow:
    """What a model costs at a host; `own` where the person wrote it."""

    model: str
    rates: Rates
    host: str = PRICED_HOST
    own: bool = True

    @property
    def place(self) -> tuple[str, str, date, int]:
        """What tells it from every other row: a row of the same place takes its place."""
        return self.host, self.model, self.rates.since, self.rates.above

    @property
    def partial(self) -> bool:
        """Whether it holds from a day on only, or for long prompts only."""
        return self.rates.since != date.min or self.rates.above != ANY_PROMPT


def row_from(fields: Mapping[str, str]) -> PriceRow:
    """A row of the person from texts: model, host, the five `KINDS`, from, above (the last two and the host may be
    empty). Raises BadInput for the first field that cannot be used."""
    amounts = {kind: amount_from(fields.get(kind, "")) for kind in KINDS}
    rates = Rates(**amounts, since=day_from(fields.get("from", "")), above=above_from(fields.get("above", "")))
    return PriceRow(model_from(fields.get("model", "")), rates, host_from(fields.get("host", "")))


def amount_from(text: str) -> Decimal:
    """USD per million tokens, from 0 to 1,000,000: `3`, `0.30`, `$3.75`. Raises BadInput."""
    found = _AMOUNT.fullmatch(text.strip())
    if found is None or (amount := Decimal(found[1])) > _HIGHEST:
        raise BadInput(what=text, why="price")
    return amount


def day_from(text: str) -> date:
    """The first day (UTC) of a rate, `2026-12-01`; empty for always. Raises BadInput."""
    if not text.strip():
        return date.min
    if _DAY.fullmatch(text.strip()) is None:  # other forms of ISO 8601 are read too easily as another day
        raise BadInput(what=text, why="price_day")
    try:
        return date.fromisoformat(text.strip())
    except ValueError as error:
        raise BadInput(str(error), what=text, why="price_day") from error


def above_from(text: str) -> int:
    """The tokens a prompt must have more of; empty for any prompt. Raises BadInput."""
    digits = text.strip().replace(",", "").replace("_", "")
    if not digits:
        return ANY_PROMPT
    if not (digits.isascii() and digits.isdigit()) or int(digits[:20]) > MOST_TOKENS:
        raise BadInput(what=text, why="price_above")
    return int(digits)


def model_from(text: str) -> str:
    """The id of a model. Raises BadInput for none, and for one no server would know."""
    model = text.strip()
    if not model or len(model) > _LONGEST_MODEL or not model.isprintable() or " " in model:
        raise BadInput(what=text, why="price_model")
    return model


def host_from(text: str) -> str:
    """Host and port of an endpoint as its requests are kept under, out of either its name or its base URL; empty is
    Anthropic. Raises BadInput."""
    named = text.strip()
    if not named:
        return PRICED_HOST
    try:
        return endpoint_for(named).host
    except BadInput as error:
        raise BadInput(what=text, why="price_host") from error


def proposed(amount: Decimal) -> dict[str, Decimal]:
    """What writes and reads often cost where the input costs so much, by kind."""
    return {kind: (amount * share).normalize() for kind, share in _PROPOSED.items()}


def plain(amount: Decimal) -> str:
    """An amount as it is typed: no exponent, no zeros but those it was written with."""
    return f"{amount:f}"


def built_in_rows(table: Mapping[str, Any]) -> Iterator[PriceRow]:
    """The rows of a parsed price list that is known to be right."""
    for entry in table["price"]:
        for model in entry["models"]:
            yield PriceRow(model, rates_of(entry), own=False)


def without(rows: Iterable[PriceRow], model: str, host: str) -> list[PriceRow]:
    """The rows of all other models and hosts."""
    return [row for row in rows if (row.model, row.host) != (model, host)]


def rates_of(entry: Mapping[str, Any]) -> Rates:
    """The rates of an entry in which nothing is wrong."""
    amounts = {kind: amount_from(amount_text(entry[kind])) for kind in KINDS}
    return Rates(**amounts, since=entry.get("from", date.min), above=entry.get("above", ANY_PROMPT))


def amount_text(value: object) -> str:
    """Amounts are texts so that every digit counts; a plain number in a file is taken as well."""
    return str(value) if isinstance(value, int | Decimal) and not isinstance(value, bool) else text_in(value)


def text_in(value: object) -> str:
    """A text out of a file; raises TypeError for anything else."""
    if not isinstance(value, str):
        raise TypeError(value)
    return value
