"""Whose prices a sum of money is made of: Anthropic's list, the person's own, or both."""

from __future__ import annotations

from enum import Flag, auto

from desktop_app.core.money.pricing import PriceList
from desktop_app.core.request_log import RequestRecord
from desktop_app.core.words import Words


class PriceSources(Flag):
    """Where prices come from."""

    LISTED = auto()
    """Anthropic's, as they were known on the day of the list."""
    OWN = auto()
    """What the person entered."""


NO_PRICES = PriceSources(0)


def prices_behind(record: RequestRecord, prices: PriceList) -> PriceSources:
    """Whose price a request was priced with, where it has one."""
    own = prices.is_own(record.answered_by or record.model, record.host)
    return PriceSources.OWN if own else PriceSources.LISTED


def sources_words(words: Words, sources: PriceSources, day: str) -> str:
    """Where the prices of a sum are from, `day` being that of the list as it is shown; empty without any."""
    if PriceSources.OWN not in sources:
        return words.say("money.prices_listed", date=day) if sources else ""
    if PriceSources.LISTED not in sources:
        return words.say("money.prices_own")
    return words.say("money.prices_dated", date=day)
