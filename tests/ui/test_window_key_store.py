"""The whole window over a key store that never answers: it is there, can be used and can be closed."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop_app import composition, gui
from desktop_app.bridge.session_state import Level, Notice
from desktop_app.composition import Options, end_connections, start_connections
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from tests.fakes.key_stores import CANARY, HangingStore, vault_of
from tests.ui.window_stage import OpenWindow

WAIT = 15_000


@pytest.fixture
def hanging() -> Iterator[HangingStore]:
    store = HangingStore(CANARY)
    yield store
    store.release()


@pytest.mark.timed
def test_the_window_stands_before_the_key_store_and_without_it(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hanging: HangingStore
) -> None:
    monkeypatch.setattr(gui, "open_services", partial(composition.open_services, vault=vault_of(hanging, 1.0)))
    (tmp_path / "settings.json").write_text('{"welcomed": true}')
    connections = start_connections()
    began = time.monotonic()
    running = gui.Gui(qapp, Options(tmp_path, language="en"), connections)
    running.show()
    assert running.frame.isVisible()
    assert time.monotonic() - began < 2
    try:
        qtbot.waitUntil(lambda: hanging.calls == ["get"], timeout=WAIT)
        assert running.window is not None
        window = running.window
        qtbot.keyClicks(window.composer.edit, "typed while it hangs")
        assert window.composer.edit.toPlainText() == "typed while it hangs"
        qtbot.waitUntil(window.notices.isVisible, timeout=WAIT)
        row = window.notices.rows[0]
        assert "did not answer within 1 s" in row.text.text()
        assert window.status.key.text() == "key store silent"
        qtbot.keyClick(window.composer.edit, Qt.Key.Key_Return)
        qtbot.waitUntil(window.composer.state_line.enter_key.isVisible, timeout=WAIT)
        row.acts["enter_key"].click()
        assert window.settings_page.endpoint.key.hasFocus()
        assert "does not answer" in window.settings_page.endpoint.key_store.words.text()
        window.settings_page.endpoint.key_store.retry.click()
        qtbot.waitUntil(window.notices.isVisible, timeout=WAIT)
        assert hanging.calls == ["get"]
    finally:
        began = time.monotonic()
        running.close()
        took = time.monotonic() - began
        end_connections(connections)
        running.frame.deleteLater()
    assert took < 5, "the key store held up the end"


def test_a_notice_offers_what_can_be_done(qtbot: QtBot, theme: Theme, language: Language, tmp_path: Path) -> None:
    stage = OpenWindow(qtbot, theme, language, tmp_path / "window.ini")()
    notice = Notice("errors.key_vault_locked", level=Level.WARNING, acts=("retry_keys", "enter_key"))
    stage.session.notice.emit(notice)
    row = stage.window.notices.rows[0]
    assert [button.text() for button in row.acts.values()] == ["Ask again", "Enter a key"]
    row.acts["retry_keys"].click()
    assert stage.session.calls[-1] == ("retry_keys",)
    assert stage.window.notices.rows == []
