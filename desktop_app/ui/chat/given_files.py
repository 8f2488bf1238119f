"""What a drop or the clipboard gives as files and pictures: of this machine only, nothing is fetched."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from PySide6.QtCore import QEvent, QMimeData, QObject, Signal
from PySide6.QtGui import QDropEvent, QImage
from PySide6.QtWidgets import QWidget

from desktop_app.core.conversation import is_blank

_TAKEN = ("image/png", "image/jpeg", "image/gif", "image/webp")


def local_files(source: QMimeData) -> list[Path]:
    """The files of this machine it names; none where anything else is among them.

    A share of another machine is none: to look at it would tell that machine who is here.
    """
    urls = source.urls() if source.hasUrls() else []
    paths = [url.toLocalFile() for url in urls if url.isLocalFile() and not url.host()]
    plain = [Path(path) for path in paths if path and not path.startswith(("//", "\\\\"))]
    return plain if len(plain) == len(urls) else []


def holds_picture(source: QMimeData) -> bool:
    """Whether it is a picture, and no text beside one (a table copied from a sheet is both)."""
    pictured = source.hasImage() or any(source.hasFormat(form) for form in _TAKEN)
    return pictured and not (source.hasText() and not is_blank(source.text()))


def picture_of(source: QMimeData) -> bytes | QImage | None:
    """The bytes of the picture's file where they are given, else the picture as it was unpacked."""
    for form in _TAKEN:
        if source.hasFormat(form) and (raw := bytes(source.data(form).data())):
            return raw
    picture = source.imageData()
    return picture if isinstance(picture, QImage) and not picture.isNull() else None


def is_given(source: QMimeData) -> bool:
    """Whether there is something to attach."""
    return bool(local_files(source)) or holds_picture(source)


class FileDrops(QObject):
    """Watches widgets for files and pictures dragged over them and dropped.

    Signals:
        over(bool): something to attach is held over one of them, or no more.
        dropped(QMimeData): it was dropped.
    """

    over = Signal(bool)
    dropped = Signal(object)

    def watch(self, *widgets: QWidget) -> None:
        """Takes drops on these as well."""
        for widget in widgets:
            widget.setAcceptDrops(True)
            widget.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Takes what can be attached; all else goes its way."""
        kind = event.type()
        if kind is QEvent.Type.DragLeave:
            self.over.emit(False)
            return False
        if kind not in (QEvent.Type.DragEnter, QEvent.Type.DragMove, QEvent.Type.Drop):
            return False
        drop = cast(QDropEvent, event)
        if not is_given(drop.mimeData()):
            return False
        drop.acceptProposedAction()
        if kind is not QEvent.Type.Drop:
            self.over.emit(True)
            return True
        self.over.emit(False)
        self.dropped.emit(drop.mimeData())
        return True
