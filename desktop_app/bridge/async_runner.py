"""One background thread with a plain asyncio loop: services run there, never on the GUI thread."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")
_PATIENCE = 2.0


class _Started(Future[T]):
    """The future of a coroutine: cancelling it cancels the coroutine, and it settles when that has ended."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__()
        self._loop = loop
        self._task: asyncio.Task[T] | None = None

    def cancel(self) -> bool:
        """Asks the coroutine to end; what it still does about that is done before the future settles."""
        if self.done():
            return False
        self._loop.call_soon_threadsafe(self._cancel_task)
        return True

    def begin(self, coroutine: Coroutine[Any, Any, T], running: set[asyncio.Task[Any]]) -> None:
        """Starts it, on the loop thread; `running` holds its task until the end."""
        self._task = task = self._loop.create_task(coroutine)
        running.add(task)
        task.add_done_callback(running.discard)
        task.add_done_callback(self._settle)

    def _cancel_task(self) -> None:
        if self._task is not None:
            self._task.cancel()

    def _settle(self, task: asyncio.Task[T]) -> None:
        if task.cancelled():
            super().cancel()
        elif (error := task.exception()) is not None:
            self.set_exception(error)
        else:
            self.set_result(task.result())


class AsyncRunner:
    """Starts coroutines; cancelling the returned future cancels the coroutine."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._running: set[asyncio.Task[Any]] = set()
        self._thread = threading.Thread(target=self._loop.run_forever, name="services", daemon=True)
        self._thread.start()

    def start(self, coroutine: Coroutine[Any, Any, T]) -> Future[T]:
        """Runs a coroutine on the loop; callable from any thread."""
        started: _Started[T] = _Started(self._loop)
        self._loop.call_soon_threadsafe(started.begin, coroutine, self._running)
        return started

    def call(self, function: Any, *arguments: Any) -> None:
        """Calls a plain function on the loop thread soon."""
        self._loop.call_soon_threadsafe(function, *arguments)

    def finish(self, coroutine: Coroutine[Any, Any, None]) -> None:
        """Cancels what was started, lets it end, then runs a last coroutine; at most two seconds each."""
        # What does not end in time is cut with the process; the last coroutine runs all the same.
        with suppress(TimeoutError):
            self.start(_let_end(self._running)).result(2 * _PATIENCE)
        with suppress(TimeoutError):
            self.start(coroutine).result(_PATIENCE)

    def stop(self) -> None:
        """Cancels what still runs, waits at most two seconds for it, and ends the thread."""
        with suppress(TimeoutError):
            self.start(_wind_down()).result(_PATIENCE)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_PATIENCE)
        if not self._thread.is_alive():
            self._loop.close()


async def _let_end(started: set[asyncio.Task[Any]]) -> None:
    """Cancels what was started from outside; the writes those tasks shield run to their end unharmed."""
    this = asyncio.current_task()
    for task in started - {this}:
        task.cancel()
    loop = asyncio.get_running_loop()
    until = loop.time() + _PATIENCE
    while (rest := asyncio.all_tasks() - {this}) and (left := until - loop.time()) > 0:
        await asyncio.wait(rest, timeout=left)


async def _cancel_all() -> None:
    tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def _wind_down() -> None:
    await _cancel_all()
    loop = asyncio.get_running_loop()
    await loop.shutdown_asyncgens()
    await loop.shutdown_default_executor()
