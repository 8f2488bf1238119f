"""One thread for calls that may never return: they run in order, and nobody waits longer than the time limit."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from time import monotonic
from typing import Any, TypeVar

T = TypeVar("T")


class Worker:
    """`run` ends after at most `patience` seconds, with TimeoutError where the call has not.

    While a call that overran still hangs, the next ones fail at once instead of waiting behind it. The thread
    is a daemon, so it never holds up the exit, and ends when there is nothing left to do.
    """

    def __init__(self, name: str, patience: float) -> None:
        self._name, self.patience = name, patience
        self._lock = threading.Lock()
        self._calls: deque[tuple[Future[Any], Callable[[], Any]]] = deque()
        self._thread: threading.Thread | None = None
        self._began: float | None = None

    async def run(self, call: Callable[[], T]) -> T:
        """The result of a call, from the thread; raises what it raises, or TimeoutError."""
        waiting = asyncio.wrap_future(self._queue(call))
        try:
            done, _ = await asyncio.wait((waiting,), timeout=self.patience)
            if not done:
                raise TimeoutError
            return waiting.result()
        finally:
            # Given up or not wanted any more: a call still in the queue is never made.
            waiting.cancel()

    def _queue(self, call: Callable[[], T]) -> Future[T]:
        future: Future[T] = Future()
        with self._lock:
            if self._began is not None and monotonic() - self._began >= self.patience:
                raise TimeoutError
            self._calls.append((future, call))
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name=self._name, daemon=True)
                self._thread.start()
        return future

    def _work(self) -> None:
        while (taken := self._take()) is not None:
            future, call = taken
            if future.set_running_or_notify_cancel():
                _settle(future, call)
            # Nothing of a call, least of all a secret in it, stays in the frame of a waiting thread.
            del taken, future, call

    def _take(self) -> tuple[Future[Any], Callable[[], Any]] | None:
        with self._lock:
            if not self._calls:
                self._thread = self._began = None
                return None
            self._began = monotonic()
            return self._calls.popleft()


def _settle(future: Future[T], call: Callable[[], T]) -> None:
    try:
        future.set_result(call())
    except BaseException as error:
        future.set_exception(error)
