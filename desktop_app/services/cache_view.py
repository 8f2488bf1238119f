"""What the cache panel and the `cache` command show: reads, writes, hit rate and money, past and next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from decimal import Decimal

from desktop_app.core.cache.causes import Cause, SentRequest
from desktop_app.core.cache.culprit import Culprit, find_culprit
from desktop_app.core.cache.figures import CacheReport, cache_report
from desktop_app.core.cache.forecast import LONGEST, CacheForecast
from desktop_app.core.cache.left import last_on_path
from desktop_app.core.cache.next_prefixes import sent_before
from desktop_app.core.cache.prediction import Stop, cached_tokens, forecast_cost, points_of, predict, predict_cold
from desktop_app.core.conversation import now
from desktop_app.core.endpoints import EndpointKind
from desktop_app.core.money.pricing import PriceList
from desktop_app.core.ports import ConversationStore
from desktop_app.core.request import Request
from desktop_app.core.request_log import RequestRecord
from desktop_app.services.prices import PriceService
from desktop_app.services.turn_context import Prepared, TurnSetting, record_of

_MUCH, _MUCH_OF = 1_000, 0.1
"""From so many tokens on, or from this share of the request, a loss is foretold: less is not worth a warning."""


@dataclass(frozen=True, slots=True)
class CacheReading:
    """What is known of a conversation's requests, and of those of all others that may have warmed the cache.

    `last` is the last request of a turn of the path in use whose answer began.
    """

    report: CacheReport | None = None
    records: list[RequestRecord] = field(default_factory=list)
    recent: list[RequestRecord] = field(default_factory=list)
    last: SentRequest | None = None


@dataclass(frozen=True, slots=True)
class Foreseen:
    """The next request: `cache` as things stand, `cold` when nothing of it were kept; USD of the input by both.

    `miss` says why it will not read what the last one left, None where nothing stands in the way.
    """

    cache: CacheForecast
    cold: CacheForecast
    usd: Decimal | None = None
    cold_usd: Decimal | None = None
    dated: date | None = None
    miss: Culprit | None = None


class CacheView:
    """Reads only; nothing here changes a conversation."""

    def __init__(self, store: ConversationStore, prices: PriceService) -> None:
        self._store = store
        self._prices = prices

    @property
    def prices(self) -> PriceList:
        """The price list as it holds now."""
        return self._prices.prices

    async def report(self, conversation_id: str) -> CacheReport:
        """The turns of a conversation, other versions and memos among them; raises NotFound."""
        return (await self.with_records(conversation_id))[0]

    async def with_records(self, conversation_id: str) -> tuple[CacheReport, list[RequestRecord]]:
        """The same with the requests behind it, oldest first; raises NotFound."""
        return (await self._told(conversation_id))[:2]

    async def _told(self, conversation_id: str) -> tuple[CacheReport, list[RequestRecord], frozenset[str]]:
        """The report, its requests, and the ids of the messages in use."""
        simulated = (await self._store.conversation(conversation_id)).simulated
        records = await self._store.requests(conversation_id)
        path = frozenset(await self._store.path_ids(conversation_id))
        report = cache_report(conversation_id, records, self.prices, simulated=simulated, path=path)
        return report, records, path

    async def recent(self) -> list[RequestRecord]:
        """The requests of the last hour, whatever their conversation, oldest first."""
        return await self._store.requests_since(now() - LONGEST)

    async def read(self, conversation_id: str | None) -> CacheReading:
        """All that a look ahead needs; raises NotFound."""
        recent = await self.recent()
        if conversation_id is None:
            return CacheReading(recent=recent)
        report, records, path = await self._told(conversation_id)
        last = last_on_path(records, path)
        sent = SentRequest(*await self._store.request(last.id)) if last else None
        return CacheReading(report, records, recent, sent)

    async def foresee(
        self, prepared: Prepared, setting: TurnSetting, reading: CacheReading, moment: datetime
    ) -> Foreseen:
        """What the cache will do for a request that leaves at a moment, and what its input will cost."""
        request, stops = prepared.request, prepared.stops(setting.endpoint.identity)
        cache = predict(request, stops, reading.recent, moment, host=setting.endpoint.host)
        host = setting.endpoint.host
        cold = predict_cold(request, stops, reading.recent, host=host) if cache.read is not None else CacheForecast()
        miss = self._miss(prepared, setting, reading, cache, stops, moment)
        prices = self.prices
        if setting.endpoint.kind is EndpointKind.SIMULATOR or not prices.standing(request.model, host):
            return Foreseen(cache, cold, miss=miss)
        usd, cold_usd = (forecast_cost(prices, request.model, one, moment, host=host) for one in (cache, cold))
        return Foreseen(cache, cold, usd, cold_usd, prices.dated, miss)

    def _miss(
        self,
        prepared: Prepared,
        setting: TurnSetting,
        reading: CacheReading,
        cache: CacheForecast,
        stops: Sequence[Stop],
        moment: datetime,
    ) -> Culprit | None:
        """Why less will be read than the last request left in the cache; None where nearly all of it will be."""
        last, total = reading.last, cache.total
        if last is None or cache.read is None or not total:
            return None
        worth = min(_MUCH, total * _MUCH_OF)
        if min(cached_tokens(last.record) or 0, total) - cache.read < worth:
            return None  # without a look at the blocks: this is asked with every pause in typing
        record = record_of(prepared, setting, (last.record.conversation_id, ""), last.record.turn + 1, 1)
        points = points_of(prepared.request, stops)
        coming = SentRequest(replace(record, sent_at=moment, points=points, predicted=cache), prepared.request)
        simulated = setting.endpoint.kind is EndpointKind.SIMULATOR
        culprit = find_culprit(last, coming, self.prices, simulated=simulated)
        culprit = _as_tagged(culprit, prepared, last.request, cache.read)
        return culprit if (culprit.lost_tokens or 0) >= worth else None


def _as_tagged(culprit: Culprit, prepared: Prepared, before: Request, read: int) -> Culprit:
    """For another model the tokens its price tag names: the prefix as the new model counts it, without the draft."""
    lost = culprit.lost_tokens
    if culprit.cause is not Cause.MODEL or not lost:
        return culprit
    anew = max(0, sent_before(prepared.plan, prepared.budget, before) - read)
    usd = culprit.lost_usd * anew / lost if culprit.lost_usd is not None else None
    return replace(culprit, lost_tokens=anew, lost_usd=usd)
