"""Opens the services in a thread of its own and brings them to the GUI thread, once their data is in order.

Signals:
    opened(Services), failed(AppError): one of them after each start.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, Signal, Slot

from desktop_app.bridge.background import Background
from desktop_app.core import errors
from desktop_app.services.all_services import Services


class Opening(QObject):
    """`services` are there from the moment they need a close; nothing is opened twice."""

    opened = Signal(object)
    failed = Signal(object)
    _arrived = Signal(object)

    def __init__(
        self, open_services: Callable[[], Services], background: Background, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._open_services = open_services
        self._background = background
        self.services: Services | None = None
        self._thread: threading.Thread | None = None
        self._under_way = False
        self._closed = False
        self._arrived.connect(self._take, Qt.ConnectionType.QueuedConnection)

    def start(self) -> None:
        """Opens; does nothing while an opening is under way or when all is open."""
        if self._under_way or self.services is not None:
            return
        self._under_way = True
        self._thread = threading.Thread(target=self._open, name="opening", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Waits for the thread and tells nothing any more."""
        self._closed = True
        if self._thread is not None:
            self._thread.join()

    def _open(self) -> None:
        try:
            self.services = self._open_services()
            self._arrived.emit(self.services)
        except Exception as error:
            self._arrived.emit(_told(error))

    @Slot(object)
    def _take(self, arrived: Services | errors.AppError) -> None:
        if self._closed:
            return
        if isinstance(arrived, errors.AppError):
            self._fail(arrived)
        else:
            self._background.run(arrived.store.mark_interrupted(), ended=self._on_marked)

    def _on_marked(self, error: BaseException | None) -> None:
        services = self.services
        if services is None:
            return
        if error is None:
            self._under_way = False
            self.opened.emit(services)
            return
        # Data that cannot be written now is closed again, so that the next try begins anew.
        self.services = None
        self._background.run(services.close(), ended=lambda _: self._fail(_told(error)))

    def _fail(self, error: errors.AppError) -> None:
        self._under_way = False
        self.failed.emit(error)


def _told(error: BaseException) -> errors.AppError:
    return error if isinstance(error, errors.AppError) else errors.Unexpected(f"{type(error).__name__}: {error}")
