"""Requests of a conversation as its cache shows them: growing, with a memo in between, priced or not."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from PySide6.QtCore import QObject

from desktop_app.bridge.conversation_cache import ConversationCache
from desktop_app.core.cache_figures import CacheReport, cache_report
from desktop_app.core.pricing import load_prices
from desktop_app.core.request_log import RequestPurpose, RequestRecord
from desktop_app.core.usage import Usage
from tests.ui import window_samples as samples
from tests.ui.stand_in import stand_in

MEMO_AFTER = 12


def request(turn: int, usage: Usage | None, **changes: object) -> RequestRecord:
    """The request of a turn with this usage."""
    return replace(samples.record(turn, 1_000), usage=usage, **changes)  # type: ignore[arg-type]


def talk(turns: int = 24) -> list[RequestRecord]:
    """A conversation with Anthropic; a memo after the twelfth turn makes the prefix a new one."""
    records, before = [], 0
    for turn in range(1, turns + 1):
        new = 1_900 + turn * 37 % 11 * 240
        read = before if turn not in (1, MEMO_AFTER + 1) else 0
        before = (before if turn != MEMO_AFTER + 1 else 4_200) + new
        records.append(request(turn, Usage(3, before - read, 0, read, 380 + turn * 7)))
        if turn == MEMO_AFTER:
            memo = request(turn, Usage(3, 420, 0, before, 1_950), id="memo", purpose=RequestPurpose.MEMO)
            records.append(replace(memo, sent_at=memo.sent_at + timedelta(minutes=1)))
    return records


def report(records: list[RequestRecord] | None = None, *, simulated: bool = False) -> CacheReport:
    """What is told of these requests."""
    return cache_report("c1", talk() if records is None else records, load_prices(), simulated=simulated)


@stand_in
class StageCache(ConversationCache):
    """A conversation's cache that a test fills."""

    calls: list[tuple[object, ...]]

    def __init__(self, report: CacheReport | None = None) -> None:
        QObject.__init__(self)
        self.forecast = None
        self.calls = []
        self.report = report


def tell(cache: StageCache, report: CacheReport | None) -> None:
    """Its requests were read again."""
    cache.report = report
    cache.reportChanged.emit(report)
