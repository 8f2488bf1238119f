"""Brings conversations of an export file into a profile."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from desktop_app.core.importing import ImportedConversation, ImportReport
from desktop_app.core.ports import ConversationStore

Reader = Callable[[Path], tuple[list[ImportedConversation], list[str]]]


class ImportService:
    """Reads a file with `reader` off the event loop, then stores what is new."""

    def __init__(self, store: ConversationStore, reader: Reader) -> None:
        self._store = store
        self._reader = reader

    async def import_file(self, path: Path, profile: str) -> ImportReport:
        """Raises ImportRefused with nothing kept when the file cannot be used."""
        conversations, warnings = await asyncio.to_thread(self._reader, path)
        report = await self._store.import_conversations(profile, conversations)
        return ImportReport(
            report.conversations_added,
            report.conversations_grown,
            report.messages_added,
            report.unchanged,
            report.skipped,
            (*report.warnings, *warnings),
        )
