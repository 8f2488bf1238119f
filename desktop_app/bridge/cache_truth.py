"""What stands behind a conversation's cache figures: misses with their reasons, drift, clocks, advice, heat of blocks.

Signals:
    changed(): something of it is known anew; told once for all that was found out in one go.
    heatChanged(): the blocks of the next or of the last request are others.
    pastReady(ShownRequest | None): a request of the past with its heat at hand, or the present.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from PySide6.QtCore import QObject, QTimer, Signal

from desktop_app.bridge.background import Background
from desktop_app.bridge.conversation_cache import ConversationCache
from desktop_app.bridge.session_state import ShownRequest
from desktop_app.core.cache.culprit import MissReport
from desktop_app.core.cache.heat import HeatMap, block_heat
from desktop_app.core.cache.left import answers_turn
from desktop_app.core.cache.lifetime_advice import LifetimeAdvice
from desktop_app.core.cache.lint import LintFinding, LintKind
from desktop_app.core.cache.mark_clock import MarkClock, last_forgotten, mark_clocks
from desktop_app.core.cache.prediction import warm_points
from desktop_app.core.cache.reconciliation import (
    DriftSummary,
    LearnedFactor,
    Reconciled,
    drift_summary,
    reconcile,
    together,
)
from desktop_app.core.context_budget import Budget, span_features
from desktop_app.core.conversation import now
from desktop_app.core.endpoints import Endpoint, EndpointKind
from desktop_app.core.money.pricing import PriceList
from desktop_app.core.request import Request
from desktop_app.core.request_log import RequestPurpose, RequestRecord, plan_of
from desktop_app.services.all_services import Services
from desktop_app.services.cache_view import CacheReading
from desktop_app.services.turn_context import Prepared, TurnSetting

_TOGETHER_MS = 30
"""What is found out within so short a time is told together: whoever shows it draws once."""


class CacheTruth(QObject):
    """Follows the readings of a conversation's cache; what takes long is found out off the GUI thread.

    `misses` and `reconciled` go by the id of a turn (of a memo, that of its request); `compared` are the lifetimes
    over all conversations; `heat` is about the request that would leave now.
    """

    changed = Signal()
    heatChanged = Signal()
    pastReady = Signal(object)

    def __init__(
        self,
        services: Services,
        cache: ConversationCache,
        background: Background,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._services, self._cache, self._background = services, cache, background
        self.misses: dict[str, MissReport] = {}
        self.findings: tuple[LintFinding, ...] = ()
        self._found: tuple[LintFinding, ...] = ()
        self.clocks: tuple[MarkClock, ...] = ()
        self.compared: LifetimeAdvice | None = None
        self.reconciled: dict[str, Reconciled] = {}
        self.drift: DriftSummary | None = None
        self.learned: LearnedFactor | None = None
        self.heat: HeatMap | None = None
        self._next: tuple[Prepared, TurnSetting] | None = None
        self._inspected: tuple[int, TurnSetting] | None = None
        self._going: tuple[Endpoint, str] | None = None
        self._past_heat: tuple[Budget | None, HeatMap | None] = (None, None)
        self._last_heat: tuple[Budget | None, HeatMap | None] = (None, None)
        self._readings = self._inspections = self._pasts = 0
        self._telling = QTimer(self)
        self._telling.setSingleShot(True)
        self._telling.setInterval(_TOGETHER_MS)
        self._telling.timeout.connect(self.changed)
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
        if self._next is not None and self._going != (going := (self._next[1].endpoint, self._next[1].model.id)):
            self._going = going
            self._set_clocks()
        self._inspect_next()

    def settings_changed(self) -> None:
        """The lifetime in use may be another."""
        if self.compared is not None and self.compared.current != self._lifetime:
            self._compare(self._readings)

    def stop(self) -> None:
        """Tells nothing any more."""
        self._telling.stop()

    def show_past(self, shown: ShownRequest | None) -> None:
        """Works out the heat of a past request and hands the request on; the last one asked for holds."""
        self._pasts += 1
        if shown is None:
            self.pastReady.emit(None)
            return
        number = self._pasts
        heat = asyncio.to_thread(_heat_of, shown.record, shown.request, shown.budget, self._cache.reading.records)
        self._background.run(heat, lambda heat: self._show_past(number, shown, heat))

    def _show_past(self, number: int, shown: ShownRequest, heat: HeatMap | None) -> None:
        if number == self._pasts:
            self._past_heat = (shown.budget, heat)
            self.pastReady.emit(shown)

    def heat_of(self, shown: ShownRequest | None, budget: Budget | None) -> HeatMap | None:
        """The heat that belongs to a budget on show: of a past request, of the last one, or of the next.

        That of the last one is worked out when it is first asked for; `heatChanged` follows.
        """
        if budget is None:
            return None
        if shown is not None:
            return self._past_heat[1] if self._past_heat[0] is budget else None
        if self.heat is not None and self.heat.fits(budget):
            return self.heat
        last = self._cache.reading.last
        if last is None or last.record.total.tokens != budget.total.tokens:
            return None
        if self._last_heat[0] is not budget:
            self._last_heat = (budget, None)
            heat = asyncio.to_thread(_heat_of, last.record, last.request, budget, self._cache.reading.records)
            self._background.run(heat, lambda heat: self._show_last_heat(budget, heat))
        return self._last_heat[1]

    def _show_last_heat(self, budget: Budget, heat: HeatMap | None) -> None:
        if self._last_heat[0] is budget and heat is not None and heat.fits(budget):
            self._last_heat = (budget, heat)
            self.heatChanged.emit()

    # -- what was sent ---------------------------------------------------------------------------

    def _on_report(self) -> None:
        self._readings += 1
        number, reading, report = self._readings, self._cache.reading, self._cache.report
        if report is None:
            return
        self._set_clocks()
        digesting = asyncio.to_thread(_digest, reading, self._services.cache.prices, report.simulated)
        self._background.run(digesting, lambda digest: self._show_digest(number, digest))
        self._find_misses(number, report.conversation_id, reading.records)
        self._compare(number)
        self._last_heat = (None, None)
        self._inspect_next()
        self._telling.start()
        self.heatChanged.emit()

    def _set_clocks(self) -> None:
        """The clocks of what was last sent to where the next request goes, with its model: no other reads it."""
        reading = self._cache.reading
        last = reading.last.record if reading.last else None
        if last is not None and self._next is not None:
            endpoint, model = self._next[1].endpoint, self._next[1].model.id
            elsewhere = endpoint.kind is not EndpointKind.SIMULATOR and last.host != endpoint.host
            if elsewhere or last.model != model:
                there = endpoint.host if elsewhere else last.host
                same = [one for one in reading.records if (one.host, one.model) == (there, model)]
                last = next((one for one in reversed(same) if answers_turn(one)), None)
        clocks = mark_clocks(last, warm_points(reading.recent, now()))
        if clocks != self.clocks:
            self.clocks = clocks
            self._telling.start()

    def _show_digest(self, number: int, digest: _Digest) -> None:
        if number == self._readings:
            self.reconciled, self.drift = digest.reconciled, digest.drift
            self._telling.start()

    def _find_misses(self, number: int, conversation_id: str, records: Sequence[RequestRecord]) -> None:
        self._background.run(
            self._services.reasons.misses(conversation_id, records),
            lambda found: self._show_misses(number, found),
            _ignore,
        )

    def _show_misses(self, number: int, found: Sequence[MissReport]) -> None:
        if number == self._readings:
            costliest = sorted(found, key=lambda miss: miss.culprit.lost_tokens or 0)
            self.misses = {miss.after.turn_id: miss for miss in costliest}
            self._telling.start()

    def _compare(self, number: int) -> None:
        comparing = self._services.cache_history.lifetimes(self._lifetime)
        self._background.run(comparing, lambda found: self._show_compared(number, found), _ignore)

    def _show_compared(self, number: int, found: LifetimeAdvice | None) -> None:
        if number == self._readings and found != self.compared:
            self.compared = found
            self._telling.start()

    # -- what would be sent ----------------------------------------------------------------------

    def _on_forecast(self) -> None:
        forecast = self._cache.forecast
        self._sift_findings()
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

    def _inspect_next(self) -> None:
        """Once for each reading and setting: what is typed makes no difference."""
        if self._next is not None and self._inspected != (self._readings, self._next[1]):
            self._inspected = (self._readings, self._next[1])
            self._inspect(*self._next)

    def _inspect(self, prepared: Prepared, setting: TurnSetting) -> None:
        self._inspections += 1
        number, report = self._inspections, self._cache.report
        learned = self._learned(prepared, setting)
        self._background.run(learned, lambda found: self._show_learned(number, found), _ignore)
        if report is not None:
            linting = self._services.reasons.lint_next(prepared, self._cache.reading.last)
            self._background.run(linting, lambda found: self._show_findings(number, found), _ignore)

    async def _learned(self, prepared: Prepared, setting: TurnSetting) -> LearnedFactor | None:
        features = span_features(prepared.plan, 0)
        return await self._services.cache_history.learned(setting.endpoint, setting.model.id, features)

    def _show_learned(self, number: int, found: LearnedFactor | None) -> None:
        if number == self._inspections and found != self.learned:
            self.learned = found
            self._telling.start()

    def _show_findings(self, number: int, found: tuple[LintFinding, ...]) -> None:
        if number == self._inspections:
            self._found = found
            self._sift_findings()

    def _sift_findings(self) -> None:
        """Another model costs nothing where it still finds nearly all of what it read or wrote itself."""
        forecast = self._cache.forecast
        warm = forecast is not None and bool(forecast.cache.read) and forecast.miss is None
        findings = tuple(one for one in self._found if not (warm and one.kind is LintKind.MODEL))
        if findings != self.findings:
            self.findings = findings
            self._telling.start()


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
