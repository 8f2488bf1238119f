"""Profiles in the top bar and their memory settings: chosen, made, isolated by name."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from desktop_app.core.errors import BadInput
from desktop_app.core.settings import ProfileSettings, Settings
from desktop_app.ui.language import Language
from desktop_app.ui.profile_menu import NewProfileDialog, ProfileButton
from desktop_app.ui.settings_memory import MemorySection
from desktop_app.ui.settings_page import SettingsPage
from desktop_app.ui.theme import Theme
from desktop_app.ui.top_bar import TopBar
from tests.ui.window_stage import StageApp

OWN = {name: ProfileSettings() for name in ("work", "Ärzte", "b\u202eox")}
SETTINGS = Settings(profile="work", profiles={"default": ProfileSettings(), **OWN})


@pytest.fixture
def button(qtbot: QtBot, theme: Theme, language: Language) -> ProfileButton:
    button = ProfileButton(theme, language)
    qtbot.addWidget(button)
    button.show_settings(SETTINGS)
    return button


def test_the_profiles_are_offered_by_name_and_demo_is_said_to_be_simulated(button: ProfileButton) -> None:
    menu = button.menu_of_choices()
    lines = [action.text() for action in menu.actions() if not action.isSeparator()]
    assert lines == ["Personal", "b⟨RLO⟩ox", "work", "Ärzte", "Demo (simulated assistant)", "New profile…"]
    assert [action.text() for action in menu.actions() if action.isChecked()] == ["work"]
    assert button.text() == "work"
    assert button.accessibleName() == "Profile: work"
    menu.deleteLater()


def test_choosing_and_asking_for_a_new_one(qtbot: QtBot, button: ProfileButton) -> None:
    menu = button.menu_of_choices()
    with qtbot.waitSignal(button.chosen) as chosen:
        menu.actions()[0].trigger()
    assert chosen.args == ["default"]
    with qtbot.waitSignal(button.newAsked):
        menu.actions()[-1].trigger()
    menu.deleteLater()


def test_a_profile_used_only_for_this_run_is_offered_too(button: ProfileButton, language: Language) -> None:
    button.show_settings(replace(SETTINGS, profile="demo"))
    assert button.text() == "Demo"
    language.use("ko")
    assert button.text() == "데모"
    button.show_settings(replace(SETTINGS, profile="of the run"))
    assert "of the run" in button.names()


def test_the_top_bar_holds_the_profile_before_the_model(qtbot: QtBot, theme: Theme, language: Language) -> None:
    bar = TopBar(theme, language)
    qtbot.addWidget(bar)
    bar.profile.show_settings(SETTINGS)
    bar.resize(900, 46)
    bar.show()
    assert bar.profile.geometry().right() < bar.model.geometry().left()
    assert bar.profile.text() == "work"


def test_a_new_profile_needs_a_name_that_is_free(qtbot: QtBot, theme: Theme, language: Language) -> None:
    made: list[str] = []

    def make(name: str) -> None:
        if name == "work":
            raise BadInput(what=name, why="profile_taken")
        made.append(name)

    dialog = NewProfileDialog(make, theme, language)
    qtbot.addWidget(dialog)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    dialog.show()
    assert not dialog.accept_button.isEnabled()
    qtbot.keyClicks(dialog.field, "work")
    qtbot.keyClick(dialog.field, Qt.Key.Key_Return)
    assert dialog.isVisible()
    assert "there is a profile of this name already" in dialog.error.text()
    assert dialog.field.text() == "work"
    qtbot.keyClicks(dialog.field, " 2")
    assert not dialog.error.isVisible()
    dialog.accept_button.click()
    assert made == ["work 2"]
    assert not dialog.isVisible()


def test_memory_settings_apply_at_once_to_the_profile_in_use(qtbot: QtBot, theme: Theme, language: Language) -> None:
    app = StageApp()
    app.update_settings(profile="work")
    section = MemorySection(app, theme, language)
    qtbot.addWidget(section)
    section.gate.take("off")
    section.show_all()
    assert section.gate_row.hint.text() == "Claude is not offered to save facts; only you add them."
    section.budget.setValue(9_000)
    section.memory.click()
    section.show_all()
    work = app.settings.of("work")
    assert (work.gate, work.facts_budget, work.memory) == ("off", 9_000, False)
    assert app.settings.of("default").memory is True
    assert section.memory_row.hint.text().startswith("Paused:")
    assert not section.gate.isEnabled()


def test_the_settings_say_whose_they_are(qtbot: QtBot, theme: Theme, language: Language) -> None:
    app = StageApp()
    page = SettingsPage(app, theme, language)
    qtbot.addWidget(page)
    assert page.applies.text() == "Profile Personal · changes apply at once."
    assert page.memory.memory.isChecked()
    app.update_settings(profile="work")
    assert page.applies.text() == "Profile work · changes apply at once."
