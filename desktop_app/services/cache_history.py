"""What the past says of the cache: which lifetime fits a person's pauses, and what the estimator learned."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import datetime, timedelta

from desktop_app.core.conversation import now
from desktop_app.core.endpoints import Endpoint
from desktop_app.core.lifetime_advice import LifetimeAdvice, compare_lifetimes
from desktop_app.core.ports import ConversationStore
from desktop_app.core.reconciliation import LearnedFactor, learned_factor
from desktop_app.core.request_log import RequestRecord
from desktop_app.services.prices import PriceService
from desktop_app.services.turn_context import TurnContext

LOOK_BACK = timedelta(days=30)
_FRESH = timedelta(minutes=10)


class CacheHistory:
    """Reads only. The requests of the last weeks are read at most every ten minutes: habits change slowly."""

    def __init__(self, store: ConversationStore, context: TurnContext, prices: PriceService) -> None:
        self._store = store
        self._context = context
        self._prices = prices
        self._records: list[RequestRecord] = []
        self._read_at: datetime | None = None

    async def lifetimes(self, current: str) -> LifetimeAdvice | None:
        """What each choice would have cost in the last thirty days, all conversations together.

        None where too little is known of a person's pauses.
        """
        moment = now()
        if self._read_at is None or moment - self._read_at > _FRESH:
            self._read_at = moment
            self._records = await self._store.requests_since(moment - LOOK_BACK)
        return await asyncio.to_thread(compare_lifetimes, self._records, self._prices.prices, current)

    async def learned(self, endpoint: Endpoint, model: str, features: Mapping[str, float]) -> LearnedFactor | None:
        """What the estimator of a model learned, for text with these features; None before it learned anything."""
        estimator = await self._context.estimator(endpoint, model)
        return learned_factor(estimator.calibration, features)
