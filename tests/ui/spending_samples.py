"""What a person spent in a month, and a session of spending that a test fills."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal

from PySide6.QtCore import QObject

from desktop_app.bridge.spending_session import PeriodChoice, SpendingSession
from desktop_app.core.money.monthly_budget import BudgetState, budget_from
from desktop_app.core.money.pricing import Cost
from desktop_app.core.money.spending import SpendingBy, SpendingLine, SpendingReport, SpentRequest
from desktop_app.core.money.spending_sums import spending
from desktop_app.core.request_log import RequestPurpose, RequestState
from desktop_app.core.usage import Usage
from tests.ui.stand_in import stand_in
from tests.unit.spent_samples import PRICES, spent

_DAY = 24 * 60
TALKS = (
    ("c1", "Backups plan", "default", "claude-opus-5-5"),
    ("c2", "제주 여행 일정과 렌터카 예약, 둘째 날은 우도에서", "default", "claude-haiku-5-5"),
    ("c3", '=HYPERLINK("http://x") <b>bold</b>', "work", "claude-opus-5-5"),
)


def month(days: int = 9) -> list[SpentRequest]:
    """Three conversations over some days: answers, a retry, a stop, memos, one model without a price."""
    found: list[SpentRequest] = []
    for day in range(days):
        for place, (conversation, title, profile, model) in enumerate(TALKS):
            minute = -day * _DAY + place * 7
            turn = days - day
            common = {
                "conversation_id": conversation,
                "title": title,
                "profile": profile,
                "model": model,
                "turn": turn,
                "turn_id": f"{conversation}t{turn}",
                "id": f"{conversation}.{turn}",
                "counted": 41_000 + day,
            }
            usage = Usage(420 + day * 13, 2_900 + place * 811, 0, 38_000 + day * 977, 640 + day * 71)
            if day % 4 == 1:
                failed = replace(usage, output=90, output_estimated=True)
                first = common | {"counted": None, "id": f"{conversation}.{turn}.1"}
                found.append(spent(minute - 1, **first, state=RequestState.FAILED, usage=failed))
            stopped = day % 5 == 2 and place == 0
            state = RequestState.STOPPED if stopped else RequestState.ANSWERED
            found.append(spent(minute, **common, usage=replace(usage, output_estimated=stopped), state=state))
            if day % 6 == 3:
                found.append(
                    spent(minute + 1, **common, purpose=RequestPurpose.MEMO, usage=replace(usage, output=1_900))
                )
    found.append(spent(2, conversation_id="c9", title="Local trial", model="qwen-9", host="localhost:11434"))
    found.append(spent(3, conversation_id="c8", title="", simulated=True))
    return sorted(found, key=lambda one: one.record.sent_at)


def report(by: SpendingBy = SpendingBy.DAY, requests: list[SpentRequest] | None = None) -> SpendingReport:
    """What is told of them."""
    return spending(month() if requests is None else requests, PRICES, by)


def budget(spent_usd: str = "12.40", limit: str | None = "20") -> BudgetState:
    """The budget of a month."""
    line = SpendingLine(40, cost=Cost(output=Decimal(spent_usd)))
    return BudgetState(date(2026, 11, 1), Decimal(limit) if limit else None, line)


@stand_in
class StageSpending(SpendingSession):
    """Its values are set by a test; `calls` lists what the page asked for."""

    calls: list[tuple[object, ...]]

    def __init__(self) -> None:
        QObject.__init__(self)
        self.calls = []
        self.today = self.budget = self.report = None
        self.by, self.period, self.profile = SpendingBy.DAY, PeriodChoice.MONTH, None

    def set_budget(self, text: str) -> None:
        budget_from(text)

    def add_up_by(self, by: SpendingBy) -> None:
        self.by = by
        tell(self, report(by))


def tell(session: StageSpending, found: SpendingReport) -> None:
    """Another report was read."""
    session.report = found
    session.reportChanged.emit(found)


def tell_today(session: StageSpending, found: SpendingReport) -> None:
    """Something was sent."""
    session.today = found
    session.todayChanged.emit(found)


def tell_budget(session: StageSpending, state: BudgetState) -> None:
    """The month's sum was read again."""
    session.budget = state
    session.budgetChanged.emit(state)
