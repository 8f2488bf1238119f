"""Pictures decoded and encoded off the GUI thread; nothing is loaded from anywhere, and none larger than is safe.

A picture comes as bytes a person attached or pasted. What it would take to unpack it is known from its first bytes,
and a file that claims more than `MOST_PIXELS` is not unpacked at all.
"""

from __future__ import annotations

import base64
import weakref
from collections.abc import Callable
from functools import cache
from itertools import count
from typing import Any

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QObject, QRunnable, QSize, Qt, QThreadPool, Signal, Slot
from PySide6.QtGui import QImage, QImageReader, QImageWriter

from desktop_app.core.media_size import image_size

MOST_PIXELS = 64_000_000
"""Four bytes each: a picture of the largest size the API takes still is unpacked, into 256 MB for a moment."""


class PictureRoom(QObject):
    """Works in the threads of Qt's pool and tells in the GUI thread; one for the process, made there.

    Whoever asked may be gone by then: it is held weakly.
    """

    _done = Signal(int, object)

    def __init__(self) -> None:
        super().__init__()
        self._numbers = count()
        self._waiting: dict[int, weakref.WeakMethod[Callable[[Any], None]]] = {}
        self._done.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    def decode(self, data: str, longest: int, tell: Callable[[QImage | None], None]) -> None:
        """Decodes base64 into a picture of at most `longest` pixels a side; `tell`, a method, gets None if it fails."""
        self._start(lambda: decoded_picture(data, longest), tell)

    def encode(self, picture: QImage, tell: Callable[[bytes], None]) -> None:
        """Makes a PNG file of a pasted picture, a JPEG where that would be too large to send."""
        self._start(lambda: encoded_picture(picture), tell)

    def _start(self, work: Callable[[], Any], tell: Callable[[Any], None]) -> None:
        number = next(self._numbers)
        self._waiting[number] = weakref.WeakMethod(tell)
        QThreadPool.globalInstance().start(_Work(lambda: self._done.emit(number, work())))

    @Slot(int, object)
    def _deliver(self, number: int, result: object) -> None:
        tell = self._waiting.pop(number)()
        if tell is not None:
            tell(result)


@cache
def picture_room() -> PictureRoom:
    """The one of the process."""
    return PictureRoom()


class _Work(QRunnable):
    def __init__(self, run: Callable[[], None]) -> None:
        super().__init__()
        self._run = run

    def run(self) -> None:
        self._run()


def decoded_picture(data: str, longest: int) -> QImage | None:
    """The picture, turned as its file says, made smaller where a side is longer than `longest` pixels."""
    try:
        raw = base64.b64decode(data)
    except ValueError:
        return None
    width, height = image_size(raw) or (0, 0)
    if not 0 < width * height <= MOST_PIXELS:
        return None
    buffer = QBuffer()
    buffer.setData(QByteArray(raw))
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    reader = QImageReader(buffer)
    reader.setAutoTransform(True)
    size = reader.size()
    if not size.isValid() or size.width() * size.height() > MOST_PIXELS:
        return None  # what the decoder would unpack is another size than the file told us
    if max(size.width(), size.height()) > longest:
        reader.setScaledSize(size.scaled(QSize(longest, longest), Qt.AspectRatioMode.KeepAspectRatio))
    picture = reader.read()
    return None if picture.isNull() else picture


_MOST_ENCODED = 3_900_000


def encoded_picture(picture: QImage) -> bytes:
    """The bytes of a PNG file, or of a JPEG file where that has more than 3.9 MB; none for an empty picture."""
    raw = _written(picture, "png")
    return raw if len(raw) <= _MOST_ENCODED else _written(picture.convertToFormat(QImage.Format.Format_RGB32), "jpeg")


def _written(picture: QImage, form: str) -> bytes:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QImageWriter(buffer, QByteArray(form.encode()))
    writer.setQuality(90 if form == "jpeg" else -1)
    writer.write(picture)
    return bytes(buffer.data().data())
