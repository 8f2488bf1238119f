"""The time machine of the Context panel: its slider, every request of a turn, saving, comparing and branching."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from desktop_app.bridge.session_state import Phase, SessionState, ShownRequest
from desktop_app.core.request_log import RequestPurpose, RequestState
from desktop_app.ui.context.compare_view import CompareView
from desktop_app.ui.context.context_panel import ContextPanel
from desktop_app.ui.context.raw_request import RawRequest
from desktop_app.ui.context.time_machine import TimeMachine
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from tests.ui import window_samples as samples
from tests.ui.compare_samples import FixedComparison
from tests.ui.window_stage import StageChat


@pytest.fixture
def panel(qtbot: QtBot, theme: Theme, language: Language) -> ContextPanel:
    panel = ContextPanel(theme, language)
    qtbot.addWidget(panel)
    panel.resize(380, 1_000)
    panel.show()
    return panel


@pytest.fixture
def chat(panel: ContextPanel) -> StageChat:
    chat = StageChat()
    panel.set_session(chat)
    return chat


@pytest.fixture
def machine(panel: ContextPanel, chat: StageChat) -> TimeMachine:
    return panel.history.machine


def shown_of(chat: StageChat) -> list[object]:
    """The requests that were asked for, in order."""
    return [call[1] for call in chat.calls if call[0] == "show_request"]


def test_the_right_end_of_the_slider_is_the_present(panel: ContextPanel, machine: TimeMachine) -> None:
    assert (machine.slider.value(), machine.slider.maximum()) == (46, 46)
    assert machine.what.whole().startswith("last sent: turn 46 · ")
    assert not machine.later.isEnabled() and not machine.to_live.isVisible()


def test_arrows_and_keys_go_from_turn_to_turn(qtbot: QtBot, chat: StageChat, machine: TimeMachine) -> None:
    machine.earlier.click()
    machine.earlier.click()
    assert shown_of(chat) == ["r46.1", "r45.1"]
    assert machine.what.whole().startswith("turn 45 · ")
    machine.slider.setFocus()
    qtbot.keyClick(machine.slider, Qt.Key.Key_PageDown)
    qtbot.keyClick(machine.slider, Qt.Key.Key_Left)
    qtbot.keyClick(machine.slider, Qt.Key.Key_Home)
    qtbot.keyClick(machine.slider, Qt.Key.Key_Right)
    assert shown_of(chat)[2:] == ["r35.1", "r34.1", "r1.1", "r2.1"]
    qtbot.keyClick(machine.slider, Qt.Key.Key_End)
    assert shown_of(chat)[-1] is None
    assert machine.slider.value() == 46 and not machine.to_live.isVisible()


def test_a_pull_names_every_turn_it_passes(qtbot: QtBot, chat: StageChat, machine: TimeMachine) -> None:
    slider = machine.slider
    places = [QPoint(round(slider.place_x(place)), 12) for place in (40, 20, 10)]
    qtbot.mousePress(slider, Qt.MouseButton.LeftButton, pos=places[0])
    for place in places[1:]:
        qtbot.mouseMove(slider, place)
    qtbot.mouseRelease(slider, Qt.MouseButton.LeftButton, pos=places[-1])
    assert shown_of(chat) == ["r41.1", "r21.1", "r11.1"]
    assert slider.accessibleDescription().startswith("turn 11 · ")


def test_the_turn_is_named_before_its_request_is_read(chat: StageChat, machine: TimeMachine) -> None:
    chat.history[4] = replace(chat.history[4], id="slow")
    machine.slider.setValue(3)
    assert machine.what.whole().startswith("turn 4 · ")


def test_requests_for_memos_and_of_other_versions_can_be_reached(
    qtbot: QtBot, panel: ContextPanel, chat: StageChat, machine: TimeMachine
) -> None:
    last = chat.history[-1]
    memo = replace(last, id="memo", purpose=RequestPurpose.MEMO)
    other = replace(last, id="other", state=RequestState.STOPPED)
    elsewhere = replace(last, id="elsewhere", turn_id="of another version")
    chat.requests = [*chat.history[:-1], other, last, memo, elsewhere]
    chat.historyChanged.emit()
    assert machine.round.whole() == "request 2 of 3 of this turn"
    machine.after.click()
    assert shown_of(chat) == ["memo"]
    panel._on_shown(samples.shown(memo))
    assert machine.round.whole() == "request 3 of 3 of this turn · fold"
    panel._on_shown(samples.shown(other))
    assert machine.round.whole() == "request 1 of 3 of this turn · another version · stopped"
    assert not machine.before.isEnabled()


def test_branching_is_offered_behind_every_turn_but_the_last(
    panel: ContextPanel, chat: StageChat, machine: TimeMachine
) -> None:
    assert not machine.branch.isEnabled()
    assert "last one" in machine.branch.toolTip()
    machine.slider.setValue(6)
    assert machine.branch.isEnabled()
    machine.branch.click()
    assert chat.calls[-1] == ("branch_at", "t7")
    chat.state = SessionState(Phase.STREAMING)
    chat.stateChanged.emit(chat.state)
    assert not machine.branch.isEnabled()
    assert "An answer is arriving" in machine.branch.toolTip()
    assert not machine.resume.isVisible()


def test_later_messages_can_be_brought_back(chat: StageChat, machine: TimeMachine) -> None:
    chat.goes_on = True
    chat.historyChanged.emit()
    assert machine.kept.whole() == "Later messages are set aside."
    machine.resume.click()
    assert chat.calls[-1] == ("resume",)


def test_a_comparison_begins_with_the_request_before(
    panel: ContextPanel, chat: StageChat, machine: TimeMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    comparison = FixedComparison(panel)
    monkeypatch.setattr(chat, "compare", lambda: comparison)
    machine.slider.setValue(36)
    machine.compare.click()
    view = panel.findChild(CompareView)
    assert view is not None
    assert comparison.asked == [("r36.1", "r37.1")]
    assert view.before.count() == 46
    view.close()


def test_after_a_memo_the_request_before_it_on_the_path_is_compared(
    panel: ContextPanel, chat: StageChat, machine: TimeMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    last, before = chat.history[-1], chat.history[-2]
    memo = replace(before, id="memo", purpose=RequestPurpose.MEMO)
    other = replace(last, id="other", turn_id="of another version")
    chat.requests = [*chat.history[:-1], memo, other, last]
    chat.historyChanged.emit()
    comparison = FixedComparison(panel)
    monkeypatch.setattr(chat, "compare", lambda: comparison)
    machine.compare.click()
    panel._on_shown(samples.shown(memo))
    machine.compare.click()
    assert comparison.asked == [(before.id, last.id), (before.id, "memo")]
    for view in panel.findChildren(CompareView):
        view.close()


def test_one_request_alone_cannot_be_compared(panel: ContextPanel, chat: StageChat, machine: TimeMachine) -> None:
    assert machine.compare.isEnabled()
    assert "Compares this request" in machine.compare.toolTip()
    chat.history = chat.requests = chat.history[:1]
    chat.historyChanged.emit()
    assert not machine.compare.isEnabled()
    assert "only one request was sent" in machine.compare.toolTip()
    panel.open_comparison()
    assert panel.findChild(CompareView) is None


@pytest.mark.parametrize("chosen", [True, False])
def test_the_json_is_saved_where_the_person_chose(
    panel: ContextPanel, chat: StageChat, machine: TimeMachine, tmp_path: Path, chosen: bool
) -> None:
    machine.save.click()
    dialog = panel.findChild(QFileDialog)
    assert dialog is not None and dialog.isVisible()
    assert dialog.acceptMode() is QFileDialog.AcceptMode.AcceptSave
    (name,) = dialog.selectedFiles()
    assert Path(name).name.startswith("request-turn-46-2026-") and name.endswith(".json")
    if chosen:
        dialog.fileSelected.emit(str(tmp_path / "request.json"))
    dialog.close()
    saved = [call for call in chat.calls if call[0] == "save_request"]
    assert [(call[1].record.id, call[2]) for call in saved] == ([("r46.1", tmp_path / "request.json")] * chosen)


def test_the_window_with_the_json_saves_what_it_shows(panel: ContextPanel, chat: StageChat) -> None:
    panel._on_shown(samples.shown(chat.history[3]))
    panel.open_raw()
    window = panel.findChild(RawRequest)
    assert window is not None
    panel.history.machine.to_live.click()
    window.save.click()
    dialog = window.findChild(QFileDialog)
    assert dialog is not None
    dialog.fileSelected.emit("request.json")
    assert (chat.calls[-1][1].record.id, chat.calls[-1][2]) == ("r4.1", Path("request.json"))
    dialog.close()
    window.close()


@pytest.mark.parametrize("act", ["open_raw", "save_request"])
def test_acts_on_the_last_request_leave_the_panel_in_the_present(
    panel: ContextPanel, chat: StageChat, machine: TimeMachine, act: str
) -> None:
    budget = panel.budget
    getattr(panel, act)()
    (window,) = panel.findChildren(RawRequest if act == "open_raw" else QFileDialog)
    assert shown_of(chat) == []
    assert panel.budget is budget and not machine.to_live.isVisible()
    window.close()


def test_an_act_whose_request_cannot_be_read_is_not_done_to_the_next_one_shown(
    panel: ContextPanel, chat: StageChat, machine: TimeMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting: list[Callable[[ShownRequest], None]] = []
    monkeypatch.setattr(chat, "read_request", lambda _id, done: waiting.append(done))
    panel.open_raw()
    machine.slider.setValue(6)
    assert panel.findChild(RawRequest) is None
    panel.open_raw()
    (window,) = panel.findChildren(RawRequest)
    waiting[0](samples.shown(chat.history[-1]))
    assert panel.findChildren(RawRequest) == [window]
    window.close()
    panel._back_to_live()
    panel.open_raw()
    panel.set_session(StageChat("c2"))
    waiting[1](samples.shown(chat.history[-1]))
    assert all(one is window for one in panel.findChildren(RawRequest))


def test_an_empty_conversation_has_no_time_machine(panel: ContextPanel, machine: TimeMachine) -> None:
    machine.slider.setValue(3)
    panel.set_session(StageChat("c2", full=False))
    assert not machine.isVisible()
    panel.set_session(None)
    assert not machine.isVisible()


@pytest.mark.parametrize("code", ["en", "ko"])
def test_nothing_is_cut_at_380_pixels(
    panel: ContextPanel, chat: StageChat, machine: TimeMachine, language: Language, code: str
) -> None:
    language.use(code)
    chat.goes_on = True
    chat.historyChanged.emit()
    machine.slider.setValue(36)
    assert machine.minimumSizeHint().width() <= panel.width() - 32
    for label in (machine.what, machine.kept):
        assert label.text() == label.whole()
    for button in (machine.compare, machine.raw, machine.branch, machine.resume, machine.to_live):
        assert button.isVisible() and button.width() >= button.sizeHint().width()
        assert button.geometry().right() < machine.width()
