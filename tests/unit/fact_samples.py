"""Facts for tests of the core."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from desktop_app.core.facts import Fact, FactOrigin, FactState

START = datetime(2026, 11, 1, 9, 0, tzinfo=UTC)


def fact(number: int, key: str = "", value: str = "", **more: Any) -> Fact:
    """Fact `number`: made that many hours after START, its revision the same number."""
    made = START + timedelta(hours=number)
    values: dict[str, Any] = {
        "state": FactState.ACTIVE,
        "origin": FactOrigin.YOU,
        "revision": number,
        "created_at": made,
        "updated_at": made,
        **more,
    }
    return Fact(f"f{number}", "default", key or f"key_{number}", value or f"value {number}", **values)
