"""What stands behind a conversation's cache figures: misses with their reasons, drift, clocks, advice, heat of blocks.

Signals:
    changed(): something of it is known anew. heatChanged(): the blocks of the next or of the last request are others.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from PySide6.QtCore import QObject, Signal

from desktop_app.bridge.background import Background
from desktop_app.bridge.conversation_cache import ConversationCache
from desktop_app.bridge.session_state import ShownRequest
from desktop_app.core.block_heat import HeatMap, block_heat
from desktop_app.core.cache_culprit import MissReport
from desktop_app.core.context_budget import Budget, span_features
from desktop_app.core.conversation import now
from desktop_app.core.lifetime_advice import LifetimeAdvice
from desktop_app.core.mark_clock import MarkClock, last_forgotten, mark_clocks
from desktop_app.core.prefix_lint import LintFinding
from desktop_app.core.pricing import PriceList
from desktop_app.core.prompt_cache import warm_points
from desktop_app.core.reconciliation import DriftSummary, LearnedFactor, Reconciled, drift_summary, reconcile, together
from desktop_app.core.request import Request
from desktop_app.core.request_log import RequestPurpose, RequestRecord, plan_of
from desktop_app.services.all_services import Services
from desktop_app.services.cache_view import CacheReading
from desktop_app.services.turn_context import Prepared, TurnSetting


class CacheTruth(QObject):
    """Follows the readings of a conversation's cache; what takes long is found out off the GUI thread.

    `misses` and `reconciled` go by the id of a turn (of a memo, that of its request); `compared` are the lifetimes
    over all conversations; `heat` is about the request that would leave now.
    """

    changed = Signal()
    heatChanged = Signal()

    def __init__(
        self,
        services: Services,
        cache: ConversationCache,
        draft: Callable[[], str],
        background: Background,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._services, self._cache, self._draft, self._background = services, cache, draft, background
        self.misses: dict[str, MissReport] = {}
        self.findings: tuple[LintFinding, ...] = ()
        self.clocks: tuple[MarkClock, ...] = ()
        self.compared: LifetimeAdvice | None = None
        self.reconciled: dict[str, Reconciled] = {}
        self.drift: DriftSummary | None = None
        self.learned: LearnedFactor | None = None
        self.heat: HeatMap | None = None
        self._next: tuple[Prepared, TurnSetting] | None = None
        self._inspected: tuple[int, TurnSetting] | None = None
        self._past_heat: tuple[Budget | None, HeatMap | None] = (None, None)
        self._readings = 0
        self._inspections = 0
        cache.reportChanged.connect(self._on_report)
        cache.forecastChanged.connect(self._on_forecast)

    @property
    def _lifetime(self) -> str:
        return self._services.settings.profile.cache_lifetime

    @property
    def warm_until(self) -> datetime | None:
        """Until when the next request would read something; before one is known, the last one sent."""
        forecast = self._cache.forecast
        if forecast is not None and forecast.cache.read is not None:
            return forecast.cache.warm_until
        return last_forgotten(self.clocks)

    def look(self, prepared: Prepared | None, setting: TurnSetting | None) -> None:
        """Another request would leave now, or none; the forecast for it stands already."""
        self._next = (prepared, setting) if prepared is not None and setting is not None else None
        self._on_forecast()
        if self._next is not None and self._inspected != (self._readings, setting):
            self._inspected = (self._readings, self._next[1])
            self._inspect(*self._next)

    def settings_changed(self) -> None:
        """The lifetime in use may be another."""
        if self.compared is not None and self.compared.current != self._lifetime:
            self._compare(self._readings)

    def heat_of(self, shown: ShownRequest | None, budget: Budget | None) -> HeatMap | None:
        """The heat that belongs to a budget on show: of a past request, of the last one, or of the next."""
        if budget is None:
            return None
        if shown is None and self.heat is not None and self.heat.fits(budget):
            return self.heat
        known, heat = self._past_heat
        if known is not budget:
            heat = self._heat_of_sent(shown, budget)
            self._past_heat = (budget, heat)
        return heat

    def _heat_of_sent(self, shown: ShownRequest | None, budget: Budget) -> HeatMap | None:
        records, last = self._cache.reading.records, self._cache.reading.last
        if shown is not None:
            return _heat_of(shown.record, shown.request, budget, records)
        if last is None or last.record.total.tokens != budget.total.tokens:
            return None
        heat = _heat_of(last.record, last.request, budget, records)
        return heat if heat is not None and heat.fits(budget) else None

    # -- what was sent ---------------------------------------------------------------------------

    def _on_report(self) -> None:
        self._readings += 1
        number, reading, report = self._readings, self._cache.reading, self._cache.report
        if report is None:
            return
        self.clocks = mark_clocks(reading.last.record if reading.last else None, warm_points(reading.recent, now()))
        digesting = asyncio.to_thread(_digest, reading, self._services.cache.prices, report.simulated)
        self._background.run(digesting, lambda digest: self._show_digest(number, digest))
        self._find_misses(number, report.conversation_id)
        self._compare(number)
        self._past_heat = (None, None)
        self.changed.emit()
        self.heatChanged.emit()

    def _show_digest(self, number: int, digest: _Digest) -> None:
        if number == self._readings:
            self.reconciled, self.drift = digest.reconciled, digest.drift
            self.changed.emit()

    def _find_misses(self, number: int, conversation_id: str) -> None:
        self._background.run(
            self._services.reasons.misses(conversation_id),
            lambda found: self._show_misses(number, found),
            _ignore,
        )

    def _show_misses(self, number: int, found: Sequence[MissReport]) -> None:
        if number == self._readings:
            costliest = sorted(found, key=lambda miss: miss.culprit.lost_tokens or 0)
            self.misses = {miss.after.turn_id: miss for miss in costliest}
            self.changed.emit()

    def _compare(self, number: int) -> None:
        comparing = self._services.cache_history.lifetimes(self._lifetime)
        self._background.run(comparing, lambda found: self._show_compared(number, found), _ignore)

    def _show_compared(self, number: int, found: LifetimeAdvice | None) -> None:
        if number == self._readings:
            self.compared = found
            self.changed.emit()

    # -- what would be sent ----------------------------------------------------------------------

    def _on_forecast(self) -> None:
        forecast = self._cache.forecast
        if self._next is None or forecast is None:
            heat = None
        elif forecast.budget is not self._next[0].budget:
            return  # the plan of this forecast follows at once
        else:
            earlier, cache = self._cache.reading.records, forecast.cache
            heat = block_heat(self._next[0].plan, forecast.budget, cache.read, cache.written, earlier=_chat(earlier))
        if heat != self.heat:
            self.heat = heat
            self.heatChanged.emit()

    def _inspect(self, prepared: Prepared, setting: TurnSetting) -> None:
        self._inspections += 1
        number, report = self._inspections, self._cache.report
        learned = self._learned(prepared, setting)
        self._background.run(learned, lambda found: self._show_learned(number, found), _ignore)
        if report is not None:
            linting = self._services.reasons.lint_next(report.conversation_id, self._draft())
            self._background.run(linting, lambda found: self._show_findings(number, found), _ignore)

    async def _learned(self, prepared: Prepared, setting: TurnSetting) -> LearnedFactor | None:
        features = span_features(prepared.plan, 0)
        return await self._services.cache_history.learned(setting.endpoint, setting.model.id, features)

    def _show_learned(self, number: int, found: LearnedFactor | None) -> None:
        if number == self._inspections and found != self.learned:
            self.learned = found
            self.changed.emit()

    def _show_findings(self, number: int, found: tuple[LintFinding, ...]) -> None:
        if number == self._inspections and found != self.findings:
            self.findings = found
            self.changed.emit()


@dataclass(frozen=True, slots=True)
class _Digest:
    """What follows from a reading alone."""

    reconciled: dict[str, Reconciled]
    drift: DriftSummary | None


def _digest(reading: CacheReading, prices: PriceList, simulated: bool) -> _Digest:
    turns: dict[str, list[Reconciled]] = {}
    for record in reading.records:
        name = record.turn_id if record.purpose is RequestPurpose.CHAT else record.id
        turns.setdefault(name, []).append(reconcile(record, prices, simulated=simulated))
    drift = drift_summary([one for inside in turns.values() for one in inside])
    sums = {name: together([one for one in inside if one.record.usage]) for name, inside in turns.items()}
    return _Digest({name: one for name, one in sums.items() if one is not None}, drift)


def _heat_of(
    record: RequestRecord, request: Request, budget: Budget, records: Sequence[RequestRecord]
) -> HeatMap | None:
    """The heat of a request of the past, among those of its conversation; None where no cache was reported."""
    usage = record.usage
    if usage is None or (usage.read is None and usage.written is None):
        return None
    earlier = [one for one in _chat(records) if one.sent_at <= record.sent_at]
    return block_heat(plan_of(request, record.spans, {}), budget, usage.read or 0, usage.written, earlier=earlier)


def _chat(records: Sequence[RequestRecord]) -> list[RequestRecord]:
    return [record for record in records if record.purpose is RequestPurpose.CHAT]


def _ignore(_: object) -> None:
    """What cannot be found out is not shown; the turn itself tells of errors."""
