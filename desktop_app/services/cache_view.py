"""What the cache panel and the `cache` command show: reads, writes, hit rate and money of a conversation."""

from __future__ import annotations

from desktop_app.core.cache_figures import CacheReport, cache_report
from desktop_app.core.ports import ConversationStore
from desktop_app.core.pricing import PriceList
from desktop_app.core.request_log import RequestRecord


class CacheView:
    """Reads only; nothing here changes a conversation."""

    def __init__(self, store: ConversationStore, prices: PriceList) -> None:
        self._store = store
        self.prices = prices

    async def report(self, conversation_id: str) -> CacheReport:
        """The turns of a conversation, other versions and memos among them; raises NotFound."""
        return (await self.with_records(conversation_id))[0]

    async def with_records(self, conversation_id: str) -> tuple[CacheReport, list[RequestRecord]]:
        """The same with the requests behind it, oldest first; raises NotFound."""
        conversation = await self._store.conversation(conversation_id)
        records = await self._store.requests(conversation_id)
        return cache_report(conversation_id, records, self.prices, simulated=conversation.simulated), records
