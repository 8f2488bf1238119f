"""The Context panel's heat: a sign per row and block, a strip of the whole prefix, and words for who cannot see it."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QColor, QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from desktop_app.bridge.context_models import BlocksModel, BudgetRowsModel
from desktop_app.core.cache.heat import BlockHeat, Heat, HeatMap
from desktop_app.core.segment import Segment
from desktop_app.core.words import load_words
from desktop_app.ui.context.context_panel import ContextPanel
from desktop_app.ui.context.heat_strip import HeatStrip
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from tests.ui import window_samples as samples
from tests.ui.cache_samples import StageTruth
from tests.ui.heat_samples import heat_map
from tests.ui.window_stage import StageChat

EN, KO = load_words("en"), load_words("ko")


@pytest.fixture
def chat(monkeypatch: pytest.MonkeyPatch) -> StageChat:
    monkeypatch.setattr(StageTruth, "heat_of", lambda _self, _shown, budget: heat_map(budget))
    return StageChat()


@pytest.fixture
def panel(qtbot: QtBot, theme: Theme, language: Language, chat: StageChat) -> ContextPanel:
    panel = ContextPanel(theme, language)
    qtbot.addWidget(panel)
    panel.resize(420, 820)
    panel.show()
    panel.set_session(chat)
    return panel


def cells(model: BudgetRowsModel | BlocksModel, column: int) -> list[str]:
    return [model.index(row, column).data() for row in range(model.rowCount())]


def test_each_row_says_how_much_of_it_is_cached(panel: ContextPanel) -> None:
    model = panel.rows_model
    assert cells(model, model.CACHE) == ["cached", "cached", "83 %", "new", "", ""]
    assert model.headerData(model.CACHE, Qt.Orientation.Horizontal, Qt.ItemDataRole.DisplayRole) == "cache"
    signs = [model.index(row, model.CACHE).data(model.HeatRole) for row in range(4)]
    assert signs == [Heat.HOT, Heat.HOT, Heat.PART, Heat.NEW]
    assert model.index(2, 0).data(Qt.ItemDataRole.AccessibleTextRole) == (
        "messages = 53,100 91.7 % partly read from the cache: 83.3 %"
    )
    assert model.index(3, model.CACHE).data(Qt.ItemDataRole.ToolTipRole) == "not in the cache yet"
    assert not panel.table.isColumnHidden(model.CACHE)


def test_each_block_says_how_often_in_a_row_it_was_read(panel: ContextPanel, language: Language) -> None:
    panel._open_segment(Segment.MESSAGES)
    model = panel.blocks.model
    assert cells(model, model.CACHE) == ["12×", "12×", "50 %"]
    assert (
        model.index(0, 0)
        .data(Qt.ItemDataRole.AccessibleTextRole)
        .endswith("17,700 read from the cache, read 12 times in a row")
    )
    language.use("ko")
    assert cells(model, model.CACHE) == ["12회", "12회", "50 %"]


def test_the_strip_shows_the_prefix_from_left_to_right(panel: ContextPanel) -> None:
    strip = panel.strip.strip
    assert panel.strip.isVisible()
    assert panel.strip.caption.whole() == "48,400 of 57,933 tokens from the cache"
    assert strip.accessibleName() == panel.strip.caption.whole()
    stretches = strip.stretches()
    assert [one.block.segment for one in stretches][:3] == [Segment.SYSTEM, Segment.TOOLS, Segment.MESSAGES]
    assert (stretches[0].left, stretches[-1].right) == (0, pytest.approx(strip.width()))
    half = stretches[-2]
    assert half.warm == pytest.approx((half.left + half.right) / 2, abs=1)
    assert stretches[-1].warm == stretches[-1].left


def test_the_pointer_names_a_block(panel: ContextPanel, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []
    monkeypatch.setattr(QToolTip, "showText", lambda _where, text, _widget: shown.append(text))
    place = QPoint(1, 4)
    QApplication.sendEvent(panel.strip.strip, QHelpEvent(QEvent.Type.ToolTip, place, place))
    assert shown == ["<span>system: 1,840 tokens, read from the cache, read 12 times in a row</span>"]


def test_without_a_cache_there_is_no_column_and_no_strip(panel: ContextPanel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(StageTruth, "heat_of", lambda _self, _shown, _budget: None)
    panel.set_session(StageChat())
    assert panel.table.isColumnHidden(panel.rows_model.CACHE)
    assert not panel.strip.isVisible()
    panel._open_segment(Segment.MESSAGES)
    assert panel.blocks.table.isColumnHidden(panel.blocks.model.CACHE)
    assert panel.blocks.model.index(0, panel.blocks.model.CACHE).data() == ""


def test_new_heat_is_shown_at_once(panel: ContextPanel, chat: StageChat, monkeypatch: pytest.MonkeyPatch) -> None:
    budget = samples.budget()
    cold = {
        row.segment: tuple(BlockHeat(row.segment, one.figure.tokens, 0, 0) for one in row.blocks) for row in budget.rows
    }
    found = HeatMap(tuple(block for blocks in cold.values() for block in blocks), cold)
    monkeypatch.setattr(StageTruth, "heat_of", lambda _self, _shown, _budget: found)
    chat.truth.heatChanged.emit()
    assert cells(panel.rows_model, panel.rows_model.CACHE)[:4] == ["new"] * 4
    panel.set_session(None)
    chat.truth.heatChanged.emit()
    assert panel.rows_model.rowCount() == 0


@pytest.mark.parametrize("width", [360, 380, 404])
@pytest.mark.parametrize("code", ["en", "ko"])
def test_nothing_is_cut_where_there_is_little_room(
    panel: ContextPanel, language: Language, width: int, code: str
) -> None:
    language.use(code)
    panel.resize(width, 820)
    model, table, metrics = panel.rows_model, panel.table, panel.fontMetrics()
    for row in range(model.rowCount()):
        for column in range(5):
            text = model.index(row, column).data()
            left = table.itemDelegate().indents.get(column, 6)  # type: ignore[attr-defined]
            assert metrics.horizontalAdvance(text) <= table.columnWidth(column) - left - 6, text
    words = [text for text in cells(model, model.CACHE) if text]
    assert (words == ["83 %"]) is (width < 400)
    panel._open_segment(Segment.MESSAGES)
    blocks = panel.blocks
    for text in cells(blocks.model, blocks.model.CACHE):
        assert metrics.horizontalAdvance(text) <= blocks.table.columnWidth(blocks.model.CACHE) - 26, text


def test_a_strip_of_many_small_blocks_is_painted(qtbot: QtBot, theme: Theme, language: Language) -> None:
    blocks = tuple(BlockHeat(Segment.MESSAGES, 10, 10 if place < 1_500 else 0, 0, place % 20) for place in range(2_000))
    strip = HeatStrip(theme, language)
    qtbot.addWidget(strip)
    strip.show_heat(HeatMap(blocks, {Segment.MESSAGES: blocks}))
    strip.resize(348, strip.sizeHint().height())
    strip.show()
    picture = strip.strip.grab().toImage()
    warm, cold = (picture.pixelColor(int(picture.width() * part), 5) for part in (0.5, 0.95))
    assert warm.saturation() > cold.saturation() + 60


@pytest.mark.parametrize("look", ["light", "dark"])
@pytest.mark.parametrize("streak", [0, 12])
def test_what_is_read_stands_out_from_what_is_not(
    qtbot: QtBot, theme: Theme, language: Language, look: str, streak: int
) -> None:
    """By 3:1, as UI parts must."""
    theme.apply(look)
    blocks = (BlockHeat(Segment.SYSTEM, 500, 500, 0, streak), BlockHeat(Segment.MESSAGES, 500, 0, 500))
    strip = HeatStrip(theme, language)
    qtbot.addWidget(strip)
    strip.show_heat(HeatMap(blocks, {}))
    strip.resize(348, strip.sizeHint().height())
    strip.show()
    picture = strip.strip.grab().toImage()
    warm, cold = (picture.pixelColor(int(picture.width() * part), 5) for part in (0.25, 0.75))
    darker, lighter = sorted((luminance(warm), luminance(cold)))
    assert (lighter + 0.05) / (darker + 0.05) >= 3


def luminance(colour: QColor) -> float:
    """The relative luminance of WCAG."""
    parts = (colour.redF(), colour.greenF(), colour.blueF())
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_blocks_are_placed_once_for_a_heat_and_a_width(panel: ContextPanel) -> None:
    strip = panel.strip.strip
    placed = strip.stretches()
    assert strip.stretches() is placed
    panel.resize(500, 820)
    assert strip.stretches()[-1].right == pytest.approx(strip.width())
    strip.show_heat(heat_map(samples.budget(20_000)))
    assert sum(one.block.tokens for one in strip.stretches()) < sum(one.block.tokens for one in placed)
