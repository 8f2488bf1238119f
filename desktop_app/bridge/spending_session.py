"""What was spent, as the window shows it: today, the month's budget with its warnings, and the report of the page.

Signals:
    todayChanged(SpendingReport): of all profiles together.
    budgetChanged(BudgetState): another month, budget or sum.
    reportChanged(SpendingReport): what the page shows.
    notice(Notice): the budget is spent to 80 % or 100 %, or a file was written.
    failed(AppError): something could not be read or written.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from desktop_app.bridge.background import Background
from desktop_app.bridge.session_state import Level, Notice
from desktop_app.core.money.monthly_budget import BudgetState, budget_changes
from desktop_app.core.money.spending import SpendingBy, SpendingReport
from desktop_app.core.money.spending_words import budget_figures, budget_warning
from desktop_app.services.spending import ALL_TIME, Period, SpendingService, month_of

_LONGEST_WAIT = timedelta(hours=1)
"""A machine that slept through midnight is found out at the latest after this."""

_TOGETHER_MS = 150
"""What happens within so short a time is read together: a turn, a memo and a written fact come at once."""


class PeriodChoice(StrEnum):
    """The times the page offers."""

    MONTH = "month"
    LAST = "last"
    ALL = "all"


class SpendingSession(QObject):
    """Reads off the GUI thread; of several readings the last one holds. `update_settings` takes settings over."""

    todayChanged = Signal(object)
    budgetChanged = Signal(object)
    reportChanged = Signal(object)
    notice = Signal(object)
    failed = Signal(object)

    def __init__(
        self,
        service: SpendingService,
        background: Background,
        update_settings: Callable[..., None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._service = service
        self._background = background
        self._update_settings = update_settings
        self._readings = self._reports = 0
        self._shown = self._stopped = False
        self.today: SpendingReport | None = None
        self.budget: BudgetState | None = None
        self.report: SpendingReport | None = None
        self.by, self.period = SpendingBy.DAY, PeriodChoice.MONTH
        self.profile: str | None = None
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(_TOGETHER_MS)
        self._soon.timeout.connect(self._refresh)
        self._midnight = QTimer(self)
        self._midnight.setSingleShot(True)
        self._midnight.timeout.connect(self.refresh)

    def refresh(self) -> None:
        """Something was sent, a price or the budget is another, or a day has begun: reads again, soon and once."""
        if not self._stopped:
            self._soon.start()

    def _refresh(self) -> None:
        self._soon.stop()
        if self._stopped:
            return
        self._readings += 1
        number = self._readings
        self._wait_for_midnight()
        reading = self._service.today_and_budget()
        self._background.run(reading, lambda found: self._show_sums(number, *found), self.failed.emit)
        if self._shown:
            self._read()

    def open(self) -> None:
        """The page is seen from now on."""
        self._shown = True
        self._refresh()

    def close(self) -> None:
        """The page is seen no more."""
        self._shown = False

    def stop(self) -> None:
        """Reads nothing any more."""
        self._stopped = True
        self._soon.stop()
        self._midnight.stop()

    def add_up_by(self, by: SpendingBy) -> None:
        """Puts the requests together by something else."""
        self.by = by
        self._read()

    def choose_period(self, period: PeriodChoice) -> None:
        """Adds up another time."""
        self.period = period
        self._read()

    def choose_profile(self, profile: str | None) -> None:
        """Adds up another profile; None is all of them."""
        self.profile = profile
        self._read()

    def set_budget(self, text: str) -> None:
        """Takes another monthly budget in USD, or none for a blank text; raises BadInput."""
        self._update_settings(**budget_changes(text))
        self._refresh()

    def export(self, path: Path) -> None:
        """Writes a line for each request of the chosen profile and time; a notice follows."""
        writing = self._service.export(path, self.profile, self._days())
        told = Notice("notices.spending_exported", {"path": str(path)})
        self._background.run(writing, lambda _: self.notice.emit(told), self.failed.emit)

    def _read(self) -> None:
        self._reports += 1
        number = self._reports
        reading = self._service.report(self.by, self.profile, self._days())
        self._background.run(reading, lambda found: self._show_report(number, found), self.failed.emit)

    def _days(self) -> Period:
        this = month_of(self._service.day())
        if self.period is PeriodChoice.LAST and this.first is not None:
            return month_of(this.first - timedelta(days=1))
        return this if self.period is PeriodChoice.MONTH else ALL_TIME

    def _show_sums(self, number: int, today: SpendingReport, state: BudgetState) -> None:
        if number != self._readings:
            return
        self.today, self.budget = today, state
        self.todayChanged.emit(today)
        self.budgetChanged.emit(state)
        if self._service.is_due(state):
            self._warn(state)

    def _show_report(self, number: int, report: SpendingReport) -> None:
        if number == self._reports:
            self.report = report
            self.reportChanged.emit(report)

    def _warn(self, state: BudgetState) -> None:
        self._update_settings(budget_warned=state.mark)
        params: dict[str, Any] = budget_figures(state)
        level = Level.ERROR if state.level == 100 else Level.WARNING
        self.notice.emit(Notice(budget_warning(state), params, level, acts=("open_money",)))

    def _wait_for_midnight(self) -> None:
        now = datetime.now()
        tomorrow = datetime(now.year, now.month, now.day) + timedelta(days=1, seconds=1)
        self._midnight.start(min(tomorrow - now, _LONGEST_WAIT) // timedelta(milliseconds=1))
