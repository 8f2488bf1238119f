"""The comparison of two requests: what is the same, other, new and gone, and the lines of each."""

from __future__ import annotations

from collections.abc import Iterator, Set

import pytest
import shiboken6
from PySide6.QtCore import QObject, Qt
from pytestqt.qtbot import QtBot

from desktop_app.bridge import request_list
from desktop_app.bridge.comparison_model import ComparedModel, ComparedRow, block_text, lines_of
from desktop_app.bridge.request_names import request_name
from desktop_app.core.conversation import text_block
from desktop_app.core.errors import StoreUnavailable
from desktop_app.core.request_diff import BlockPair, Change
from desktop_app.core.request_log import RequestRecord
from desktop_app.core.segment import Segment
from desktop_app.core.words import Words
from desktop_app.ui.context.compare_view import FIRST, WHOLE, CompareView
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from tests.ui import window_samples as samples
from tests.ui.compare_samples import AFTER, BEFORE, RECORDS, FixedComparison


@pytest.fixture
def comparison() -> FixedComparison:
    return FixedComparison()


@pytest.fixture
def view(qtbot: QtBot, theme: Theme, language: Language, comparison: FixedComparison) -> Iterator[CompareView]:
    turns = frozenset(record.turn_id for record in RECORDS[:36])
    view = CompareView(comparison, RECORDS, turns, theme, language)
    view.show()
    view.compare(BEFORE.record.id, AFTER.record.id)
    yield view
    if shiboken6.isValid(view):
        view.close()


def texts(view: CompareView) -> list[tuple[str, str]]:
    """Sign and words of each row."""
    model = view.model
    return [
        (model.index(row, ComparedModel.SIGN).data(), model.index(row, ComparedModel.WORDS).data())
        for row in range(model.rowCount())
    ]


def test_only_differences_are_rows_and_equal_blocks_are_counted(view: CompareView) -> None:
    assert texts(view) == [
        ("~", 'output_config: {"effort":"high"} → {"effort":"low"}'),
        ("=", "calculator Computes exactly."),
        ("+", "weather Tells <b>x</b>"),
        ("~", "Be kind. Today is Monday, 30 November 2026, 13:52. Answer briefly."),
        ("=", "9 unchanged blocks"),
        ("+", "message 9: 백업은 어디에 있나요?"),
        ("+", "message 10: 백업은 어디에 있나요?"),
    ]
    assert view.summary.text() == "2 changed · 3 added · 10 unchanged"
    assert view.model.index(5, ComparedModel.WHAT).data() == "message 10 · text"
    view.everything.setChecked(True)
    assert view.model.rowCount() == 15
    assert view.summary.text() == "2 changed · 3 added · 10 unchanged"


def test_the_first_difference_or_the_whole_block(qtbot: QtBot, view: CompareView) -> None:
    assert view.lines.text == '− {"effort":"high"}\n+ {"effort":"low"}'
    view.table.selectRow(3)
    assert view.what.whole() == "changed · system"
    assert view.lines.text == (
        "− Today is Monday, 30 November 2026, 13:41.\n+ Today is Monday, 30 November 2026, 13:52."
    )
    view.extent.take(WHOLE)
    assert view.lines.text == (
        "  Be kind.\n− Today is Monday, 30 November 2026, 13:41.\n"
        "+ Today is Monday, 30 November 2026, 13:52.\n  Answer briefly."
    )
    view.extent.take(FIRST)
    view.table.setFocus()
    qtbot.keyClick(view.table, Qt.Key.Key_Down)
    assert view.lines.text == "" and not view.extent.isVisible()
    qtbot.keyClick(view.table, Qt.Key.Key_Down)
    assert view.lines.text == "+ message 9: 백업은 어디에 있나요?"


def test_what_came_or_went_is_shown_whole(view: CompareView) -> None:
    view.table.selectRow(2)
    whole = '+ {\n+   "name": "weather",\n+   "description": "Tells <b>x</b>"\n+ }'
    assert view.lines.text == whole
    assert not view.extent.isVisible()
    view.swap.click()
    view.table.selectRow(2)
    assert view.lines.text == whole.replace("+", "−")


