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


class AsyncRunner:
    """Starts coroutines; cancelling the returned future cancels the coroutine."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="services", daemon=True)
        self._thread.start()

    def start(self, coroutine: Coroutine[Any, Any, T]) -> Future[T]:
        """Runs a coroutine on the loop; callable from any thread."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop)

    def call(self, function: Any, *arguments: Any) -> None:
        """Calls a plain function on the loop thread soon."""
        self._loop.call_soon_threadsafe(function, *arguments)

    def finish(self, coroutine: Coroutine[Any, Any, None]) -> None:
        """Lets running tasks end after a cancel, then runs a last coroutine; at most two seconds each."""
        with suppress(TimeoutError):  # what does not end in time is cut with the process
            self.start(_cancel_all()).result(_PATIENCE)
            self.start(coroutine).result(_PATIENCE)

    def stop(self) -> None:
        """Cancels what still runs, waits at most two seconds for it, and ends the thread."""
        with suppress(TimeoutError):
            self.start(_wind_down()).result(_PATIENCE)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_PATIENCE)
        if not self._thread.is_alive():
            self._loop.close()


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
