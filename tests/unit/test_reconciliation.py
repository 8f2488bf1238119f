"""Expected against got: tokens by kind, the input, its price; unknown stays unknown; the running summary."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from desktop_app.core.cache.forecast import CacheForecast
from desktop_app.core.cache.reconciliation import (
    FigureName,
    Reconciled,
    drift_summary,
    learned_factor,
    reconcile,
    together,
)
from desktop_app.core.money.pricing import load_prices
from desktop_app.core.request_log import RequestRecord
from desktop_app.core.token_estimate import TokenEstimator, text_features, uncalibrated
from desktop_app.core.usage import SidePass, Usage
from tests.unit.test_lifetime_advice import START, request

PRICES = load_prices()
FORESEEN = CacheForecast(59_000, 1_000, 0, 0)


def sent(usage: Usage | None, predicted: CacheForecast | None = FORESEEN, **changes: Any) -> RequestRecord:
    return replace(request(1, START, 60_000), usage=usage, predicted=predicted, **changes)


def figures(one: Reconciled) -> dict[str, tuple[Decimal | None, Decimal | None]]:
    return {figure.name.value: (figure.expected, figure.got) for figure in one.figures}


def test_every_figure_stands_beside_what_came() -> None:
    told = reconcile(sent(Usage(3, 1_200, 0, 59_000, 300)), PRICES)
    assert figures(told) == {
        "read": (59_000, 59_000),
        "written": (1_000, 1_200),
        "uncached": (0, 3),
        "input": (60_000, 60_203),
        "usd": (Decimal("0.0168"), Decimal("0.017812")),
    }
    assert told.drift(FigureName.READ) == 0
    assert told.drift(FigureName.WRITTEN) == pytest.approx(200 / 60_203)
    assert told.drift(FigureName.INPUT) == pytest.approx(203 / 60_203)
    assert told.drift(FigureName.USD) == pytest.approx(0.001012 / 0.017812)


def test_a_miss_is_a_large_drift() -> None:
    told = reconcile(sent(Usage(0, 60_000, 0, 0, 300)), PRICES)
    assert told.drift(FigureName.READ) == pytest.approx(-59_000 / 60_000)
    assert told.drift(FigureName.INPUT) == 0
    usd = told.figure(FigureName.USD)
    assert (usd.expected, usd.got, usd.off) == (Decimal("0.0168"), Decimal("0.3"), Decimal("0.2832"))


def test_an_endpoint_without_cache_fields_is_unknown_and_never_0() -> None:
    told = reconcile(sent(Usage(61_000, output=10), CacheForecast(), host="localhost:1", estimated=60_500), PRICES)
    assert figures(told) == {
        "read": (None, None),
        "written": (None, None),
        "uncached": (None, None),
        "input": (60_500, 61_000),
        "usd": (None, None),
    }
    assert told.drift(FigureName.READ) is None
    assert told.drift(FigureName.INPUT) == pytest.approx(500 / 61_000)


def test_the_count_before_sending_is_better_than_the_estimate() -> None:
    assert reconcile(sent(Usage(9, output=1), None, counted=8, estimated=5), PRICES).figure(
        FigureName.INPUT
    ).expected == Decimal(8)
    unsent = reconcile(sent(None), PRICES)
    assert unsent.figure(FigureName.INPUT).got is None
    assert not any(figure.known for figure in unsent.figures)


def test_a_simulated_request_has_no_price() -> None:
    told = reconcile(sent(Usage(3, 1_000, 0, 59_000, 300)), PRICES, simulated=True)
    assert not told.figure(FigureName.USD).known
    assert told.figure(FigureName.READ).known


def test_the_running_summary_looks_back_on_twenty() -> None:
    good = [reconcile(sent(Usage(0, 1_000, 0, 59_000, 1)), PRICES)] * 19
    old = [reconcile(sent(Usage(0, 60_000, 0, 0, 1)), PRICES)] * 30
    off = reconcile(sent(Usage(600, 1_000, 0, 58_400, 1)), PRICES)
    unknown = reconcile(sent(None), PRICES)
    summary = drift_summary([*old, *good, off, unknown])
    assert summary is not None
    assert summary.requests == 20
    assert summary.largest[FigureName.READ] == pytest.approx(0.01)
    assert summary.mean[FigureName.READ] == pytest.approx(0.01 / 20)
    assert summary.mean[FigureName.INPUT] == 0
    assert drift_summary([unknown]) is None
    assert drift_summary([]) is None


def test_what_the_estimator_learned_is_a_factor() -> None:
    features = text_features("The nightly backups are kept for 35 days. " * 40)
    assert learned_factor(uncalibrated(), features) is None
    estimator = TokenEstimator()
    plain = estimator.estimate(features).tokens
    for _ in range(5):
        estimator.learn(features, round(plain * 1.2))
    learned = learned_factor(estimator.calibration, features)
    assert learned is not None
    assert learned.seen == 5
    assert learned.factor == pytest.approx(1.2, abs=0.02)
    assert learned_factor(estimator.calibration, {}) is None


def test_the_requests_of_a_turn_are_summed() -> None:
    one = reconcile(sent(Usage(3, 1_200, 0, 59_000, 300)), PRICES)
    other = reconcile(sent(Usage(7, 800, 0, 59_100, 300)), PRICES)
    both = together([one, other])
    assert both is not None
    assert both.record is other.record
    assert figures(both)["read"] == (118_000, 118_100)
    assert figures(both)["input"] == (120_000, 119_110 + 1_000)
    assert both.drift(FigureName.READ) == pytest.approx(100 / 120_110)
    unknown = together([one, reconcile(sent(Usage(9, output=1), None), PRICES)])
    assert unknown is not None
    assert figures(unknown)["read"] == (None, None)
    assert together([]) is None


def test_price_of_the_input_leaves_out_what_was_not_foreseen() -> None:
    sides = (SidePass("compaction", uncached=900_000, output=9_000),)
    usd = reconcile(sent(Usage(0, 1_000, 0, 59_000, None, sides=sides)), PRICES).figure(FigureName.USD)
    assert (usd.expected, usd.got) == (Decimal("0.0168"), Decimal("0.0168"))


def test_forecast_is_the_usage_of_an_input() -> None:
    assert CacheForecast(5, 4, 3, 2).as_usage() == Usage(uncached=2, write_5m=4, write_1h=3, read=5, output=0)
    assert CacheForecast().as_usage().billed_input is None
