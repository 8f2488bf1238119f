"""The simulator's clock: real time plus what the control endpoint has added."""

from __future__ import annotations

import time


class Clock:
    """Seconds since the epoch; only ever moved forward."""

    def __init__(self, offset: float = 0.0) -> None:
        self.offset = offset

    def now(self) -> float:
        return time.time() + self.offset

    def advance(self, seconds: float) -> None:
        self.offset += seconds
