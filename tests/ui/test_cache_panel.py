"""The Cache panel: figures that agree with each other, turns that can be chosen, unknown and simulated said so."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from desktop_app.bridge.cache_models import CachePart
from desktop_app.core.usage import Usage
from desktop_app.ui.cache.cache_panel import CachePanel
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from tests.ui.cache_samples import StageCache, report, request, talk, tell


@pytest.fixture
def panel(qtbot: QtBot, theme: Theme, language: Language) -> CachePanel:
    panel = CachePanel(theme, language)
    qtbot.addWidget(panel)
    panel.resize(420, 1_060)
    panel.show()
    return panel


@pytest.fixture
def cache(panel: CachePanel) -> StageCache:
    cache = StageCache(report())
    panel.set_cache(cache)
    return cache


def rows(panel: CachePanel) -> list[list[str]]:
    model = panel.turn.model
    columns = [column for column in range(3) if not panel.turn.table.isColumnHidden(column)]
    return [[model.index(row, column).data() for column in columns] for row in range(model.rowCount())]


def local(turns: int) -> StageCache:
    return StageCache(report([request(n, Usage(500 * n, output=40), host="localhost:11434") for n in range(1, turns)]))


def test_an_empty_panel_teaches_and_offers_the_act(qtbot: QtBot, panel: CachePanel) -> None:
    assert panel.empty.isVisible()
    assert "read from the prompt cache" in panel.empty.text.text()
    with qtbot.waitSignal(panel.writeAsked):
        panel.empty.act.click()
    panel.set_cache(StageCache(report([])))
    assert panel.empty.isVisible()


def test_the_tiles_tell_the_whole_conversation(panel: CachePanel, cache: StageCache) -> None:
    assert not panel.empty.isVisible()
    assert panel.tiles.rate.big.text == "86.3 %"
    assert panel.tiles.rate.below.whole() == "579,855 input"
    assert panel.tiles.saved.big.text == "$1.82"
    assert panel.tiles.saved.below.whole() == "spent $0.7613"
    assert panel.tiles.last.big.text == "38,300"
    assert panel.tiles.last.below.whole() == "3,820 written"
    assert panel.tiles.rate.accessibleName() == "hit rate: 86.3 %, 579,855 input"
    assert not panel.simulated.isVisible()
    assert not panel.unknown.isVisible()
    assert panel.notes.text() == "Prices of Anthropic as of 30 November 2026, in USD."


def test_the_last_turn_stands_in_rows_that_fill_the_bar(panel: CachePanel, cache: StageCache) -> None:
    section = panel.turn
    assert section.title.text() == "Last turn"
    assert section.input.whole() == "42,123 input tokens · measured"
    assert rows(panel) == [
        ["read from cache", "38,300", "$0.0077"],
        ["written, 5 min", "3,820", "$0.0191"],
        ["uncached", "3", "< $0.0001"],
        ["output", "548", "$0.0110"],
    ]
    assert section.sum.text() == "Cost $0.0377 · saved $0.1417"
    stretches = section.bar.stretches()
    assert [row.part for row, _, _ in stretches] == [CachePart.READ, CachePart.WRITE_5M, CachePart.UNCACHED]
    assert stretches[0][1] == 0
    assert stretches[-1][2] == pytest.approx(section.bar.width())
    assert all(right - left >= 2 for _, left, right in stretches)
    assert section.bar.accessibleName() == (
        "read from cache: 38,300 tokens, written, 5 min: 3,820 tokens, uncached: 3 tokens"
    )


def test_a_turn_is_chosen_in_the_table_and_given_back(qtbot: QtBot, panel: CachePanel, cache: StageCache) -> None:
    panel.table.setFocus()
    panel.table.selectRow(11)
    qtbot.keyClick(panel.table, Qt.Key.Key_Return)
    assert panel.turn.title.text() == "Turn 13"
    assert panel.turn.sum.text() == "Cost $0.0495 · saved −$0.0080"
    assert panel.chart._selected == 12
    assert panel.turn.back.isVisible()
    panel.turn.back.click()
    assert panel.turn.title.text() == "Last turn"
    assert panel.chart._selected is None
    panel.table.turnOpened.emit("memo")
    assert panel.turn.title.text() == "Memo"


def test_a_turn_is_chosen_in_the_chart(qtbot: QtBot, panel: CachePanel, cache: StageCache) -> None:
    chart = panel.chart
    place = chart.place_of(4).toPoint()
    qtbot.mouseMove(chart, place)
    assert panel.chart_hint.whole().startswith("turn 5 · ")
    assert panel.chart_hint.whole().endswith(" from the cache")
    qtbot.mouseClick(chart, Qt.MouseButton.LeftButton, pos=place)
    assert panel.turn.title.text() == "Turn 5"
    qtbot.keyClick(chart, Qt.Key.Key_Left)
    assert panel.turn.title.text() == "Turn 4"
    assert chart.accessibleDescription().startswith("turn 4 · ")
    qtbot.keyClick(chart, Qt.Key.Key_End)
    assert panel.turn.title.text() == "Turn 24"
    qtbot.keyClick(chart, Qt.Key.Key_Home)
    assert panel.turn.title.text() == "Turn 1"


def test_the_line_follows_the_hit_rate(panel: CachePanel, cache: StageCache) -> None:
    chart = panel.chart
    points = [chart.place_of(place) for place in range(24)]
    assert points[0].y() == points[12].y() > points[1].y() > points[11].y()
    assert [point.x() for point in points] == sorted(point.x() for point in points)


def test_new_figures_keep_the_chosen_turn_and_another_conversation_does_not(
    panel: CachePanel, cache: StageCache
) -> None:
    panel.table.turnOpened.emit("t3")
    tell(cache, report(talk(25)))
    assert panel.turn.title.text() == "Turn 3"
    panel.set_cache(StageCache(report(talk(3))))
    assert panel.turn.title.text() == "Last turn"
    tell(cache, report(talk(30)))
    assert panel.turns_model.rowCount() == 3
    panel.set_cache(None)
    assert panel.empty.isVisible()


def test_a_local_server_without_a_cache_is_unknown(panel: CachePanel) -> None:
    panel.set_cache(local(4))
    assert [tile.big.text for tile in (panel.tiles.rate, panel.tiles.saved, panel.tiles.last)] == ["unknown"] * 3
    assert panel.unknown.isVisible()
    assert rows(panel)[0] == ["read from cache", "unknown"]
    assert panel.turn.sum.text() == "There is no known price for this endpoint or model, so no sum is shown."
    assert not panel.chart.isVisible()
    assert not panel.table.isVisible()
    assert panel.turn.bar.stretches() == []


def test_what_is_left_out_and_estimated_is_said(panel: CachePanel) -> None:
    records = [*talk(2), request(3, Usage(800, output=20), host="localhost:1234")]
    records.append(request(4, Usage(4, 300, 200, 9_000, 44, split_known=False, output_estimated=True)))
    panel.set_cache(StageCache(report(records)))
    assert panel.notes.text().splitlines() == [
        "1 request is left out of these sums: its endpoint reported nothing of a cache.",
        "1 request is left out of the money: its price is not known.",
        "Prices of Anthropic as of 30 November 2026, in USD.",
        "≈ is an estimate: the output of an answer that broke off is not reported, or the lifetime of a write.",
        "– is unknown.",
    ]
    assert panel.tiles.saved.big.text.startswith("≈ $")
    assert panel.turn.sum.text().startswith("Cost ≈ $")
    assert rows(panel)[2][0] == "written, 1 h"


def test_simulated_figures_are_labelled_and_have_no_money(panel: CachePanel) -> None:
    panel.set_cache(StageCache(report(simulated=True)))
    assert panel.simulated.isVisible()
    assert "imitated on this machine" in panel.simulated.text()
    assert (panel.tiles.saved.big.text, panel.tiles.saved.below.whole()) == ("–", "no money")
    assert rows(panel)[0] == ["read from cache", "38,300"]
    assert panel.turns_model.columnCount() == 6
    assert panel.table.isColumnHidden(panel.turns_model.SAVED)
    assert not panel.turn.sum.isVisible()
    texts = [label.text() for label in panel.findChildren(type(panel.notes)) if label.isVisible()]
    assert not [text for text in texts if "$" in text]


@pytest.mark.parametrize("width", [360, 420])
@pytest.mark.parametrize("code", ["en", "ko"])
def test_no_figure_is_cut(panel: CachePanel, language: Language, width: int, code: str) -> None:
    language.use(code)
    records = talk(30)
    records.append(request(31, Usage(4, 120_000, 0, 1_234_567, 44, split_known=False, output_estimated=True)))
    panel.set_cache(StageCache(report(records)))
    panel.resize(width, 1_060)
    page = panel.notes.parentWidget()
    assert page is not None
    assert page.minimumSizeHint().width() <= width
    table, metrics = panel.table, panel.fontMetrics()
    for row in range(panel.turns_model.rowCount()):
        for column in range(6):
            if not table.isColumnHidden(column):
                text = panel.turns_model.index(row, column).data()
                left = table.itemDelegate().indents.get(column, 6)  # type: ignore[attr-defined]
                assert metrics.horizontalAdvance(text) <= table.columnWidth(column) - left - 6, (column, text)
    for tile in (panel.tiles.rate, panel.tiles.saved, panel.tiles.last):
        assert tile.big.fitting_size() >= 14
        assert tile.name.text() == tile.name.whole()
    assert table.isColumnHidden(panel.turns_model.SAVED) is (width == 360)


def test_korean_and_dark_without_restart(
    panel: CachePanel, cache: StageCache, language: Language, theme: Theme
) -> None:
    language.use("ko")
    theme.apply("dark")
    assert panel.turn.title.text() == "마지막 턴"
    assert panel.tiles.rate.name.whole() == "적중률"
    assert rows(panel)[0][0] == "캐시에서 읽음"
    assert panel.notes.text() == "2026년 11월 30일 기준 Anthropic 가격(USD)입니다."
    assert not panel.grab().isNull()
