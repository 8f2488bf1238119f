"""Writes a file for the person: whole or not at all, off the GUI thread."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QIODevice, QSaveFile

from desktop_app.core.errors import StoreUnavailable


async def save_bytes(file: Path, content: Callable[[], bytes]) -> None:
    """Writes what `content` gives into `file`; raises StoreUnavailable, and then what stood there is unchanged."""
    await asyncio.to_thread(_save, file, content)


def _save(file: Path, content: Callable[[], bytes]) -> None:
    saving = QSaveFile(str(file))
    data = content()
    opened = saving.open(QIODevice.OpenModeFlag.WriteOnly)
    if not opened or saving.write(data) != len(data) or not saving.commit():
        raise StoreUnavailable(saving.errorString(), path=str(file))
