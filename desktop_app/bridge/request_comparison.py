"""Reads two requests of the past and what differs between them, off the GUI thread."""

from __future__ import annotations

from collections.abc import Sequence, Set

from PySide6.QtCore import QObject, Signal

from desktop_app.bridge.background import Background
from desktop_app.core.errors import AppError
from desktop_app.core.request_log import RequestRecord
from desktop_app.services.context_view import Comparison, ContextView


class RequestComparison(QObject):
    """Compares two requests off the GUI thread; of several askings the last one is shown.

    Signals: `changed()`: `comparison` is another; `failed(AppError)`: the last asking came to nothing.
    """

    changed = Signal()
    failed = Signal(object)

    def __init__(self, view: ContextView, background: Background, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._view, self._background = view, background
        self._wanted = ("", "")
        self.comparison: Comparison | None = None

    def compare(self, before_id: str, after_id: str) -> None:
        """Compares from one request to another; until `changed` follows there is no comparison."""
        self._wanted = wanted = (before_id, after_id)
        self.comparison = None
        self._background.run(
            self._view.compare(before_id, after_id),
            lambda found: self._show(wanted, found),
            lambda error: self._fail(wanted, error),
        )

    def forget(self) -> None:
        """Holds nothing any more, also of what is still being read."""
        self._wanted, self.comparison = ("", ""), None

    def _show(self, wanted: tuple[str, str], found: Comparison) -> None:
        if wanted == self._wanted:
            self.comparison = found
            self.changed.emit()

    def _fail(self, wanted: tuple[str, str], error: AppError) -> None:
        if wanted == self._wanted:
            self.failed.emit(error)


def pair_to_compare(request_id: str, requests: Sequence[RequestRecord], path: Set[str]) -> tuple[str, str] | None:
    """The ids of the two requests a comparison of one begins with; None where there is nothing to compare it with.

    `requests` are all of the conversation, oldest first; `path` the ids of those behind the answers in use. The other
    one is the one before it on the path, for the first one the one after it; a request for a memo or of another
    version only where the path holds no other.
    """
    ids = [record.id for record in requests]
    if request_id not in ids:
        return None
    place = ids.index(request_id)
    for before, after in (
        ([one for one in ids[:place] if one in path], [one for one in ids[place + 1 :] if one in path]),
        (ids[:place], ids[place + 1 :]),
    ):
        if before:
            return before[-1], request_id
        if after:
            return request_id, after[0]
    return None
