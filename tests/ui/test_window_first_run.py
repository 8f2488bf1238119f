"""The first page: three ways in, each with its errors inside the card, the key nowhere but in the field."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from desktop_app.bridge.session_state import KeyState, Reach
from desktop_app.core.endpoints import EndpointKind, LocalServer
from desktop_app.core.errors import KeyRefused, KeyVaultSilent, NoKeyVault, Unreachable
from desktop_app.ui.first_run import FirstRunPage
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from tests.ui.window_stage import OpenWindow, Stage, StageChat, endpoint


@pytest.fixture
def stage(qtbot: QtBot, theme: Theme, language: Language, tmp_path: Path) -> Stage:
    stage = OpenWindow(qtbot, theme, language, tmp_path / "window.ini")(welcomed=False)
    stage.session.current = StageChat(None, "", full=False)
    stage.show_endpoint(endpoint(key=KeyState.MISSING, models=(), model=None))
    return stage


@pytest.fixture
def page(stage: Stage) -> FirstRunPage:
    return stage.window.first_run


def test_a_fresh_machine_sees_three_ways_and_nothing_else(stage: Stage, page: FirstRunPage) -> None:
    assert stage.window.pages.currentWidget() is page
    assert not stage.window.sidebar.isVisible()
    assert not stage.window.context_dock.isVisible()
    assert not stage.window.composer.isVisible()
    assert "never written to a file or a log" in page.key.text.text()
    assert page.key.field.echoMode() is QLineEdit.EchoMode.Password
    assert ("find_local_servers",) in stage.session.calls


def test_a_key_that_works_leads_to_the_chat_and_leaves_no_trace(qtbot: QtBot, stage: Stage, page: FirstRunPage) -> None:
    page.key.field.setText("  sk-ant-good ")
    qtbot.keyClick(page.key.field, Qt.Key.Key_Return)
    assert stage.session.calls[-1] == ("use_key", "sk-ant-good", {"keep": True})
    assert page.key.note.text() == "Checking the key…"
    assert not page.key.main.isEnabled()
    stage.show_endpoint(endpoint(key=KeyState.MISSING))
    assert not stage.session.settings.welcomed
    stage.show_endpoint(endpoint())
    assert stage.session.settings.welcomed
    assert page.key.field.text() == ""
    assert stage.window.pages.currentWidget() is stage.window.conversation
    assert stage.window.sidebar.isVisible()


def test_a_refused_key_is_explained_where_it_was_typed(stage: Stage, page: FirstRunPage) -> None:
    page.key.main.click()
    assert page.key.note.text().startswith("Paste your key first.")
    page.key.field.setText("sk-ant-bad")
    page.key.main.click()
    stage.show_endpoint(endpoint(error=KeyRefused("401")))
    assert "refused" in page.key.note.text()
    assert page.key.main.isEnabled()
    assert page.key.field.selectedText() != ""
    assert not page.key.anyway.isVisible()
    assert not stage.session.settings.welcomed


def test_a_key_that_could_not_be_tried_offline_can_be_used_anyway(stage: Stage, page: FirstRunPage) -> None:
    page.key.field.setText("sk-ant-x")
    page.key.main.click()
    offline = endpoint(reach=Reach.OFFLINE, error=Unreachable("x", host="api.anthropic.com"))
    stage.show_endpoint(offline)
    assert page.key.anyway.isVisible()
    page.key.anyway.click()
    assert stage.session.settings.welcomed


def test_the_key_of_the_environment_is_offered_only_where_there_is_one(stage: Stage, page: FirstRunPage) -> None:
    assert not page.key.environment.isVisible()
    stage.show_endpoint(endpoint(key=KeyState.MISSING, environment_key=True))
    assert page.key.environment.isVisible()
    page.key.environment.click()
    assert stage.session.settings.of().environment_key
    stage.show_endpoint(endpoint(key=KeyState.ENVIRONMENT, environment_key=True))
    assert stage.session.settings.welcomed


def test_where_a_key_is_kept_can_be_chosen(stage: Stage, page: FirstRunPage) -> None:
    assert not page.key.store.isVisible()
    stage.show_endpoint(endpoint(key=KeyState.MISSING, store="Secret Service"))
    assert page.key.store.choice.isVisible()
    assert page.key.store.words.text() == (
        "Secret Service, the key store of this system, keeps the key for the next start."
    )
    page.key.store.choice.take(False)
    assert page.key.store.words.text() == "The key is held in memory; closing Mnemoscope forgets it."
    page.key.field.setText("sk-ant-x")
    page.key.main.click()
    assert stage.session.calls[-1] == ("use_key", "sk-ant-x", {"keep": False})


def test_without_a_key_store_the_ways_are_shown(stage: Stage, page: FirstRunPage) -> None:
    stage.show_endpoint(endpoint(key=KeyState.MISSING, trouble=NoKeyVault()))
    assert not page.key.store.choice.isVisible()
    said = page.key.store.words.text()
    assert "held in memory for this session only" in said
    assert "ANTHROPIC_API_KEY" in said and "KeePassXC" in said
    page.key.store.retry.click()
    assert stage.session.calls[-1] == ("retry_keys",)


def test_a_silent_key_store_leaves_the_field_usable(stage: Stage, page: FirstRunPage) -> None:
    trouble = KeyVaultSilent(seconds=5)
    stage.show_endpoint(endpoint(key=KeyState.MISSING, store="Secret Service", trouble=trouble))
    assert "does not answer" in page.key.store.words.text()
    assert page.key.field.isEnabled() and page.key.main.isEnabled()
    assert page.key.store.retry.text() == "Ask the key store again"


def test_the_key_in_the_key_store_is_offered_and_leads_to_the_chat(stage: Stage, page: FirstRunPage) -> None:
    assert not page.key.stored.isVisible()
    found = endpoint(key=KeyState.KEYRING, store="Secret Service")
    stage.show_endpoint(found)
    assert page.key.stored.isVisible()
    assert not stage.session.settings.welcomed
    page.key.stored.click()
    assert stage.session.calls[-1] == ("check_endpoint",)
    stage.show_endpoint(found)
    assert stage.session.settings.welcomed


def test_servers_found_are_offered_as_buttons(stage: Stage, page: FirstRunPage) -> None:
    stage.session.localServersFound.emit(())
    assert page.server.found_title.text().startswith("No server answers on this machine")
    page.server.again.click()
    assert page.server.found_title.text() == "Looking for servers on this machine…"
    stage.session.localServersFound.emit((LocalServer("Ollama", "http://localhost:11434", ("a", "b")),))
    button = page.server.buttons()[0]
    assert button.text() == "Use Ollama at localhost:11434 · 2 models"
    button.click()
    assert stage.session.calls[-1] == ("use_endpoint", "http://localhost:11434")
    stage.show_endpoint(endpoint(kind=EndpointKind.CUSTOM, key=KeyState.NOT_NEEDED))
    assert stage.session.settings.welcomed


@pytest.mark.parametrize(
    ("typed", "said"), [("", "Type the address"), ("http://example.com", "http"), ("ftp://x", "ftp://x")]
)
def test_an_address_that_cannot_be_used_is_explained(stage: Stage, page: FirstRunPage, typed: str, said: str) -> None:
    page.server.field.setText(typed)
    page.server.main.click()
    assert said in page.server.note.text()
    assert page.server.note.isVisible()
    assert page.server.main.isEnabled()
    assert page.server.field.text() == typed


def test_a_server_that_does_not_answer_is_explained(stage: Stage, page: FirstRunPage) -> None:
    page.server.field.setText("localhost:9")
    page.server.main.click()
    away = endpoint(
        kind=EndpointKind.CUSTOM, reach=Reach.OFFLINE, error=Unreachable("x", host="localhost:9"), models=()
    )
    stage.show_endpoint(away)
    assert "localhost:9" in page.server.note.text()
    assert not stage.session.settings.welcomed


def test_without_a_key_the_simulated_assistant(stage: Stage, page: FirstRunPage) -> None:
    page.demo.main.click()
    assert ("use_demo",) in stage.session.calls
    assert stage.session.settings.welcomed


def test_the_language_can_be_chosen_before_anything_else(stage: Stage, page: FirstRunPage) -> None:
    page.language.take("ko")
    assert page.title.text() == "Mnemoscope를 시작합니다"
    assert page.key.main.text() == "이 키 사용"


def test_cards_stand_below_each_other_where_there_is_no_room(qtbot: QtBot, stage: Stage, page: FirstRunPage) -> None:
    assert page.key.y() == page.demo.y()
    stage.window.resize(780, 900)
    qtbot.waitUntil(lambda: page.demo.y() > page.key.y())