def test_a_failed_reading_is_said_and_leaves_no_old_result(
    view: CompareView, comparison: FixedComparison, language: Language, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparison, "compare", lambda *_: None)
    view.before.setCurrentIndex(2)
    assert view.summary.text() == "Reading both requests…"
    assert (view.model.rowCount(), view.lines.text, view.what.whole()) == (0, "", "")
    error = StoreUnavailable("disk gone", path="/data/m.db")
    comparison.failed.emit(error)
    assert view.summary.text() == language.explain(error)
    assert view.model.rowCount() == 0
    language.use("ko")
    assert view.summary.text() == language.explain(error)
    monkeypatch.undo()
    view.before.choose(BEFORE.record.id)
    assert view.summary.text().startswith("변경 2 ")


def test_of_a_long_conversation_only_what_is_seen_is_named(
    qtbot: QtBot, theme: Theme, language: Language, monkeypatch: pytest.MonkeyPatch
) -> None:
    named: list[str] = []

    def name(words: Words, record: RequestRecord, turns: Set[str]) -> str:
        named.append(record.id)
        return request_name(words, record, turns)

    monkeypatch.setattr(request_list, "request_name", name)
    records = samples.history(1_200)
    view = CompareView(FixedComparison(), records, frozenset(), theme, language)
    view.compare(records[-2].id, records[-1].id)
    view.show()
    assert view.before.count() == 1_200 and view.before.currentText().startswith("turn 1199 · ")
    assert len(set(named)) <= 3, "the first one, while none is chosen yet, and the two"
    view.close()


def test_the_simulated_assistant_is_named(qtbot: QtBot, theme: Theme, language: Language, view: CompareView) -> None:
    assert not view.simulated.isVisible()
    simulated = CompareView(FixedComparison(), RECORDS, frozenset(), theme, language, simulated=True)
    simulated.show()
    assert simulated.simulated.isVisible() and simulated.simulated.text() == "simulated assistant"
    simulated.close()


def test_any_two_can_be_picked_and_swapped(view: CompareView, comparison: FixedComparison) -> None:
    assert view.before.currentText().startswith("turn 36 · ")
    assert "another version" in view.after.currentText() and "another version" not in view.before.currentText()
    view.swap.click()
    assert comparison.asked[-1] == (AFTER.record.id, BEFORE.record.id)
    assert ("−", "weather Tells <b>x</b>") in texts(view)
    assert view.summary.text() == "2 changed · 3 removed · 10 unchanged"
    view.after.setCurrentIndex(36)
    assert comparison.asked[-1] == (AFTER.record.id, AFTER.record.id)
    assert view.summary.text() == "The requests are the same (14 blocks)."
    view.before.setCurrentIndex(2)
    assert comparison.asked[-1] == (RECORDS[2].id, AFTER.record.id)


def test_korean_keeps_the_choice(view: CompareView, language: Language) -> None:
    language.use("ko")
    assert view.summary.text() == "변경 2 · 추가 3 · 동일 10"
    assert view.before.request_id == BEFORE.record.id
    assert view.model.index(4, ComparedModel.WORDS).data() == "같은 블록 9개"


def test_a_closed_window_keeps_no_request(view: CompareView, comparison: FixedComparison) -> None:
    view.leave.click()
    assert comparison.comparison is None


def test_a_closed_window_leaves_no_comparison_with_the_conversation(
    qtbot: QtBot, theme: Theme, language: Language
) -> None:
    chat = QObject()
    comparison = FixedComparison()
    comparison.setParent(chat)
    view = CompareView(comparison, RECORDS, frozenset(), theme, language)
    view.show()
    view.leave.click()
    qtbot.waitUntil(lambda: not shiboken6.isValid(comparison), timeout=5_000)
    assert chat.children() == []


def test_what_cannot_be_seen_is_visible_in_the_lines() -> None:
    pair = BlockPair(Change.CHANGED, "system", 0, "", Segment.SYSTEM, text_block("go\u200bod"), text_block("good"))
    lines = lines_of(ComparedRow(Change.CHANGED, pair=pair), whole=False)
    assert [line.text for line in lines] == ["go⟨ZWSP⟩od", "good"]
    assert block_text({"type": "text", "text": "a", "citations": []}).startswith('{\n  "type"')
