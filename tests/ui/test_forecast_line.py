"""The line below the composer: tokens, the cached share, the price of the input; what is unknown is left away."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from pytestqt.qtbot import QtBot

from desktop_app.bridge.cache_models import Forecast
from desktop_app.bridge.figures import clock
from desktop_app.core.cache.forecast import CacheForecast
from desktop_app.core.usage import Known
from desktop_app.ui.chat.forecast_line import ForecastLine
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from tests.ui import window_samples as samples

UNTIL = datetime(2026, 11, 30, 14, 7, tzinfo=UTC)
BUDGET = samples.budget(messages=56_371, known=Known.ESTIMATED)
WARM = Forecast(BUDGET, CacheForecast(60_500, 704, 0, 0, UNTIL), Decimal("0.0131499"), date(2026, 11, 30))


@pytest.fixture
def line(qtbot: QtBot, theme: Theme, language: Language) -> ForecastLine:
    line = ForecastLine(theme, language)
    qtbot.addWidget(line)
    line.resize(700, 30)
    line.show()
    return line


def shown(line: ForecastLine) -> list[str]:
    labels = (line.tokens, line.cached, line.price, line.share, line.over)
    return [label.text() for label in labels if label.isVisible()]


def test_tokens_cached_share_and_price(line: ForecastLine, language: Language) -> None:
    line.set_forecast(WARM)
    assert shown(line) == ["next ≈ 61,204 tokens", "98 % cached", "≈ $0.0131"]
    assert f"60,500 tokens are expected to be read from the cache, if this is sent before {clock(UNTIL)}" in (
        line.cached.toolTip()
    )
    assert "Prices as of 30 November 2026" in line.price.toolTip()
    language.use("ko")
    assert shown(line) == ["다음 요청 ≈ 61,204토큰", "캐시 98 %", "≈ $0.0131"]
    assert "2026년 11월 30일 기준" in line.price.toolTip()


def test_the_cold_price_stands_in_the_tool_tip(line: ForecastLine, language: Language) -> None:
    line.set_forecast(replace(WARM, cold_usd=Decimal("0.2448")))
    assert "With nothing in the cache: ≈ $0.2448." in line.price.toolTip()
    language.use("ko")
    assert "캐시에 보관된 것이 없다면 ≈ $0.2448입니다." in line.price.toolTip()
    cold = Forecast(BUDGET, CacheForecast(0, 61_204, 0, 0), Decimal("0.2448"), date(2026, 11, 30), Decimal("0.2448"))
    line.set_forecast(cold)
    assert "0.2448" not in line.price.toolTip()


def test_nearly_all_is_not_all(line: ForecastLine) -> None:
    line.set_forecast(Forecast(BUDGET, CacheForecast(61_203, 1, 0, 0, UNTIL)))
    assert line.cached.text() == "99 % cached"


def test_a_cold_cache_is_said_and_without_a_price_there_is_no_money(line: ForecastLine) -> None:
    line.set_forecast(Forecast(BUDGET, CacheForecast(0, 61_204, 0, 0)))
    assert shown(line) == ["next ≈ 61,204 tokens", "0 % cached"]
    assert "in the last five minutes" in line.cached.toolTip()


def test_without_a_cache_the_share_of_the_window_stands_there(line: ForecastLine) -> None:
    line.set_forecast(Forecast(BUDGET, CacheForecast()))
    assert shown(line) == ["next ≈ 61,204 tokens", "6.1 % of 1,000,000"]
    line.set_budget(samples.budget(window=None))
    assert shown(line) == ["next = 57,933 tokens", "window unknown"]


def test_a_forecast_goes_with_its_request(line: ForecastLine) -> None:
    line.set_budget(BUDGET)
    line.set_forecast(WARM)
    line.set_budget(samples.budget(messages=56_371, known=Known.ESTIMATED))
    assert line.cached.text() == "98 % cached"
    line.set_budget(samples.budget())
    assert shown(line) == ["next = 57,933 tokens", "5.8 % of 1,000,000"]
    line.set_forecast(WARM)
    line.set_forecast(None)
    assert shown(line) == ["next ≈ 61,204 tokens", "6.1 % of 1,000,000"]
    line.set_budget(None)
    assert shown(line) == []


def test_a_warning_comes_first_where_there_is_little_room(line: ForecastLine) -> None:
    tight = samples.budget(window=60_000)
    line.set_forecast(Forecast(tight, CacheForecast(50_000, 7_933, 0, 0, UNTIL), Decimal("0.05"), date(2026, 11, 30)))
    assert shown(line)[-1] == "29,933 tokens too many for the window"
    line.resize(260, 30)
    assert shown(line) == ["29,933 tokens too many for the window"]
