"""Requests as the log of spending gives them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from desktop_app.core.money.pricing import PriceList, load_prices
from desktop_app.core.money.spending import SpentRequest
from desktop_app.core.request_log import RequestRecord, RequestState
from desktop_app.core.usage import Usage

START = datetime(2026, 11, 30, 4, 0, tzinfo=UTC)
HOST = "api.anthropic.com"
PRICES: PriceList = load_prices()
TEN_CENTS = Usage(uncached=5_000, write_5m=0, write_1h=0, read=0, output=4_000)
"""Costs $0.10 with Opus 5.5: 5,000 × $4 + 4,000 × $20 per million."""


def record(minutes: float = 0, **changes: Any) -> RequestRecord:
    """An answered request of Opus 5.5, so many minutes after START, that cost $0.10."""
    values: dict[str, Any] = {
        "id": f"r{minutes:g}",
        "conversation_id": "c1",
        "turn_id": "t1",
        "turn": 1,
        "round": 1,
        "sent_at": START + timedelta(minutes=minutes),
        "host": HOST,
        "model": "claude-opus-5-5",
        "digest": "",
        "reserve": 0,
        "window": None,
        "estimated": 5_000,
        "rows": (),
        "state": RequestState.ANSWERED,
        "usage": TEN_CENTS,
    }
    return RequestRecord(**values | changes)


def spent(
    minutes: float = 0, *, profile: str = "default", title: str = "Backups", simulated: bool = False, **changes: Any
) -> SpentRequest:
    """The same with where it belongs."""
    return SpentRequest(record(minutes, **changes), profile, title, simulated)


def usd(text: str) -> Decimal:
    """An amount."""
    return Decimal(text)
