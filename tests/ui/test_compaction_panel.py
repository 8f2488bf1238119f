"""The Compaction panel: when folding is due, the memo in use, folding by hand, one that runs, and the log."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractButton, QLabel, QLineEdit
from pytestqt.qtbot import QtBot

from desktop_app.bridge.session_state import Notice, Phase, SessionState
from desktop_app.bridge.shown_folding import RunningFold
from desktop_app.core import errors
from desktop_app.core.compaction.compaction import CompactionCause, CompactionState
from desktop_app.core.conversation import Message, Origin, Role
from desktop_app.core.usage import Figure, Known
from desktop_app.ui.compaction.compaction_panel import CompactionPanel
from desktop_app.ui.compaction.memo_view import MemoView
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from tests.ui import fold_samples as samples
from tests.ui.window_stage import StageChat

PATH = samples.path(5)
ONE = samples.compaction("a3", 6, focus="the bucket")


@pytest.fixture
def panel(qtbot: QtBot, theme: Theme, language: Language) -> CompactionPanel:
    panel = CompactionPanel(theme, language)
    qtbot.addWidget(panel)
    panel.resize(420, 820)
    panel.show()
    return panel


@pytest.fixture
def chat(panel: CompactionPanel) -> StageChat:
    chat = StageChat()
    panel.set_session(chat)
    return chat


@pytest.fixture
def folded(chat: StageChat) -> StageChat:
    """A conversation whose first three turns are folded."""
    undone = samples.compaction("a1", 2, id="k0", state=CompactionState.UNDONE, cause=CompactionCause.BY_HAND)
    chat.folding.path = PATH
    chat.folding.show(state=samples.STATE, folded=samples.folded(PATH, ONE), log=(undone, ONE))
    return chat


def set_state(chat: StageChat, state: SessionState) -> None:
    chat.state = state
    chat.stateChanged.emit(state)


def test_an_empty_panel_teaches_and_offers_the_act(qtbot: QtBot, panel: CompactionPanel) -> None:
    assert panel.empty.isVisible()
    assert "folded into a summary" in panel.empty.text.text()
    with qtbot.waitSignal(panel.writeAsked):
        panel.empty.act.click()
    panel.set_session(StageChat(None, "", full=False))
    assert panel.empty.isVisible()


def test_when_it_is_due(panel: CompactionPanel, chat: StageChat, language: Language) -> None:
    chat.folding.show(state=samples.STATE)
    due = panel.due
    assert (due.big.text(), due.tag.text()) == ("61,204", "measured")
    assert due.of_threshold.whole() == "of 150,000 tokens · 40.8 %"
    assert due.tick.text() == "due at 150,000 tokens"
    assert due.when.text() == "Folds by itself once that is reached"
    assert due.bar.filled < due.bar.tick < 1
    assert due.bar.filled / due.bar.tick == pytest.approx(61_204 / 150_000)
    over = replace(samples.STATE, used=Figure(160_000, Known.ESTIMATED))
    for changes, start in (
        ({"due": True}, "Due: folds by itself"),
        ({}, "Due, but there is too little"),
        ({"automatic": False}, "Automatic folding is off"),
    ):
        chat.folding.show(state=replace(over, **changes))
        assert due.when.text().startswith(start)
    assert due.big.text() == "≈ 160,000"
    assert due.bar.filled > due.bar.tick
    language.use("ko")
    assert due.tick.text() == "150,000토큰에서 접음"
    assert panel.teach.isVisible(), "nothing is folded yet"


def test_the_memo_in_use_can_be_read_copied_and_followed(
    qtbot: QtBot, panel: CompactionPanel, folded: StageChat, language: Language
) -> None:
    summary = panel.summary
    assert summary.card.memo.headings() == samples.HEADINGS
    assert "## " not in summary.card.memo.toPlainText()
    assert "b2:mn-offsite-eu" in summary.card.memo.toPlainText()
    summary.card.copy.click()
    assert QGuiApplication.clipboard().text() == samples.MEMO
    assert summary.made.whole().startswith("claude-haiku-5-5 · 6.4 s · ")
    assert summary.what.text() == "Folds 6 messages, turns 1–3"
    assert summary.focus.text() == "Kept with care: the bucket"
    assert [label.text() for label in summary.bars.figures] == ["≈ 118,420", "≈ 27,160"]
    assert summary.bars.less.text() == "−77 %"
    assert [bar.share for bar in summary.bars.bars] == [1.0, pytest.approx(27_160 / 118_420)]
    assert not panel.teach.isVisible()
    language.use("ko")
    assert summary.what.text() == "메시지 6개(턴 1–3)를 접었습니다"
    qtbot.waitUntil(lambda: not summary.card._copied.isActive(), timeout=3_000)


def test_measured_figures_carry_their_sign(panel: CompactionPanel, folded: StageChat) -> None:
    shown = folded.folding.folded
    assert shown is not None
    folded.folding.show(folded=replace(shown, before=Figure(118_420, Known.MEASURED)))
    assert panel.summary.bars.figures[0].text() == "= 118,420"


def test_the_list_of_what_was_folded_leads_to_each_message(
    qtbot: QtBot, panel: CompactionPanel, folded: StageChat
) -> None:
    listed = panel.summary.list
    assert listed.toggle.text() == "Show the 6 folded messages"
    assert listed.model.rowCount() == 0, "read only when it is shown"
    panel.show_folded()
    assert listed.opened
    assert panel.summary.card.memo.hasFocus()
    rows = [tuple(listed.model.index(row, column).data() for column in (0, 1)) for row in range(6)]
    assert rows[0] == ("You", "Question 1?")
    assert rows[5][0] == "Claude" and rows[5][1].startswith("3. On the NAS under")
    place = listed.table.visualRect(listed.model.index(2, 1)).center()
    with qtbot.waitSignal(panel.messageChosen) as chosen:
        qtbot.mouseClick(listed.table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert chosen.args == ["u2"]
    listed.table.setFocus()
    listed.table.selectRow(3)
    with qtbot.waitSignal(panel.messageChosen) as chosen:
        qtbot.keyClick(listed.table, Qt.Key.Key_Return)
    assert chosen.args == ["a2"]


def test_results_of_tools_lead_to_their_call(panel: CompactionPanel, chat: StageChat, language: Language) -> None:
    block = {"type": "tool_result", "tool_use_id": "t1", "content": "42 <b>files</b>\u202e"}
    result = Message("r1", "c1", "a1", Role.USER, (block,), Origin.TOOL_RESULTS)
    path = [*PATH[:2], result, *PATH[2:]]
    chat.folding.path = path
    chat.folding.show(folded=samples.folded(path, ONE))
    panel.show_folded()
    model = panel.summary.list.model
    assert [model.index(2, column).data() for column in (0, 1)] == ["Tool result", "42 <b>files</b>⟨RLO⟩"]
    assert model.index(2, 0).data(model.MessageRole) == "a1"
    language.use("ko")
    assert model.index(2, 0).data() == "도구 결과"


def test_what_could_be_folded_is_found_out_for_who_looks(qtbot: QtBot, panel: CompactionPanel, chat: StageChat) -> None:
    panel.hide()
    chat.folding.show(state=samples.STATE)
    assert ("plan_fold",) not in chat.calls
    panel.show()
    assert chat.calls.count(("plan_fold",)) == 1
    form = panel.form
    assert not form.open.isEnabled()
    chat.folding.show(offer=samples.OFFER)
    assert form.what.text() == (
        "Folds 42 messages, turns 3–23, and keeps the last 19,840 tokens word for word.\n"
        "=\u00a0118,420 → ≈\u00a027,160 tokens"
    )
    form.open.click()
    assert panel.focusWidget() is form.focus
    qtbot.keyClick(form.focus, Qt.Key.Key_Escape)
    assert not form.focus.isVisible() and panel.focusWidget() is form.open
    form.open.click()
    qtbot.keyClicks(form.focus, " the exact paths ")
    qtbot.keyClick(form.focus, Qt.Key.Key_Return)
    assert ("fold", "the exact paths") in chat.calls
    assert not form.focus.isVisible()


def test_why_nothing_can_be_folded(panel: CompactionPanel, chat: StageChat) -> None:
    chat.folding.show(state=samples.STATE, refused=errors.NothingToFold(tokens=20_000))
    assert panel.form.what.text() == (
        "Nothing can be folded: the whole conversation belongs to the last 20,000 tokens, which stay word for word."
    )
    assert not panel.form.open.isEnabled()
    assert ("plan_fold",) not in chat.calls[1:]
    set_state(chat, SessionState(Phase.STREAMING))
    chat.folding.show(refused=None)
    assert panel.form.what.text() == "What can be folded is found out after the answer."
    assert ("plan_fold",) not in chat.calls[1:]
    chat.folding.show(refused=errors.Unreachable(host="api.example"))
    assert "api.example" in panel.form.what.text()


def test_a_running_folding_shows_the_arriving_memo_and_stops(
    qtbot: QtBot, panel: CompactionPanel, folded: StageChat, language: Language
) -> None:
    set_state(folded, SessionState(Phase.FOLDING))
    running = panel.running
    assert running.title.text().startswith("Preparing to fold")
    ids = tuple(message.id for message in PATH[:8])
    fold = RunningFold(ids, (1, 4), Figure(151_204, Known.MEASURED), CompactionCause.AUTOMATIC)
    folded.folding.show(running=fold, memo="")
    assert running.title.text() == "Folding 8 messages…"
    assert running.what.text() == "turns 1–4 · = 151,204 tokens before"
    assert not running.card.isVisible()
    for piece in ("## Goal\nReliable back", "ups.\n\n## Fac", "ts\n- 4711"):
        folded.folding.arrive(piece)
    assert running.card.memo.toPlainText() == "Goal\nReliable backups.\nFacts\n- 4711"
    assert running.card.memo.headings() == ["Goal", "Facts"]
    assert not panel.form.isVisible()
    assert not panel.summary.undo.isEnabled()
    assert panel.due.when.text() == "Folding now"
    folded.folding.show(running=replace(fold, attempt=2), memo="")
    assert "a second one" in running.again.text() and running.again.isVisible()
    assert not running.card.isVisible()
    language.use("ko")
    assert running.title.text() == "메시지 8개를 접는 중…"
    running.stop.click()
    assert ("stop",) in folded.calls
    set_state(folded, SessionState(Phase.FOLDING, ending=True))
    assert not running.stop.isEnabled()
    folded.folding.show(running=None)
    set_state(folded, SessionState())
    assert not running.isVisible() and panel.form.isVisible()


def test_a_failed_folding_says_what_was_kept(panel: CompactionPanel, chat: StageChat) -> None:
    chat.folding.show(state=samples.STATE, failed=Notice("compaction.failed", cause=errors.Overloaded()))
    assert panel.failed.isVisible()
    assert panel.failed.text().startswith("Nothing was folded, and the conversation is as it was. The endpoint is over")
    chat.folding.show(failed=None)
    assert not panel.failed.isVisible()


def test_one_click_undoes_and_the_log_keeps_it(panel: CompactionPanel, folded: StageChat, language: Language) -> None:
    rows = panel.log.rows
    assert [row.tag.text() for row in rows] == ["in use", "undone"]
    assert "6 messages" in rows[0].what.text()
    assert rows[0].figures.whole() == "118,420 → 27,160 tokens · claude-haiku-5-5 · 6.4 s · by itself"
    assert rows[1].figures.whole().endswith("by hand")
    assert "undone" in rows[1].accessibleName()
    panel.summary.undo.click()
    assert ("undo_fold",) in folded.calls
    undone = replace(ONE, state=CompactionState.UNDONE)
    folded.folding.show(folded=None, log=(folded.folding.log[0], undone))
    assert [row.tag.text() for row in panel.log.rows] == ["undone", "undone"]
    assert not panel.summary.isVisible() and panel.teach.isVisible()
    language.use("ko")
    assert panel.log.rows[0].tag.text() == "되돌림"


def test_another_conversation_takes_the_place(panel: CompactionPanel, folded: StageChat) -> None:
    panel.show_folded()
    other = StageChat("c2")
    panel.set_session(other)
    assert panel.empty.isVisible()
    folded.folding.arrive("late")
    set_state(folded, SessionState(Phase.FOLDING))
    assert not panel.running.isVisible()
    panel.set_session(folded)
    assert panel.summary.isVisible() and not panel.summary.list.opened


def test_a_memo_is_letters_only(qtbot: QtBot, theme: Theme, language: Language) -> None:
    view = MemoView(theme, language)
    qtbot.addWidget(view)
    view.resize(300, 100)
    view.show()
    view.set_text("## Goal <i>x</i>\n<img src=http://a.example/x> \u202ekcab\n```\n## no heading\n```\n" + "long" * 400)
    assert view.headings() == ["Goal <i>x</i>"]
    assert "<img src=http://a.example/x>" in view.toPlainText()
    assert "\u202e" not in view.toPlainText()
    assert "## no heading" in view.toPlainText()
    assert view.document().idealWidth() <= 302
    narrow = view.height()
    view.resize(600, 100)
    qtbot.waitUntil(lambda: view.height() < narrow)


@pytest.mark.parametrize("code", ["en", "ko"])
@pytest.mark.parametrize("width", [360, 420])
def test_nothing_is_cut_and_every_control_has_a_name(
    panel: CompactionPanel, folded: StageChat, language: Language, code: str, width: int, qtbot: QtBot
) -> None:
    language.use(code)
    panel.resize(width, 900)
    folded.folding.show(offer=samples.OFFER)
    panel.form.open.click()
    panel.show_folded()
    qtbot.wait(1)
    for label in panel.findChildren(QLabel):
        if label.isVisible() and not label.pixmap().isNull():
            continue
        if label.isVisible() and label.text() and not label.toolTip():
            assert label.height() >= label.heightForWidth(label.width()), label.text()
            assert label.wordWrap() or label.width() >= label.sizeHint().width() - 1, label.text()
    for control in (*panel.findChildren(QAbstractButton), *panel.findChildren(QLineEdit)):
        if control.isVisible():
            assert control.accessibleName(), control
            assert control.width() >= control.minimumSizeHint().width(), control.accessibleName()
    assert panel._page.width() <= panel._scroll.viewport().width()
