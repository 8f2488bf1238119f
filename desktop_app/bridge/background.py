"""Starts coroutines from the GUI thread and brings their results back to it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError, Future
from itertools import count
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Qt, Signal, Slot

from desktop_app.bridge.async_runner import AsyncRunner
from desktop_app.core.errors import AppError

T = TypeVar("T")


class Background(QObject):
    """Runs coroutines; `done` and `failed` are called in the GUI thread, none of them after a cancel.

    An exception that is no AppError goes to `sys.excepthook`: it is a fault of the program.
    """

    _settled = Signal(int)

    def __init__(self, runner: AsyncRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._runner = runner
        self._numbers = count()
        self._open: dict[int, tuple[Future[Any], Callable[[Any], None] | None, Callable[[AppError], None] | None]] = {}
        self._closed = False
        self._settled.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    def run(
        self,
        coroutine: Coroutine[Any, Any, T],
        done: Callable[[T], None] | None = None,
        failed: Callable[[AppError], None] | None = None,
    ) -> Future[T]:
        """Starts it; returns its future (cancel it to stop the coroutine). After `close` nothing is started."""
        if self._closed:
            coroutine.close()
            never: Future[T] = Future()
            never.cancel()
            return never
        number = next(self._numbers)
        future = self._runner.start(coroutine)
        self._open[number] = (future, done, failed)
        future.add_done_callback(lambda _: self._settled.emit(number))
        return future

    def close(self) -> None:
        """From now on nothing is started and nothing is called back; what runs goes on unheard."""
        self._closed = True

    @Slot(int)
    def _deliver(self, number: int) -> None:
        future, done, failed = self._open.pop(number)
        if self._closed:
            return
        try:
            result = future.result(0)
        except CancelledError:
            return
        except AppError as error:
            if failed is not None:
                failed(error)
            return
        except Exception:
            sys.excepthook(*sys.exc_info())
            return
        if done is not None:
            done(result)
