"""Doing something with an endpoint again where that makes sense, the wait told in the open."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TypeVar

from desktop_app.core import turn_events
from desktop_app.core.errors import EndpointError
from desktop_app.core.retry import MOST_ATTEMPTS, retry_delay
from desktop_app.services.reply_writing import Emit

T = TypeVar("T")


class Patience:
    """Waits between attempts; `hurry` set from outside ends a wait at once. `ids` are conversation and turn."""

    def __init__(self, emit: Emit, ids: tuple[str, str], hurry: asyncio.Event | None = None) -> None:
        self._emit = emit
        self._ids = ids
        self._hurry = hurry or asyncio.Event()

    async def until_done(self, action: Callable[[], Awaitable[T]], arrived: Callable[[], bool] = lambda: False) -> T:
        """What `action` gives; raises its last EndpointError when there is no sense in a further attempt.

        `arrived` tells whether a part of an answer came: that is not paid for twice.
        """
        number = 1
        while True:
            try:
                return await action()
            except EndpointError as error:
                delay = retry_delay(error, number, anything_arrived=arrived())
                if delay is None:
                    raise
                number += 1
                self._emit(turn_events.RetryScheduled(*self._ids, delay, number, MOST_ATTEMPTS, error))
            await self._pause(delay)

    async def _pause(self, seconds: float) -> None:
        self._hurry.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._hurry.wait()
