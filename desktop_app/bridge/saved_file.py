"""Writes a file for the person: whole or not at all, off the GUI thread."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from desktop_app.core.ports import FileWriter


async def save_bytes(files: FileWriter, file: Path, content: Callable[[], bytes]) -> None:
    """Writes what `content` gives into `file`; raises StoreUnavailable, and then what stood there is unchanged."""
    await asyncio.to_thread(lambda: files.write_whole(file, content()))
