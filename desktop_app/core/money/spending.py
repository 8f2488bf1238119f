"""What was spent: every request of every conversation by turn, conversation, profile, model or day, and on what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Context, Decimal
from enum import StrEnum

from desktop_app.core.money.price_sources import NO_PRICES, PriceSources
from desktop_app.core.money.pricing import Cost
from desktop_app.core.request_log import RequestRecord

EXACT = Context(prec=200)
"""Wide enough that no sum of money is rounded, so that the order of adding makes no difference."""


class SpendingBy(StrEnum):
    """What the requests are put together by."""

    TURN = "turn"
    CONVERSATION = "conversation"
    PROFILE = "profile"
    MODEL = "model"
    DAY = "day"


class SpentOn(StrEnum):
    """The lines of a sum."""

    ANSWERS = "answers"
    RETRIES = "retries"
    """Attempts that failed or were stopped and were made again in the same round."""
    STOPPED = "stopped"
    """Answers that were stopped or broke off."""
    COMPACTION = "compaction"
    """Memos, also those that came to nothing, and the passes a server makes beside an answer."""
    EXTRACTION = "extraction"
    """Looking through exchanges for facts."""
    JUDGING = "judging"
    """Comparing facts that are to be kept with those there are."""
    COUNTING = "counting"
    """Requests that were counted too; the API does not charge for it."""


@dataclass(frozen=True, slots=True)
class SpentRequest:
    """A request with where it belongs.

    What a simulated assistant did costs nothing and enters no sum. `gone`: its conversation is deleted for good, and
    its title with it; of the record only what concerns money is left.
    """

    record: RequestRecord
    profile: str
    title: str
    simulated: bool = False
    gone: bool = False


@dataclass(frozen=True, slots=True)
class SpendingLine:
    """`requests` of one kind: tokens as far as known, USD as far as priced.

    `unreported` told no usage, `unpriced` have no known price or no tokens to price; `cost.estimated` where part of
    the sum is a guess.
    """

    requests: int = 0
    input: int = 0
    output: int = 0
    cost: Cost = field(default_factory=Cost)
    unreported: int = 0
    unpriced: int = 0

    @property
    def usd(self) -> Decimal | None:
        """The whole of what is priced; None, never 0, where nothing is."""
        total = self.cost.total
        return None if self.unpriced and not total else total

    @property
    def estimated(self) -> bool:
        """Whether part of the sum is a guess."""
        return self.cost.estimated


@dataclass(frozen=True, slots=True)
class SpendingGroup:
    """What belongs together, named by `first`, its earliest request; `day` is the day of that in the person's zone.

    `lines` only of what there is, in the order of SpentOn; COUNTING counts calls, and COMPACTION passes of a server
    too, that are no requests of their own: `total.requests` leaves them out.
    """

    key: tuple[str, ...]
    first: SpentRequest
    day: date
    lines: Mapping[SpentOn, SpendingLine]
    total: SpendingLine


@dataclass(frozen=True, slots=True)
class SpendingReport:
    """All groups and their sum; the sum is the same whatever the requests are put together by.

    Turns and days newest first, the others the dearest first. `simulated` requests are left out of it. `dated` is the
    day of the prices, `sources` whose they are.
    """

    by: SpendingBy
    groups: tuple[SpendingGroup, ...]
    lines: Mapping[SpentOn, SpendingLine]
    total: SpendingLine
    simulated: int
    dated: date
    sources: PriceSources = NO_PRICES
