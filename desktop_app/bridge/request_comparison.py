"""Reads two requests of the past and what differs between them, off the GUI thread."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from desktop_app.bridge.background import Background
from desktop_app.services.context_view import Comparison, ContextView


class RequestComparison(QObject):
    """Compares two requests off the GUI thread; of several askings the last one is shown.

    Signals: `changed()`: `comparison` is another; `failed(AppError)`.
    """

    changed = Signal()
    failed = Signal(object)

    def __init__(self, view: ContextView, background: Background, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._view, self._background = view, background
        self._wanted = ("", "")
        self.comparison: Comparison | None = None

    def compare(self, before_id: str, after_id: str) -> None:
        """Compares from one request to another; `changed` follows."""
        self._wanted = wanted = (before_id, after_id)
        self._background.run(
            self._view.compare(before_id, after_id), lambda found: self._show(wanted, found), self.failed.emit
        )

    def forget(self) -> None:
        """Holds nothing any more, also of what is still being read."""
        self._wanted, self.comparison = ("", ""), None

    def _show(self, wanted: tuple[str, str], found: Comparison) -> None:
        if wanted == self._wanted:
            self.comparison = found
            self.changed.emit()
