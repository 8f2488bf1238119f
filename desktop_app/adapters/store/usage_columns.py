"""Usage as the columns of a row, the same wherever requests are kept."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from desktop_app.core.conversation import from_json
from desktop_app.core.usage import SidePass, Usage

USAGE_COLUMNS = tuple(part.name for part in fields(Usage) if part.name != "sides")


def usage_of(row: Any) -> Usage | None:
    """The usage in the columns of a row, None where none was reported."""
    if row.split_known is None:
        return None
    sides = tuple(SidePass(*side) for side in from_json(row.sides))
    return Usage(**{name: getattr(row, name) for name in USAGE_COLUMNS}, sides=sides)
