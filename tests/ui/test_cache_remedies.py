"""The buttons of the Cache panel in the window: an advised lifetime, settings put back, ways to where one can act."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from desktop_app.core.cache.lint import LintFinding, LintKind, Remedy
from desktop_app.core.segment import Segment
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from tests.ui.cache_samples import FINDINGS
from tests.ui.window_stage import OpenWindow, Stage


@pytest.fixture
def stage(qtbot: QtBot, theme: Theme, language: Language, tmp_path: Path) -> Stage:
    return OpenWindow(qtbot, theme, language, tmp_path / "window.ini")()


def test_the_advised_lifetime_is_used_from_now_on(stage: Stage) -> None:
    stage.window.show_panel("cache")
    stage.window.inspector.cache.advice.lifetimeAsked.emit("1h")
    assert stage.session.settings.of().cache_lifetime == "1h"


def test_settings_go_back_to_those_of_the_last_request(stage: Stage) -> None:
    stage.session.update_profile(model="claude-sonnet-5-5", effort="high", use_tools=False)
    ask = stage.window.inspector.cache.remedyAsked.emit
    ask(FINDINGS[1])
    assert stage.session.settings.of().model == "claude-opus-5-5"
    ask(LintFinding(LintKind.EFFORT, None, was="", is_now="high", remedy=Remedy.BACK_EFFORT))
    assert stage.session.settings.of().effort == ""
    tools = LintFinding(LintKind.TOOLS, Segment.TOOLS, was="calculator", is_now="", remedy=Remedy.BACK_TOOLS)
    ask(tools)
    assert stage.session.settings.of().use_tools
    before = stage.session.settings
    ask(replace(tools, is_now="calculator, save_memory"))
    assert stage.session.settings == before
    assert stage.window.pages.currentWidget() is stage.window.settings_page


def test_words_in_the_instructions_lead_there(qtbot: QtBot, stage: Stage) -> None:
    stage.window.inspector.cache.remedyAsked.emit(FINDINGS[0])
    instructions = stage.window.settings_page.model.instructions
    assert stage.window.pages.currentWidget() is stage.window.settings_page
    qtbot.waitUntil(instructions.hasFocus)


def test_a_fact_leads_to_the_memory(stage: Stage) -> None:
    finding = LintFinding(LintKind.DATE, Segment.FACTS, "2026-11-30", "today", remedy=Remedy.SHOW_FACT)
    stage.window.inspector.cache.remedyAsked.emit(finding)
    assert not stage.window.inspector.docks["memory"].isHidden()
