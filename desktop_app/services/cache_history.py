"""What the past says of the cache: which lifetime fits a person's pauses, and what the estimator learned."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from desktop_app.core.cache.lifetime_advice import LifetimeAdvice, compare_lifetimes
from desktop_app.core.cache.reconciliation import LearnedFactor, learned_factor
from desktop_app.core.conversation import now
from desktop_app.core.endpoints import Endpoint
from desktop_app.core.money.pricing import PriceList
from desktop_app.core.ports import ConversationStore
from desktop_app.core.request_log import RequestRecord
from desktop_app.services.prices import PriceService
from desktop_app.services.turn_context import TurnContext

LOOK_BACK = timedelta(days=30)
_FRESH = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class _Past:
    """The requests as they were read at a moment, and what was found out of them under each choice."""

    records: list[RequestRecord]
    read_at: datetime
    prices: PriceList
    compared: dict[str, LifetimeAdvice | None] = field(default_factory=dict)


class CacheHistory:
    """Reads only. The requests of the last weeks are read and replayed at most every ten minutes, and after a price
    changed: habits change slowly."""

    def __init__(self, store: ConversationStore, context: TurnContext, prices: PriceService) -> None:
        self._store = store
        self._context = context
        self._prices = prices
        self._past: _Past | None = None
        self._reading = asyncio.Lock()

    async def lifetimes(self, current: str) -> LifetimeAdvice | None:
        """What each choice would have cost in the last thirty days, all conversations together.

        None where too little is known of a person's pauses. Whoever asks meanwhile waits for the same reading.
        """
        async with self._reading:
            past = self._past = await self._read()
            if current not in past.compared:
                replaying = asyncio.to_thread(compare_lifetimes, past.records, past.prices, current)
                past.compared[current] = await replaying
            return past.compared[current]

    async def _read(self) -> _Past:
        """What was read a while ago at most; what failed is tried again the next time."""
        moment, prices, past = now(), self._prices.prices, self._past
        if past is None or moment - past.read_at > _FRESH:
            return _Past(await self._store.replayable(moment - LOOK_BACK), moment, prices)
        return past if past.prices == prices else _Past(past.records, past.read_at, prices)

    async def learned(self, endpoint: Endpoint, model: str, features: Mapping[str, float]) -> LearnedFactor | None:
        """What the estimator of a model learned, for text with these features; None before it learned anything."""
        estimator = await self._context.estimator(endpoint, model)
        return learned_factor(estimator.calibration, features)
