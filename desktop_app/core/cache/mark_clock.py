"""How long each mark of a request still holds its prefix in the cache."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from desktop_app.core.cache.forecast import CachePoint, PointPart
from desktop_app.core.cache.prediction import WarmPoint
from desktop_app.core.request_log import RequestRecord

_NOTHING = timedelta(0)


class MarkHolds(StrEnum):
    """What lies in front of a mark, each holding what those before it hold."""

    FIXED = "fixed"
    """Tools and instructions."""
    HEAD = "head"
    """Tools, instructions and facts: all before the messages."""
    MEMO = "memo"
    MESSAGES = "messages"
    """Messages down to the place of the mark."""
    ALL = "all"
    """The whole request."""


@dataclass(frozen=True, slots=True)
class MarkClock:
    """A mark of a request: the prefix of `tokens` down to it, and when it is forgotten.

    `until` None: nothing of it lies in the cache, or nothing is known of that. `measured` where the tokens were
    reported by the endpoint.
    """

    point: CachePoint
    holds: MarkHolds
    tokens: int
    until: datetime | None = None
    measured: bool = False

    def left(self, now: datetime) -> timedelta | None:
        """The time left; None once it is over."""
        left = self.until - now if self.until is not None else _NOTHING
        return left if left > _NOTHING else None


def mark_clocks(record: RequestRecord | None, warm: Mapping[str, WarmPoint]) -> tuple[MarkClock, ...]:
    """The marks of a request in the order of the prefix; `warm` is what still lies in the cache, by digest."""
    points = record.points if record is not None else ()
    return tuple(_clock(point, place == len(points) - 1, warm.get(point.digest)) for place, point in enumerate(points))


def last_forgotten(clocks: tuple[MarkClock, ...]) -> datetime | None:
    """When the longest prefix that is still held is forgotten; None where none is."""
    return next((clock.until for clock in reversed(clocks) if clock.until is not None), None)


def _clock(point: CachePoint, last: bool, warm: WarmPoint | None) -> MarkClock:
    kind = MarkHolds.ALL if last and point.part is PointPart.MESSAGES else MarkHolds(point.part)
    if warm is None:
        return MarkClock(point, kind, point.tokens)
    return MarkClock(point, kind, warm.tokens, warm.until, warm.measured)
