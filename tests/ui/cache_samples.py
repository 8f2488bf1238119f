"""Requests of a conversation as its cache shows them: growing, with a memo in between, priced or not."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal

from PySide6.QtCore import QObject

from desktop_app.bridge.cache_models import Forecast
from desktop_app.bridge.cache_truth import CacheTruth
from desktop_app.bridge.conversation_cache import ConversationCache
from desktop_app.core.cache.causes import Cause, Difference
from desktop_app.core.cache.culprit import Agreement, Culprit, MissReport
from desktop_app.core.cache.diagnosis import CacheDiagnosis, DiagnosisKind
from desktop_app.core.cache.figures import CacheReport, cache_report
from desktop_app.core.cache.forecast import CacheForecast, CachePoint, PointPart
from desktop_app.core.cache.lifetime_advice import LifetimeAdvice
from desktop_app.core.cache.lint import LintFinding, LintKind, Remedy
from desktop_app.core.cache.mark_clock import MarkClock, MarkHolds
from desktop_app.core.cache.reconciliation import DriftSummary, FigureName, LearnedFactor, reconcile
from desktop_app.core.money.pricing import load_prices
from desktop_app.core.request_log import RequestPurpose, RequestRecord
from desktop_app.core.segment import Segment
from desktop_app.core.usage import Usage
from tests.ui import window_samples as samples
from tests.ui.stand_in import stand_in

MEMO_AFTER = 12


def request(turn: int, usage: Usage | None, **changes: object) -> RequestRecord:
    """The request of a turn with this usage."""
    return replace(samples.record(turn, 1_000), usage=usage, **changes)  # type: ignore[arg-type]


def talk(turns: int = 24) -> list[RequestRecord]:
    """A conversation with Anthropic; a memo after the twelfth turn makes the prefix a new one."""
    records, before = [], 0
    for turn in range(1, turns + 1):
        new = 1_900 + turn * 37 % 11 * 240
        read = before if turn not in (1, MEMO_AFTER + 1) else 0
        before = (before if turn != MEMO_AFTER + 1 else 4_200) + new
        records.append(request(turn, Usage(3, before - read, 0, read, 380 + turn * 7)))
        if turn == MEMO_AFTER:
            memo = request(turn, Usage(3, 420, 0, before, 1_950), id="memo", purpose=RequestPurpose.MEMO)
            records.append(replace(memo, sent_at=memo.sent_at + timedelta(minutes=1)))
    return records


def report(records: list[RequestRecord] | None = None, *, simulated: bool = False) -> CacheReport:
    """What is told of these requests."""
    return cache_report("c1", talk() if records is None else records, load_prices(), simulated=simulated)


@stand_in
class StageCache(ConversationCache):
    """A conversation's cache that a test fills."""

    calls: list[tuple[object, ...]]

    def __init__(self, report: CacheReport | None = None) -> None:
        QObject.__init__(self)
        self.forecast = None
        self.calls = []
        self.report = report


def tell(cache: StageCache, report: CacheReport | None) -> None:
    """Its requests were read again."""
    cache.report = report
    cache.reportChanged.emit(report)


MISSED = 22
FINDINGS = (
    LintFinding(LintKind.DATE, Segment.SYSTEM, "Today is 30 November 2026", remedy=Remedy.EDIT_INSTRUCTIONS),
    LintFinding(
        LintKind.MODEL,
        None,
        was="claude-opus-5-5",
        is_now="claude-sonnet-5-5",
        remedy=Remedy.BACK_MODEL,
    ),
)


def miss(turn: int = MISSED, **changes: object) -> MissReport:
    """A fact that was edited in the prefix cost 41,020 tokens."""
    difference = Difference(
        "system", 1, 9_412, Segment.FACTS, "- backup_retention: 30 days", "- backup_retention: 35 days"
    )
    culprit = Culprit(
        Cause.FACT, "backup_retention", difference=difference, lost_tokens=41_020, lost_usd=Decimal("0.196896")
    )
    told = CacheDiagnosis(DiagnosisKind.SYSTEM_CHANGED, 41_000, "system_changed")
    found = MissReport(request(turn - 1, None), request(turn, None), culprit, told, Agreement.AGREES)
    return replace(found, **changes)  # type: ignore[arg-type]


def clocks(until: datetime) -> tuple[MarkClock, ...]:
    """Four marks: what stands before the messages is kept for an hour."""
    hour = until + timedelta(minutes=55)
    points = (
        (CachePoint(0, "a", 2_310, "1h", PointPart.FIXED), MarkHolds.FIXED, hour),
        (CachePoint(0, "b", 5_252, "1h", PointPart.HEAD), MarkHolds.HEAD, hour),
        (CachePoint(7, "c", 38_300), MarkHolds.MESSAGES, until),
        (CachePoint(9, "d", 42_123), MarkHolds.ALL, until),
    )
    return tuple(MarkClock(point, holds, point.tokens, end, holds is MarkHolds.ALL) for point, holds, end in points)


def comparison(current: str = "5m") -> LifetimeAdvice:
    """An hour is the best for pauses of seven minutes."""
    costs = {"5m": Decimal("4.1012"), "head": Decimal("3.92"), "1h": Decimal("3.4898")}
    return LifetimeAdvice(
        current, "1h", costs[current] - costs["1h"], costs, timedelta(minutes=7, seconds=12), 214, 180
    )


def forecast(until: datetime | None) -> Forecast:
    """The next request, warm until a moment."""
    read = 42_123 if until else 0
    cache = CacheForecast(read, 42_806 - read, 0, 0, until)
    return Forecast(samples.budget(), cache, Decimal("0.0118"), load_prices().dated, cold_usd=Decimal("0.2140"))


@stand_in
class StageTruth(CacheTruth):
    """What stands behind the figures; a test fills it."""

    calls: list[tuple[object, ...]]

    def __init__(self, until: datetime | None = None) -> None:
        QObject.__init__(self)
        self.calls = []
        self.misses = {}
        self.findings = ()
        self.clocks = clocks(until) if until else ()
        self.compared = None
        self.reconciled = {}
        self.drift = self.learned = self.heat = None
        self.warm_until = until


def full_truth(until: datetime) -> StageTruth:
    """Everything there is to say of `talk`."""
    truth = StageTruth(until)
    truth.misses = {f"t{MISSED}": miss()}
    truth.findings = FINDINGS
    truth.compared = comparison()
    last = replace(talk()[-1], predicted=CacheForecast(38_300, 3_700, 0, 3))
    truth.reconciled = {"t24": reconcile(last, load_prices())}
    names = (FigureName.READ, FigureName.WRITTEN, FigureName.INPUT)
    truth.drift = DriftSummary(20, dict.fromkeys(names, 0.004), dict.fromkeys(names, 0.021))
    truth.learned = LearnedFactor(1.13, 46)
    return truth
