"""A lock between processes on a file of the data folder; the operating system takes it back when a process dies."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


_PAUSE_SECONDS = 0.005


class FileLock:
    """Held by one at a time; the file itself says nothing and stays."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor: int | None = None

    def take(self, patience: float = 0.0) -> bool:
        """Whether it is held now; another's is waited for, at most `patience` seconds.

        False also where the folder cannot be written or has no locks.
        """
        if self._descriptor is not None:
            return True
        try:
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError:
            return False
        until = time.monotonic() + patience
        try:
            while not _got(descriptor):
                if time.monotonic() >= until:
                    os.close(descriptor)
                    return False
                time.sleep(_PAUSE_SECONDS)
        except OSError:
            os.close(descriptor)
            return False
        self._descriptor = descriptor
        return True

    def release(self) -> None:
        """Gives it up."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def _got(descriptor: int) -> bool:
    try:
        _lock(descriptor)
    except (BlockingIOError, PermissionError):  # another has it
        return False
    return True
