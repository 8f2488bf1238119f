"""Where a turn stands, with the seconds of its countdowns.

Signals:
    changed(SessionState)
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from desktop_app.bridge.session_state import Phase, SessionState

_TICK_MS = 200


class TurnState(QObject):
    """Holds the state of one conversation; a busy one counts its seconds."""

    changed = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.value = SessionState()
        self._ticker = QTimer(self)
        self._ticker.setInterval(_TICK_MS)
        self._ticker.timeout.connect(self._tick)

    def set(self, state: SessionState) -> None:
        """Another state; told only when it is another."""
        if state == self.value:
            return
        self.value = state
        if not state.busy:
            self._ticker.stop()
        elif not self._ticker.isActive():
            self._ticker.start()
        self.changed.emit(state)

    def change(self, **changes: Any) -> None:
        """The same state with other values."""
        self.set(replace(self.value, **changes))

    def stop(self) -> None:
        """Counts no more."""
        self._ticker.stop()

    def _tick(self) -> None:
        step = _TICK_MS / 1000
        if self.value.phase in (Phase.RETRYING, Phase.FOLDING):
            self.change(seconds=max(0.0, self.value.seconds - step))
        elif self.value.phase is Phase.WAITING:
            self.change(seconds=self.value.seconds + step)
