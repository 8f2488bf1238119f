"""Makes attachments of files and of what is pasted, off the event loop."""

from __future__ import annotations

import asyncio
from pathlib import Path

from desktop_app.core.attachment_kinds import READ_LIMIT, recognised
from desktop_app.core.attachments import AttachedFile
from desktop_app.core.ports import FileReader


class AttachmentService:
    """What it makes holds the whole content; nothing of it is stored before the message is."""

    def __init__(self, files: FileReader) -> None:
        self._files = files

    async def from_file(self, path: Path) -> AttachedFile:
        """The attachment a file makes; raises AttachmentUnusable with the reason and what to do."""
        return await asyncio.to_thread(self._read, path)

    async def from_bytes(self, name: str, data: bytes) -> AttachedFile:
        """The same of what was pasted."""
        return await asyncio.to_thread(recognised, name, data)

    def _read(self, path: Path) -> AttachedFile:
        return recognised(path.name, self._files.read_whole(path, READ_LIMIT))
