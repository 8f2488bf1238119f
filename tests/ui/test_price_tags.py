"""What an act writes anew is said where it is done, before it is done, in both languages."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from desktop_app.bridge.cache_models import Forecast
from desktop_app.core.cache.causes import Cause
from desktop_app.core.cache.culprit import Culprit
from desktop_app.core.cache.forecast import CacheForecast
from desktop_app.ui.chat.composer import Composer
from desktop_app.ui.language import Language
from desktop_app.ui.settings_page import SettingsPage
from desktop_app.ui.theme import Theme
from tests.ui import window_samples as samples
from tests.ui.tag_samples import SetTags, cold_tags, unpriced_tags, warm_tags
from tests.ui.window_stage import OpenWindow, Stage

HAIKU = "claude-haiku-5-5"


@pytest.fixture
def stage(qtbot: QtBot, theme: Theme, language: Language, tmp_path: Path) -> Stage:
    stage = OpenWindow(qtbot, theme, language, tmp_path / "window.ini")()
    stage.session.update_profile(model="claude-opus-5-5")
    use(stage, SetTags(warm_tags()))
    return stage


@pytest.fixture
def page(stage: Stage) -> SettingsPage:
    stage.window.open_settings()
    return stage.window.settings_page


def use(stage: Stage, tags: SetTags) -> None:
    """Other tags were read."""
    stage.session.price_tags = tags
    stage.session.tagsChanged.emit()


def menu_of(stage: Stage) -> list[str]:
    """The lines of the model menu in the top bar."""
    menu = stage.window.top_bar.model.menu_of_choices()
    lines = [action.text() for action in menu.actions() if not action.isSeparator()]
    menu.deleteLater()
    return lines


def test_each_model_has_its_tag_in_the_menu(stage: Stage, language: Language) -> None:
    assert menu_of(stage) == [
        "Claude Opus 5.5",
        "Claude Haiku 5.5\t≈\u00a0$0.0072 · ≈\u00a058,000 tokens",
        "Written anew by your next message",
        "instead of being read for ≈\u00a0$0.0120",
    ]
    language.use("ko")
    assert menu_of(stage)[1:] == [
        "Claude Haiku 5.5\t≈\u00a0$0.0072 · ≈\u00a058,000토큰",
        "바꾸면 다음 메시지가 새로 쓰는 양입니다.",
        "그대로 두면 ≈\u00a0$0.0120에 읽습니다.",
    ]
    language.use("en")
    use(stage, SetTags(cold_tags()))
    assert menu_of(stage)[1:] == [
        "Claude Haiku 5.5",
        "Nothing of this conversation is in the cache:",
        "another model loses nothing",
    ]
    use(stage, SetTags(unpriced_tags()))
    assert menu_of(stage)[1] == "Claude Haiku 5.5\t≈\u00a058,000 tokens"
    stage.session.price_tags = None
    assert menu_of(stage) == ["Claude Opus 5.5", "Claude Haiku 5.5"]


def test_the_model_that_was_left_costs_nothing_to_go_back_to(stage: Stage) -> None:
    stage.session.update_profile(model=HAIKU)
    assert menu_of(stage)[:2] == ["Claude Opus 5.5", "Claude Haiku 5.5"]


def test_another_profile_leaves_the_chat_warm(stage: Stage) -> None:
    menu = stage.window.top_bar.profile.menu_of_choices()
    lines = [action.text() for action in menu.actions()]
    menu.deleteLater()
    assert "Nothing is written anew: this conversation" in lines
    assert any(line.startswith("stays in the cache until ") for line in lines)


def test_settings_show_their_price_where_they_differ_from_what_was_sent(stage: Stage, page: SettingsPage) -> None:
    rows = page.model
    assert [row.price.text() for row in rows.rows if row.price.text()] == []
    menu = rows.effort.menu_of_choices()
    assert menu.actions()[3].text() == "High\t≈\u00a0$0.2808 · ≈\u00a056,000 tokens"
    menu.deleteLater()
    assert "57,100 tokens are written anew" in rows.tools.toolTip()
    rows.effort.take("high")
    assert rows.effort_row.price.isVisible()
    assert rows.effort_row.price.text() == (
        "Another effort: ≈\u00a056,000 tokens are written anew, ≈\u00a0$0.2808 instead of ≈\u00a0$0.0120."
    )
    rows.tools.click()
    assert rows.tools_row.price.text() == (
        "Tools on or off: ≈\u00a057,100 tokens are written anew, ≈\u00a0$0.2855 instead of ≈\u00a0$0.0120."
    )
    rows.thinking.click()
    assert rows.thinking_row.price.text() == "Thinking on or off: nothing is written anew now."
    rows.listed.take(HAIKU)
    assert "58,000 tokens are written anew, ≈\u00a0$0.0072 instead of ≈\u00a0$0.0120" in rows.model_row.price.text()
    page.memory.memory.click()
    assert "57,000 tokens are written anew" in page.memory.memory_row.price.text()
    rows.effort.take("")
    assert not rows.effort_row.price.isVisible()


def test_instructions_show_their_price_while_they_are_typed(stage: Stage, page: SettingsPage) -> None:
    page.model.instructions.setPlainText("Be brief.")
    assert page.model.instructions_row.price.text() == (
        "Other instructions: ≈\u00a058,000 tokens are written anew, ≈\u00a0$0.2900 instead of ≈\u00a0$0.0120."
    )
    page.model.instructions.setPlainText("")
    assert page.model.instructions_row.price.isHidden()
    page.model.keep_typed()


def test_the_lifetime_is_chosen_and_its_price_is_from_now_on(
    stage: Stage, page: SettingsPage, language: Language
) -> None:
    row = page.model.lifetime_row
    page.model.lifetime.chosen.emit("1h")
    assert stage.session.settings.of().cache_lifetime == "1h"
    assert page.model.lifetime.value == "1h"
    assert row.hint.text().startswith("Everything is kept for one hour")
    assert row.price.text() == (
        "Another cache lifetime: nothing is written anew now. From now on, a write costs 2× the input price instead of "
        "1.25× and is kept for one hour. A message like the last one (1,900 tokens) then costs ≈\u00a0$0.0057 more."
    )
    language.use("ko")
    assert "1.25배가 아니라 2배이며" in row.price.text()
    assert "≈\u00a0$0.0057 더 듭니다" in row.price.text()
    page.model.lifetime.chosen.emit("5m")
    assert row.price.isHidden()
    state = replace(stage.session.endpoint, missing=("caching",))
    stage.show_endpoint(state)
    assert not page.model.lifetime.isEnabled()


def test_where_nothing_is_warm_the_settings_say_so(stage: Stage, page: SettingsPage) -> None:
    use(stage, SetTags(cold_tags()))
    page.model.effort.take("high")
    assert page.model.effort_row.price.text() == (
        "Another effort: nothing of this conversation is in the cache any more, so nothing is lost."
    )


@pytest.fixture
def composer(qtbot: QtBot, theme: Theme, language: Language) -> Composer:
    composer = Composer(theme, language)
    qtbot.addWidget(composer)
    composer.resize(620, 200)
    composer.show()
    return composer


def test_what_the_last_change_spoils_is_said_below_the_text(composer: Composer, language: Language) -> None:
    miss = Culprit(Cause.MODEL, lost_tokens=61_204, lost_usd=Decimal("0.30"))
    cold = CacheForecast(0, 61_204, 0, 0)
    composer.show_forecast(Forecast(samples.budget(), cold, Decimal("0.3134"), None, Decimal("0.3134"), miss))
    assert composer.spoilt.isVisible()
    assert (
        composer.spoilt.text()
        == "Another model: ≈\u00a061,204 tokens are written anew, ≈\u00a0$0.3134 instead of ≈\u00a0$0.0134."
    )
    language.use("ko")
    assert (
        composer.spoilt.text()
        == "모델 변경: ≈\u00a061,204토큰을 새로 써서 ≈\u00a0$0.3134입니다(그대로 두면 ≈\u00a0$0.0134)."
    )
    composer.show_forecast(Forecast(samples.budget(), cold))
    assert composer.spoilt.isHidden()
    composer.show_forecast(None)
    assert composer.spoilt.isHidden()
