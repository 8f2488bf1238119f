"""Rows of a price list: what a model costs at a host, out of what a person typed or a file, every field checked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
_MOST_TOKENS = 1_000_000_000
_AMOUNT = re.compile(r"\$?\s*(\d{1,7}(?:\.\d{0,12})?|\.\d{1,12})", re.ASCII)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_LONGEST_MODEL = 200
_FIELDS = {"models", "host", "from", "above", *KINDS}
_TABLES = {"price", "dated"}
_MOST_NAMED = 3
_LONGEST_NAME = 60
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
    if not (digits.isascii() and digits.isdigit()) or int(digits[:20]) > _MOST_TOKENS:
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
            yield PriceRow(model, _rates(entry), own=False)


def own_rows(table: Mapping[str, Any]) -> tuple[list[PriceRow], list[str]]:
    """The usable rows of a file a person may have written anything in, and what of it cannot be used, as they would
    find it there: `prices`, `#2 claude-opus-5: Host`."""
    unusable = [_name(name) for name in table if name not in _TABLES]
    entries = table.get("price", [])
    if not isinstance(entries, list):
        return [], [*unusable, "price"]
    rows: dict[tuple[str, str, date, int], PriceRow] = {}
    for number, entry in enumerate(entries, 1):
        if not isinstance(entry, Mapping):
            unusable.append(f"#{number}")
        elif wrong := _wrong_in(entry):
            unusable.append(f"#{number} {_models_of(entry)}".rstrip() + f": {_list(wrong)}")
        else:
            rows |= {row.place: row for row in _rows_of(entry)}
    return list(rows.values()), unusable


def without(rows: Iterable[PriceRow], model: str, host: str) -> list[PriceRow]:
    """The rows of all other models and hosts."""
    return [row for row in rows if (row.model, row.host) != (model, host)]


def _rows_of(entry: Mapping[str, Any]) -> list[PriceRow]:
    """The rows of an entry in which nothing is wrong."""
    host, rates = host_from(entry.get("host", "")), _rates(entry)
    return [PriceRow(model_from(model), rates, host) for model in entry["models"]]


def _rates(entry: Mapping[str, Any]) -> Rates:
    amounts = {kind: amount_from(_amount_text(entry[kind])) for kind in KINDS}
    return Rates(**amounts, since=entry.get("from", date.min), above=entry.get("above", ANY_PROMPT))


def _wrong_in(entry: Mapping[str, Any]) -> list[str]:
    """The fields of an entry that are missing, hold what cannot be used, or are none."""
    checks: dict[str, Callable[[Any], object]] = {
        "models": _checked_models,
        **{kind: lambda value: amount_from(_amount_text(value)) for kind in KINDS},
        **{name: check for name, check in _OPTIONAL.items() if name in entry},
    }
    wrong = [name for name, check in checks.items() if name not in entry or not _passes(check, entry[name])]
    return wrong + [_name(name) for name in entry if name not in _FIELDS]


def _passes(check: Callable[[Any], object], value: object) -> bool:
    try:
        check(value)
    except (BadInput, TypeError, ValueError):
        return False
    return True


def _checked_models(models: object) -> None:
    if not isinstance(models, list) or not models:
        raise TypeError(models)
    for model in models:
        model_from(_text(model))


def _checked_day(day: object) -> None:
    if type(day) is not date:  # a moment is a date as well, and is none here
        raise TypeError(day)


def _checked_length(above: object) -> None:
    if type(above) is not int or not ANY_PROMPT <= above <= _MOST_TOKENS:
        raise ValueError(above)


_OPTIONAL: dict[str, Callable[[Any], object]] = {
    "host": lambda host: host_from(_text(host)),
    "from": _checked_day,
    "above": _checked_length,
}


def _models_of(entry: Mapping[str, Any]) -> str:
    models = entry.get("models")
    return _list([_name(model) for model in models if isinstance(model, str)]) if isinstance(models, list) else ""


def _list(names: Sequence[str]) -> str:
    """The first names, and whether there are more."""
    return ", ".join((*names[:_MOST_NAMED], *(("…",) if len(names) > _MOST_NAMED else ())))


def _name(text: str) -> str:
    """A name out of a file, on one line and not too long to be said."""
    shown = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return shown if len(shown) <= _LONGEST_NAME else shown[: _LONGEST_NAME - 1] + "…"


def _amount_text(value: object) -> str:
    """Amounts are texts so that every digit counts; a plain number in a file is taken as well."""
    return str(value) if isinstance(value, int | Decimal) and not isinstance(value, bool) else _text(value)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value
