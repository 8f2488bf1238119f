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
from desktop_app.core.cache.figures import CacheReport
from desktop_app.core.conversation import now
from desktop_app.services.cache_view import CacheReading, CacheView, Foreseen
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
        self._readings = self._looks = 0
        self._reading = CacheReading()
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
        self._background.run(self._view.read(conversation_id), lambda reading: self._show(number, reading))

    def look(self, prepared: Prepared | None, setting: TurnSetting | None) -> None:
        """Another request would leave now, or none."""
        self._next = (prepared, setting) if prepared is not None and setting is not None else None
        self._foresee()

    def stop(self) -> None:
        """Waits for nothing any more."""
        self._cooling.stop()

    def _show(self, number: int, reading: CacheReading) -> None:
        if number != self._readings:
            return
        self._reading, self.report = reading, reading.report
        if reading.report is not None:
            self.reportChanged.emit(reading.report)
        self._foresee()

    @property
    def reading(self) -> CacheReading:
        """What was read last."""
        return self._reading

    def _foresee(self) -> None:
        """Computes the forecast anew, off the GUI thread: a long conversation has thousands of blocks to compare."""
        self._cooling.stop()
        self._looks += 1
        if self._next is None:
            self._expect(self._looks, None)
            return
        looks, (prepared, setting) = self._looks, self._next
        seen = self._view.foresee(prepared, setting, self._reading, now())
        self._background.run(seen, lambda seen: self._expect(looks, _forecast(prepared, seen)))

    def _expect(self, looks: int, forecast: Forecast | None) -> None:
        if looks != self._looks:
            return
        self.forecast = forecast
        until = forecast.cache.warm_until if forecast else None
        if until is not None:
            self._cooling.start(max(0, (until - now()) // _INSTANT) + 1)
        self.forecastChanged.emit(forecast)


def _forecast(prepared: Prepared, seen: Foreseen) -> Forecast:
    return Forecast(prepared.budget, seen.cache, seen.usd, seen.dated, seen.cold_usd, seen.miss)
