"""What is expected of the prompt cache for one request, and the points down to which a request is kept there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Literal

from desktop_app.core.usage import Usage

Lifetime = Literal["5m", "1h"]
"""How long a prefix stays readable after the request that wrote or last read it was sent."""
LIFE: Mapping[Lifetime, timedelta] = {"5m": timedelta(minutes=5), "1h": timedelta(hours=1)}
LONGEST = max(LIFE.values())
"""Nothing stays in the cache for longer."""
LOOK_BACK = 20
"""How many blocks before a mark an earlier prefix is still found."""
LIFETIMES = ("5m", "head", "1h")
"""What a profile chooses from: all marks five minutes; tools, system, facts and memo one hour; all one hour."""


class PointPart(StrEnum):
    """What a mark stands behind."""

    FIXED = "fixed"
    """Tools and instructions, in front of the facts."""
    HEAD = "head"
    """All before the messages: tools, instructions, facts."""
    MEMO = "memo"
    """The memo at the beginning of the first message."""
    MESSAGES = "messages"
    """A whole message."""


@dataclass(frozen=True, slots=True)
class CachePoint:
    """A mark of a request: the prefix down to it is kept.

    `place` 0 is before the messages, n in or behind message number n (from 1). `digest` names the prefix, `tokens` are
    those of the prefix as far as they are known.
    """

    place: int
    digest: str
    tokens: int
    lifetime: Lifetime = "5m"
    part: PointPart = PointPart.MESSAGES


@dataclass(frozen=True, slots=True)
class CacheForecast:
    """Input tokens of a request by kind, as expected; all None where nothing is known of a cache.

    `warm_until`: when what would be read is forgotten; None when nothing would be.
    """

    read: int | None = None
    write_5m: int | None = None
    write_1h: int | None = None
    uncached: int | None = None
    warm_until: datetime | None = None

    @property
    def written(self) -> int | None:
        """Tokens to be written, both lifetimes."""
        return None if self.write_5m is None else self.write_5m + (self.write_1h or 0)

    @property
    def total(self) -> int | None:
        """All input tokens."""
        return None if self.read is None else self.read + (self.written or 0) + (self.uncached or 0)

    def as_usage(self) -> Usage:
        """The input as a reply would report it, without any output; it holds nothing where nothing is known."""
        return Usage(self.uncached, self.write_5m, self.write_1h, self.read, output=0)

    @property
    def warm(self) -> bool:
        """Whether anything is expected to be read."""
        return bool(self.read)
