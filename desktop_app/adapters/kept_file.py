"""A small file of the data folder: written whole or not at all, damaged ones set aside, one process at a time."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from desktop_app.adapters.file_lock import FileLock

_PATIENCE_SECONDS = 1.0


class KeptFile:
    """The file at `path`, its last good copy under `.good`, its lock under `.lock`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.good = path.with_name(f"{path.name}.good")
        self._lock = path.with_name(f"{path.name}.lock")

    @contextmanager
    def alone(self) -> Iterator[None]:
        """No other process saves meanwhile. Where there are no locks, or one hangs, a choice is kept all the same."""
        lock = FileLock(self._lock)
        lock.take(_PATIENCE_SECONDS)
        try:
            yield
        finally:
            lock.release()

    def write(self, data: bytes) -> None:
        """Puts the bytes in place of file and good copy. Raises OSError."""
        self._remove_leftovers()
        write_whole(self.path, data)
        write_whole(self.good, data)

    def set_aside(self) -> bool:
        """Renames the file to a free name, `.bad` behind its own; whether that could be done."""
        with suppress(OSError):
            self.path.rename(self._free_name())
            return True
        return False

    def keep_copy(self, data: bytes) -> None:
        """The next save replaces what cannot be used; the file as it was stays beside it."""
        with suppress(OSError):
            if all(kept.read_bytes() != data for kept in self.path.parent.glob(f"{self.path.name}.bad*")):
                write_whole(self._free_name(), data)

    def _free_name(self) -> Path:
        name = self.path.with_name(f"{self.path.name}.bad")
        number = 0
        while name.exists():
            number += 1
            name = self.path.with_name(f"{self.path.name}.bad.{number}")
        return name

    def _remove_leftovers(self) -> None:
        """What processes that were killed while saving left behind."""
        for leftover in self.path.parent.glob(f".{self.path.name}*.tmp"):
            match = re.fullmatch(r".*\.(\d+)\.tmp", leftover.name)
            if match and not _runs(int(match[1])):
                leftover.unlink(missing_ok=True)


def write_whole(path: Path, data: bytes) -> None:
    """The new bytes are on the disk before they take the name. Raises OSError."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    except OSError:
        unfinished.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Makes a rename survive a power cut; not every system can open a folder."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _runs(pid: int) -> bool:
    import psutil  # noqa: PLC0415

    return bool(psutil.pid_exists(pid))
