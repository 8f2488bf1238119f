"""The person's prices out of a file they may have written anything in: what can be used, and what cannot by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from desktop_app.core.errors import BadInput
from desktop_app.core.money.price_rows import (
    ANY_PROMPT,
    KINDS,
    MOST_TOKENS,
    PriceRow,
    amount_from,
    amount_text,
    host_from,
    model_from,
    rates_of,
    text_in,
)

_FIELDS = {"models", "host", "from", "above", *KINDS}
_TABLES = {"price", "dated"}
_MOST_NAMED = 3
_LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class PriceNotice:
    """What is to be told about the file: a catalogue id, and the `rows` in it that cannot be used, by name."""

    message_id: str
    rows: str = ""


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


def _rows_of(entry: Mapping[str, Any]) -> list[PriceRow]:
    """The rows of an entry in which nothing is wrong."""
    host, rates = host_from(entry.get("host", "")), rates_of(entry)
    return [PriceRow(model_from(model), rates, host) for model in entry["models"]]


def _wrong_in(entry: Mapping[str, Any]) -> list[str]:
    """The fields of an entry that are missing, hold what cannot be used, or are none."""
    checks: dict[str, Callable[[Any], object]] = {
        "models": _checked_models,
        **{kind: lambda value: amount_from(amount_text(value)) for kind in KINDS},
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
        model_from(text_in(model))


def _checked_day(day: object) -> None:
    if type(day) is not date:  # a moment is a date as well, and is none here
        raise TypeError(day)


def _checked_length(above: object) -> None:
    if type(above) is not int or not ANY_PROMPT <= above <= MOST_TOKENS:
        raise ValueError(above)


_OPTIONAL: dict[str, Callable[[Any], object]] = {
    "host": lambda host: host_from(text_in(host)),
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
    return (shown if len(shown) <= _LONGEST_NAME else shown[: _LONGEST_NAME - 1] + "…") or '""'
