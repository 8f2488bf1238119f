"""The Context panel: figures that agree, blocks that lead to messages, past requests and their JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from desktop_app.core.conversation import text_block, to_json
from desktop_app.core.segment import Segment
from desktop_app.core.usage import Known
from desktop_app.ui.context.context_panel import ContextPanel
from desktop_app.ui.context.history_chart import stacked
from desktop_app.ui.context.raw_request import RawRequest
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from tests.ui import window_samples as samples
from tests.ui.window_stage import StageChat


@pytest.fixture
def panel(qtbot: QtBot, theme: Theme, language: Language) -> ContextPanel:
    panel = ContextPanel(theme, language)
    qtbot.addWidget(panel)
    panel.resize(420, 820)
    panel.show()
    return panel


@pytest.fixture
def chat(panel: ContextPanel) -> StageChat:
    chat = StageChat()
    panel.set_session(chat)
    return chat


@pytest.fixture
def raw(qtbot: QtBot, theme: Theme, language: Language) -> Iterator[RawRequest]:
    texts = ("글" * 9_000 + "🙂 needle " + "x" * 15_000, "second Needle")
    messages = [{"role": "user", "content": [text_block(text) for text in texts]}]
    body = to_json({"messages": messages, "model": "m"})
    dialog = RawRequest(samples.shown(samples.record(7, 100), body), theme, language)
    dialog.show()
    yield dialog
    dialog.close()


def test_an_empty_panel_teaches_and_offers_the_act(qtbot: QtBot, panel: ContextPanel) -> None:
    assert panel.empty.isVisible()
    assert "appears here" in panel.empty.text.text()
    with qtbot.waitSignal(panel.writeAsked):
        panel.empty.act.click()


def test_total_share_and_how_it_is_known(panel: ContextPanel, chat: StageChat) -> None:
    assert panel.total.big.text() == "57,933"
    assert panel.total.of_window.text() == "of 1,000,000 tokens · 5.8 %"
    assert panel.total.tag.text() == "counted"
    chat.preview = samples.budget(known=Known.ESTIMATED)
    chat.previewChanged.emit(chat.preview)
    assert panel.total.big.text() == "≈ 57,933"
    assert panel.total.tag.text() == "estimated"
    assert "Our own estimate" in panel.total.tag.toolTip()


def test_the_rows_on_screen_sum_to_the_total_on_screen(panel: ContextPanel, chat: StageChat) -> None:
    model = panel.rows_model
    texts = [model.index(row, model.TOKENS).data() for row in range(model.rowCount())]
    numbers = [int(text.replace(",", "")) for text in texts]
    assert sum(numbers[:4]) == int(panel.total.big.text().replace(",", ""))
    assert sum(numbers) == 1_000_000
    assert panel.table.height() >= model.rowCount() * 28


def test_last_request_shows_what_was_measured(panel: ContextPanel, chat: StageChat) -> None:
    panel.view.take("last")
    assert panel.total.big.text() == "56,833"
    assert panel.legend.text() == (
        "= counted or measured · ≈ estimated\nLast reply: estimated 59,263 · counted 59,353 · measured 59,353"
    )
    uncounted = replace(samples.record(46, 100), counted=None, usage=None)
    panel._on_shown(samples.shown(uncounted, None))
    assert panel.legend.text() == "= counted or measured · ≈ estimated\nThis request: estimated 4,843"


def test_enter_opens_the_blocks_and_a_click_leads_to_the_message(
    qtbot: QtBot, panel: ContextPanel, chat: StageChat
) -> None:
    panel.table.setFocus()
    panel.table.selectRow(2)
    qtbot.keyClick(panel.table, Qt.Key.Key_Return)
    assert panel.blocks.isVisible()
    assert panel.blocks.title.text() == "messages · 53,100 tokens"
    assert panel.blocks.count.text() == "3 blocks"
    row = panel.blocks.table.visualRect(panel.blocks.model.index(1, 1)).center()
    with qtbot.waitSignal(panel.messageChosen) as chosen:
        qtbot.mouseClick(panel.blocks.table.viewport(), Qt.MouseButton.LeftButton, pos=row)
    assert chosen.args == ["m2"]
    qtbot.keyClick(panel.blocks, Qt.Key.Key_Escape)
    assert panel.table.isVisible()
    assert panel.table.currentIndex().row() == 2


def test_the_chat_leads_back_to_the_block(panel: ContextPanel, chat: StageChat) -> None:
    panel.show_message("m3")
    assert panel.blocks.title.text() == "your message · ≈ 683 tokens"
    assert panel.blocks.table.currentIndex().row() == 0


def test_new_figures_keep_the_opened_blocks(panel: ContextPanel, chat: StageChat) -> None:
    panel.show_message("m1")
    chat.preview = samples.budget(messages=54_000)
    chat.previewChanged.emit(chat.preview)
    assert panel.blocks.title.text() == "messages · 54,000 tokens"


def test_a_block_of_no_message_says_so(qtbot: QtBot, panel: ContextPanel, chat: StageChat) -> None:
    panel.table.segmentOpened.emit(Segment.SYSTEM)
    with qtbot.assertNotEmitted(panel.messageChosen):
        panel.blocks.table.opened.emit(0)
    assert panel.blocks.hint.text() == "This block is not part of a message."


def test_a_click_in_the_history_shows_that_request(qtbot: QtBot, panel: ContextPanel, chat: StageChat) -> None:
    chart = panel.history.chart
    place = QPoint(round(chart.turn_x(29)), 60)
    qtbot.mouseMove(chart, place)
    qtbot.mouseClick(chart, Qt.MouseButton.LeftButton, pos=place)
    assert chat.calls == [("show_request", "r30.1")]
    assert panel.history.machine.what.whole().startswith("turn 30 · ")
    assert panel.view.value is None
    qtbot.keyClick(chart, Qt.Key.Key_Left)
    assert chat.calls[-1] == ("show_request", "r29.1")
    assert panel.history.hint.whole().startswith("turn 29 · ")
    panel.history.machine.to_live.click()
    assert chat.calls[-1] == ("show_request", None)
    assert panel.total.big.text() == "57,933"
    assert panel.view.value == "live"


def test_every_request_of_a_turn_can_be_reached(qtbot: QtBot, panel: ContextPanel, chat: StageChat) -> None:
    history, machine = panel.history, panel.history.machine
    assert not machine.round.isVisible()
    chat.history = [samples.record(1, 100), *(samples.record(2, 200 + at, round_number=at) for at in (1, 2, 3))]
    chat.requests, chat.turns = chat.history, frozenset(("t1", "t2"))
    chat.historyChanged.emit()
    assert machine.round.whole() == "request 3 of 3 of this turn"
    assert not machine.after.isEnabled()
    machine.before.click()
    assert chat.calls[-1] == ("show_request", "r2.2")
    assert machine.round.whole() == "request 2 of 3 of this turn"
    assert history.chart._selected == 1
    qtbot.keyClick(history.chart, Qt.Key.Key_Up)
    assert chat.calls[-1] == ("show_request", "r2.1")
    qtbot.keyClick(history.chart, Qt.Key.Key_Up)
    qtbot.keyClick(history.chart, Qt.Key.Key_Down)
    assert chat.calls[-1] == ("show_request", "r2.2")
    qtbot.keyClick(history.chart, Qt.Key.Key_Left)
    assert chat.calls[-1] == ("show_request", "r1.1")
    assert not machine.round.isVisible()


@pytest.mark.parametrize("width", [360, 420])
@pytest.mark.parametrize("code", ["en", "ko"])
def test_nothing_is_cut_at_the_side(
    panel: ContextPanel, chat: StageChat, language: Language, width: int, code: str
) -> None:
    language.use(code)
    chat.preview = samples.budget(messages=812_345, known=Known.ESTIMATED)
    chat.previewChanged.emit(chat.preview)
    panel.resize(width, 820)
    page = panel.legend.parentWidget()
    assert page is not None
    assert page.minimumSizeHint().width() <= width
    assert panel.total.of_window.text() == panel.total.of_window.whole()
    assert panel.total.tag.geometry().right() < panel.total.width()


def test_stacked_layers_reach_the_total_of_every_turn() -> None:
    records = samples.history(5)
    layers = stacked(records)
    assert [segment for segment, _ in layers] == [
        Segment.SYSTEM,
        Segment.TOOLS,
        Segment.MESSAGES,
        Segment.CURRENT,
    ]
    assert [high for _, high in layers[-1][1]] == [record.total.tokens for record in records]


def test_unknown_window_says_so_and_offers_to_set_it(qtbot: QtBot, panel: ContextPanel, chat: StageChat) -> None:
    chat.preview = samples.budget(window=None)
    chat.previewChanged.emit(chat.preview)
    assert panel.total.of_window.text() == "tokens · window unknown"
    assert panel.window_unknown.isVisible()
    assert not panel.chart.scale.isVisible()
    with qtbot.waitSignal(panel.windowAsked):
        panel.window_set.click()
    panel.set_window_settable(False)
    assert panel.window_unknown.text() == "The context window is known as soon as the endpoint has listed its models."
    assert not panel.window_set.isVisible()


def test_what_does_not_fit_is_explained(panel: ContextPanel, chat: StageChat) -> None:
    chat.preview = samples.budget(window=60_000)
    chat.previewChanged.emit(chat.preview)
    assert panel.over.isVisible()
    last = panel.rows_model.rowCount() - 1
    assert panel.rows_model.index(last, 0).data() == "over the window"


def test_the_scale_can_be_the_whole_window(panel: ContextPanel, chat: StageChat) -> None:
    assert panel.chart.end.text() == "bar ends at 100,000"
    chat.preview = samples.budget(messages=300, reserve=16_000)
    chat.previewChanged.emit(chat.preview)
    assert chat.preview.total.tokens == 5_133
    assert panel.chart.end.text() == "bar ends at 10,000"
    *inputs, reserve = panel.chart.bar.stretches()
    assert inputs[-1].right == pytest.approx(0.5133)
    assert (reserve.segment, reserve.right) == (None, 1.0)
    chat.preview = samples.budget()
    chat.previewChanged.emit(chat.preview)
    panel.chart.set_scale("window")
    assert panel.chart.end.text() == "bar ends at 1,000,000"
    assert panel.chart.scale.text() == "scale: window"


def test_korean_without_restart(panel: ContextPanel, chat: StageChat, language: Language) -> None:
    language.use("ko")
    assert panel.total.of_window.text() == "/ 1,000,000토큰 · 5.8 %"
    assert panel.rows_model.index(0, 0).data() == "시스템"
    assert panel.history.machine.raw.text() == "요청 원문"


def test_raw_opens_the_last_request_sent(panel: ContextPanel, chat: StageChat) -> None:
    panel.open_raw()
    dialog = panel.findChild(RawRequest)
    assert [call[:2] for call in chat.calls] == [("read_request", "r46.1")]
    assert dialog is not None
    assert dialog.text.text.startswith('{"max_tokens":32000')
    dialog.close()


def test_the_simulated_assistant_is_named_instead_of_its_address(panel: ContextPanel, chat: StageChat) -> None:
    chat.simulated = True
    panel.open_raw()
    dialog = panel.findChild(RawRequest)
    assert dialog is not None
    assert dialog.note.text().startswith("Exactly as sent to the simulated assistant as claude-opus-5-5: ")
    dialog.close()


def test_raw_text_is_as_sent_however_it_is_broken_for_the_eye(qtbot: QtBot, raw: RawRequest) -> None:
    sent = raw.text.text
    qtbot.waitUntil(lambda: raw.text.share == 1.0)
    assert raw.text.document().blockCount() > 5
    raw.text.selectAll()
    assert raw.text.createMimeDataFromSelection().text() == sent
    raw.copy_all.click()
    assert QGuiApplication.clipboard().text() == sent
    raw.indent.setChecked(True)
    assert raw.text.text.startswith('{\n  "messages"')
    raw.copy_all.click()
    assert QGuiApplication.clipboard().text() == sent


def test_search_in_the_raw_request(qtbot: QtBot, raw: RawRequest) -> None:
    raw.wanted.setText("needle")
    assert raw.found.text() == "1 of 2"
    assert raw.text.textCursor().selectedText() == "needle"
    qtbot.keyClick(raw.wanted, Qt.Key.Key_Return)
    assert raw.found.text() == "2 of 2"
    assert raw.text.textCursor().selectedText() == "Needle"
    raw.wanted.setText("nowhere")
    assert raw.found.text() == "not found"


def test_a_big_request_opens_piece_by_piece(qtbot: QtBot, theme: Theme, language: Language) -> None:
    body = to_json({"messages": [{"role": "user", "content": [text_block("word " * 400_000)]}], "model": "m"})
    dialog = RawRequest(samples.shown(samples.record(1, 1), body), theme, language)
    assert dialog.text.share < 0.1
    dialog.show()
    dialog.wanted.setText('"m"}')
    assert dialog.text.share == 1.0
    dialog.close()


def test_another_conversation_begins_with_its_next_request(panel: ContextPanel, chat: StageChat) -> None:
    panel.view.take("last")
    panel.show_message("m1")
    other = StageChat("c2")
    other.preview = replace(samples.budget(), reserve=1)
    panel.set_session(other)
    assert panel.view.value == "live"
    assert not panel.blocks.isVisible()
    chat.previewChanged.emit(None)
    assert panel.total.big.text() == "57,933"
