"""What is attached to the message being written: read in the background, kept with the text until it is sent.

Signals:
    changed(): something came, went, or was read.
    leftOut(int, int): so many of so many files that were given had no room in one message.
"""

from __future__ import annotations

from collections.abc import Coroutine, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from desktop_app.bridge.background import Background
from desktop_app.core.attachments import AttachedFile, clean_name
from desktop_app.core.errors import AppError
from desktop_app.services.attachments import AttachmentService

MOST_FILES = 20
"""Files of one message; more at once are a folder dropped by mistake."""


@dataclass(frozen=True, slots=True)
class DraftFile:
    """One of them, by its name: being read, read (`file`), or not usable (`error`)."""

    number: int
    name: str
    file: AttachedFile | None = None
    error: AppError | None = None

    @property
    def reading(self) -> bool:
        """Whether it is still being read."""
        return self.file is None and self.error is None


class DraftFiles(QObject):
    """The attachments of one draft, in the order they were added; the same content only once."""

    changed = Signal()
    leftOut = Signal(int, int)

    def __init__(self, service: AttachmentService, background: Background, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._service, self._background = service, background
        self._numbers = count(1)
        self._reading: dict[int, Future[AttachedFile]] = {}
        self.files: tuple[DraftFile, ...] = ()

    @property
    def ready(self) -> tuple[AttachedFile, ...]:
        """Those that can be sent."""
        return tuple(one.file for one in self.files if one.file is not None)

    @property
    def waiting(self) -> bool:
        """Whether one is still being read, or waits as unusable to be taken away: nothing is sent without it unseen."""
        return any(one.file is None for one in self.files)

    def add_paths(self, paths: Sequence[Path]) -> None:
        """Reads files the person chose, dropped or pasted."""
        room = max(0, MOST_FILES - len(self.files))
        for path in paths[:room]:
            self._read(path.name, self._service.from_file(path))
        if len(paths) > room:
            self.leftOut.emit(len(paths) - room, len(paths))

    def add_bytes(self, name: str, data: bytes) -> None:
        """Takes what was pasted."""
        if len(self.files) < MOST_FILES:
            self._read(name, self._service.from_bytes(name, data))
        else:
            self.leftOut.emit(1, 1)

    def put_back(self, files: Sequence[AttachedFile]) -> None:
        """Those of a message that was not sent stand in front again."""
        known = {one.attachment.id for one in self.ready}
        back = [file for file in files if file.attachment.id not in known]
        if back:
            again = tuple(DraftFile(next(self._numbers), file.attachment.name, file) for file in back)
            self._set((*again, *self.files))

    def take(self) -> tuple[AttachedFile, ...]:
        """Those that can be sent; there are none afterwards."""
        ready = self.ready
        self._set(tuple(one for one in self.files if one.file is None))
        return ready

    def remove(self, number: int) -> None:
        """Takes one away again."""
        if (reading := self._reading.pop(number, None)) is not None:
            reading.cancel()
        self._set(tuple(one for one in self.files if one.number != number))

    def remove_unusable(self) -> None:
        """Takes those away that cannot be sent."""
        self._set(tuple(one for one in self.files if one.error is None))

    def drop(self, files: Sequence[AttachedFile]) -> None:
        """Takes those away that are sent now."""
        gone = {file.attachment.id for file in files}
        self._set(tuple(one for one in self.files if one.file is None or one.file.attachment.id not in gone))

    def _read(self, name: str, reading: Coroutine[Any, Any, AttachedFile]) -> None:
        number = next(self._numbers)
        self._set((*self.files, DraftFile(number, clean_name(name))))
        self._reading[number] = self._background.run(
            reading, lambda file: self._on_read(number, file), lambda error: self._put(number, error=error)
        )

    def _on_read(self, number: int, file: AttachedFile) -> None:
        if any(one.attachment.id == file.attachment.id for one in self.ready):
            self.remove(number)
        else:
            self._put(number, file=file)

    def _put(self, number: int, **known: Any) -> None:
        self._reading.pop(number, None)
        self._set(tuple(replace(one, **known) if one.number == number else one for one in self.files))

    def _set(self, files: tuple[DraftFile, ...]) -> None:
        if files != self.files:
            self.files = files
            self.changed.emit()
