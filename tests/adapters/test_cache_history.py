"""The past of the cache over a real store: every conversation of thirty days, read again only after a while."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from desktop_app.core.conversation import now
from desktop_app.core.request import Request
from desktop_app.services import cache_history
from tests.fakes.house import House, open_house
from tests.unit.message_samples import fixed_path, request_for
from tests.unit.test_lifetime_advice import START, talk


async def keep(house: House, begin: datetime, request: Request, count: int = 11) -> None:
    """A conversation with pauses of seven minutes."""
    store = house.services.store
    conversation = (await store.create_conversation("default", "Backups plan", False)).id
    for one in talk([7] * (count - 1), size=40_000):
        sent_at = begin + (one.sent_at - START)
        ids = {"id": f"{conversation} {one.id}", "conversation_id": conversation}
        await store.save_request(replace(one, sent_at=sent_at, **ids), request)


def test_all_conversations_of_thirty_days_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    moment = [now()]
    monkeypatch.setattr(cache_history, "now", lambda: moment[0])

    async def live() -> None:
        async with open_house(tmp_path, "http://127.0.0.1:9") as house:
            await look_back(house, moment)

    asyncio.run(live())


async def look_back(house: House, moment: list[datetime]) -> None:
    history, request = house.services.cache_history, request_for(fixed_path())
    assert await history.lifetimes("5m") is None
    await keep(house, moment[0] - timedelta(days=2), request, 6)
    await keep(house, moment[0] - timedelta(days=20), request, 6)
    await keep(house, moment[0] - timedelta(days=40), request, 6)
    assert await history.lifetimes("5m") is None  # read a moment ago
    moment[0] += timedelta(minutes=11)
    found = await history.lifetimes("5m")
    assert found is not None
    assert (found.pauses, found.requests, found.best) == (10, 12, "1h")
    other = await history.lifetimes("1h")
    assert other is not None
    assert (other.best, other.saves) == ("1h", 0)
