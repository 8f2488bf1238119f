"""A conversation's cache over a real store: the report after a reading, the forecast until it is forgotten."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from desktop_app.adapters.price_file import PriceFile
from desktop_app.adapters.store import Store
from desktop_app.bridge import conversation_cache
from desktop_app.bridge.async_runner import AsyncRunner
from desktop_app.bridge.background import Background
from desktop_app.bridge.conversation_cache import ConversationCache
from desktop_app.core.cache.prediction import points_of
from desktop_app.core.context import plan_context
from desktop_app.core.context_budget import make_budget
from desktop_app.core.conversation import new_id, now
from desktop_app.core.endpoints import ANTHROPIC_URL, Endpoint, EndpointKind
from desktop_app.core.models import Features, ModelInfo
from desktop_app.core.money.pricing import load_prices
from desktop_app.core.prompt import Choices, build_request
from desktop_app.core.request_log import RequestRecord, RequestState
from desktop_app.core.settings import ProfileInUse, ProfileSettings
from desktop_app.core.token_estimate import TokenEstimator
from desktop_app.core.usage import Figure, Known, Usage
from desktop_app.services.cache_view import CacheView
from desktop_app.services.prices import PriceService
from desktop_app.services.turn_context import Prepared, TurnSetting
from tests.unit.message_samples import EPOCH, path_of, reply, user

ANTHROPIC = Endpoint(EndpointKind.ANTHROPIC, ANTHROPIC_URL)
CHOICES = Choices(16_000)
PATH = path_of(user("one"), reply("first"), user("two"))


@pytest.fixture
def runner() -> Iterator[AsyncRunner]:
    running = AsyncRunner()
    yield running
    running.stop()


@pytest.fixture
def store(tmp_path: Path, runner: AsyncRunner) -> Iterator[Store]:
    opened = Store.open(tmp_path)
    yield opened
    runner.finish(opened.close())


@pytest.fixture
def cache(store: Store, runner: AsyncRunner, tmp_path: Path) -> Iterator[ConversationCache]:
    background = Background(runner)
    cache = ConversationCache(CacheView(store, PriceService(load_prices(), PriceFile(tmp_path))), background)
    yield cache
    cache.stop()
    background.close()


def prepared(messages: int = 3, kind: EndpointKind = EndpointKind.ANTHROPIC) -> tuple[Prepared, TurnSetting]:
    """The request that answers the first so many messages, 57,933 tokens."""
    endpoint = ANTHROPIC if kind is EndpointKind.ANTHROPIC else Endpoint(kind, "http://127.0.0.1:9")
    plan = plan_context(PATH[:messages], EPOCH)
    request = build_request(plan, CHOICES, Features())
    setting = TurnSetting(
        endpoint,
        ModelInfo(EPOCH.model, "Sonnet"),
        Features(),
        EPOCH,
        CHOICES,
        ProfileInUse("default", ProfileSettings()),
    )
    known = {len(plan.messages): Figure(57_933, Known.COUNTED)}
    budget = make_budget(plan, TokenEstimator(), known, reserve=16_000, window=1_000_000)
    return Prepared(plan, request, tuple(request.prefix_digests(endpoint.identity)), known, budget), setting


def keep_first_request(store: Store, runner: AsyncRunner, sent_at: datetime) -> str:
    """A conversation whose first request left 50,000 tokens in the cache; its id."""
    ready, _ = prepared(1)

    async def keep() -> str:
        talk = await store.create_conversation("default", "Backups plan", False)
        record = RequestRecord(
            new_id(), talk.id, "t1", 1, 1, sent_at, "api.anthropic.com", EPOCH.model, ready.digests[-1], 16_000,
            None, 0, (), state=RequestState.ANSWERED, usage=Usage(3, 50_000, 0, 0, 90),
            points=points_of(ready.request, ready.stops(ANTHROPIC.identity)),
        )  # fmt: skip
        await store.save_request(record, ready.request)
        return talk.id

    return runner.start(keep()).result(5)


def test_a_reading_brings_the_report_and_the_forecast(
    qtbot: QtBot, cache: ConversationCache, store: Store, runner: AsyncRunner
) -> None:
    talk = keep_first_request(store, runner, now() - timedelta(seconds=10))
    with qtbot.waitSignal(cache.forecastChanged):
        cache.look(*prepared())
    assert cache.forecast is not None
    assert cache.forecast.cache.read == 0
    assert cache.forecast.usd == Decimal("0.1448325")
    with qtbot.waitSignals([cache.reportChanged, cache.forecastChanged]):
        cache.read(talk)
    assert cache.report is not None
    assert cache.report.total.write_5m == 50_000
    forecast = cache.forecast
    assert (forecast.cache.read, forecast.cache.written) == (50_000, 7_933)
    assert forecast.usd == Decimal("0.0248325")
    assert forecast.dated == load_prices().dated
    assert forecast.cold_usd == Decimal("0.1448325")
    assert forecast.miss is None


def test_the_forecast_turns_cold_by_itself(
    qtbot: QtBot, cache: ConversationCache, store: Store, runner: AsyncRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent_at = now()
    talk = keep_first_request(store, runner, sent_at)
    clock = [sent_at + timedelta(minutes=4, seconds=59.9)]
    monkeypatch.setattr(conversation_cache, "now", lambda: clock[0])
    cache.look(*prepared())
    with qtbot.waitSignal(cache.reportChanged):
        cache.read(talk)
    qtbot.waitUntil(lambda: cache.forecast is not None and cache.forecast.cache.read == 50_000, timeout=5_000)
    clock[0] += timedelta(seconds=0.1)
    qtbot.waitUntil(lambda: cache.forecast is not None and cache.forecast.cache.read == 0, timeout=5_000)
    assert not cache._cooling.isActive()


def test_only_anthropic_has_a_price_and_nothing_has_no_forecast(qtbot: QtBot, cache: ConversationCache) -> None:
    for kind in (EndpointKind.SIMULATOR, EndpointKind.CUSTOM):
        with qtbot.waitSignal(cache.forecastChanged):
            cache.look(*prepared(kind=kind))
        assert cache.forecast is not None
        assert (cache.forecast.usd, cache.forecast.dated) == (None, None)
    cache.look(None, None)
    assert cache.forecast is None


def test_a_conversation_that_is_not_stored_yet_is_not_read(cache: ConversationCache, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(cache.reportChanged, wait=50):
        cache.read(None)
    assert cache.report is None
