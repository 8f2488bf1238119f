"""Notices: levels, undo, details on demand, gone by themselves or by hand, always plain text."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from desktop_app.bridge.session_state import Level, Notice
from desktop_app.ui import notice_bar
from desktop_app.ui.language import Language
from desktop_app.ui.notice_bar import NoticeBar
from desktop_app.ui.theme import Theme
from tests.ui.window_stage import OpenWindow, Stage


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
