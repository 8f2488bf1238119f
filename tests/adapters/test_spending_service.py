"""Today, this month and the budget as the service reads them, at the edges of days and months of the person's zone."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from desktop_app.adapters.kept_file import WholeFiles
from desktop_app.adapters.price_file import PriceFile
from desktop_app.adapters.settings_file import SettingsFile
from desktop_app.adapters.store import Store
from desktop_app.core.errors import StoreUnavailable
from desktop_app.core.money.monthly_budget import budget_changes
from desktop_app.core.money.pricing import load_prices
from desktop_app.core.money.spending import SpendingBy, SpentRequest
from desktop_app.core.request_log import RequestState
from desktop_app.core.usage import Usage
from desktop_app.services.prices import PriceService
from desktop_app.services.settings import SettingsService
from desktop_app.services.spending import ALL_TIME, Period, SpendingService, month_of
from tests.adapters.store_parts import opened, record_of, request_of, user
from tests.unit.spent_samples import HOST, TEN_CENTS, usd

MIDNIGHT = datetime(2026, 11, 30, 15, 0, tzinfo=UTC)
"""The first of December begins in Seoul."""


@pytest.fixture
def seoul(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The machine stands in Seoul."""
    monkeypatch.setenv("TZ", "Asia/Seoul")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


class Till:
    """A service over a real store whose clock a test sets."""

    def __init__(self, store: Store, folder: Path) -> None:
        self.store = store
        self.moment = MIDNIGHT
        self.settings = SettingsService(SettingsFile(folder))
        prices = PriceService(load_prices(), PriceFile(folder))
        self.spending = SpendingService(store, self.settings, prices, WholeFiles(), lambda: self.moment)

    async def pay(self, moment: datetime, profile: str = "default", dimes: int = 1) -> None:
        """A request for ten cents each."""
        chat = await self.store.create_conversation(profile, "Backups", simulated=False)
        request = request_of([user(chat.id, None, "hi")])
        usage = Usage(TEN_CENTS.uncached, 0, 0, 0, (TEN_CENTS.output or 0) + 5_000 * (dimes - 1))
        record = record_of(chat.id, request, sent_at=moment, host=HOST, state=RequestState.ANSWERED, usage=usage)
        await self.store.save_request(record, request)


def with_till(folder: Path, work: object) -> None:
    async def run() -> None:
        async with opened(folder) as store:
            await work(Till(store, folder))  # type: ignore[operator]

    asyncio.run(run())


@pytest.mark.usefixtures("seoul")
def test_days_and_months_begin_at_the_persons_midnight(tmp_path: Path) -> None:
    async def work(till: Till) -> None:
        await till.pay(MIDNIGHT - timedelta(seconds=1))
        await till.pay(MIDNIGHT, "work", dimes=3)
        till.moment = MIDNIGHT - timedelta(seconds=1)
        assert (await till.spending.today_and_budget())[0].total.usd == usd("0.10")
        assert (await till.spending.month()).total.usd == usd("0.10")
        till.moment = MIDNIGHT
        assert (await till.spending.today_and_budget())[0].total.usd == usd("0.30")
        assert (await till.spending.budget()).month == date(2026, 12, 1)
        report = await till.spending.report(SpendingBy.DAY)
        assert [(group.day, group.total.usd) for group in report.groups] == [
            (date(2026, 12, 1), usd("0.30")),
            (date(2026, 11, 30), usd("0.10")),
        ]
        alone = await till.spending.report(SpendingBy.PROFILE, "work", ALL_TIME)
        assert [(group.key, group.total.usd) for group in alone.groups] == [(("work",), usd("0.30"))]
        lines = (await till.spending.csv(None, month_of(date(2026, 11, 5)))).decode("utf-8-sig").splitlines()
        assert len(lines) == 2 and lines[1].startswith("2026-11-30T23:59:59+09:00,default,")

    with_till(tmp_path, work)


