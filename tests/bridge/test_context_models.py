"""The Context panel's models: rows that sum, blocks with their words, one point per turn."""

from __future__ import annotations

import unicodedata
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from desktop_app.bridge.block_labels import block_kind, first_words
from desktop_app.bridge.context_models import BlocksModel, BudgetRowsModel, HistoryModel, Rest, context_rows
from desktop_app.bridge.figures import marked, number, percent
from desktop_app.bridge.visible_text import search_form, visible_line
from desktop_app.core.segment import Segment
from desktop_app.core.usage import Figure, Known
from desktop_app.core.words import load_words
from tests.ui import window_samples as samples

EN, KO = load_words("en"), load_words("ko")


def cells(model: BudgetRowsModel | BlocksModel, row: int) -> list[str]:
    return [model.index(row, column).data() for column in range(4)]


def test_rows_sum_to_the_total_and_fill_the_window() -> None:
    budget = samples.budget()
    rows = context_rows(budget)
    inputs = [row for row in rows if row.row is not None]
    assert sum(row.tokens for row in inputs) == budget.total.tokens == 57_933
    assert sum(row.tokens for row in rows) == 1_000_000
    assert [row.part for row in rows[-2:]] == [Rest.RESERVE, Rest.FREE]


def test_only_rows_that_exist_are_shown_with_their_sign_and_share() -> None:
    model = BudgetRowsModel(EN)
    model.show(samples.budget())
    assert cells(model, 0) == ["system", "=", "1,840", "3.2 %"]
    assert cells(model, 3) == ["your message", "≈", "683", "1.2 %"]
    assert cells(model, 4) == ["output reserve", "", "32,000", ""]
    assert cells(model, 5) == ["free", "", "910,067", ""]
    assert model.rowCount() == 6


def test_what_does_not_fit_is_said_and_an_unknown_window_has_no_free_row() -> None:
    assert context_rows(samples.budget(window=60_000))[-1].part is Rest.OVER
    assert context_rows(samples.budget(window=60_000))[-1].tokens == 29_933
    assert context_rows(samples.budget(window=None))[-1].part is Rest.RESERVE


def test_new_figures_for_the_same_rows_keep_the_selection(qtbot: QtBot) -> None:
    model = BudgetRowsModel(EN)
    model.show(samples.budget())
    with qtbot.assertNotEmitted(model.modelReset), qtbot.waitSignal(model.dataChanged):
        model.show(samples.budget(messages=60_000))
    with qtbot.waitSignal(model.modelReset):
        model.show(samples.budget(window=None))


def test_the_language_changes_the_words_not_the_figures() -> None:
    model = BudgetRowsModel(EN)
    model.show(samples.budget())
    model.set_words(KO)
    assert cells(model, 2) == ["메시지", "=", "53,100", "91.7 %"]
    assert model.headerData(2, Qt.Orientation.Horizontal, Qt.ItemDataRole.DisplayRole) == "토큰"


def test_blocks_tell_kind_words_tokens_and_message() -> None:
    model = BlocksModel(EN)
    model.show(samples.budget().row(Segment.MESSAGES))
    assert cells(model, 0) == ["text", "오프사이트 사본은 아직 옛 버킷에 있지?", "=", "17,700"]
    assert cells(model, 2) == ["tool call", 'calculator {"expression":"35*24"}', "=", "17,700"]
    assert model.index(1, 0).data(BlocksModel.MessageRole) == "m2"
    assert model.place_of_message("m2") == 1
    assert model.place_of_message("elsewhere") is None


@pytest.mark.parametrize(
    ("block", "kind", "words"),
    [
        ({"type": "text", "text": "one\n\ntwo\u202e three"}, "context.kind.text", "one two⟨RLO⟩ three"),
        ({"type": "tool_result", "content": [{"type": "text", "text": "42"}]}, "context.kind.tool_result", "42"),
        ({"type": "image", "source": {}}, "context.kind.image", ""),
        ({"type": "from_the_future"}, "context.kind.unknown", ""),
    ],
)
def test_labels_of_blocks(block: dict[str, object], kind: str, words: str) -> None:
    assert block_kind(block) == kind
    assert first_words(block) == words
    assert EN.has(kind)


def test_history_has_one_point_per_turn_the_latest() -> None:
    model = HistoryModel(EN)
    again = replace(samples.record(2, 5_000), id="again")
    model.show([samples.record(1, 1_000), samples.record(2, 2_000), samples.record(2, 2_500, round_number=2), again])
    assert [record.id for record in model.records] == ["r1.1", "again"]
    assert model.place_of("again") == 1
    assert model.index(1).data().startswith("turn 2 · ")
    assert model.index(1).data().endswith("9,833 tokens")


def test_figures_are_written_as_the_language_does() -> None:
    assert number(EN, 1_234_567) == number(KO, 1_234_567) == "1,234,567"
    assert percent(EN, 0.061) == "6.1 %"
    assert percent(EN, 0.0002) == "< 0.1 %"
    assert marked(EN, Figure(1_000, Known.ESTIMATED)) == "≈ 1,000"
    assert marked(EN, Figure(1_000, Known.MEASURED)) == "1,000"


def test_hidden_and_turning_characters_become_visible() -> None:
    assert visible_line("invoice\u202efdp.exe") == "invoice⟨RLO⟩fdp.exe"
    assert visible_line("a\x00b\u200bc") == "a⟨U+0000⟩b⟨ZWSP⟩c"
    assert visible_line("👩‍👩‍👧 <b>x</b>\n\ttwo") == "👩‍👩‍👧 <b>x</b> two"
    assert len(visible_line("가" * 10_000)) == 400


def test_search_finds_decomposed_hangul() -> None:
    decomposed = unicodedata.normalize("NFD", "제주 여행")
    assert search_form("제주") in search_form(decomposed)
    assert search_form("ＡＢＣ") == "abc"
