"""The settings of finding by meaning: what each model is good for, what leaves the machine, and a change under way."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from desktop_app.bridge.embedder_session import EmbedderSession
from desktop_app.core.embedders import EmbeddedCount, EmbedderKind, KnownEmbedder, embedder_choice
from desktop_app.core.errors import EmbedderUnreachable
from desktop_app.core.passages import PassageKind
from desktop_app.core.recall.values import Spread
from desktop_app.services.embedders import EmbedderStatus
from desktop_app.ui.language import Language
from desktop_app.ui.settings_embedder import EmbedderSection
from desktop_app.ui.theme import Theme
from tests.ui.stand_in import stand_in
from tests.ui.window_stage import OpenWindow, Stage

USE = KnownEmbedder("use/1/512", 512, embedder_choice("use"), Spread(0, 0.0, 1.0), True, True)


@stand_in
class StageEmbedder(EmbedderSession):
    """Notes what it is told; `installed` is what `has` says."""

    calls: list[tuple[Any, ...]]
    has: bool

    def __init__(self) -> None:
        QObject.__init__(self)
        self.calls = []
        self.has = True
        self.status = EmbedderStatus(USE, USE.choice, {PassageKind.FACT: EmbeddedCount(3, 3)})
        self.error = None
        self.trying = False

    def installed(self, kind: EmbedderKind) -> bool:
        return self.has


@pytest.fixture
def embedder() -> StageEmbedder:
    return StageEmbedder()


@pytest.fixture
def stage(qtbot: QtBot, theme: Theme, language: Language, tmp_path: Path, embedder: StageEmbedder) -> Stage:
    stage = OpenWindow(qtbot, theme, language, tmp_path / "window.ini")()
    stage.session.embedder = embedder
    stage.window.open_settings()
    return stage


@pytest.fixture
def section(stage: Stage) -> EmbedderSection:
    stage.window.settings_page.embedder.show_all()
    return stage.window.settings_page.embedder


def asked(embedder: StageEmbedder, name: str) -> list[tuple[Any, ...]]:
    return [call[1:] for call in embedder.calls if call[0] == name]


def test_a_model_on_this_machine_is_chosen_at_once_and_says_what_it_is_good_for(
    section: EmbedderSection, embedder: StageEmbedder
) -> None:
    assert section.kind.value == "use" and "Nothing leaves" not in section.kind_row.hint.text()
    assert "nothing leaves it" in section.kind_row.hint.text() and "Korean" in section.kind_row.hint.text()
    assert section.server_row.isHidden() and section.key_row.isHidden() and section.change_row.isHidden()
    section.kind.take("none")
    assert asked(embedder, "choose") == [("none",)]


def test_what_is_not_installed_is_told_and_not_offered(section: EmbedderSection, embedder: StageEmbedder) -> None:
    assert "e5" in dict(section.kind.choices)
    embedder.has = False
    section.show_all()
    assert "e5" not in dict(section.kind.choices)
    assert "pip install 'mnemoscope[e5]'" in section.kind_row.hint.text()


def test_a_server_is_asked_only_when_the_button_is_pressed(section: EmbedderSection, embedder: StageEmbedder) -> None:
    section.kind.take("ollama")
    assert asked(embedder, "choose") == [] and not section.server_row.isHidden()
    assert section.address.placeholderText() == "http://127.0.0.1:11434"
    assert "nothing leaves it" in section.leaves.text() and section.key_row.isHidden()
    section.address.setText("http://example.com")
    section.use_button.click()
    assert "http://example.com" in section.note.text() and asked(embedder, "choose") == []
    section.address.setText("")
    section.model.setText("nomic-embed-text")
    section.use_button.click()
    assert asked(embedder, "choose") == [("ollama", "http://127.0.0.1:11434", "nomic-embed-text")]


def test_a_server_that_is_tried_can_be_given_up(section: EmbedderSection, embedder: StageEmbedder) -> None:
    section.kind.take("ollama")
    section.use_button.click()
    embedder.trying = True
    embedder.changed.emit()
    assert "being tried" in section.note.text() and not section.note.isHidden()
    assert section.use_button.text() == "Give up"
    section.use_button.click()
    assert asked(embedder, "give_up") == [()] and len(asked(embedder, "choose")) == 1
    embedder.trying = False
    embedder.changed.emit()
    assert section.note.isHidden() and section.use_button.text() == "Use"


def test_a_server_elsewhere_gets_its_own_key_and_says_what_leaves(
    section: EmbedderSection, embedder: StageEmbedder
) -> None:
    section.kind.take("voyage")
    assert "every question" in section.leaves.text() and "api.voyageai.com" in section.leaves.text()
    assert not section.key_row.isHidden()
    section.key.setText(" pa-0123456789 ")
    section.key_button.click()
    assert asked(embedder, "keep_key") == [("embedder https://api.voyageai.com", "pa-0123456789")]
    assert section.key.text() == ""


def test_a_change_tells_how_far_it_got_and_can_wait(section: EmbedderSection, embedder: StageEmbedder) -> None:
    wanted = replace(USE, name="e5/1/384", choice=embedder_choice("e5"), serving=False)
    assert embedder.status is not None
    embedder.status = replace(
        embedder.status, choice=wanted.choice, wanted=wanted, progress={PassageKind.FACT: EmbeddedCount(40, 10)}
    )
    embedder.changed.emit()
    assert section.progress.text() == "multilingual-e5-small: 10 of 40 have a vector."
    section.pause_button.click()
    section.cancel_button.click()
    assert asked(embedder, "pause") == [(True,)] and asked(embedder, "cancel") == [()]
    embedder.status = replace(embedder.status, paused=True)
    embedder.error = EmbedderUnreachable(host="localhost:1")
    embedder.changed.emit()
    assert "paused at 10 of 40" in section.progress.text() and "localhost:1" in section.progress.text()


def test_a_model_that_cannot_tell_korean_apart_is_told(
    stage: Stage, section: EmbedderSection, embedder: StageEmbedder
) -> None:
    english = KnownEmbedder("x/1/8", 8, embedder_choice("ollama", "", "all-minilm"), Spread(0, 0.0, 1.0), False, True)
    embedder.status = EmbedderStatus(english, english.choice, {})
    stage.session.update_settings(embedder="ollama", embedder_model="all-minilm")
    section.show_all()
    assert "hardly tells Korean texts apart" in section.kind_row.hint.text()
    assert section.model.text() == "all-minilm"
