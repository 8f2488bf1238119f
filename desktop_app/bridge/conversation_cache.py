"""What the prompt cache did for one conversation, and what it will do for the next request.

Signals:
    reportChanged(CacheReport | None): its requests were read again.
    forecastChanged(Forecast | None): the next request is another, or what it would read has been forgotten.
"""

from __future__ import annotations

from datetime import timedelta

from PySide6.QtCore import QObject, QTimer, Signal

from desktop_app.bridge.background import Background
from desktop_app.bridge.cache_models import Forecast
from desktop_app.core.cache_figures import CacheReport
from desktop_app.core.conversation import now
from desktop_app.core.endpoints import EndpointKind
from desktop_app.core.prompt_cache import forecast_cost, predict
from desktop_app.core.request_log import RequestRecord
from desktop_app.services.cache_view import CacheView
from desktop_app.services.turn_context import Prepared, TurnSetting

_INSTANT = timedelta(milliseconds=1)


class ConversationCache(QObject):
    """Reads off the GUI thread; of several readings the last one holds."""

    reportChanged = Signal(object)
    forecastChanged = Signal(object)

    def __init__(self, view: CacheView, background: Background, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._view = view
        self._background = background
        self._readings = 0
        self._records: list[RequestRecord] = []
        self._next: tuple[Prepared, TurnSetting] | None = None
        self.report: CacheReport | None = None
        self.forecast: Forecast | None = None
        self._cooling = QTimer(self)
        self._cooling.setSingleShot(True)
        self._cooling.timeout.connect(self._foresee)

    def read(self, conversation_id: str | None) -> None:
        """Reads the requests of the conversation again; one that is not stored yet has none."""
        self._readings += 1
        number = self._readings
        if conversation_id is not None:
            reading = self._view.with_records(conversation_id)
            self._background.run(reading, lambda found: self._show(number, *found))

    def look(self, prepared: Prepared | None, setting: TurnSetting | None) -> None:
        """Another request would leave now, or none."""
        self._next = (prepared, setting) if prepared is not None and setting is not None else None
        self._foresee()

    def stop(self) -> None:
        """Waits for nothing any more."""
        self._cooling.stop()

    def _show(self, number: int, report: CacheReport, records: list[RequestRecord]) -> None:
        if number != self._readings:
            return
        self.report, self._records = report, records
        self.reportChanged.emit(report)
        self._foresee()

    def _foresee(self) -> None:
        self._cooling.stop()
        self.forecast = self._forecast(*self._next) if self._next else None
        until = self.forecast.cache.warm_until if self.forecast else None
        if until is not None:
            self._cooling.start(max(0, (until - now()) // _INSTANT) + 1)
        self.forecastChanged.emit(self.forecast)

    def _forecast(self, prepared: Prepared, setting: TurnSetting) -> Forecast:
        moment, prices = now(), self._view.prices
        cache = predict(prepared.request, prepared.digests, prepared.budget, self._records, moment)
        if setting.endpoint.kind is not EndpointKind.ANTHROPIC:
            return Forecast(prepared.budget, cache)
        usd = forecast_cost(prices, prepared.request.model, cache, moment)
        return Forecast(prepared.budget, cache, usd, prices.dated)
