"""The Compaction panel: when folding is due, the summary in use, folding by hand, one that runs, and the log."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractButton, QLabel, QLineEdit
from pytestqt.qtbot import QtBot

from desktop_app.bridge.session_state import Notice, Phase, SessionState
from desktop_app.bridge.shown_folding import RunningFold
from desktop_app.core import errors
from desktop_app.core.compaction.carried import Carried
from desktop_app.core.compaction.compaction import CompactionCause, CompactionState, Strategy, WrittenBy
from desktop_app.core.compaction.plan import FoldOrder
from desktop_app.core.compaction.summary_text import compose
from desktop_app.core.compaction.value_check import Fate
from desktop_app.core.conversation import Message, Origin, Role
from desktop_app.core.usage import Figure, Known
from desktop_app.ui.compaction.compaction_panel import CompactionPanel
from desktop_app.ui.compaction.summary_view import SummaryView
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from tests.ui import fold_samples as samples
from tests.ui.window_stage import StageChat

PATH = samples.path(5)
ONE = samples.compaction("a3", 6, focus="the bucket")
UNDONE = samples.compaction("a1", 2, id="k0", state=CompactionState.UNDONE, cause=CompactionCause.BY_HAND)


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
    chat.folding.path = PATH
    log = (samples.line(1, UNDONE), samples.line(2, ONE))
    chat.folding.show(state=samples.STATE, folded=samples.folded(PATH, ONE), log=log)
    chat.in_use.show(ONE)
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
    assert due.of_threshold.whole() == "of 150,000 · 40.8 %"
    assert due.tick.text() == "due at 150,000 tokens"
    assert due.when.text() == "Folds by itself once that is reached"
    assert due.bar.filled < due.bar.tick < 1
    assert due.bar.filled / due.bar.tick == pytest.approx(61_204 / 150_000)
    over = replace(samples.STATE, used=Figure(160_000, Known.ESTIMATED))
    for changes, start in (
        ({"due": True}, "Due: folds by itself"),
        ({"due": True, "review": True}, "Due: a summary is proposed"),
        ({}, "Due, but there is too little"),
        ({"rests_until": 180_000}, "Rests until 180,000 tokens"),
        ({"automatic": False}, "Automatic folding is off"),
    ):
        chat.folding.show(state=replace(over, **changes))
        assert due.when.text().startswith(start)
    assert due.big.text() == "≈ 160,000"
    assert due.bar.filled > due.bar.tick
    language.use("ko")
    assert due.tick.text() == "150,000토큰에서 접음"
    assert not due.stuck.isVisible()
    chat.folding.show(state=replace(over, stuck="compaction.stuck.turn"))
    assert "설정에서 기준을 높여" in due.stuck.text() and due.stuck.isVisible()
    assert panel.teach.isVisible(), "nothing is folded yet"


def test_the_summary_in_use_can_be_read_copied_and_followed(
    qtbot: QtBot, panel: CompactionPanel, folded: StageChat, language: Language
) -> None:
    summary = panel.summary
    assert summary.card.memo.headings() == samples.HEADINGS
    assert "## " not in summary.card.memo.toPlainText()
    assert "b2:mn-offsite-eu" in summary.card.memo.toPlainText()
    summary.card.copy.click()
    assert QGuiApplication.clipboard().text() == samples.MEMO
    assert summary.made.text().startswith("Handover memo · claude-haiku-5-5 · 6.4 s · $0.0048 · ")
    assert summary.card.tokens.text() == "1,955 tokens"
    assert summary.what.text() == "Folds 6 messages, turns 1–3 · ≈\u00a0118,420 → ≈\u00a027,160 tokens"
    assert summary.focus.text() == "Kept with care: the bucket"
    assert not panel.teach.isVisible()
    language.use("ko")
    assert summary.what.text().startswith("메시지 6개(턴 1–3)를 접었습니다")
    qtbot.waitUntil(lambda: not summary.card._copied.isActive(), timeout=3_000)


def test_measured_figures_carry_their_sign(panel: CompactionPanel, folded: StageChat) -> None:
    shown = folded.folding.folded
    assert shown is not None
    folded.folding.show(folded=replace(shown, before=Figure(118_420, Known.MEASURED)))
    assert "=\u00a0118,420 → ≈\u00a027,160" in panel.summary.what.text()


def test_what_a_summary_carries_word_for_word_is_counted(panel: CompactionPanel, folded: StageChat) -> None:
    carried = Carried(rules=("Always answer in Korean.",), values=("b2:mn-cold-9f31", "88-1203"))
    one = replace(ONE, summary=compose(samples.MEMO, carried, "en"))
    folded.folding.show(folded=samples.folded(PATH, one))
    folded.in_use.show(one)
    assert panel.summary.carried.text() == "Carried word for word: 1 standing rule, 2 lines of exact values"
    folded.folding.show(folded=samples.folded(PATH, ONE))
    assert not panel.summary.carried.isVisible()


def test_the_summary_in_use_is_edited_in_place(qtbot: QtBot, panel: CompactionPanel, folded: StageChat) -> None:
    card, review = panel.summary.card, folded.in_use
    assert panel.acts.isHidden()
    card.edit.click()
    assert card.editor.toPlainText() == samples.MEMO
    assert panel.acts.keep.isVisible() and not panel.acts.commit.isVisible()
    card.editor.setPlainText("## Goal\nShorter.")
    assert review.calls[-1] == ("type", "## Goal\nShorter.")
    qtbot.keyClick(card.editor, Qt.Key.Key_Escape)
    assert review.editing, "what was typed is not dropped by a key"
    qtbot.keyClick(card.editor, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert review.calls[-1] == ("save",)
    panel.acts.cancel.click()
    assert card.memo.isVisible() and not card.editing


def test_what_it_holds_is_checked_when_it_is_asked_for(panel: CompactionPanel, folded: StageChat) -> None:
    summary = panel.summary
    assert not summary.values.isVisible()
    summary.check.click()
    assert ("look_again",) in folded.in_use.calls
    folded.in_use.check = samples.CHECK
    folded.in_use.changed.emit()
    assert summary.values.isVisible() and not summary.check.isVisible()
    assert summary.values.tags[Fate.LOST].words == "✗ lost 2"


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
    chat.folding.show(plan=samples.PLAN)
    assert form.what.text() == "Folds 42 messages, turns 3–23, and keeps the last 19,953 tokens word for word."
    assert [label.text() for label in form.bars.figures] == ["= 118,420", "≈ 27,160"]
    assert form.bars.less.text() == "−77 %"
    assert [bar.share for bar in form.bars.bars] == pytest.approx([118_420 / 150_000, 27_160 / 150_000])
    assert form.prices.text() == (
        "This conversation (claude-opus-5-5) ≈ $0.0931, cheaper · A call of its own (claude-haiku-5-5) ≈ $0.0991"
    )
    form.open.click()
    assert chat.calls[-1] == ("preview_fold", True)
    assert panel.focusWidget() is form.focus
    assert [mark.words for mark in form.bars.legend.marks] == [
        "system 1,840",
        "tools 2,310",
        "facts 1,102",
        "summary 0 → 1,955",
        "messages 113,168 → 19,953",
    ]
    qtbot.keyClick(form.focus, Qt.Key.Key_Escape)
    assert not form.focus.isVisible() and panel.focusWidget() is form.open
    form.open.click()
    qtbot.keyClicks(form.focus, " the exact paths ")
    qtbot.keyClick(form.focus, Qt.Key.Key_Return)
    assert ("fold", FoldOrder(focus="the exact paths")) in chat.calls
    assert ("preview_fold", False) in chat.calls
    assert not form.focus.isVisible()


def test_review_and_the_other_way_can_be_asked_for(panel: CompactionPanel, chat: StageChat) -> None:
    chat.folding.show(state=replace(samples.STATE, review=True), plan=samples.PLAN)
    form = panel.form
    form.open.click()
    assert form.review.isChecked(), "as the settings have it"
    first, second = form.ways.rows
    assert first.choice.isChecked()
    assert first.about.text() == "119,320 tokens · 97.2 % from the cache · cheaper"
    second.choice.click()
    form.fold.click()
    assert ("fold", FoldOrder(review=True, by=WrittenBy.SEPARATE)) in chat.calls


def test_a_way_that_is_not_possible_says_why(panel: CompactionPanel, chat: StageChat) -> None:
    cold = replace(samples.WAYS[0], possible=False, reason="compaction.way.cold")
    only = replace(samples.WAYS[1], cost=None, reason="compaction.way.only")
    chat.folding.show(state=samples.STATE, plan=replace(samples.PLAN, ways=(only, cold)))
    panel.form.open.click()
    taken, other = panel.form.ways.rows
    assert taken.choice.text().endswith("price unknown") and taken.choice.isEnabled()
    assert not other.choice.isEnabled()
    assert other.about.text() == "nothing of the conversation is in the cache any more"
    chat.folding.show(plan=replace(samples.PLAN, ways=()))
    assert panel.form.what.text().endswith("No request is needed.")
    assert not panel.form.ways.isVisible()


def test_strategies_the_endpoint_lacks_are_shown_with_the_reason(
    qtbot: QtBot, panel: CompactionPanel, chat: StageChat, language: Language
) -> None:
    offered = tuple(
        (one, "compaction.not_offered" if one in (Strategy.SERVER, Strategy.SERVER_NOW) else "") for one in Strategy
    )
    chat.folding.show(state=replace(samples.STATE, strategy=Strategy.TIERS), strategies=offered, plan=samples.PLAN)
    button = panel.form.strategy
    assert button.text() == "Episodes in tiers"
    menu = button.menu_of_choices()
    assert [one.isEnabled() for one in menu.actions()] == [True] * 4 + [False] * 2
    assert menu.actions()[4].text() == "By the API, at the threshold — this endpoint or model cannot do it"
    with qtbot.waitSignal(panel.strategyChosen) as chosen:
        menu.actions()[3].trigger()
    assert chosen.args == [Strategy.WINDOW]
    language.use("ko")
    assert button.accessibleName() == "방식: 단계별 에피소드"


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


def test_a_running_folding_shows_the_arriving_text_and_stops(
    qtbot: QtBot, panel: CompactionPanel, folded: StageChat, language: Language
) -> None:
    set_state(folded, SessionState(Phase.FOLDING))
    running = panel.running
    assert running.title.text().startswith("Preparing to fold")
    ids = tuple(message.id for message in PATH[:8])
    fold = RunningFold(ids, (1, 4), Figure(151_204, Known.MEASURED), CompactionCause.AUTOMATIC, began=time.monotonic())
    folded.folding.show(running=fold)
    assert running.title.text() == "Folding 8 messages…"
    assert running.what.text() == "turns 1–4 · = 151,204 tokens before"
    assert not running.card.isVisible()
    assert running.how.text() == "Handover memo · attempt 1 · 0.0 s"
    for piece in ("## Goal\nReliable back", "ups.\n\n## Fac", "ts\n- 4711"):
        folded.folding.arrive(piece)
    assert running.card.memo.toPlainText() == "Goal\nReliable backups.\nFacts\n- 4711"
    assert running.card.memo.headings() == ["Goal", "Facts"]
    assert not panel.form.isVisible()
    assert not panel.summary.undo.isEnabled()
    assert panel.due.when.text() == "Folding now"
    folded.folding.show(running=replace(fold, attempt=2, began=fold.began - 65), arriving="")
    assert running.how.text() == "Handover memo · attempt 2 · 1 min 05 s"
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
    assert rows[0].what.whole().startswith("#2 · ") and rows[0].what.whole().endswith(" · Handover memo · by itself")
    assert rows[0].figures.text() == (
        "6 messages · 118,420 → ≈ 27,160 tokens · 98 % of the folded part saved · foreseen ≈ 26,400"
    )
    assert rows[0].paid.text() == "$0.0048, 1.2 % of the conversation · claude-haiku-5-5 · 6.4 s"
    assert panel.log.sum.text() == ("2 foldings · $0.0096 · 2.4 % of what this conversation cost (target below 5 %)")
    assert rows[1].what.whole().endswith("by hand")
    assert "undone" in rows[1].accessibleName()
    assert not rows[1].undo.isVisible()
    panel.summary.undo.click()
    assert ("undo_fold", None) in folded.calls
    undone = replace(ONE, state=CompactionState.UNDONE)
    folded.folding.show(folded=None, log=(folded.folding.log[0], samples.line(2, undone)))
    assert [row.tag.text() for row in panel.log.rows] == ["undone", "undone"]
    assert not panel.summary.isVisible() and panel.teach.isVisible()
    language.use("ko")
    assert panel.log.rows[0].tag.text() == "되돌림"


def test_an_older_one_is_undone_with_all_newer_ones(panel: CompactionPanel, folded: StageChat) -> None:
    newer = [samples.compaction("a4", 8, id=f"k{number}") for number in (2, 3)]
    log = (*folded.folding.log, *(samples.line(3 + place, one) for place, one in enumerate(newer)))
    folded.folding.show(log=log, folded=samples.folded(PATH, newer[1]))
    rows = panel.log.rows
    assert [row.tag.text() for row in rows] == ["in use", "folded further", "folded further", "undone"]
    assert [row.undo.text() for row in rows[:3]] == ["Undo", "Undo this and 1 newer", "Undo this and 2 newer"]
    rows[2].undo.click()
    assert folded.calls[-1] == ("undo_fold", ONE.id)
    set_state(folded, SessionState(Phase.STREAMING))
    assert not rows[2].undo.isEnabled()


def test_the_log_tells_of_failures_and_of_what_was_measured(panel: CompactionPanel, chat: StageChat) -> None:
    failed = samples.compaction("a1", 2, state=CompactionState.FAILED, summary="", failure="overloaded")
    stopped = replace(failed, id="k2", failure="stopped", request_ids=())
    strange = replace(failed, id="k3", failure="no_such_word")
    measured = samples.line(4, replace(ONE, id="k4"), measured_after=27_410, share=0.08, cost=None)
    log = (*(samples.line(at, one) for at, one in enumerate((failed, stopped, strange), 1)), measured)
    chat.folding.show(log=log)
    rows = panel.log.rows
    assert "→ = 27,410 tokens" in rows[0].figures.text()
    assert rows[0].paid.text().startswith("price unknown, 8.0 % of the conversation")
    assert "No usable summary" in rows[1].failure.text()
    assert (rows[2].failure.text(), rows[2].paid.text()) == ("You stopped it.", "no request, no cost")
    assert "overloaded" in rows[3].failure.text()
    assert rows[3].figures.text() == "Nothing was folded; the context stays at 118,420 tokens"
    assert rows[3].paid.text().startswith("$0.0048"), "what failed was paid for"
    assert not rows[3].read.isVisible() and not rows[3].undo.isVisible()
    assert "more than the target of 5 %" in panel.log.sum.text()
    rows[0].read.click()
    assert rows[0].summary is not None and rows[0].summary.headings() == samples.HEADINGS
    assert rows[0].read.text() == "Hide summary"


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


def test_what_was_typed_for_one_conversation_is_not_for_another(panel: CompactionPanel, chat: StageChat) -> None:
    chat.folding.show(state=samples.STATE, plan=samples.plan())
    panel.form.open.click()
    panel.form.focus.setText("the harbour")
    panel.set_session(StageChat("c2"))
    assert panel.form.focus.text() == "" and not panel.form.opened


def test_older_rows_are_folded_away_for_another_conversation(panel: CompactionPanel, chat: StageChat) -> None:
    log = tuple(samples.line(number, UNDONE) for number in range(1, 9))
    chat.folding.show(state=samples.STATE, log=log)
    panel.log.older.click()
    assert len(panel.log.rows) == 8
    other = StageChat("c2")
    other.folding.show(state=samples.STATE, log=log)
    panel.set_session(other)
    assert len(panel.log.rows) == 4


def test_nothing_is_folded_over_an_open_edit(panel: CompactionPanel, folded: StageChat) -> None:
    folded.folding.show(plan=samples.plan())
    panel.form.open.click()
    assert panel.form.fold.isEnabled() and not panel.form.fold.toolTip()
    folded.in_use.begin_edit()
    assert not panel.form.fold.isEnabled()
    assert "Keep or cancel the edit" in panel.form.fold.toolTip()
    folded.in_use.cancel_edit()
    assert panel.form.fold.isEnabled()


def test_a_proposal_over_an_open_edit_has_its_own_acts(panel: CompactionPanel, folded: StageChat) -> None:
    folded.in_use.begin_edit()
    assert panel.acts.keep.isVisible()
    proposed = replace(ONE, id="p9", state=CompactionState.PROPOSED)
    folded.proposal.show(proposed)
    folded.folding.show(proposed=samples.folded(PATH, proposed))
    assert panel.acts.commit.isVisible() and not panel.acts.keep.isVisible()
    folded.folding.show(proposed=None)
    assert panel.acts.keep.isVisible() and panel.summary.card.editor.isVisible()


def test_nothing_is_typed_while_an_edit_is_stored(qtbot: QtBot, panel: CompactionPanel, folded: StageChat) -> None:
    folded.in_use.begin_edit()
    editor = panel.summary.card.editor
    folded.in_use.acting = True
    folded.in_use.changed.emit()
    qtbot.keyClicks(editor, "lost")
    assert "lost" not in editor.toPlainText()
    folded.in_use.acting = False
    folded.in_use.changed.emit()
    qtbot.keyClicks(editor, "kept")
    assert "kept" in editor.toPlainText()


def test_a_summary_is_letters_only(qtbot: QtBot, theme: Theme, language: Language) -> None:
    view = SummaryView(theme, language)
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
    folded.folding.show(plan=samples.PLAN)
    folded.in_use.check = samples.CHECK
    panel.form.open.click()
    panel.show_folded()
    settle(qtbot, panel)
    check_widgets(panel)


def settle(qtbot: QtBot, panel: CompactionPanel) -> None:
    """Waits until everything has its height."""
    layout = panel._page.layout()
    assert layout is not None
    qtbot.waitUntil(lambda: panel._page.height() >= layout.totalHeightForWidth(panel._page.width()))
    qtbot.wait(1)


def check_widgets(panel: CompactionPanel) -> None:
    """No words are cut, every control has a name and its width."""
    for label in panel.findChildren(QLabel):
        if label.isVisible() and not label.pixmap().isNull():
            continue
        if label.isVisible() and label.text() and not label.toolTip():
            assert label.height() >= label.heightForWidth(label.width()), label.text()
            assert label.wordWrap() or label.width() >= label.sizeHint().width() - 1, label.text()
    for control in (*panel.findChildren(QAbstractButton), *panel.findChildren(QLineEdit)):
        if control.isVisible():
            assert control.accessibleName(), control
            inside = isinstance(control.parent(), QLineEdit)  # its own buttons have its own size
            assert inside or control.width() >= control.minimumSizeHint().width(), control.accessibleName()
    assert panel._page.width() <= panel._scroll.viewport().width()
