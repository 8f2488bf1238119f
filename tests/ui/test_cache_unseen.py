"""The Cache panel behind another tab, and what it may not say: it rests unseen, and nothing contradicts itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMainWindow
from pytestqt.qtbot import QtBot

from desktop_app.bridge.cache_models import Forecast
from desktop_app.core.cache.forecast import CacheForecast
from desktop_app.ui.cache import cache_panel
from desktop_app.ui.cache.cache_panel import CachePanel
from desktop_app.ui.inspector import Inspector
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from tests.ui import window_samples as samples
from tests.ui.cache_samples import StageCache, StageTruth, forecast, full_truth, report, talk, tell
from tests.ui.window_stage import StageChat

NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
UNTIL = NOW + timedelta(minutes=3, seconds=41)


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> list[datetime]:
    moment = [NOW]
    monkeypatch.setattr(cache_panel, "now", lambda: moment[0])
    return moment


@pytest.fixture
def chat() -> StageChat:
    chat = StageChat()
    chat.cache, chat.truth = StageCache(report()), full_truth(UNTIL)
    chat.cache.forecast = forecast(UNTIL)
    return chat


@pytest.fixture
def inspector(qtbot: QtBot, theme: Theme, language: Language, chat: StageChat) -> Inspector:
    """Its docks one behind the other, the Cache panel in front."""
    window = QMainWindow()
    qtbot.addWidget(window)
    inspector = Inspector(window, theme, language)
    inspector.begin()
    inspector.arrange()
    inspector.set_chat(chat)
    window.resize(900, 900)
    window.show()
    qtbot.waitExposed(window)
    inspector.show("cache")
    qtbot.waitUntil(lambda: inspector.cache.is_seen)
    return inspector


def behind(qtbot: QtBot, inspector: Inspector) -> CachePanel:
    """The panel behind that of the context: Qt calls it visible all the same."""
    inspector.show("context")
    qtbot.waitUntil(lambda: not inspector.cache.is_seen)
    assert inspector.cache.isVisible()
    return inspector.cache


def test_no_clock_runs_behind_another_tab(qtbot: QtBot, inspector: Inspector, clock: list[datetime]) -> None:
    assert inspector.cache._ticking.isActive()
    panel = behind(qtbot, inspector)
    assert not panel._ticking.isActive()
    assert panel._cache is not None
    panel._cache.forecastChanged.emit(panel._cache.forecast)
    assert not panel._ticking.isActive()
    clock[0] += timedelta(minutes=1)
    inspector.show("cache")
    qtbot.waitUntil(panel._ticking.isActive)
    assert panel.tiles.warm.big.text == "2:41"


def test_nothing_is_drawn_unseen_and_everything_on_return(
    qtbot: QtBot, inspector: Inspector, chat: StageChat, language: Language
) -> None:
    panel = behind(qtbot, inspector)
    tell(chat.cache, report(talk(30)))
    chat.truth.misses = {}
    chat.truth.changed.emit()
    assert panel.turns_model.rowCount() == 25
    assert not panel.miss.isHidden()
    inspector.show("cache")
    qtbot.waitUntil(lambda: panel.turns_model.rowCount() == 31)
    assert panel.miss.isHidden()
    behind(qtbot, inspector)
    inspector.set_chat(None)
    inspector.show("cache")
    qtbot.waitUntil(panel.empty.isVisible)


@pytest.mark.qt_log_ignore("This plugin does not support raise")
def test_a_panel_that_floats_goes_on(qtbot: QtBot, inspector: Inspector) -> None:
    inspector.docks["cache"].title.float_button.click()
    qtbot.waitUntil(inspector.docks["cache"].isFloating)
    inspector.show("context")
    assert inspector.cache.is_seen
    assert inspector.cache._ticking.isActive()


@pytest.fixture
def show(qtbot: QtBot, theme: Theme, language: Language) -> Callable[[Forecast | None, StageTruth], CachePanel]:
    def show(next_request: Forecast | None, truth: StageTruth) -> CachePanel:
        panel = CachePanel(theme, language)
        qtbot.addWidget(panel)
        panel.resize(380, 1_600)
        panel.show()
        cache = StageCache(report())
        cache.forecast = next_request
        panel.set_cache(cache, truth)
        return panel

    return show


Show = Callable[[Forecast | None, StageTruth], CachePanel]


def test_what_lies_behind_the_figures_leaves_the_figures_alone(show: Show) -> None:
    truth = full_truth(UNTIL)
    panel = show(forecast(UNTIL), truth)
    resets: list[None] = []
    panel.turns_model.modelReset.connect(lambda: resets.append(None))
    panel.turn.model.modelReset.connect(lambda: resets.append(None))
    truth.misses = {}
    truth.changed.emit()
    assert panel.miss.isHidden()
    assert panel.chart._missed == set()
    assert resets == []


@pytest.mark.parametrize(
    ("code", "said"),
    [("en", "next message: cold, reads nothing of it"), ("ko", "다음 메시지: 새로 씀, 캐시에서 읽지 않음")],
)
def test_a_cold_next_message_does_not_deny_what_the_marks_keep(
    show: Show, language: Language, code: str, said: str
) -> None:
    """Another model: the last prefix is kept still, but the next message begins with another one."""
    language.use(code)
    truth = full_truth(UNTIL)
    truth.warm_until = None
    panel = show(forecast(None), truth)
    assert panel.clocks.isVisible()
    tile = panel.tiles.warm
    assert tile.accessibleName() == said
    assert tile.below.text() == tile.below.whole()
    assert tile.name.text() == tile.name.whole()


def test_nothing_spoils_a_cache_that_is_not_there(show: Show) -> None:
    unknown = Forecast(samples.budget(), CacheForecast(), None)
    panel = show(unknown, full_truth(UNTIL))
    assert panel.lint.isHidden()
    assert panel._cache is not None
    panel._cache.forecast = replace(unknown, cache=CacheForecast(0, 5_000, 0, 3))
    panel._cache.forecastChanged.emit(panel._cache.forecast)
    assert panel.lint.isVisible()
    panel._cache.forecast = None
    panel._cache.forecastChanged.emit(None)
    assert panel.lint.isHidden()


@pytest.mark.parametrize(("code", "header"), [("en", "off, of input"), ("ko", "오차(입력 대비)")])
def test_the_drift_says_what_it_is_measured_by(show: Show, language: Language, code: str, header: str) -> None:
    language.use(code)
    panel = show(forecast(UNTIL), full_truth(UNTIL))
    panel.expected.more.click()
    table = panel.expected.table
    assert table.model().headerData(3, Qt.Orientation.Horizontal, 0) == header
    metrics = table.horizontalHeader().fontMetrics()
    assert metrics.horizontalAdvance(header) <= table.columnWidth(3) - 12
