"""Stand-ins for what the Compaction panel shows of a session."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QObject

from desktop_app.bridge.archive_search import ArchiveSearch
from desktop_app.bridge.summary_review import SummaryReview
from desktop_app.core.archive import ArchiveHit
from desktop_app.core.compaction.compaction import Compaction
from desktop_app.core.compaction.summary_check import SummaryCheck
from tests.ui.stand_in import stand_in


@stand_in
class StageReview(SummaryReview):
    """A summary under review; `calls` lists what the panel asked for."""

    calls: list[tuple[Any, ...]]

    def __init__(self) -> None:
        QObject.__init__(self)
        self.calls = []
        self.compaction: Compaction | None = None
        self.check: SummaryCheck | None = None
        self.checking = self.unknown = self.editing = self.acting = False
        self.draft = self.text = ""

    def show(self, compaction: Compaction | None) -> None:
        self.compaction = compaction
        self.text = compaction.summary if compaction is not None else ""
        self.changed.emit()

    def begin_edit(self) -> None:
        self.editing, self.draft = True, self.compaction.summary if self.compaction is not None else ""
        self.changed.emit()

    def type(self, text: str) -> None:
        self.draft = text

    def cancel_edit(self) -> None:
        self.editing, self.draft = False, ""
        self.changed.emit()


@stand_in
class StageArchive(ArchiveSearch):
    """A search of the originals; `calls` lists what was looked for."""

    calls: list[tuple[Any, ...]]

    def __init__(self) -> None:
        QObject.__init__(self)
        self.calls = []
        self.query, self.found, self.error = "", None, None

    def search(self, text: str) -> None:
        self.query = text.strip()

    def shown_id(self, hit: ArchiveHit) -> str | None:
        return hit.message_id
