"""A long warm chat, another model: what it costs is said before sending, and the miss has its reason afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from desktop_app.bridge.app_session import AppSession
from desktop_app.core import endpoints
from desktop_app.core.cache.causes import Cause
from desktop_app.core.money.price_rows import PriceRow, Rates
from desktop_app.core.money.price_words import about
from desktop_app.services.all_services import Services
from desktop_app.ui.language import Language
from desktop_app.ui.main_window import MainWindow
from desktop_app.ui.theme import Theme
from tests.fakes.forty_turns import INSTRUCTIONS
from tests.fakes.house import make_services, make_settings
from tests.fakes.simulator import RunningSimulator

OPUS, SONNET = "claude-opus-5-5", "claude-sonnet-5-5"
RATES = {
    OPUS: Rates(*map(Decimal, ("4", "20", "5", "8", "0.20"))),
    SONNET: Rates(*map(Decimal, ("2", "10", "2.50", "4", "0.10"))),
}


@pytest.fixture
def simulator(monkeypatch: pytest.MonkeyPatch) -> Iterator[RunningSimulator]:
    """It stands where Anthropic is."""
    with RunningSimulator() as running:
        monkeypatch.setattr(endpoints, "ANTHROPIC_URL", running.url)
        yield running


@pytest.fixture
def session(qtbot: QtBot, tmp_path: Path, simulator: RunningSimulator) -> Iterator[AppSession]:
    settings = make_settings(tmp_path, simulator.url, simulated=False, model=OPUS, instructions=INSTRUCTIONS * 40)
    session = AppSession(settings, lambda: make_services(tmp_path, simulator.url, settings))
    with qtbot.waitSignal(session.ready, timeout=10_000):
        session.start()
    session.use_key(simulator.key, keep=False)
    qtbot.waitUntil(lambda: session.endpoint is not None and bool(session.endpoint.models), timeout=10_000)
    yield session
    session.close()


def services_of(session: AppSession) -> Services:
    """The services behind it."""
    assert session._services is not None
    return session._services


def test_the_price_of_another_model_is_said_before_and_its_reason_after(
    qtbot: QtBot, theme: Theme, language: Language, tmp_path: Path, session: AppSession
) -> None:
    services = services_of(session)
    assert session.endpoint is not None
    for model, rates in RATES.items():
        services.prices.put(PriceRow(model, rates, session.endpoint.host))
    window = MainWindow(session, theme, language, tmp_path / "window.ini")
    qtbot.addWidget(window)
    window.resize(1_440, 900)
    window.show()
    chat, composer = session.current, window.composer
    assert chat is not None
    for text in ("My bicycle is locked at the station, rack 14.", "write 90 words about snow"):
        with qtbot.waitSignal(chat.turnEnded, timeout=15_000):
            composer.set_text(text)
            composer.submit()
    composer.set_text("Where is my bicycle?")
    composer.textEdited.emit("Where is my bicycle?")
    qtbot.waitUntil(lambda: chat.cache.forecast is not None and bool(chat.cache.forecast.cache.read), timeout=5_000)
    qtbot.waitUntil(lambda: session.price_tags is not None and session.price_tags.ground is not None)
    assert composer.spoilt.isHidden()

    # Before anything is done, the menu tells what it would cost.
    window_menu = window.top_bar.model.menu_of_choices()
    line = next(one.text() for one in window_menu.actions() if one.text().startswith("Claude Sonnet 5.5\t"))
    window_menu.deleteLater()
    assert "≈\u00a0$0.0" in line
    assert "tokens" in line
    in_menu = line.rsplit("\u00a0", 1)[1]

    # After it is chosen and before it is sent, the composer does.
    window.top_bar.model.take(SONNET)
    qtbot.waitUntil(composer.spoilt.isVisible, timeout=5_000)
    forecast = chat.cache.forecast
    assert forecast is not None
    assert forecast.usd is not None
    assert forecast.miss is not None
    lost = f"{forecast.miss.lost_tokens:,}"
    # One act, one figure: both are estimates, each rounded by itself.
    told = int(in_menu.removesuffix(" tokens").replace(",", ""))
    assert abs(told - (forecast.miss.lost_tokens or 0)) <= 2
    assert forecast.miss.cause is Cause.MODEL
    assert (forecast.miss.lost_tokens or 0) > 4_000
    assert forecast.miss.lost_usd is not None
    then, instead = about(forecast.usd), about(forecast.usd - forecast.miss.lost_usd)
    assert (
        composer.spoilt.text() == f"Another model: ≈\u00a0{lost} tokens are written anew, {then} instead of {instead}."
    )
    assert forecast.usd > 10 * (forecast.usd - forecast.miss.lost_usd)
    language.use("ko")
    assert composer.spoilt.text() == f"모델 변경: ≈\u00a0{lost}토큰을 새로 써서 {then}입니다(그대로 두면 {instead})."
    language.use("en")

    with qtbot.waitSignal(chat.turnEnded, timeout=15_000):
        composer.submit()
    assert chat.conversation_id is not None
    report = session._runner.start(services.reasons.why(chat.conversation_id, None)).result(10)
    assert report.culprit.cause is Cause.MODEL
    assert (report.culprit.was, report.culprit.is_now) == (OPUS, SONNET)
    qtbot.waitUntil(composer.spoilt.isHidden, timeout=5_000)
