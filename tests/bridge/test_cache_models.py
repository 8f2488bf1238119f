"""The Cache panel's models: parts with tokens and money, turns newest first, unknown never shown as nothing."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from PySide6.QtCore import Qt

from desktop_app.bridge.cache_models import CachePart, CacheRowsModel, CacheTurnsModel, Forecast, cache_rows, money
from desktop_app.core.cache.prediction import CacheForecast
from desktop_app.core.usage import Usage
from desktop_app.core.words import load_words
from tests.ui import window_samples
from tests.ui.cache_samples import report, request, talk

EN, KO = load_words("en"), load_words("ko")


def cells(model: CacheRowsModel | CacheTurnsModel, row: int) -> list[str]:
    return [model.index(row, column).data() for column in range(model.columnCount())]


def test_parts_of_a_turn_with_tokens_and_money() -> None:
    model = CacheRowsModel(EN)
    model.show(report([request(1, Usage(683, 648, 0, 59_186, 300))]).turns[0].figures)
    assert [cells(model, row) for row in range(model.rowCount())] == [
        ["read from cache", "59,186", "$0.0118"],
        ["written, 5 min", "648", "$0.0032"],
        ["uncached", "683", "$0.0027"],
        ["output", "300", "$0.0060"],
    ]
    model.set_words(KO)
    assert cells(model, 0) == ["캐시에서 읽음", "59,186", "$0.0118"]
    index = model.index(1, 0)
    assert index.data(Qt.ItemDataRole.AccessibleTextRole) == "캐시에 씀, 5분 648 $0.0032"


def test_a_write_of_one_hour_has_a_row_only_where_there_is_one() -> None:
    rows = cache_rows(report([request(1, Usage(3, 100, 900, 0, 5))]).turns[0].figures)
    assert [row.part for row in rows] == list(CachePart)
    assert rows[2].usd == Decimal("0.0072")


def test_estimates_are_marked_where_they_are() -> None:
    model = CacheRowsModel(EN)
    usage = Usage(3, 2_000, 0, 0, 40, split_known=False, output_estimated=True)
    model.show(report([request(1, usage)]).turns[0].figures)
    assert [cells(model, row)[1:] for row in range(4)] == [
        ["0", "$0"],
        ["≈ 2,000", "≈ $0.0100"],
        ["3", "< $0.0001"],
        ["≈ 40", "≈ $0.0008"],
    ]


def test_unknown_is_said_in_words() -> None:
    model = CacheRowsModel(EN)
    model.show(report([request(1, Usage(500, output=40), host="localhost:11434")]).turns[0].figures)
    assert cells(model, 0) == ["read from cache", "unknown", "unknown"]
    assert cells(model, 3) == ["output", "40", "unknown"]
    assert money(KO, None) == "알 수 없음"


def test_turns_stand_newest_first_with_the_memo_between_them() -> None:
    model = CacheTurnsModel(EN)
    model.show(report(talk(14)))
    assert model.rowCount() == 15
    assert [cells(model, row)[0] for row in range(4)] == ["14", "13", "fold", "12"]
    assert cells(model, 1) == ["13", "0", "8,020", "3", "0.0 %", "−$0.0080"]
    assert model.line(model.turns[1]).endswith("0.0 % from the cache · first after a fold")
    headers = [model.headerData(column, Qt.Orientation.Horizontal, Qt.ItemDataRole.DisplayRole) for column in range(6)]
    assert headers == ["turn", "read", "written", "uncached", "hit rate", "saved"]
    sentence = model.index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert sentence == "turn 14, read 8,020, written 2,140, uncached 3, hit rate 78.9 %, saved $0.0283"


def test_turns_of_another_version_are_told_from_those_in_use() -> None:
    model = CacheTurnsModel(EN)
    told = report(talk(2))
    first, second = told.turns
    model.show(replace(told, turns=(first, replace(second, id="old", other_version=True), second)))
    assert [cells(model, row)[0] for row in range(3)] == ["2", "2 ‹›", "1"]
    sentences = [model.index(row, 0).data(Qt.ItemDataRole.AccessibleTextRole) for row in range(2)]
    assert [sentence.partition(",")[0] for sentence in sentences] == ["turn 2", "turn 2 (other version)"]
    assert model.line(model.turns[1]).startswith("turn 2 (other version) · ")


def test_a_turn_without_figures_is_unknown_to_the_ear_too() -> None:
    model = CacheTurnsModel(EN)
    model.show(report([request(1, Usage(500, output=40), host="localhost:11434")]))
    assert cells(model, 0) == ["1", "–", "–", "–", "–", "–"]
    sentence = model.index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert sentence == "turn 1, read unknown, written unknown, uncached unknown, hit rate unknown, saved unknown"
    assert model.line(model.turns[0]).endswith(" · cache unknown")


def test_the_simulated_assistant_has_no_money_in_its_sentence() -> None:
    model = CacheTurnsModel(KO)
    model.show(report(talk(1), simulated=True))
    sentence = model.index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert sentence == "1번째 턴, 읽음 0, 씀 2,860, 캐시 안 됨 3, 적중률 0.0 %"
    model.show(None)
    assert model.rowCount() == 0


@pytest.mark.parametrize(("read", "share"), [(None, None), (0, 0.0), (57_000, 57_000 / 57_933), (60_000, 1.0)])
def test_the_share_of_a_forecast(read: int | None, share: float | None) -> None:
    cache = CacheForecast(read, 0, 0, datetime(2026, 11, 30, tzinfo=UTC)) if read is not None else CacheForecast()
    forecast = Forecast(window_samples.budget(), cache)
    assert forecast.cached_share == share
    assert replace(forecast, usd=Decimal(1)) != forecast
