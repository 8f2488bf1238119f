"""The settings of compaction: each applies at once, what the strategy has no use for is not shown."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from desktop_app.bridge.fold_notice import SHOW, folded_notice
from desktop_app.core.compaction.compaction import Strategy
from desktop_app.core.models import Features
from desktop_app.core.settings import ProfileSettings
from desktop_app.ui.language import Language
from desktop_app.ui.settings_compaction import CompactionSection
from desktop_app.ui.theme import Theme
from tests.ui import fold_samples as samples
from tests.ui.window_stage import OpenWindow, Stage, endpoint

ABLE = Features(server_compaction=True, server_compaction_now=True, clear_tool_results=True, clear_thinking=True)


@pytest.fixture
def stage(qtbot: QtBot, theme: Theme, language: Language, tmp_path: Path) -> Stage:
    stage = OpenWindow(qtbot, theme, language, tmp_path / "window.ini")()
    stage.window.open_settings()
    return stage


@pytest.fixture
def section(stage: Stage) -> CompactionSection:
    return stage.window.settings_page.compaction


def profile(stage: Stage) -> ProfileSettings:
    return stage.session.settings.of()


def shown(section: CompactionSection) -> list[str]:
    return [name for name, row in section.row_of.items() if not row.isHidden()]


def test_every_setting_applies_at_once(stage: Stage, section: CompactionSection) -> None:
    stage.show_endpoint(endpoint(features=ABLE))
    section.automatic.click()
    section.review.click()
    section.results.click()
    section.thinking.click()
    section.share.setValue(60)
    section.tokens.setValue(90_000)
    section.keep.setValue(8_000)
    section.by.take("separate")
    section.model.setText("claude-haiku-5-5")
    section.model.editingFinished.emit()
    held = profile(stage)
    assert (held.fold_automatically, held.fold_review, held.fold_by) == (False, True, "separate")
    assert (held.fold_share, held.fold_tokens, held.fold_keep) == (60, 90_000, 8_000)
    assert (held.clear_tool_results, held.clear_thinking, held.fold_model) == (True, True, "claude-haiku-5-5")


def test_only_what_the_strategy_uses_is_shown(stage: Stage, section: CompactionSection) -> None:
    assert "fold_by" in shown(section) and "fold_model" in shown(section)
    section.by.take("fork")
    assert "fold_model" not in shown(section)
    section.strategy.take(Strategy.WINDOW)
    assert profile(stage).fold_strategy == "window"
    assert "fold_messages" in shown(section) and "fold_by" not in shown(section)
    assert "stays searchable" in section.row_of["fold_strategy"].hint.text()
    section.messages.setValue(30)
    assert profile(stage).fold_messages == 30
    assert section.messages.text() == "30 messages"


def test_what_the_endpoint_lacks_is_off_with_the_reason(
    stage: Stage, section: CompactionSection, language: Language
) -> None:
    stage.show_endpoint(endpoint(features=replace(ABLE, server_compaction=False, clear_thinking=False)))
    actions = section.strategy.menu_of_choices().actions()
    assert [action.isEnabled() for action in actions] == [True] * 4 + [False, True]
    assert section.results.isEnabled() and not section.thinking.isEnabled()
    assert section.row_of["clear_thinking"].hint.text() == "This endpoint or model cannot do it."
    stage.show_endpoint(endpoint(features=ABLE))
    assert section.thinking.isEnabled()
    language.use("ko")
    assert section.row_of["clear_thinking"].hint.text() == "API가 앞선 턴의 생각을 뺍니다."


def test_a_notice_of_a_folding_leads_to_the_panel_and_back(qtbot: QtBot, stage: Stage) -> None:
    stage.window.close_settings()
    notice = folded_notice(samples.compaction(), samples.CHECK)
    stage.session.notice.emit(notice)
    (row,) = stage.window.notices.rows
    assert row.text.text() == "6 messages were folded into a summary: 98 % saved, 2 exact values lost."
    assert row.acts[SHOW].text() == "Show"
    row.acts[SHOW].click()
    assert stage.window.inspector.docks["compaction"].isVisible()
    stage.session.notice.emit(notice)
    stage.window.notices.rows[0].undo.click()
    assert stage.session.calls[-1] == ("undo", notice.undo)


def test_the_panel_changes_the_strategy_of_the_profile(stage: Stage) -> None:
    panel = stage.window.inspector.compaction
    panel.form.strategy.take(Strategy.RUNNING)
    assert profile(stage).fold_strategy == "running"
