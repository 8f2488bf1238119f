"""The past of the cache over a real store: every conversation of thirty days, read again only after a while."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from desktop_app.core.cache.forecast import LIFETIMES
from desktop_app.core.cache.lifetime_advice import LifetimeAdvice, compare_lifetimes
from desktop_app.core.conversation import now
from desktop_app.core.errors import StoreUnavailable
from desktop_app.core.money.price_rows import PriceRow, Rates
from desktop_app.core.money.pricing import PriceList
from desktop_app.core.request import Request
from desktop_app.core.request_log import RequestPurpose, RequestRecord, RequestState
from desktop_app.core.usage import Usage
from desktop_app.services import cache_history
from tests.fakes.house import House, open_house
from tests.unit.message_samples import fixed_path, request_for
from tests.unit.test_lifetime_advice import START, talk

DAYS = timedelta(days=2)


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


class Watched:
    """How often the store is asked for the past, and whether it can answer."""

    def __init__(self, house: House, monkeypatch: pytest.MonkeyPatch) -> None:
        self.readings = 0
        self.broken = False
        self._read = house.services.store.replayable
        monkeypatch.setattr(house.services.store, "replayable", self._watch)

    async def _watch(self, moment: datetime) -> list[RequestRecord]:
        self.readings += 1
        found = await self._read(moment)
        if self.broken:
            raise StoreUnavailable("disk", path="mnemoscope.db")
        return found


def test_what_could_not_be_read_is_read_the_next_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def live() -> None:
        async with open_house(tmp_path, "http://127.0.0.1:9") as house:
            await keep(house, now() - DAYS, request_for(fixed_path()))
            watched = Watched(house, monkeypatch)
            watched.broken = True
            with pytest.raises(StoreUnavailable):
                await house.services.cache_history.lifetimes("5m")
            watched.broken = False
            assert await house.services.cache_history.lifetimes("5m") is not None

    asyncio.run(live())


def test_all_who_ask_at_once_share_one_reading_and_one_replay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replays: list[str] = []
    real = cache_history.compare_lifetimes

    def counted(records: list[RequestRecord], prices: PriceList, current: str) -> LifetimeAdvice | None:
        replays.append(current)
        return real(records, prices, current)

    async def live() -> None:
        async with open_house(tmp_path, "http://127.0.0.1:9") as house:
            await keep(house, now() - DAYS, request_for(fixed_path()))
            watched, history = Watched(house, monkeypatch), house.services.cache_history
            monkeypatch.setattr(cache_history, "compare_lifetimes", counted)
            first, second = await asyncio.gather(history.lifetimes("5m"), history.lifetimes("5m"))
            assert first is second is not None
            assert await history.lifetimes("5m") is first
            assert (watched.readings, replays) == (1, ["5m"])
            dear = Rates(*(Decimal(100) for _ in range(5)))
            house.services.prices.put(PriceRow("claude-opus-5-5", dear))
            other = await history.lifetimes("5m")
            assert other is not None and other.costs["5m"] > first.costs["5m"]
            assert (watched.readings, replays) == (1, ["5m", "5m"])

    asyncio.run(live())


def test_a_replay_of_the_little_that_is_read_says_what_the_whole_records_say(tmp_path: Path) -> None:
    async def live() -> None:
        async with open_house(tmp_path, "http://127.0.0.1:9") as house:
            store, prices = house.services.store, house.services.prices.prices
            await keep(house, now() - DAYS, request_for(fixed_path()))
            chat = (await store.conversations("default"))[0].id
            last = (await store.requests(chat))[-1]
            memo = replace(last, id="memo", purpose=RequestPurpose.MEMO)
            failed = replace(last, id="failed", state=RequestState.FAILED, usage=None)
            silent = replace(last, id="silent", usage=Usage(100, output=5))
            unmarked = replace(last, id="unmarked", points=(), sent_at=last.sent_at + timedelta(minutes=9))
            for record in (memo, failed, silent, unmarked):
                await store.save_request(record, request_for(fixed_path()))
            whole = await store.requests_since(now() - timedelta(days=30))
            little = await store.replayable(now() - timedelta(days=30))
            assert len(whole) == len(little) + 3
            for current in LIFETIMES:
                told = compare_lifetimes(whole, prices, current)
                assert told is not None and told == compare_lifetimes(little, prices, current)

    asyncio.run(live())
