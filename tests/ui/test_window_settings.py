"""The settings page: applies at once, shows what the endpoint lacks and why."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QFontInfo, QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop_app.bridge.session_state import EndpointState, KeyState, Reach
from desktop_app.core.endpoints import EndpointKind, LocalServer
from desktop_app.core.errors import KeyRefused, KeyVaultError, KeyVaultLocked, KeyVaultSilent, NoKeyVault
from desktop_app.core.models import ModelInfo
from desktop_app.core.settings import DEMO_PROFILE
from desktop_app.ui.language import Language
from desktop_app.ui.settings_page import SettingsPage
from desktop_app.ui.theme import Theme
from tests.ui.window_stage import OpenWindow, Stage, endpoint

MISSING = ("thinking", "effort", "caching", "counting", "window")


@pytest.fixture
def stage(qtbot: QtBot, theme: Theme, language: Language, tmp_path: Path) -> Stage:
    stage = OpenWindow(qtbot, theme, language, tmp_path / "window.ini")()
    stage.session.update_profile(model="claude-opus-5-5")
    stage.window.open_settings()
    return stage


@pytest.fixture
def page(stage: Stage) -> SettingsPage:
    return stage.window.settings_page


def custom(stage: Stage, model: ModelInfo | None = None) -> EndpointState:
    stage.session.update_profile(base_url="http://localhost:8080")
    state = endpoint(
        kind=EndpointKind.CUSTOM,
        host="localhost:8080",
        key=KeyState.NOT_NEEDED,
        models=(),
        model=model or ModelInfo("qwen3", "qwen3"),
        missing=MISSING,
    )
    stage.show_endpoint(state)
    return state


def test_a_model_is_chosen_by_name_and_window(stage: Stage, page: SettingsPage) -> None:
    assert page.model.listed.text() == "Claude Opus 5.5 · window 1,000,000"
    page.model.listed.take("claude-haiku-5-5")
    assert stage.session.settings.of().model == "claude-haiku-5-5"
    assert stage.window.top_bar.model.text() == "Claude Haiku 5.5"


def test_an_endpoint_without_a_list_takes_a_typed_id(qtbot: QtBot, stage: Stage, page: SettingsPage) -> None:
    custom(stage)
    assert page.model.typed.isVisible()
    assert "lists no models" in page.model.model_row.hint.text()
    page.model.typed.setText("qwen3:8b")
    qtbot.keyClick(page.model.typed, Qt.Key.Key_Return)
    assert stage.session.settings.of().model == "qwen3:8b"


def test_instructions_are_kept_when_left_and_never_lost(qtbot: QtBot, stage: Stage, page: SettingsPage) -> None:
    assert "earlier thinking is then left out" in page.model.instructions_row.hint.text()
    page.model.instructions.setFocus()
    page.model.instructions.setPlainText("짧게 답해 주세요.")
    page.close_button.click()
    assert stage.session.settings.of().instructions == "짧게 답해 주세요."
    stage.window.open_settings()
    page.model.instructions.setPlainText("Be brief.")
    qtbot.waitUntil(lambda: stage.session.settings.of().instructions == "Be brief.")


def test_only_efforts_the_model_offers(stage: Stage, page: SettingsPage) -> None:
    words = [words for _, words in page.model.effort.choices]
    assert words == ["The model’s own", "Low", "Medium", "High", "Very high", "Highest"]
    page.model.effort.take("high")
    assert stage.session.settings.of().effort == "high"
    plain = ModelInfo("claude-haiku-5-5", "Claude Haiku 5.5", 200_000, 32_000)
    stage.show_endpoint(endpoint(model=plain))
    assert not page.model.effort.isEnabled()
    assert page.model.effort_row.hint.text() == "This model takes no effort setting."


def test_the_output_limit_is_bounded_by_the_model(stage: Stage, page: SettingsPage) -> None:
    field = page.model.output_limit
    assert field.text() == "16,000 tokens"
    assert field.maximum() == 64_000
    assert "at most 64,000" in page.model.limit_row.hint.text()
    field.setValue(999_999)
    assert stage.session.settings.of().output_limit == 64_000


def test_thinking_and_tools(stage: Stage, page: SettingsPage) -> None:
    page.model.thinking.click()
    page.model.tools.click()
    profile = stage.session.settings.of()
    assert (profile.show_thinking, profile.use_tools) == (False, False)


def test_the_memory_tool_is_chosen_where_the_server_knows_it(stage: Stage, page: SettingsPage) -> None:
    memory = page.memory
    assert (memory.tool.value, memory.tool.isEnabled()) == ("own", True)
    memory.tool.take("files")
    assert stage.session.settings.of().memory_tool == "files"
    assert "facts as files" in memory.tool_row.hint.text()
    custom(stage)
    assert (memory.tool.value, memory.tool.isEnabled()) == ("own", False)
    assert "may not know" in memory.tool_row.hint.text()
    stage.session.update_profile(plain_endpoint=False)
    assert (memory.tool.value, memory.tool.isEnabled()) == ("files", True)
    stage.session.update_profile(memory=False)
    assert not memory.tool.isEnabled()


def test_the_recall_budget_is_set_while_memory_is_used(stage: Stage, page: SettingsPage) -> None:
    memory = page.memory
    assert memory.recalled.text() == "1,500 tokens"
    memory.recalled.setValue(2_500)
    assert stage.session.settings.of().recall_budget == 2_500
    assert "0 to 50,000" in memory.recalled.accessibleDescription()
    stage.session.update_profile(memory=False)
    assert not memory.recalled.isEnabled()


def test_the_window_is_asked_only_where_the_endpoint_does_not_tell(stage: Stage, page: SettingsPage) -> None:
    assert not page.model.window_row.isVisible()
    custom(stage)
    assert page.model.window_row.isVisible()
    assert page.model.window_field.text() == "unknown"
    page.model.window_field.setValue(32_768)
    assert stage.session.settings.of().window == 32_768
    assert page.model.window_field.text() == "32,768 tokens"


def test_what_a_server_lacks_is_shown_off_with_the_reason(stage: Stage, page: SettingsPage) -> None:
    custom(stage)
    lines = page.endpoint.lacks.text().splitlines()
    assert len(lines) == len(MISSING)
    assert lines[3].startswith("Counting tokens – ")
    assert not page.model.thinking.isEnabled()
    assert not page.model.thinking.isChecked()
    assert "not known to take it" in page.model.thinking_row.hint.text()
    assert page.endpoint.plain_row.isVisible()
    page.endpoint.plain.click()
    assert not stage.session.settings.of().plain_endpoint


def test_the_key_has_a_state_and_can_be_replaced_and_forgotten(stage: Stage, page: SettingsPage) -> None:
    assert page.endpoint.key_state.text() == "A key is held for this session."
    page.endpoint.key.setText("sk-ant-new")
    page.endpoint.use_key.click()
    assert stage.session.calls[-1] == ("use_key", "sk-ant-new", {"keep": True})
    assert page.endpoint.key.text() == ""
    assert page.endpoint.forget_key.text() == "Forget the key"
    page.endpoint.forget_key.click()
    assert stage.session.calls[-1] == ("forget_key",)
    stage.show_endpoint(endpoint(key=KeyState.MISSING))
    assert page.endpoint.key_state.text() == (
        "No key yet: messages cannot be sent. Keys are made in the Claude Console: platform.claude.com, “API keys”."
    )
    assert not page.endpoint.forget_key.isVisible()
    stage.show_endpoint(endpoint(error=KeyRefused("401")))
    assert "refused" in page.endpoint.key_state.text()


def test_a_key_in_the_key_store_is_said_and_can_be_deleted(stage: Stage, page: SettingsPage) -> None:
    stage.show_endpoint(endpoint(key=KeyState.KEYRING, store="Secret Service"))
    assert page.endpoint.key_state.text() == "The key is kept in the key store of this system (Secret Service)."
    assert stage.window.status.key.text() == "key in keyring"
    assert page.endpoint.forget_key.text() == "Delete the key"
    page.endpoint.forget_key.click()
    assert stage.session.calls[-1] == ("forget_key",)
    page.endpoint.key_store.choice.take(False)
    page.endpoint.key.setText("sk-ant-new")
    page.endpoint.use_key.click()
    assert stage.session.calls[-1] == ("use_key", "sk-ant-new", {"keep": False})
    stage.show_endpoint(endpoint(store="Secret Service"))
    assert page.endpoint.key_store.choice.value is False, "a choice made is kept"


@pytest.mark.parametrize(
    ("trouble", "said", "button", "status"),
    [
        (NoKeyVault(), "no safe store for keys", "Look for a key store", "no key"),
        (KeyVaultLocked(), "is locked", "Ask the key store again", "key store locked"),
        (KeyVaultSilent(seconds=5), "does not answer", "Ask the key store again", "key store silent"),
        (KeyVaultError("x"), "reported an error", "Ask the key store again", "no key"),
    ],
    ids=lambda value: value.word if isinstance(value, KeyVaultError) else None,
)
def test_a_key_store_that_cannot_be_used_is_said_and_asked_again(
    stage: Stage, page: SettingsPage, trouble: KeyVaultError, said: str, button: str, status: str
) -> None:
    stage.show_endpoint(endpoint(key=KeyState.MISSING, trouble=trouble))
    store = page.endpoint.key_store
    assert store.isVisible() and not store.choice.isVisible()
    assert said in store.words.text()
    assert store.retry.text() == button
    assert stage.window.status.key.text() == status
    store.retry.click()
    assert stage.session.calls[-1] == ("retry_keys",)
    page.interface.language.take("ko")
    assert said not in store.words.text()
    stage.show_endpoint(endpoint(key=KeyState.ENVIRONMENT, store="Secret Service"))
    assert not store.retry.isVisible()


def test_a_server_without_need_of_a_key_says_nothing_of_a_missing_key_store(stage: Stage, page: SettingsPage) -> None:
    stage.show_endpoint(replace(custom(stage), trouble=NoKeyVault()))
    assert page.endpoint.key_row.isVisible()
    assert not page.endpoint.key_store.isVisible()


def test_the_environment_key_is_opt_in_and_shown_only_where_there_is_one(stage: Stage, page: SettingsPage) -> None:
    assert not page.endpoint.environment_row.isVisible()
    stage.show_endpoint(endpoint(key=KeyState.MISSING, environment_key=True))
    assert page.endpoint.environment_row.isVisible()
    assert not page.endpoint.environment.isChecked()
    page.endpoint.environment.click()
    assert stage.session.settings.of().environment_key


def test_another_server_is_connected_by_address_or_button(stage: Stage, page: SettingsPage) -> None:
    page.endpoint.kind.take("custom")
    assert page.endpoint.address_row.isVisible()
    assert not page.endpoint.key_row.isVisible()
    page.endpoint.address.setText("http://example.com")
    page.endpoint.connect_button.click()
    assert page.endpoint.address_note.isVisible()
    assert page.endpoint.address.text() == "http://example.com"
    stage.session.localServersFound.emit((LocalServer("LM Studio", "http://localhost:1234"),))
    button = page.endpoint._found.itemAt(0).widget()
    assert button.accessibleName() == "Use LM Studio"
    button.click()  # type: ignore[attr-defined]
    assert stage.session.calls[-1] == ("use_endpoint", "http://localhost:1234")
    assert not page.endpoint.address_note.isVisible()


def test_back_to_anthropic_and_to_the_simulated_assistant(stage: Stage, page: SettingsPage) -> None:
    custom(stage)
    assert page.endpoint.kind.value == "custom"
    page.endpoint.kind.take("anthropic")
    assert stage.session.calls[-1] == ("use_anthropic",)
    page.endpoint.kind.take("demo")
    assert stage.session.calls[-1] == ("use_demo",)
    stage.session.update_settings(profile=DEMO_PROFILE)
    assert page.endpoint.kind.value == "demo"
    assert not page.endpoint.key_row.isVisible()
    page.endpoint.kind.take("anthropic")
    assert ("leave_demo",) in stage.session.calls


def test_language_theme_and_font_apply_at_once(stage: Stage, page: SettingsPage, theme: Theme) -> None:
    page.interface.language.take("ko")
    assert page.title.text() == "설정"
    assert page.model.effort.text() == "모델 기본값"
    assert page.model.output_limit.text() == "16,000 토큰"
    page.interface.theme.take("dark")
    assert theme.tokens.dark
    page.interface.theme.take("light")
    assert QFontInfo(page.title.font()).family() == "Pretendard"
    page.interface.font_choice.take(True)
    assert QFontInfo(page.title.font()).family() != "Pretendard"
    page.interface.font_choice.take(False)


def test_an_offline_server_is_said_beside_its_address(stage: Stage, page: SettingsPage) -> None:
    state = custom(stage)
    stage.show_endpoint(replace(state, reach=Reach.OFFLINE, error=KeyRefused("x")))
    assert page.endpoint.address_note.isVisible()


def test_the_wheel_scrolls_the_page_and_changes_no_number(stage: Stage, page: SettingsPage) -> None:
    field = page.model.output_limit
    place = QPointF(field.rect().center())
    turn = QWheelEvent(
        place,
        field.mapToGlobal(place),
        QPoint(),
        QPoint(0, -120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(field, turn)
    assert field.value() == 16_000
    assert not turn.isAccepted()
