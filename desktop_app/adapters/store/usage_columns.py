"""Usage as the columns of a row, the same wherever requests are kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from desktop_app.core.conversation import from_json
from desktop_app.core.usage import SidePass, Usage

USAGE_COLUMNS = tuple(part.name for part in fields(Usage) if part.name != "sides")
_SPLIT_KNOWN = USAGE_COLUMNS.index("split_known")
_NO_SIDES = "[]"


def usage_of(row: Any) -> Usage | None:
    """The usage in the columns of a row, None where none was reported."""
    return usage_from([getattr(row, name) for name in USAGE_COLUMNS], row.sides)


def usage_from(columns: Sequence[Any], sides: str) -> Usage | None:
    """The usage in the values of `USAGE_COLUMNS` and the text of its sides, None where none was reported."""
    if columns[_SPLIT_KNOWN] is None:
        return None
    told = dict(zip(USAGE_COLUMNS, columns, strict=True))
    return Usage(**told, sides=() if sides == _NO_SIDES else tuple(SidePass(*side) for side in from_json(sides)))
