"""Starts coroutines from the GUI thread and brings their results back to it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Qt, Signal, Slot

from desktop_app.bridge.async_runner import AsyncRunner
from desktop_app.core.errors import AppError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Call:
    future: Future[Any]
    done: Callable[[Any], None] | None
    failed: Callable[[AppError], None] | None
    ended: Callable[[BaseException | None], None] | None


class Background(QObject):
    """Runs coroutines; what came of them is told in the GUI thread.

    `done` gets the result, `failed` an AppError; neither is called after a cancel. `ended` is called last,
    whatever happened: with None, the AppError, a CancelledError, or a fault. An exception that is no
    AppError goes to `sys.excepthook`: it is a fault of the program.
    """

    _settled = Signal(int)

    def __init__(self, runner: AsyncRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._runner = runner
        self._numbers = count()
        self._open: dict[int, _Call] = {}
        self._closed = False
        self._settled.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    def run(
        self,
        coroutine: Coroutine[Any, Any, T],
        done: Callable[[T], None] | None = None,
        failed: Callable[[AppError], None] | None = None,
        ended: Callable[[BaseException | None], None] | None = None,
    ) -> Future[T]:
        """Starts it; returns its future (cancel it to stop the coroutine). After `close` nothing is started."""
        if self._closed:
            coroutine.close()
            never: Future[T] = Future()
            never.cancel()
            return never
        number = next(self._numbers)
        future = self._runner.start(coroutine)
        self._open[number] = _Call(future, done, failed, ended)
        future.add_done_callback(lambda _: self._tell(number))
        return future

    def close(self) -> None:
        """From now on nothing is started and nothing is called back; what runs goes on unheard."""
        self._closed = True

    def _tell(self, number: int) -> None:
        with suppress(RuntimeError):  # on the loop thread; the object may be gone with its window
            self._settled.emit(number)

    @Slot(int)
    def _deliver(self, number: int) -> None:
        call = self._open.pop(number)
        if self._closed:
            return
        error = _error_of(call.future)
        try:
            if error is None:
                if call.done is not None:
                    call.done(call.future.result(0))
            elif isinstance(error, AppError):
                if call.failed is not None:
                    call.failed(error)
            elif not isinstance(error, CancelledError):
                sys.excepthook(type(error), error, error.__traceback__)
        finally:
            if call.ended is not None:
                call.ended(error)


def _error_of(future: Future[Any]) -> BaseException | None:
    try:
        return future.exception(0)
    except CancelledError as cancelled:
        return cancelled
