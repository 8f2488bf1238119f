"""What was spent: reports over any time, today's and this month's sum, the monthly budget and its warnings."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path

from desktop_app.core.conversation import now
from desktop_app.core.money.monthly_budget import BudgetState, kept_budget
from desktop_app.core.money.spending import SpendingBy, SpendingLine, SpendingReport
from desktop_app.core.money.spending_csv import spending_csv
from desktop_app.core.money.spending_sums import day_of, sums
from desktop_app.core.money.spent_cost import PricedRequest, priced
from desktop_app.core.ports import ConversationStore, FileWriter
from desktop_app.services.prices import PriceService
from desktop_app.services.settings import SettingsService


@dataclass(frozen=True, slots=True)
class Period:
    """Days from `first` to before `end`, in the zone of the machine; None is open."""

    first: date | None = None
    end: date | None = None

    def holds(self, moment: datetime) -> bool:
        """Whether a moment lies in it."""
        day = day_of(moment)
        return (self.first is None or day >= self.first) and (self.end is None or day < self.end)

    @property
    def since(self) -> datetime | None:
        """Its first moment."""
        return datetime(self.first.year, self.first.month, self.first.day).astimezone() if self.first else None


ALL_TIME = Period()


@dataclass(frozen=True, slots=True)
class Exported:
    """What an export wrote: how many requests, and whether in place of a file that stood there."""

    rows: int
    replaced: bool


def month_of(day: date) -> Period:
    """The calendar month a day lies in."""
    first = day.replace(day=1)
    return Period(first, (first + timedelta(days=32)).replace(day=1))


class SpendingService:
    """Changes nothing; `files` writes what is exported. `clock` gives the moment.

    Methods that read raise StoreUnavailable.
    """

    def __init__(
        self,
        store: ConversationStore,
        settings: SettingsService,
        prices: PriceService,
        files: FileWriter,
        clock: Callable[[], datetime] = now,
    ) -> None:
        self._store = store
        self._settings = settings
        self._prices = prices
        self._files = files
        self._clock = clock

    def day(self) -> date:
        """Today."""
        return day_of(self._clock())

    async def report(self, by: SpendingBy, profile: str | None = None, period: Period = ALL_TIME) -> SpendingReport:
        """What a profile spent, or all together."""
        found = await self._priced(profile, period)
        return await asyncio.to_thread(sums, found, by, self._prices.prices.dated)

    async def month(self) -> SpendingReport:
        """What all profiles together spent this month, by day."""
        return await self.report(SpendingBy.DAY, period=month_of(self.day()))

    async def today_and_budget(self) -> tuple[SpendingReport, BudgetState]:
        """What all profiles together spent today, by profile, and `budget`, out of one reading of the month."""
        today = self.day()
        month = month_of(today)
        found = await self._priced(None, month)
        return await asyncio.to_thread(self._today_and_budget, found, today, month)

    def _today_and_budget(
        self, found: list[PricedRequest], today: date, month: Period
    ) -> tuple[SpendingReport, BudgetState]:
        dated = self._prices.prices.dated
        of_today = [one for one in found if day_of(one.request.record.sent_at) == today]
        spent = sums(found, SpendingBy.DAY, dated).total
        return sums(of_today, SpendingBy.PROFILE, dated), self._state(month, spent)

    def _state(self, month: Period, spent: SpendingLine) -> BudgetState:
        limit = kept_budget(self._settings.settings.monthly_budget)
        return BudgetState(month.first or self.day(), limit, spent)

    async def csv(self, profile: str | None = None, period: Period = ALL_TIME) -> bytes:
        """One line for each request (`core.money.spending_csv`)."""
        return await asyncio.to_thread(spending_csv, await self._priced(profile, period))

    async def export(self, path: Path, profile: str | None = None, period: Period = ALL_TIME) -> Exported:
        """The same into a file, whole or not at all; raises StoreUnavailable where it cannot be written."""
        found = await self._priced(profile, period)
        data = await asyncio.to_thread(spending_csv, found)
        return Exported(len(found), await asyncio.to_thread(self._files.write_whole, path, data))

    async def budget(self) -> BudgetState:
        """The budget of this month and what is spent of it."""
        return self._state(month_of(self.day()), (await self.month()).total)

    async def warning(self) -> BudgetState | None:
        """The budget where the person is to be warned of it now; whoever does sets `budget_warned` to its `mark`."""
        if kept_budget(self._settings.settings.monthly_budget) is None:
            return None
        state = await self.budget()
        return state if self.is_due(state) else None

    def is_due(self, state: BudgetState) -> bool:
        """Whether the person is to be warned of this state of the budget."""
        return state.to_warn(self._settings.settings.budget_warned)

    async def _priced(self, profile: str | None, period: Period) -> list[PricedRequest]:
        requests = await self._store.spent(profile, period.since)
        # Years of requests take their time: the event loop goes on meanwhile.
        found = await asyncio.to_thread(priced, requests, self._prices.prices)
        return [one for one in found if period.holds(one.request.record.sent_at)]
