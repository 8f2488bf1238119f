"""The window around the chat: pages, keys, commands, title, status, layout that is remembered."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from desktop_app.bridge.session_state import KeyState, Notice, Phase, Reach, SessionState
from desktop_app.core.endpoints import EndpointKind
from desktop_app.core.errors import KeyRefused, NoKey, StoreUnavailable
from desktop_app.core.settings import DEMO_PROFILE
from desktop_app.ui.command_palette import CommandPalette, ShortcutList
from desktop_app.ui.first_run import FirstRunPage
from desktop_app.ui.language import Language
from desktop_app.ui.settings_page import SettingsPage
from desktop_app.ui.theme import Theme
from tests.ui.window_stage import MODELS, OpenWindow, Stage, StageChat, endpoint


@pytest.fixture
def open_window(qtbot: QtBot, theme: Theme, language: Language, tmp_path: Path) -> OpenWindow:
    return OpenWindow(qtbot, theme, language, tmp_path / "window.ini")


@pytest.fixture
def stage(open_window: OpenWindow) -> Stage:
    return open_window()


def keys(
    qtbot: QtBot,
    widget: QWidget,
    key: Qt.Key,
    modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.ControlModifier,
) -> None:
    qtbot.keyClick(widget, key, modifier)


def test_before_the_data_is_open_the_window_says_so(open_window: OpenWindow) -> None:
    stage = open_window(is_ready=False)
    window = stage.window
    assert window.pages.currentWidget() is window.opening
    assert window.opening.title.text() == "Opening your data…"
    assert not window.composer.isVisible()
    assert not window.sidebar.isEnabled()
    stage.session.is_ready = True
    stage.session.current = StageChat()
    stage.session.ready.emit()
    stage.session.currentChanged.emit(stage.chat)
    assert window.pages.currentWidget() is window.conversation
    assert window.composer.isVisible()


def test_a_start_that_failed_tells_why_and_can_be_tried_again(qtbot: QtBot, open_window: OpenWindow) -> None:
    stage = open_window(is_ready=False)
    page = stage.window.failed
    stage.session.startFailed.emit(StoreUnavailable("disk <b>I/O</b> error", path="/data/mnemoscope"))
    assert stage.window.pages.currentWidget() is page
    assert "/data/mnemoscope" in page.text.text()
    assert not page.details.isVisible()
    page.more.click()
    assert page.details.toPlainText() == "disk <b>I/O</b> error"
    page.act.click()
    assert stage.session.calls[-1] == ("retry_start",)
    assert stage.window.pages.currentWidget() is stage.window.opening


def test_keys_reach_the_acts_from_the_text_field(qtbot: QtBot, stage: Stage) -> None:
    window = stage.window
    window.composer.focus_text()
    field = window.composer.edit
    keys(qtbot, field, Qt.Key.Key_B)
    assert not window.sidebar.isVisible()
    keys(qtbot, field, Qt.Key.Key_B)
    assert window.sidebar.isVisible()
    keys(qtbot, field, Qt.Key.Key_I)
    assert not window.context_dock.isVisible()
    keys(qtbot, field, Qt.Key.Key_I)
    assert window.context_dock.isVisible()
    keys(qtbot, field, Qt.Key.Key_N)
    assert ("new_conversation",) in stage.session.calls
    keys(qtbot, field, Qt.Key.Key_Comma)
    assert window.pages.currentWidget() is window.settings_page
    keys(qtbot, window.settings_page, Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier)
    assert window.pages.currentWidget() is window.conversation
    keys(qtbot, field, Qt.Key.Key_F)
    qtbot.waitUntil(window.sidebar.filter.hasFocus)
    keys(qtbot, window.sidebar.filter, Qt.Key.Key_L)
    qtbot.waitUntil(window.composer.edit.hasFocus)


def test_escape_stops_the_answer_and_ctrl_shift_r_asks_anew(qtbot: QtBot, stage: Stage) -> None:
    window = stage.window
    keys(qtbot, window.composer.edit, Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier)
    assert ("stop",) not in stage.chat.calls
    both = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    keys(qtbot, window.composer.edit, Qt.Key.Key_R, both)
    assert stage.chat.calls[-1] == ("regenerate", "m5")
    stage.chat.state = SessionState(Phase.STREAMING)
    stage.chat.stateChanged.emit(stage.chat.state)
    keys(qtbot, window.composer.edit, Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier)
    assert stage.chat.calls[-1] == ("stop",)


@pytest.mark.parametrize("where", ["composer", "filter"])
def test_the_palette_finds_a_command_by_typing(qtbot: QtBot, stage: Stage, where: str) -> None:
    window = stage.window
    field = window.composer.edit if where == "composer" else window.sidebar.filter
    field.setFocus()
    keys(qtbot, field, Qt.Key.Key_K)
    palette = window.findChild(CommandPalette)
    assert palette is not None
    assert "Stop the answer" not in palette.shown()
    palette.wanted.setText("settings")
    assert palette.shown() == ["Settings"]
    qtbot.keyClick(palette.wanted, Qt.Key.Key_Return)
    assert window.pages.currentWidget() is window.settings_page


def test_the_palette_says_when_nothing_fits_and_arrows_choose(qtbot: QtBot, stage: Stage) -> None:
    stage.window.open_palette()
    palette = stage.window.findChild(CommandPalette)
    assert palette is not None
    first, second = palette.shown()[:2]
    qtbot.keyClick(palette.wanted, Qt.Key.Key_Down)
    assert palette.list.currentIndex().data() == second != first
    palette.wanted.setText("zzz")
    assert palette.none.isVisible()
    palette.close()


def test_every_key_is_listed(qtbot: QtBot, stage: Stage) -> None:
    keys(qtbot, stage.window.composer.edit, Qt.Key.Key_F1, Qt.KeyboardModifier.NoModifier)
    listing = stage.window.findChild(ShortcutList)
    assert listing is not None
    texts = [label.text() for label in listing.findChildren(QLabel)]
    for key in ("Ctrl+N", "Ctrl+L", "Ctrl+B", "Ctrl+I", "Ctrl+,", "Ctrl+F", "Esc", "F2", "Ctrl+Shift+R", "Ctrl+K"):
        assert key in texts
    listing.close()


def test_the_title_is_shown_and_renamed(qtbot: QtBot, stage: Stage) -> None:
    title = stage.window.top_bar.title
    assert title.label.whole() == "Backups plan"
    assert stage.window.windowTitle() == "Backups plan – Mnemoscope"
    keys(qtbot, stage.window.composer.edit, Qt.Key.Key_F2, Qt.KeyboardModifier.NoModifier)
    assert title.currentWidget() is title.field
    title.field.setText("NAS and keys")
    qtbot.keyClick(title.field, Qt.Key.Key_Return)
    assert stage.session.calls[-1] == ("rename", "c1", "NAS and keys")
    qtbot.mouseDClick(title.label, Qt.MouseButton.LeftButton)
    qtbot.keyClick(title.field, Qt.Key.Key_Escape)
    assert title.currentWidget() is title.label
    assert len([call for call in stage.session.calls if call[0] == "rename"]) == 1


def test_a_title_that_turns_around_is_shown_open(stage: Stage) -> None:
    stage.chat.title = "invoice\u202efdp.exe <img src=x>"
    stage.chat.titleChanged.emit(stage.chat.title)
    assert stage.window.top_bar.title.label.whole() == "invoice⟨RLO⟩fdp.exe <img src=x>"
    assert "\u202e" not in stage.window.windowTitle()


def test_no_tool_tip_reads_what_came_from_outside_as_markup(stage: Stage) -> None:
    attack = "<img src='http://127.0.0.1:9/x.png'> " * 30
    stage.chat.title = attack
    stage.chat.titleChanged.emit(attack)
    model = replace(MODELS[0], name=attack)
    stage.show_endpoint(endpoint(models=(model,), model=model))
    stage.session.notice.emit(Notice("notices.deleted", {"title": attack}, undo="c1"))
    tips = [widget.toolTip() for widget in stage.window.findChildren(QWidget)]
    assert any("&lt;img" in tip for tip in tips)
    assert not any("<img" in tip for tip in tips)


def test_the_model_can_be_chosen_in_the_bar(stage: Stage) -> None:
    stage.session.update_profile(model="claude-opus-5-5")
    model = stage.window.top_bar.model
    assert model.text() == "Claude Opus 5.5"
    model.take("claude-haiku-5-5")
    assert stage.session.settings.of().model == "claude-haiku-5-5"
    assert model.text() == "Claude Haiku 5.5"


def test_a_server_without_a_list_leads_to_the_field_for_the_id(stage: Stage) -> None:
    stage.show_endpoint(endpoint(kind=EndpointKind.CUSTOM, models=(), model=None))
    model = stage.window.top_bar.model
    assert [words for _, words in model.choices][-1] == "Another model…"
    model.take(model.choices[-1][0])
    assert stage.window.pages.currentWidget() is stage.window.settings_page
    assert stage.window.settings_page.model.typed.isVisible()


def test_the_simulated_assistant_is_labelled(stage: Stage) -> None:
    assert not stage.window.top_bar.simulated.isVisible()
    stage.session.update_settings(profile=DEMO_PROFILE)
    stage.show_endpoint(endpoint(kind=EndpointKind.SIMULATOR, host="127.0.0.1:9", key=KeyState.NOT_NEEDED))
    assert stage.window.top_bar.simulated.text() == "simulated assistant"
    assert stage.window.top_bar.simulated.isVisible()
    assert stage.window.status.host.text() == "simulated assistant"


def test_a_missing_key_leads_to_its_field(qtbot: QtBot, stage: Stage) -> None:
    stage.chat.stateChanged.emit(SessionState(Phase.FAILED, error=NoKey(host="api.anthropic.com")))
    button = stage.window.composer.state_line.enter_key
    assert button.isVisible()
    button.click()
    assert stage.window.pages.currentWidget() is stage.window.settings_page
    qtbot.waitUntil(stage.window.settings_page.endpoint.key.hasFocus)


def test_pages_that_are_not_seen_are_not_built(open_window: OpenWindow) -> None:
    window = open_window().window
    assert window.findChildren(SettingsPage) == []
    assert window.findChildren(FirstRunPage) == []
    window.open_settings()
    assert len(window.findChildren(SettingsPage)) == 1
    fresh = open_window(welcomed=False).window
    assert fresh.pages.currentWidget() is fresh.first_run
    assert fresh.findChildren(SettingsPage) == []


def test_the_window_imports_nothing_that_the_start_does_not_need() -> None:
    late = "markdown_it pygments settings_page first_run raw_request command_palette message_view"
    script = (
        "import sys, desktop_app.ui.main_window\n"
        f"print(*[name for name in sys.modules if name.rpartition('.')[2] in {late.split()}])"
    )
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=20)
    assert found.stdout.split() == []


def test_the_status_line_tells_where_and_what(stage: Stage) -> None:
    status = stage.window.status
    assert status.host.text() == "api.anthropic.com"
    assert status.key.text() == "key for this session"
    assert not status.reach.isVisible()
    stage.show_endpoint(endpoint(reach=Reach.OFFLINE))
    assert status.reach.text() == "offline"
    stage.chat.state = SessionState(Phase.RETRYING, seconds=4.2, attempt=2, most=5, queued="later")
    stage.chat.stateChanged.emit(stage.chat.state)
    stage.show_endpoint(endpoint(error=KeyRefused("401")))
    assert status.key.text() == "key refused"
    assert status.work.text() == "next try in 5 s · 2 of 5 · 1 message waiting"
    assert status.others.text() == "1 answer arriving in another chat"
    assert status.saved.text() == ""
    stage.chat.state = SessionState()
    stage.chat.stateChanged.emit(stage.chat.state)
    assert status.saved.text().startswith("saved ")
    assert not status.work.isVisible()


def test_language_and_theme_change_while_the_window_is_open(stage: Stage, theme: Theme) -> None:
    window = stage.window
    stage.session.update_settings(language="ko", theme="dark")
    assert theme.tokens.dark
    assert window.sidebar.new_chat.text() == "새 대화"
    assert window.status.key.text() == "이번 실행용 키"
    assert window.actions_by_name["settings"].text() == "설정"
    pixel = window.sidebar.grab().toImage().pixelColor(2, 2)
    assert pixel.lightness() < 60
    stage.session.update_settings(theme="light")
    assert window.sidebar.grab().toImage().pixelColor(2, 2).lightness() > 200


def test_the_arrangement_is_remembered(open_window: OpenWindow) -> None:
    window = open_window().window
    window.resize(1200, 700)
    window.splitter.setSizes([300, 480])
    window.toggle_inspector()
    window.close()
    again = open_window().window
    assert not again.context_dock.isVisible()
    assert abs(again.splitter.sizes()[0] - 300) <= 60
    again.toggle_inspector()
    again.close()
    assert open_window().window.context_dock.isVisible()


def test_an_unreadable_arrangement_is_no_obstacle(open_window: OpenWindow) -> None:
    open_window.file.write_bytes(b"\x00" * 200)
    window = open_window().window
    assert window.context_dock.isVisible()
    assert window.sidebar.isVisible()


@pytest.mark.qt_log_ignore("This plugin does not support raise")
def test_the_inspector_floats_and_hides_by_its_own_buttons(qtbot: QtBot, stage: Stage) -> None:
    dock = stage.window.context_dock
    dock.title.float_button.click()
    assert dock.isFloating()
    dock.title.float_button.click()
    assert not dock.isFloating()
    for panel in stage.window.inspector.docks.values():
        assert stage.window.top_bar.inspector.isChecked()
        panel.title.hide_button.click()
        assert panel.isHidden()
    assert not stage.window.top_bar.inspector.isChecked()
    stage.window.top_bar.inspector.click()
    assert not any(panel.isHidden() for panel in stage.window.inspector.docks.values())


def test_a_panel_closed_by_its_button_stays_closed_until_it_is_asked_for(open_window: OpenWindow) -> None:
    def hidden(stage: Stage) -> list[str]:
        return [name for name, dock in stage.window.inspector.docks.items() if dock.isHidden()]

    stage = open_window()
    for name in ("cache", "memory"):
        stage.window.inspector.docks[name].title.hide_button.click()
    stage.session.update_settings(theme="dark")
    stage.session.update_profile(effort="low")
    stage.window.open_settings()
    stage.window.close_settings()
    assert hidden(stage) == ["cache", "memory"]
    stage.window.show_panel("memory")
    assert hidden(stage) == ["cache"]
    stage.window.close()
    again = open_window()
    again.session.update_settings(theme="light")
    assert hidden(again) == ["cache"]
    again.window.toggle_inspector()
    again.window.toggle_inspector()
    assert hidden(again) == []


def test_a_block_leads_to_the_chat_and_back(qtbot: QtBot, stage: Stage) -> None:
    window = stage.window
    window.open_settings()
    window.context.messageChosen.emit("m2")
    assert window.pages.currentWidget() is window.conversation
    window.toggle_inspector()
    window.conversation.contextAsked.emit("m2")
    assert window.context_dock.isVisible()
    assert window.context.blocks.isVisible()


def test_what_is_written_stays_with_its_conversation(stage: Stage) -> None:
    first = stage.chat
    stage.window.composer.set_text("half a thought")
    first.draft = "half a thought"
    other = StageChat("c2", "제주 여행 일정", full=False)
    stage.session.current = other
    stage.session.currentChanged.emit(other)
    assert stage.window.composer.text() == ""
    assert stage.window.top_bar.title.label.whole() == "제주 여행 일정"
    stage.session.current = first
    stage.session.currentChanged.emit(first)
    assert stage.window.composer.text() == "half a thought"


@pytest.mark.parametrize("code", ["en", "ko"])
@pytest.mark.parametrize("page", ["chat", "settings", "custom", "first", "failed"])
def test_no_label_is_cut_and_every_control_has_a_name(
    qtbot: QtBot, open_window: OpenWindow, page: str, code: str
) -> None:
    stage = open_window(welcomed=page != "first", is_ready=page != "failed", width=1000)
    stage.session.update_settings(language=code)
    if page == "failed":
        stage.session.startFailed.emit(StoreUnavailable("x", path="/a"))
    if page == "first":
        stage.show_endpoint(endpoint(key=KeyState.MISSING, environment_key=True))
    if page == "custom":
        missing = ("thinking", "effort", "caching", "counting", "window")
        profile = replace(stage.session.settings.of(), base_url="http://localhost:8080")
        stage.session.settings = replace(stage.session.settings, profiles={"default": profile})
        stage.show_endpoint(endpoint(kind=EndpointKind.CUSTOM, models=(), model=None, missing=missing))
    if page in ("settings", "custom"):
        stage.window.open_settings()
    QApplication.processEvents()
    assert stage.window.width() == 1000
    for label in stage.window.findChildren(QLabel):
        if not label.isVisible() or label.pixmap().width():
            continue
        assert label.textFormat() is Qt.TextFormat.PlainText
        wanted = label.heightForWidth(label.width()) if label.wordWrap() else label.sizeHint().height()
        assert label.height() >= wanted - 2, label.text()
        if not label.wordWrap() and not hasattr(label, "whole"):
            assert label.width() >= label.sizeHint().width() - 1, label.text()
    for control in stage.window.findChildren(QWidget):
        inside = isinstance(control, QLineEdit) and control.objectName() == "qt_spinbox_lineedit"
        if control.isVisible() and control.focusPolicy() & Qt.FocusPolicy.TabFocus and not inside:
            if control.objectName().startswith("qt_") or control is stage.window.opening:
                continue
            assert control.accessibleName(), f"{control} of {control.parent()}"


def test_a_window_without_room_for_three_columns_shows_two(qtbot: QtBot, stage: Stage) -> None:
    window = stage.window
    assert window.sidebar.isVisible()
    window.resize(760, 480)
    qtbot.waitUntil(lambda: not window.sidebar.isVisible())
    composer = window.composer
    qtbot.waitUntil(lambda: composer.mapTo(window, composer.rect().topRight()).x() <= window.context_dock.x())
    window.toggle_sidebar()
    assert window.sidebar.isVisible()
    assert not window.context_dock.isVisible()
    window.resize(1440, 900)
    window.toggle_inspector()
    qtbot.waitUntil(window.context_dock.isVisible)
    assert window.sidebar.isVisible()
