"""Notices: levels, undo, details on demand, gone by themselves or by hand, always plain text."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from desktop_app.bridge.fold_notice import SHOW
from desktop_app.bridge.session_state import Level, Notice, Phase, SessionState
from desktop_app.core.compaction.compaction import CompactionState
from desktop_app.ui import notice_bar
from desktop_app.ui.language import Language
from desktop_app.ui.notice_bar import NoticeBar
from desktop_app.ui.theme import Theme
from tests.ui import fold_samples as samples
from tests.ui.window_stage import OpenWindow, Stage, StageChat


@pytest.fixture
def bar(qtbot: QtBot, theme: Theme, language: Language) -> NoticeBar:
    bar = NoticeBar(theme, language)
    qtbot.addWidget(bar)
    bar.resize(700, 200)
    return bar


@pytest.fixture
def stage(qtbot: QtBot, theme: Theme, language: Language, tmp_path: Path) -> Stage:
    return OpenWindow(qtbot, theme, language, tmp_path / "window.ini")()


def deleted(title: str, id_: str = "c1") -> Notice:
    return Notice("notices.deleted", {"title": title}, undo=id_)


def test_a_notice_is_shown_letter_by_letter(bar: NoticeBar) -> None:
    bar.show_notice(deleted("<img src='http://127.0.0.1/x'>\u202e"))
    assert bar.isVisible()
    assert bar.rows[0].text.text() == "“<img src='http://127.0.0.1/x'>⟨RLO⟩” was deleted."


def test_undo_by_its_button(qtbot: QtBot, bar: NoticeBar) -> None:
    bar.show_notice(deleted("Plan", "c7"))
    with qtbot.waitSignal(bar.undoAsked) as asked:
        bar.rows[0].undo.click()
    assert asked.args == ["c7"]
    assert not bar.isVisible()


def test_information_goes_by_itself_an_error_stays(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, bar: NoticeBar
) -> None:
    monkeypatch.setattr(notice_bar, "INFO_MS", 30)
    bar.show_notice(Notice("errors.unreachable", {"host": "h"}, Level.ERROR, "ConnectError"))
    bar.show_notice(deleted("Plan"))
    qtbot.waitUntil(lambda: len(bar.rows) == 1)
    assert bar.rows[0].notice.level is Level.ERROR
    bar.rows[0].close_button.click()
    assert not bar.isVisible()


def test_details_on_demand(bar: NoticeBar) -> None:
    bar.show_notice(Notice("errors.unreachable", {"host": "h"}, Level.ERROR, "line <b>1</b>\nline\u202e 2"))
    row = bar.rows[0]
    assert not row.details.isVisible()
    row.more.click()
    assert row.details.toPlainText() == "line <b>1</b>\nline⟨RLO⟩ 2"
    assert row.more.text() == "Hide details"


def test_at_most_three_and_the_same_one_only_once(qtbot: QtBot, bar: NoticeBar) -> None:
    for title in ("a", "b", "c", "d", "d"):
        bar.show_notice(deleted(title))
    assert [row.notice.params["title"] for row in bar.rows] == ["b", "c", "d"]


def test_undo_takes_the_newest_first(qtbot: QtBot, bar: NoticeBar) -> None:
    bar.show_notice(deleted("a", "1"))
    bar.show_notice(deleted("b", "2"))
    with qtbot.waitSignal(bar.undoAsked) as asked:
        bar.undo_last()
    assert asked.args == ["2"]
    assert len(bar.rows) == 1


def test_an_error_whose_words_are_unknown_still_says_something(bar: NoticeBar) -> None:
    bar.show_notice(Notice("errors.from_the_future", {}, Level.ERROR))
    assert bar.rows[0].text.text()


def test_the_language_follows(bar: NoticeBar, language: Language) -> None:
    bar.show_notice(deleted("Plan"))
    language.use("ko")
    assert bar.rows[0].text.text() == "“Plan” 대화를 삭제했습니다."
    assert bar.rows[0].undo.text() == "실행 취소"


def test_what_can_be_undone_goes_with_its_profile(stage: Stage) -> None:
    notices, undo = stage.window.notices, stage.window.actions_by_name["undo_delete"]
    stage.session.delete("c1")
    stage.session.notice.emit(Notice("errors.unreachable", {"host": "h"}, Level.ERROR))
    assert undo.isEnabled()
    stage.session.profileChanged.emit()
    assert [row.notice.message_id for row in notices.rows] == ["errors.unreachable"]
    assert not undo.isEnabled()


def test_show_leads_to_the_conversation_the_notice_is_of(stage: Stage) -> None:
    notice = Notice("compaction.notice.proposed", {"n": 4}, acts=(SHOW,), conversation_id="c2")
    stage.session.notice.emit(notice)
    stage.window.notices.rows[0].acts[SHOW].click()
    assert ("open_conversation", "c2") in stage.session.calls
    assert stage.window.inspector.compaction.isVisible()
    stage.session.calls.clear()
    stage.session.notice.emit(replace(notice, conversation_id="c1"))
    stage.window.notices.rows[0].acts[SHOW].click()
    assert stage.session.calls == [], "it is in front already"


def test_a_summary_that_waits_is_said_above_the_composer_and_on_the_tab(stage: Stage) -> None:
    line, dock = stage.window.composer.review, stage.window.inspector.docks["compaction"]
    assert not line.isVisible() and dock.windowTitle() == "Compaction"
    path = samples.path(5)
    proposed = samples.compaction("a3", 6, state=CompactionState.PROPOSED)
    stage.chat.folding.show(proposed=samples.folded(path, proposed))
    assert line.isVisible() and "nothing is folded by itself until you decide" in line.words.text()
    assert dock.windowTitle() == "Compaction (1)"
    line.show_button.click()
    assert stage.window.inspector.compaction.isVisible()
    other = StageChat("c2")
    waiting, stage.session.current = stage.chat, other
    stage.session.currentChanged.emit(other)
    assert not line.isVisible() and dock.windowTitle() == "Compaction"
    stage.session.currentChanged.emit(waiting)
    waiting.folding.show(proposed=None)
    assert not line.isVisible() and dock.windowTitle() == "Compaction"


@pytest.mark.parametrize("code", ["en", "ko"])
@pytest.mark.parametrize("phase", list(Phase))
def test_the_status_line_has_words_for_whatever_is_done(
    stage: Stage, language: Language, phase: Phase, code: str
) -> None:
    language.use(code)
    stage.window.status.show_state(SessionState(phase))
    assert stage.window.status.work.isVisible() is (phase is not Phase.IDLE)
