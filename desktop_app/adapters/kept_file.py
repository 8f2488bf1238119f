"""Files written whole or not at all; those of the data folder with a good copy, damaged ones set aside.

What stands under a name is looked at first: only a file is ever replaced, never a link, a pipe or a device.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex

from desktop_app.adapters.file_lock import FileLock
from desktop_app.core.errors import NotAFile, PipeUnread, StoreUnavailable

_PATIENCE_SECONDS = 1.0
_NO_READER = (errno.ENXIO, errno.EPIPE)


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


class WholeFiles:
    """Fulfils `core.ports.FileWriter`."""

    def write_whole(self, path: Path, data: bytes) -> bool:
        """The file, whole or not at all; whether one stood there. Raises StoreUnavailable."""
        try:
            if path.exists() and not os.access(path, os.W_OK):
                # Another one could take its name all the same, but whoever forbade writing meant it to stay.
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
            return write_whole(path, data)
        except (OSError, ValueError) as error:  # ValueError: a name no file can have
            if isinstance(error, OSError) and error.errno == errno.EISDIR:
                raise NotAFile(str(error), path=str(path)) from error
            if isinstance(error, OSError) and error.errno in _NO_READER:
                raise PipeUnread(str(error), path=str(path)) from error
            raise StoreUnavailable(str(error), path=str(path)) from error


def write_whole(path: Path, data: bytes) -> bool:
    """The new bytes are on the disk before they take the name; whether they took the place of a file.

    A link stays, and what it leads to is written; a file keeps its permissions. A pipe or a character device takes
    the bytes as they come. Raises OSError, ValueError for a name that is none.
    """
    mode = _mode_of(path)
    if mode is not None and (stat.S_ISFIFO(mode) or stat.S_ISCHR(mode)):
        _write_into(path, data)
        return False
    if mode is not None and not stat.S_ISREG(mode):
        raise OSError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    _replace(Path(os.path.realpath(path)), data, mode)
    return mode is not None


def _mode_of(path: Path) -> int | None:
    """What stands under a name, or behind it where it is a link; None for nothing."""
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None


def _write_into(path: Path, data: bytes) -> None:
    """Writes to a pipe somebody reads, or to a device."""
    # Without waiting: nobody may ever come to read, and whoever waits for that cannot be stopped.
    descriptor = os.open(path, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0))
    if hasattr(os, "O_NONBLOCK"):
        os.set_blocking(descriptor, True)
    with os.fdopen(descriptor, "wb", buffering=0) as file:
        rest = memoryview(data)
        while rest:
            rest = rest[file.write(rest) :]


def _replace(path: Path, data: bytes, mode: int | None) -> None:
    # A name of its own, never one that stands there: two may write at once, and not every folder is ours.
    unfinished = path.with_name(f".{path.name}.{token_hex(4)}.{os.getpid()}.tmp")
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            unfinished.chmod(stat.S_IMODE(mode))
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
