"""Sending a stream at a speed, with pings in silence and with the faults a scenario asks for."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass

from .scenario import Step as Fault
from .streaming import PING, Message, Step, block_steps, encode

PING_EVERY = 10.0  # seconds of silence
BATCH = 8_192  # bytes sent at once when there is no speed limit


class BrokenConnection(Exception):
    """Raised to make the server drop the connection in the middle of an answer."""


class _Ended(Exception):
    """The stream is over on purpose."""


@dataclass
class Pace:
    """When the next bytes are due, from a speed in tokens per second (0 = at once)."""

    speed: float
    due: float = 0.0

    async def wait(self, tokens: float) -> AsyncIterator[bytes]:
        """Sleep until the next tokens are due; yields pings in long pauses."""
        if self.speed <= 0 or tokens <= 0:
            return
        # A stream that fell behind may catch up a quarter of a second, no more.
        now = time.monotonic()
        self.due = max(self.due or now, now - 0.25) + tokens / self.speed
        while (left := self.due - time.monotonic()) > 0:
            await asyncio.sleep(min(left, PING_EVERY))
            if left > PING_EVERY:
                yield encode(*PING)


async def deliver(message: Message, fault: Fault | None, speed: float) -> AsyncIterator[bytes]:
    """The bytes of a stream, batched where no speed is set. Raises BrokenConnection for a cut."""
    pace = Pace(float(fault.get("tokens_per_second")) if fault and fault.action == "slow" else speed)
    waiting = b""
    total = 0
    limit = int(fault.get("after_bytes")) if fault and fault.action == "cut" and fault.get("after_bytes") else None
    try:
        async for chunk, tokens in _chunks(message, fault):
            async for ping in pace.wait(tokens or 0):
                yield ping
            if limit is not None and total + len(chunk) >= limit:
                waiting += chunk[: limit - total]
                raise BrokenConnection
            total += len(chunk)
            waiting += chunk
            if pace.speed > 0 or len(waiting) >= BATCH or tokens is None:
                yield waiting
                waiting = b""
    except _Ended:
        pass
    except BrokenConnection:
        if waiting:
            yield waiting
        raise
    if waiting:
        yield waiting


async def _chunks(message: Message, fault: Fault | None) -> AsyncIterator[tuple[bytes, float | None]]:
    """Bytes with their tokens; None asks for an immediate flush."""
    after = int(fault.get("after", 0)) if fault else 0
    if fault and fault.action == "silence" and "after" not in fault.values:
        async for ping in _silence(fault):
            yield ping, None
    yield encode(*message.opening()), None
    yield encode(*PING), 0
    seen = 0
    for step in block_steps(message.sent):
        if fault is not None and step.is_delta:
            if seen == after:
                async for chunk in _strike(fault, step):
                    yield chunk, None
                if fault.action == "eof":
                    return
            seen += 1
        yield step.encode(), step.tokens
    if fault is not None and seen <= after:
        async for chunk in _strike(fault, None):
            yield chunk, None
        if fault.action == "eof":
            return
    for name, data in message.closing():
        yield encode(name, data), 0


async def _strike(fault: Fault, step: Step | None) -> AsyncIterator[bytes]:
    """What happens at the chosen delta (None: after the last one)."""
    if fault.action == "error":
        kind = fault.get("error_type", "overloaded_error")
        error = {"type": kind, "message": fault.get("message", "Overloaded")}
        yield encode("error", {"type": "error", "error": error})
        raise _Ended
    if fault.action == "cut" and "after_bytes" not in fault.values:
        if step is not None:
            yield _half(step.encode(), bool(fault.get("inside_character")))
        raise BrokenConnection
    if fault.action == "silence" and "after" in fault.values:
        async for ping in _silence(fault):
            yield ping


def _half(raw: bytes, inside_character: bool) -> bytes:
    """The first part of an event; with `inside_character` up to the middle of its first multi-byte character."""
    if inside_character:
        for at, byte in enumerate(raw):
            if byte >= 0xC0:
                return raw[: at + 1]
    return raw[: len(raw) // 2]


async def _silence(fault: Fault) -> AsyncIterator[bytes]:
    left = float(fault.get("seconds"))
    while left > 0:
        nap = min(left, PING_EVERY)
        await asyncio.sleep(nap)
        left -= nap
        if left > 0 and fault.get("pings", False):
            yield encode(*PING)
