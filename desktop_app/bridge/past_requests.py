"""Reads requests of the past for the panel: one at a time, and of those asked for meanwhile only the last."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from desktop_app.bridge.background import Background
from desktop_app.bridge.session_state import ShownRequest
from desktop_app.services.context_view import ContextView, PastRequest


class PastRequests(QObject):
    """Signals: `shown(ShownRequest | None)`, None for the present; `failed(AppError)`.

    A slider that is drawn asks faster than anything can be read; what it passed over is never read.
    """

    shown = Signal(object)
    failed = Signal(object)

    def __init__(self, view: ContextView, background: Background, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._view, self._background = view, background
        self._wanted: str | None = None
        self._reading = False

    def show(self, request_id: str | None) -> None:
        """Shows a request by its id, or the present."""
        self._wanted = request_id
        if request_id is None:
            self.shown.emit(None)
        elif not self._reading:
            self._read(request_id)

    def read(self, request_id: str, done: Callable[[ShownRequest], None]) -> None:
        """Reads a request for `done` alone: what the panel shows stays as it is. `failed` where it cannot be read."""
        self._background.run(self._view.past(request_id), lambda past: done(_shown(past)), self.failed.emit)

    def _read(self, request_id: str) -> None:
        self._reading = True
        self._background.run(
            self._view.past(request_id), self._show, self.failed.emit, lambda _: self._on_read(request_id)
        )

    def _show(self, past: PastRequest) -> None:
        if self._wanted == past.record.id:
            self.shown.emit(_shown(past))

    def _on_read(self, request_id: str) -> None:
        self._reading = False
        if self._wanted is not None and self._wanted != request_id:
            self._read(self._wanted)


def _shown(past: PastRequest) -> ShownRequest:
    return ShownRequest(past.record, past.budget, past.request)