@pytest.mark.usefixtures("seoul")
def test_today_and_the_budget_come_of_one_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def work(till: Till) -> None:
        readings: list[datetime | None] = []
        read = till.store.spent

        async def counted(profile: str | None, since: datetime | None) -> list[SpentRequest]:
            readings.append(since)
            return await read(profile, since)

        monkeypatch.setattr(till.store, "spent", counted)
        till.settings.use(**budget_changes("2.00"))
        await till.pay(MIDNIGHT - timedelta(days=1))
        await till.pay(MIDNIGHT, "work", dimes=3)
        await till.pay(MIDNIGHT + timedelta(days=2), dimes=5)
        till.moment = MIDNIGHT + timedelta(days=2, hours=1)
        today, state = await till.spending.today_and_budget()
        assert readings == [MIDNIGHT]
        assert [(group.key, group.total.usd) for group in today.groups] == [(("default",), usd("0.50"))]
        assert state.spent.usd == usd("0.80")
        assert state == await till.spending.budget()
        only_today = Period(date(2026, 12, 3), date(2026, 12, 4))
        assert today == await till.spending.report(SpendingBy.PROFILE, period=only_today)

    with_till(tmp_path, work)


@pytest.mark.usefixtures("seoul")
def test_each_level_of_the_budget_is_warned_of_once_and_a_new_one_begins_anew(tmp_path: Path) -> None:
    async def work(till: Till) -> None:
        async def warned() -> int | None:
            state = await till.spending.warning()
            if state is None:
                return None
            till.settings.use(budget_warned=state.mark)
            return state.level

        await till.pay(MIDNIGHT, dimes=8)
        assert await warned() is None, "no budget, no warning"
        till.settings.use(**budget_changes("1.00"))
        assert [await warned(), await warned()] == [80, None]
        await till.pay(MIDNIGHT, "work", dimes=4)
        assert [await warned(), await warned()] == [100, None]
        till.settings.use(**budget_changes("1.25"))
        assert [await warned(), await warned()] == [80, None]
        till.moment += timedelta(days=31)
        assert await warned() is None
        await till.pay(till.moment, dimes=20)
        assert await warned() == 100
        till.settings.save()
        again = SettingsService(SettingsFile(tmp_path)).settings
        assert (again.monthly_budget, again.budget_warned) == ("1.25", "2027-01 100")

    with_till(tmp_path, work)


def test_broken_off_and_refused_requests_keep_what_they_failed_of(tmp_path: Path) -> None:
    async def work(till: Till) -> None:
        chat = await till.store.create_conversation("default", "Backups", simulated=False)
        request = request_of([user(chat.id, None, "hi")])
        common = {"sent_at": MIDNIGHT, "host": HOST, "state": RequestState.FAILED, "estimated": 5_000}
        for error in ("timed_out", "overloaded"):
            await till.store.save_request(record_of(chat.id, request, **common, error=error), request)
        before = (await till.spending.report(SpendingBy.DAY)).total
        # 5,000 × $4 per million for the one that may have been worked on
        assert (before.requests, before.usd, before.estimated) == (2, usd("0.02"), True)
        await till.store.delete(chat.id)
        assert (await till.spending.report(SpendingBy.DAY)).total == before

    with_till(tmp_path, work)


def test_export_leaves_what_stood_there_until_the_file_is_whole(tmp_path: Path) -> None:
    async def work(till: Till) -> None:
        await till.pay(MIDNIGHT)
        file = tmp_path / "spent.csv"
        file.write_text("earlier")
        # What a careless writer would write through.
        (tmp_path / ".spent.csv.tmp").symlink_to(tmp_path / "elsewhere")
        await till.spending.export(file)
        assert file.read_bytes() == await till.spending.csv()
        assert not (tmp_path / "elsewhere").exists()
        folder = tmp_path / "folder.csv"
        (folder / "full").mkdir(parents=True)
        for unfit in (folder, tmp_path / "nowhere" / "spent.csv", tmp_path / "no\0name.csv"):
            with pytest.raises(StoreUnavailable) as caught:
                await till.spending.export(unfit)
            assert caught.value.params["path"] == str(unfit)

    with_till(tmp_path, work)
    assert [path.name for path in tmp_path.glob(".*.tmp")] == [".spent.csv.tmp"]


@pytest.mark.parametrize(
    ("day", "first", "end"),
    [
        (date(2026, 12, 31), date(2026, 12, 1), date(2027, 1, 1)),
        (date(2028, 2, 29), date(2028, 2, 1), date(2028, 3, 1)),
        (date(2026, 1, 1), date(2026, 1, 1), date(2026, 2, 1)),
    ],
)
def test_month_of_a_day(day: date, first: date, end: date) -> None:
    assert month_of(day) == Period(first, end)
