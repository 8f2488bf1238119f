"""A thread for a library that blocks: it does one thing after another and never keeps the process from ending."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from queue import SimpleQueue
from typing import Any, ParamSpec, TypeVar

_Result = TypeVar("_Result")
_Given = ParamSpec("_Given")
_Job = tuple["Future[Any]", Callable[[], Any]]

_PATIENCE_SECONDS = 1.5


class WorkerThread:
    """Starts with the first job. A daemon: a library that hangs must not outlive the window."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._closed = False

    async def run(self, work: Callable[_Given, _Result], *given: _Given.args, **named: _Given.kwargs) -> _Result:
        """The result of `work`, done in the thread; a caller that is cancelled takes a job along that has not begun."""
        return await asyncio.wrap_future(self._add(partial(work, *given, **named)))

    async def close(self, last: Callable[[], None] | None = None) -> None:
        """Does `last` after what was begun and ends the thread; waits at most 1.5 seconds. Later calls are errors."""
        if self._closed:
            return
        if last is not None or self._thread is not None:
            future = self._add(last or (lambda: None))
            self._jobs.put(None)
            await asyncio.wait([asyncio.wrap_future(future)], timeout=_PATIENCE_SECONDS)
            if self._thread is not None and future.done():
                self._thread.join()
        self._closed = True

    def _add(self, work: Callable[[], _Result]) -> Future[_Result]:
        if self._closed:
            raise RuntimeError(f"the thread {self._name} has ended")
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name=self._name, daemon=True)
            self._thread.start()
        future: Future[_Result] = Future()
        self._jobs.put((future, work))
        return future

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            _do(*job)


def _do(future: Future[Any], work: Callable[[], Any]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        result = work()
    except BaseException as error:  # a panic of a library in Rust is no Exception
        future.set_exception(error)
    else:
        future.set_result(result)
