"""The Spending page: reached from the status bar, its table by keyboard, its budget, and nothing clipped."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QFileDialog, QLabel
from pytestqt.qtbot import QtBot

from desktop_app.bridge.session_state import Level, Notice
from desktop_app.bridge.spending_session import PeriodChoice
from desktop_app.core.money.spending import SpendingBy
from desktop_app.core.words import load_words
from desktop_app.ui.language import Language
from desktop_app.ui.money.spending_page import SpendingPage
from desktop_app.ui.theme import Theme
from tests.ui.spending_samples import StageSpending, budget, report, tell, tell_budget, tell_today
from tests.ui.window_stage import OpenWindow, Stage
from tests.unit.spent_samples import spent


@pytest.fixture
def stage(qtbot: QtBot, theme: Theme, language: Language, tmp_path: Path) -> Stage:
    """A window whose session has told of a month."""
    return opened(OpenWindow(qtbot, theme, language, tmp_path / "window.ini"))


def opened(open_window: OpenWindow, width: int = 1440) -> Stage:
    stage = open_window(width=width)
    tell_today(spending_of(stage), report())
    tell_budget(spending_of(stage), budget())
    return stage


def spending_of(stage: Stage) -> StageSpending:
    assert isinstance(stage.session.spending, StageSpending)
    return stage.session.spending


def page_of(stage: Stage) -> SpendingPage:
    """The page, with its report."""
    stage.window.open_money()
    page = stage.window.pages.spending
    assert page is not None and stage.window.pages.currentWidget() is page
    tell(spending_of(stage), report(spending_of(stage).by))
    return page


def test_today_in_the_status_bar_opens_the_page_and_escape_leads_back(qtbot: QtBot, stage: Stage) -> None:
    today = stage.window.status.today
    assert (today.isVisible(), today.text()) == (True, "today: ≥ $1.12")
    qtbot.mouseClick(today, Qt.MouseButton.LeftButton)
    page = stage.window.pages.spending
    assert page is not None and page.isVisible() and not stage.window.composer.isVisible()
    assert ("open",) in spending_of(stage).calls
    qtbot.keyClick(page, Qt.Key.Key_Escape)
    assert stage.window.pages.currentWidget() is stage.window.conversation
    assert spending_of(stage).calls[-1] == ("close",)
    stage.window.actions_by_name["money"].trigger()
    assert page.isVisible()
    stage.window.actions_by_name["settings"].trigger()
    assert stage.window.pages.currentWidget() is stage.window.settings_page
    stage.window.actions_by_name["money"].trigger()
    assert page.isVisible()
    stage.window.new_chat()
    assert not page.isVisible()


def test_tool_tip_of_today_says_what_the_sum_leaves_out(stage: Stage) -> None:
    today = stage.window.status.today
    left_out = load_words("en").say("money.unpriced", n=1)
    assert left_out in today.toolTip() and left_out in today.accessibleDescription()
    tell_today(spending_of(stage), report(requests=[spent(0)]))
    assert left_out not in today.toolTip()


def test_before_anything_is_read_the_status_bar_is_silent(
    qtbot: QtBot, theme: Theme, language: Language, tmp_path: Path
) -> None:
    stage = OpenWindow(qtbot, theme, language, tmp_path / "window.ini")()
    assert not stage.window.status.today.isVisible()
    tell_today(spending_of(stage), report(requests=[spent(0, simulated=True)]))
    assert stage.window.status.today.text() == "today: simulated, free"
    language.use("ko")
    assert stage.window.status.today.text() == "오늘: 모의 응답, 무료"


def test_what_is_chosen_is_asked_for(stage: Stage) -> None:
    page, spending = page_of(stage), spending_of(stage)
    page.by.take(SpendingBy.CONVERSATION)
    assert page.model.index(0, 0).data() == '=HYPERLINK("http://x") <b>bold</b>'
    page.period.take(PeriodChoice.LAST)
    page.profile.take("default")
    page.profile.take("")
    asked = [call for call in spending.calls if call[0] in ("add_up_by", "choose_period", "choose_profile")]
    assert asked == [
        ("add_up_by", SpendingBy.CONVERSATION),
        ("choose_period", PeriodChoice.LAST),
        ("choose_profile", "default"),
        ("choose_profile", None),
    ]
    assert page.total.text() == "≥ $1.12"


def test_keys_open_and_close_groups(qtbot: QtBot, stage: Stage) -> None:
    page = page_of(stage)
    table, model = page.table, page.model
    table.setFocus()
    assert table.currentIndex().row() == 0
    qtbot.keyClick(table, Qt.Key.Key_Right)
    assert model.rows[1].on is not None
    qtbot.keyClick(table, Qt.Key.Key_Right)
    assert model.rows[1].on is not None, "open already"
    qtbot.keyClick(table, Qt.Key.Key_Down)
    qtbot.keyClick(table, Qt.Key.Key_Left)
    assert (model.rows[1].on, table.currentIndex().row()) == (None, 0)
    qtbot.keyClick(table, Qt.Key.Key_Return)
    assert model.rows[1].on is not None
    place = table.visualRect(model.index(0, 0)).center()
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert model.rows[1].on is None


def test_budget_is_shown_set_and_refused_in_words(qtbot: QtBot, stage: Stage) -> None:
    page, spending = page_of(stage), spending_of(stage)
    card = page.budget
    assert card.field.text() == "20" and card.bar.share == pytest.approx(0.62)
    assert card.spent.text() == "November 2026: $12.40 of $20.00 spent (62 %)."
    card.field.selectAll()
    qtbot.keyClicks(card.field, "a lot")
    tell_budget(spending, budget("13"))
    assert card.field.text() == "a lot", "what is being typed stays"
    qtbot.keyClick(card.field, Qt.Key.Key_Return)
    assert card.refused.isVisible() and card.refused.text().startswith("“a lot” cannot be used: a monthly budget is")
    qtbot.keyClicks(card.field, "30.50")
    assert not card.refused.isVisible()
    qtbot.mouseClick(card.button, Qt.MouseButton.LeftButton)
    assert [call[1] for call in spending.calls if call[0] == "set_budget"] == ["a lot", "30.50"]
    tell_budget(spending, budget("31", "30.50"))
    assert (card.field.text(), card.bar.level) == ("30.50", 100)
    tell_budget(spending, budget("31", None))
    assert not card.bar.isVisible() and card.field.text() == ""


def test_empty_time_teaches_and_has_nothing_to_export(stage: Stage) -> None:
    page = page_of(stage)
    assert page.export.isEnabled() and not page.begin.isVisible()
    tell(spending_of(stage), report(requests=[]))
    assert page.none.isVisible() and not page.table.isVisible() and not page.export.isEnabled()
    assert page.total.text() == ""
    assert page.begin.isVisible() and page.begin.text() == "Write a message"
    page.begin.click()
    assert stage.window.pages.currentWidget() is stage.window.conversation
    assert stage.window.composer.isAncestorOf(stage.window.focusWidget())


def test_file_is_asked_for_and_prices_are_another_dialog(qtbot: QtBot, stage: Stage, tmp_path: Path) -> None:
    page = page_of(stage)
    with qtbot.waitSignal(page.pricesAsked):
        page.prices.click()
    page.export.click()
    dialog = stage.window.findChild(QFileDialog)
    assert dialog is not None and dialog.acceptMode() is QFileDialog.AcceptMode.AcceptSave
    dialog.fileSelected.emit(str(tmp_path / "spent.csv"))
    dialog.close()
    assert spending_of(stage).calls[-1] == ("export", tmp_path / "spent.csv")


def test_warning_leads_to_the_page(stage: Stage) -> None:
    figures: dict[str, str | int] = {"spent": "$16.50", "limit": "$20.00", "percent": 82}
    notice = Notice("money.warning_80", figures, Level.WARNING, acts=("open_money",))
    stage.session.notice.emit(notice)
    (row,) = stage.window.notices.rows
    assert row.text.text() == "82 % of this month's budget is spent: $16.50 of $20.00. Nothing is blocked."
    row.acts["open_money"].click()
    page = stage.window.pages.spending
    assert page is not None and page.isVisible()


@pytest.mark.parametrize("code", ["en", "ko"])
@pytest.mark.parametrize("width", [760, 1440])
def test_nothing_is_clipped(
    qtbot: QtBot, theme: Theme, language: Language, tmp_path: Path, code: str, width: int
) -> None:
    language.use(code)
    stage = opened(OpenWindow(qtbot, theme, language, tmp_path / "window.ini"), width)
    stage.session.update_settings(language=code)
    page = page_of(stage)
    page.by.take(SpendingBy.TURN)
    qtbot.waitUntil(lambda: page.area.viewport().width() >= page.by.width())
    column = page.area.widget()
    assert column.width() <= page.area.viewport().width()
    for widget in (page.by, page.prices, page.export, page.close_button, page.total, page.budget, page.table):
        left = widget.mapTo(column, QPoint(0, 0)).x()
        assert left >= 0 and left + widget.width() <= column.width()
    for label in page.findChildren(QLabel):
        if label.isVisible() and not label.wordWrap():
            assert label.width() >= label.sizeHint().width(), label.text()
    names = page.table.columnWidth(page.model.NAME)
    assert names >= 120
