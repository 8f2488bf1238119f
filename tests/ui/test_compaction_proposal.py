"""A proposal in the Compaction panel: values as chips with their fate, what can be done with them, text and acts."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QMenu, QWidget
from pytestqt.qtbot import QtBot

from desktop_app.adapters.secret_detector import SecretDetector
from desktop_app.bridge.memory_session import MemorySession
from desktop_app.bridge.session_state import Phase, SessionState
from desktop_app.bridge.value_models import SIGNS
from desktop_app.core.archive import ArchiveHit, Standing
from desktop_app.core.compaction.compaction import Compaction, CompactionState, Strategy
from desktop_app.core.compaction.memo import Section
from desktop_app.core.compaction.value_check import CheckedValue, Fate
from desktop_app.core.conversation import Role
from desktop_app.core.errors import BadInput
from desktop_app.core.facts import Fact, FactOrigin, FactSource, FactState
from desktop_app.core.recall.values import FactHit
from desktop_app.core.segment import Segment
from desktop_app.core.usage import Figure, Known
from desktop_app.services.archive import ArchiveAnswer
from desktop_app.ui.compaction.compaction_panel import CompactionPanel
from desktop_app.ui.compaction.fate_look import fate_look
from desktop_app.ui.language import Language
from desktop_app.ui.palette import contrast
from desktop_app.ui.theme import Theme
from tests.ui import fold_samples as samples
from tests.ui.stand_in import stand_in
from tests.ui.test_compaction_panel import check_widgets, settle
from tests.ui.window_stage import StageChat


@stand_in
class StageMemory(MemorySession):
    """Long-term memory; `calls` lists what was kept."""

    calls: list[tuple[Any, ...]]

    def __init__(self) -> None:
        QObject.__init__(self)
        self.calls = []
        self.secrets = SecretDetector()


PATH = samples.path(5)
MOMENT = datetime(2026, 11, 30, tzinfo=UTC)
FACT = Fact("f7", "demo", "bucket", "b2:mn-offsite-eu", FactState.ACTIVE, FactOrigin.YOU, 1, MOMENT, MOMENT)
ONE = samples.compaction("a3", 6, id="p1", state=CompactionState.PROPOSED, focus="the bucket")


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
    chat.folding.path = PATH
    panel.set_session(chat)
    propose(chat, ONE)
    return chat


def propose(chat: StageChat, one: Compaction, check: Any = samples.CHECK) -> None:
    """A compaction waits for the person; its values are known."""
    chat.proposal.check = check
    chat.proposal.compaction = one
    chat.folding.show(
        state=samples.STATE,
        plan=samples.plan(),
        proposed=samples.folded(PATH, one),
        log=(samples.line(1, one),),
    )


def words(menu: QMenu) -> list[str]:
    return [action.text() for action in menu.actions() if action.text()]


def act(menu: QMenu, text: str) -> None:
    """Chooses a line of a menu."""
    next(action for action in menu.actions() if action.text() == text).trigger()


def of(fate: Fate) -> CheckedValue:
    return next(value for value in samples.VALUES if value.fate is fate)


def test_what_it_folds_and_saves(panel: CompactionPanel, chat: StageChat, language: Language) -> None:
    proposal = panel.proposal
    assert proposal.isVisible()
    assert not panel.due.isVisible() and not panel.form.isVisible() and not panel.summary.isVisible()
    assert proposal.made.text() == "Handover memo · claude-haiku-5-5 · 6.4 s · $0.0048"
    assert proposal.tag.text() == "estimated"
    assert proposal.bars.less.text() == "−77 %"
    assert proposal.bars.bars[0].rows == samples.ROWS_BEFORE
    assert proposal.bars.bars[1].rows == samples.ROWS_AFTER
    assert proposal.bars.bars[0].words_at(0.5) == "messages: 113,168 tokens"
    assert proposal.what.text() == "folds 6 messages, turns 1–3 · keeps the last 19,953 tokens word for word"
    assert proposal.focus.text() == "Kept with care: the bucket"
    language.use("ko")
    assert proposal.title.text() == "요약 제안"
    assert proposal.made.text().startswith("인수인계 메모 · ")


def test_a_plan_that_cuts_elsewhere_says_nothing_of_segments(panel: CompactionPanel, chat: StageChat) -> None:
    chat.folding.show(plan=samples.PLAN)
    assert panel.proposal.what.text() == "folds 6 messages, turns 1–3"
    assert len(panel.proposal.bars.bars[0].rows) == 1
    assert not panel.proposal.bars.legend.isVisible()


def test_the_values_stand_by_fate_with_a_sign_for_each(panel: CompactionPanel, chat: StageChat) -> None:
    values = panel.proposal.values
    model = values.model
    shown = [model.index(row).data() for row in range(model.rowCount())]
    assert shown[:5] == ["✗ b2:mn-cold-9f31", "✗ ticket 88-1203", "≈ 1.2 TB", "+ 40 days", "✓ /srv/backup/nas-7"]
    assert values.total.text() == "11 exact values", "what was invented was not in the turns"
    assert [tag.words for tag in values.tags.values()] == ["✗ lost 2", "≈ reworded 1", "+ invented 1", "✓ kept 8"]
    assert (len(shown), values.more.text()) == (10, "+ 2 more")
    values.more.click()
    assert (model.rowCount(), values.more.text()) == (12, "show fewer")
    values.more.click()
    assert model.rowCount() == 10
    index = model.index(0)
    assert index.data(Qt.ItemDataRole.AccessibleTextRole) == "lost · host: b2:mn-cold-9f31"
    assert "The yearly copy lies in" in index.data(Qt.ItemDataRole.ToolTipRole)
    assert "reads now: about 1.2 TB" in model.index(2).data(Qt.ItemDataRole.ToolTipRole)


def test_fates_differ_in_shape_and_can_be_read() -> None:
    for dark in (False, True):
        looks = {fate: fate_look(fate, dark=dark) for fate in Fate}
        assert len({(look.outline, look.radius) for look in looks.values()}) == len(Fate)
        for look in looks.values():
            assert contrast(look.words, look.ground) >= 4.5
    assert len(set(SIGNS.values())) == len(Fate)


def test_chips_need_no_scrolling_of_their_own(qtbot: QtBot, panel: CompactionPanel, chat: StageChat) -> None:
    chips = panel.proposal.values.chips
    panel.proposal.values.more.click()
    for width in (620, 380):
        panel.resize(width, 820)
        settle(qtbot, panel)
        last = chips.visualRect(chips.model().index(chips.model().rowCount() - 1, 0))
        assert 0 < last.bottom() < chips.height()
        assert last.right() <= chips.viewport().width()


def test_a_lost_value_is_put_back_shown_copied_or_made_a_fact(
    qtbot: QtBot, panel: CompactionPanel, chat: StageChat
) -> None:
    values = panel.proposal.values
    menu = values.menu_of([of(Fate.LOST)])
    assert words(menu) == [
        "lost · host",
        "Put back word for word",
        "Make it a fact…",
        "Show where it stood",
        "Copy",
    ]
    act(menu, "Put back word for word")
    assert chat.proposal.calls[-1] == ("put_back", ["b2:mn-cold-9f31"])
    with qtbot.waitSignal(panel.messageChosen) as chosen:
        act(menu, "Show where it stood")
    assert chosen.args == ["u1"]
    act(menu, "Copy")
    assert QGuiApplication.clipboard().text() == "b2:mn-cold-9f31"
    act(menu, "Make it a fact…")
    form = panel.proposal.fact.form
    assert form.texts[:2] == ("host", "b2:mn-cold-9f31")
    assert panel.focusWidget() is form.key
    qtbot.keyClick(form.key, Qt.Key.Key_Escape)
    assert not panel.proposal.fact.isVisible()


def test_what_was_invented_is_found_in_the_summary(panel: CompactionPanel, chat: StageChat) -> None:
    propose(chat, replace(ONE, summary=samples.MEMO.replace("35 days", "40 days")))
    menu = panel.proposal.values.menu_of([of(Fate.INVENTED)])
    assert "Put back word for word" not in words(menu) and "Show where it stood" not in words(menu)
    act(menu, "Find it in the summary")
    assert panel.proposal.card.memo.textCursor().selectedText() == "40 days"


def test_several_values_are_put_back_at_once(qtbot: QtBot, panel: CompactionPanel, chat: StageChat) -> None:
    values = panel.proposal.values
    assert values.all_back.text() == "Put all 2 lost ones back"
    values.all_back.click()
    assert chat.proposal.calls[-1] == ("put_back", ["b2:mn-cold-9f31", "ticket 88-1203"])
    values.chips.setFocus()
    qtbot.keyClick(values.chips, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    chosen = values.chips.selected_values()
    assert [value.text for value in chosen] == ["b2:mn-cold-9f31", "ticket 88-1203"]
    menu = values.menu_of(chosen)
    assert words(menu) == ["Put 2 values back", "Copy"]


def test_the_keyboard_reaches_every_chip(qtbot: QtBot, panel: CompactionPanel, chat: StageChat) -> None:
    chips = panel.proposal.values.chips
    chips.chosen.disconnect(panel.proposal.values._open_menu)  # a menu waits for an answer
    chips.setFocus()
    chips.setCurrentIndex(chips.model().index(0, 0))
    qtbot.keyClick(chips, Qt.Key.Key_Right)
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Space):
        with qtbot.waitSignal(chips.chosen) as chosen:
            qtbot.keyClick(chips, key)
        assert [value.text for value in chosen.args[0]] == ["ticket 88-1203"]
        assert isinstance(chosen.args[1], QPoint)
    box = chips.visualRect(chips.model().index(2, 0))
    with qtbot.waitSignal(chips.chosen) as chosen:
        qtbot.mouseClick(chips.viewport(), Qt.MouseButton.LeftButton, pos=box.center())
    assert [value.text for value in chosen.args[0]] == ["1.2 TB"]


def test_the_acts_stand_below_and_go_to_the_session(panel: CompactionPanel, chat: StageChat) -> None:
    acts = panel.acts
    assert acts.again.text() == "Again, naming the lost"
    for button, call in ((acts.commit, "commit_fold"), (acts.again, "fold_again"), (acts.reject, "reject_fold")):
        button.click()
        assert chat.calls[-1] == (call,)
    chat.state = SessionState(Phase.STREAMING)
    chat.stateChanged.emit(chat.state)
    assert not acts.commit.isEnabled()
    chat.state = SessionState()
    chat.stateChanged.emit(chat.state)
    propose(chat, replace(ONE, id="p2"), replace(samples.CHECK, values=(of(Fate.KEPT),)))
    assert acts.again.text() == "Again"
    chat.folding.show(proposed=None)
    assert acts.isHidden() and panel.form.isVisible()


def test_the_text_is_edited_and_kept_or_left(qtbot: QtBot, panel: CompactionPanel, chat: StageChat) -> None:
    card = panel.proposal.card
    panel.acts.edit.click()
    assert card.editor.isVisible() and card.editor.hasFocus()
    assert not panel.acts.commit.isVisible() and panel.acts.keep.isVisible()
    qtbot.keyClick(card.editor, Qt.Key.Key_Escape)
    assert not card.editing, "nothing was typed"
    panel.acts.edit.click()
    card.editor.setPlainText("## Goal\nAnother.")
    panel.acts.keep.click()
    assert ("type", "## Goal\nAnother.") in chat.proposal.calls
    assert chat.proposal.calls[-1] == ("save",)
    panel.acts.cancel.click()
    assert card.memo.text == samples.MEMO and panel.acts.commit.isVisible()


def test_what_the_api_signed_is_shown_but_not_edited(panel: CompactionPanel, chat: StageChat) -> None:
    propose(chat, replace(ONE, block={"type": "compaction", "content": samples.MEMO}, strategy=Strategy.SERVER_NOW))
    card = panel.proposal.card
    assert card.memo.isVisible() and card.signed.isVisible()
    assert "signed" in card.signed.text()
    assert not card.edit.isVisible() and not panel.acts.edit.isVisible() and not panel.acts.again.isVisible()
    menu = panel.proposal.values.menu_of([of(Fate.LOST)])
    assert not menu.actions()[2].isEnabled()
    assert not panel.proposal.values.all_back.isVisible()


def test_how_good_it_is_stands_in_plain_words(panel: CompactionPanel, chat: StageChat, language: Language) -> None:
    quality = panel.proposal.quality
    assert quality.good.text() == (
        "wording drawn from the folded turns (0.71) · all 6 sections · language of the conversation"
    )
    assert "ROUGE-L" in quality.good.toolTip()
    assert not quality.bad.isVisible()
    bad = replace(
        samples.CHECK,
        rouge=0.31,
        right_language=False,
        shorter=False,
        missing_sections=(Section.FACTS, Section.NEXT_STEPS),
    )
    propose(chat, replace(ONE, id="p2"), bad)
    assert quality.bad.text() == (
        "Much of its wording stands nowhere in the folded turns (0.31). Sections missing: Facts, Next steps. "
        "It is not in the language of the conversation. It is no shorter than what it folds."
    )
    assert not quality.good.isVisible()
    language.use("ko")
    assert "빠진 부분: 사실, 다음 단계." in quality.bad.text()


def test_bars_of_a_small_context_are_no_slivers(panel: CompactionPanel, chat: StageChat) -> None:
    small = samples.plan(
        before=Figure(2_000, Known.MEASURED),
        after=Figure(1_000, Known.ESTIMATED),
        rows_before=((Segment.TOOLS, 501), (Segment.MESSAGES, 1_499)),
        rows_after=((Segment.TOOLS, 499), (Segment.MESSAGES, 501)),
    )
    chat.folding.show(proposed=None, plan=small)
    panel.form.open.click()
    bars = panel.form.bars
    assert [bar.share for bar in bars.bars] == pytest.approx([0.8, 0.4])
    assert bars.legend.marks[0].words == "tools 499", "two estimates of the same"


@pytest.mark.timed
def test_thousands_of_values_do_not_hold_the_window(panel: CompactionPanel, chat: StageChat) -> None:
    kept = of(Fate.KEPT)
    many = tuple(replace(kept, text=f"value-{number}", fate=Fate.LOST) for number in range(5_000))
    began = time.perf_counter()
    propose(chat, replace(ONE, id="p2"), replace(samples.CHECK, values=many))
    panel.proposal.values.more.click()
    QApplication.processEvents()
    assert time.perf_counter() - began < 0.6
    assert panel.proposal.values.model.rowCount() == 320


def test_a_value_is_kept_as_a_fact(qtbot: QtBot, panel: CompactionPanel, chat: StageChat) -> None:
    memory = StageMemory()
    panel.set_memory(memory)
    card = panel.proposal.fact
    card.begin(of(Fate.LOST))
    card.form.key.setText("cold copy")
    qtbot.keyClick(card.form.key, Qt.Key.Key_Return)
    source = FactSource("u1", "c1", "The yearly copy lies in b2:mn-cold-9f31.")
    assert memory.calls == [("add", "cold copy", "b2:mn-cold-9f31", "", {"source": source, "allow_secrets": False})]
    assert not card.save.isEnabled()
    memory.refused.emit(BadInput(what="key", why="blank"))
    assert card.note.isVisible() and card.save.isEnabled()
    card.save.click()
    with qtbot.waitSignal(card.kept):
        memory.kept.emit("f1")
    assert not card.isVisible()
    panel.set_memory(None)


def test_until_the_values_are_known_it_says_so(panel: CompactionPanel, chat: StageChat) -> None:
    chat.proposal.checking = True
    propose(chat, replace(ONE, id="p2"), None)
    assert panel.proposal.values.note.text() == "Looking for the exact values…"
    assert ("look",) in chat.proposal.calls
    chat.proposal.checking = False
    propose(chat, replace(ONE, id="p3"), replace(samples.CHECK, values=()))
    assert panel.proposal.values.note.text().startswith("The folded turns held no exact values")


def test_strange_values_are_letters_only(panel: CompactionPanel, chat: StageChat) -> None:
    strange = replace(of(Fate.LOST), text="<b>x</b>\u202e\n" + "long " * 40, sentence="<img src=x>")
    propose(chat, replace(ONE, id="p2"), replace(samples.CHECK, values=(strange,)))
    index = panel.proposal.values.model.index(0)
    assert index.data().startswith("✗ <b>x</b>⟨RLO⟩ long") and len(index.data()) < 60
    assert "<b>" not in index.data(Qt.ItemDataRole.ToolTipRole)
    assert "<img" not in index.data(Qt.ItemDataRole.ToolTipRole)


def test_the_originals_are_searched_and_lead_to_the_message(
    qtbot: QtBot, panel: CompactionPanel, chat: StageChat, language: Language
) -> None:
    archive = panel.archive
    qtbot.keyClicks(archive.field, "bucket")
    assert chat.archive.calls[-1] == ("search", "bucket")
    assert archive.note.text() == "Searching…"
    hit = ArchiveHit("c1", "a2", 4, 2, Role.ASSISTANT, "…the new bucket b2:mn-offsite-eu", (9, 15), 1.0, MOMENT)
    folded = replace(hit, message_id="u1", turn=1, role=Role.USER, standing=Standing.FOLDED)
    tool = replace(hit, message_id="r1", tool="read_file")
    chat.archive.found = ArchiveAnswer((folded, hit, tool))
    chat.archive.changed.emit()
    who = [archive.model.index(row, 0).data() for row in range(3)]
    assert who == ["You, turn 1 · folded", "Claude, turn 2", "Tool result, turn 2"]
    assert archive.note.text().startswith("3 places")
    qtbot.keyClick(archive.field, Qt.Key.Key_Down)
    with qtbot.waitSignal(panel.messageChosen) as chosen:
        qtbot.keyClick(archive.table, Qt.Key.Key_Return)
    assert chosen.args == ["u1"]
    language.use("ko")
    assert archive.model.index(0, 0).data() == "나, 턴 1 · 접음"
    qtbot.keyClick(archive.field, Qt.Key.Key_Escape)
    assert archive.field.text() == "" and not archive.table.isVisible()


def test_another_conversation_shows_nothing_of_the_proposal(panel: CompactionPanel, chat: StageChat) -> None:
    panel.set_session(StageChat("c2"))
    assert panel.empty.isVisible() and not panel.acts.isVisible()
    chat.proposal.changed.emit()
    assert not panel.proposal.isVisible()
    panel.set_session(chat)
    assert panel.proposal.isVisible() and panel.acts.commit.isVisible()


@pytest.mark.parametrize("code", ["en", "ko"])
@pytest.mark.parametrize("width", [360, 420])
def test_nothing_is_cut(
    panel: CompactionPanel, chat: StageChat, language: Language, code: str, width: int, qtbot: QtBot
) -> None:
    language.use(code)
    panel.resize(width, 900)
    panel.proposal.fact.begin(of(Fate.LOST))
    settle(qtbot, panel)
    check_widgets(panel)
    assert panel.acts.reject.geometry().bottom() < panel.acts.height()
    panel.acts.edit.click()
    settle(qtbot, panel)
    check_widgets(panel)


def test_values_that_could_not_be_looked_for_can_be_asked_for_again(panel: CompactionPanel, chat: StageChat) -> None:
    assert not panel.proposal.check.isVisible()
    chat.proposal.check, chat.proposal.unknown = None, True
    chat.proposal.changed.emit()
    assert panel.proposal.check.isVisible()
    panel.proposal.check.click()
    assert ("look_again",) in chat.proposal.calls


def test_a_fact_that_was_found_leads_to_the_memory(qtbot: QtBot, panel: CompactionPanel, chat: StageChat) -> None:
    archive = panel.archive
    qtbot.keyClicks(archive.field, "bucket")
    chat.archive.found = ArchiveAnswer((), (FactHit(FACT, 1.0),))
    chat.archive.changed.emit()
    qtbot.keyClick(archive.field, Qt.Key.Key_Down)
    with qtbot.waitSignal(panel.factChosen) as chosen:
        qtbot.keyClick(archive.table, Qt.Key.Key_Return)
    assert chosen.args == ["f7"]


def test_tab_leads_from_the_values_over_the_summary_to_the_acts(
    qtbot: QtBot, panel: CompactionPanel, chat: StageChat
) -> None:
    settle(qtbot, panel)
    places: list[QWidget] = []
    here: QWidget = panel.proposal.values.chips
    while here is not panel.acts.reject:
        here = here.nextInFocusChain()
        if here.isVisibleTo(panel) and here.focusPolicy() & Qt.FocusPolicy.TabFocus:
            places.append(here)
    wanted = [panel.proposal.card.edit, panel.proposal.card.memo, panel.acts.commit, panel.acts.again]
    assert [place for place in places if place in wanted] == wanted
    assert panel.archive.field not in places


def test_the_acts_stand_right_as_soon_as_their_words_change(panel: CompactionPanel, chat: StageChat) -> None:
    assert chat.proposal.check is not None
    chat.proposal.check = replace(chat.proposal.check, values=())
    chat.proposal.changed.emit()
    acts = panel.acts
    assert acts.again.text() == "Again"
    propose(chat, ONE)
    chat.proposal.changed.emit()
    assert acts.again.width() >= acts.again.sizeHint().width()
    assert not acts.again.geometry().intersects(acts.edit.geometry())
