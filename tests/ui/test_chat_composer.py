"""The composer sends exactly what was typed, once; it says where the answer stands and what the next request holds."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget
from pytestqt.qtbot import QtBot

from desktop_app.bridge.session_state import EndpointState, KeyState, Phase, SessionState
from desktop_app.core.endpoints import EndpointKind
from desktop_app.core.errors import Overloaded, RateLimited, Unreachable
from desktop_app.core.usage import Known
from desktop_app.ui.chat.composer import PASTE_LIMIT, Composer
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.budget_bar import BudgetBar, bar_end
from tests.ui.chat_samples import budget

CASES = json.loads((Path(__file__).with_name("data") / "ime_dup_events.json").read_text("utf-8"))


@pytest.fixture
def composer(qtbot: QtBot, theme: Theme, language: Language) -> Composer:
    composer = Composer(theme, language)
    qtbot.addWidget(composer)
    composer.resize(800, 200)
    composer.show()
    composer.focus_text()
    return composer


@pytest.fixture
def sent(composer: Composer) -> list[str]:
    texts: list[str] = []
    composer.submitted.connect(texts.append)
    return texts


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_input_method(case: dict[str, Any], composer: Composer, sent: list[str]) -> None:
    for event in case["events"]:
        kind, _, text = event.partition(" ")
        if kind == "key":
            if "popup" not in text and "ignored-by-ime" not in text:
                QTest.keyClick(composer.edit, Qt.Key.Key_Return)
        else:
            _compose(composer, preedit=text if kind == "preedit" else "", commit=text if kind == "commit" else "")
    assert sent == case["sent"]
    assert composer.text() == case.get("box", "")


def test_enter_inside_a_composition_sends_nothing(composer: Composer, sent: list[str]) -> None:
    _compose(composer, commit="안녕하세")
    _compose(composer, preedit="요")
    QTest.keyClick(composer.edit, Qt.Key.Key_Return)
    assert sent == []
    _compose(composer, commit="요")
    QTest.keyClick(composer.edit, Qt.Key.Key_Return)
    assert (sent, composer.text()) == (["안녕하세요"], "")


def test_the_button_takes_what_is_being_composed(composer: Composer, sent: list[str]) -> None:
    _compose(composer, commit="좋아")
    _compose(composer, preedit="요")
    composer.send.click()
    assert (sent, composer.text(), composer.edit.composing) == (["좋아요"], "", False)


def test_ten_quick_messages(composer: Composer, sent: list[str]) -> None:
    for _ in range(10):
        for syllable in "안녕하세요":
            _compose(composer, preedit=syllable)
            _compose(composer, commit=syllable)
        QTest.keyClick(composer.edit, Qt.Key.Key_Return)
    assert sent == ["안녕하세요"] * 10


def test_shift_enter_breaks_the_line_and_the_box_grows(composer: Composer, sent: list[str]) -> None:
    low = composer.edit.height()
    QTest.keyClicks(composer.edit, "one")
    QTest.keyClick(composer.edit, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClicks(composer.edit, "two")
    assert composer.edit.height() > low
    for _ in range(30):
        QTest.keyClick(composer.edit, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert composer.edit.height() <= 10 * composer.edit.fontMetrics().lineSpacing() + 8
    composer.set_text("one\ntwo")
    QTest.keyClick(composer.edit, Qt.Key.Key_Return)
    assert sent == ["one\ntwo"]
    assert composer.edit.height() == low


@pytest.mark.parametrize("text", ["", "  \n\t ", "\u200b\u200b", "\u3164\u3164"])
def test_nothing_visible_is_not_sent(text: str, composer: Composer, sent: list[str]) -> None:
    composer.edit.setPlainText(text)
    assert not composer.send.isEnabled()
    QTest.keyClick(composer.edit, Qt.Key.Key_Return)
    assert sent == []


def test_each_change_is_told(composer: Composer, qtbot: QtBot) -> None:
    told: list[str] = []
    composer.textEdited.connect(told.append)
    QTest.keyClicks(composer.edit, "ab")
    assert told == ["a", "ab"]
    composer.set_text("a draft")
    assert told == ["a", "ab"]
    assert composer.send.isEnabled()


@pytest.mark.timed
@pytest.mark.parametrize("text", ["x" * 1_000_000, "line of a log\n" * 14_000], ids=["one line", "14,000 lines"])
def test_a_huge_paste_is_a_chip_and_sent_whole(text: str, composer: Composer, sent: list[str]) -> None:
    QTest.keyClicks(composer.edit, "See this:")
    data = QMimeData()
    data.setText(text)
    began = time.perf_counter()
    composer.edit.insertFromMimeData(data)
    QApplication.processEvents()
    assert time.perf_counter() - began < 0.2
    assert composer.edit.toPlainText() == "See this:"
    [chip] = composer.pastes
    assert f"{len(text):,} characters" in chip.words.whole()
    began = time.perf_counter()
    chip.toggle()
    QApplication.processEvents()
    assert time.perf_counter() - began < 0.2
    assert "more characters are sent as well" in chip.rest.text()
    QTest.keyClick(composer.edit, Qt.Key.Key_Return)
    assert sent == [f"See this:\n\n{text}"]
    assert composer.pastes == []


def test_a_chip_can_be_removed_and_a_draft_makes_one(composer: Composer, sent: list[str]) -> None:
    composer.set_text("y" * (PASTE_LIMIT + 1))
    assert composer.edit.toPlainText() == ""
    assert composer.text() == "y" * (PASTE_LIMIT + 1)
    composer.pastes[0].cross.click()
    assert (composer.text(), composer.send.isEnabled()) == ("", False)


def test_rich_text_is_pasted_as_letters(composer: Composer) -> None:
    data = QMimeData()
    data.setHtml("<h1>Title</h1><img src='http://127.0.0.1:9/x.png'><b>bold</b>")
    composer.edit.insertFromMimeData(data)
    assert "bold" in composer.text()
    assert "<b>" not in composer.text()


def test_a_key_is_not_sent_by_accident(composer: Composer, sent: list[str]) -> None:
    composer.edit.setPlainText("my key: sk-ant-api03-AbCdEf123")
    QTest.keyClick(composer.edit, Qt.Key.Key_Return)
    assert sent == []
    assert composer.warning.isVisible()
    composer.edit.setPlainText("my key: (removed)")
    assert not composer.warning.isVisible()
    composer.edit.setPlainText("sk-ant-api03-AbCdEf123")
    QTest.keyClick(composer.edit, Qt.Key.Key_Return)
    composer.warning.send.click()
    assert sent == ["sk-ant-api03-AbCdEf123"]


def test_a_password_is_told_of_and_sent_all_the_same(composer: Composer, language: Language, sent: list[str]) -> None:
    composer.edit.setPlainText("비밀번호: 가짜비번1234!, 주민등록번호 000000-0000000")
    composer.secret.look()
    assert composer.secret.text() == "This seems to hold: password, resident number. It would be sent to the model."
    assert composer.secret.isVisible() and not composer.warning.isVisible()
    composer.show_endpoint(EndpointState(EndpointKind.ANTHROPIC, "api.anthropic.com", KeyState.KEYRING))
    assert composer.secret.text().endswith("It would be sent to api.anthropic.com.")
    language.use("ko")
    assert composer.secret.text().startswith("다음이 들어 있는 것 같습니다: 비밀번호, 주민등록번호.")
    QTest.keyClick(composer.edit, Qt.Key.Key_Return)
    assert sent == ["비밀번호: 가짜비번1234!, 주민등록번호 000000-0000000"]
    assert not composer.secret.isVisible()


def test_a_harmless_text_is_not_told_of(composer: Composer, qtbot: QtBot) -> None:
    composer.edit.setPlainText("password=hunter2-FAKE")
    qtbot.waitUntil(composer.secret.isVisible)
    composer.edit.setPlainText("비밀번호 정책은 12자 이상")
    qtbot.waitUntil(lambda: not composer.secret.isVisible())


def test_forecast_says_how_it_knows(composer: Composer, language: Language) -> None:
    composer.show_preview(budget())
    assert composer.forecast.tokens.text() == "next ≈ 61,204 tokens"
    assert composer.forecast.share.text() == "6.1 % of 1,000,000"
    composer.show_preview(budget(Known.COUNTED, window=64_000))
    assert composer.forecast.tokens.text() == "next = 61,204 tokens"
    assert composer.forecast.over.text() == "29,204 tokens too many for the window"
    composer.show_preview(budget(window=None))
    assert composer.forecast.share.text() == "window unknown"
    language.use("ko")
    assert composer.forecast.tokens.text() == "다음 요청 ≈ 61,204토큰"
    composer.show_preview(None)
    assert not composer.forecast.tokens.isVisible()


def test_bar_shows_each_segment_to_scale(qtbot: QtBot, theme: Theme, language: Language) -> None:
    bar = BudgetBar(theme, language)
    qtbot.addWidget(bar)
    bar.resize(1000, 5)
    figures = budget()
    bar.set_budget(figures)
    assert bar_end(figures, "fit") == 100_000
    assert bar_end(figures, "window") == 1_000_000
    stretches = bar.stretches()
    assert [round(part.right - part.left, 5) for part in stretches] == [0.0184, 0.0231, 0.56371, 0.00683, 0.32]
    picture = bar.grab().toImage()
    assert picture.pixelColor(10, 2) == theme.tokens.segment(figures.rows[0].segment)
    assert picture.pixelColor(300, 2) == theme.tokens.segment(figures.rows[2].segment)
    assert picture.pixelColor(980, 2) == theme.tokens.color("track")
    bar.set_scale("window")
    assert bar.stretches()[2].right == pytest.approx(0.060521)
    assert "61,204" in bar.accessibleName()


def test_stop_while_an_answer_is_under_way(composer: Composer, qtbot: QtBot, sent: list[str]) -> None:
    composer.show_state(SessionState(Phase.STREAMING))
    assert composer.send.accessibleName() == "Stop"
    with qtbot.waitSignal(composer.stopRequested):
        composer.send.click()
    composer.edit.setPlainText("next one")
    QTest.keyClick(composer.edit, Qt.Key.Key_Return)
    assert sent == ["next one"]
    composer.show_state(SessionState(Phase.STREAMING, queued="next one"))
    assert composer.queued.words.whole() == "Sent next: next one"
    composer.edit.setPlainText("and another")
    QTest.keyClick(composer.edit, Qt.Key.Key_Return)
    assert (sent, composer.text()) == (["next one"], "and another")
    with qtbot.waitSignal(composer.queueDropped):
        composer.queued.cross.click()
    composer.put_back("next one")
    assert composer.text() == "next one\n\nand another"


def test_waiting_and_trying_again_are_visible(composer: Composer, qtbot: QtBot, language: Language) -> None:
    line = composer.state_line
    assert not line.isVisible()
    composer.show_state(SessionState(Phase.WAITING, seconds=4.6))
    assert line.words.text() == "Waiting for the answer… 4 s"
    composer.show_state(SessionState(Phase.RETRYING, seconds=2.2, attempt=2, most=5, error=Overloaded("overloaded")))
    assert line.words.text().endswith("Trying again in 3 s (attempt 2 of 5).")
    with qtbot.waitSignal(composer.retryRequested):
        line.retry.click()
    with qtbot.waitSignal(composer.stopRequested):
        line.stop.click()
    language.use("ko")
    assert "3초 뒤에 다시 시도합니다 (5번 중 2번째)." in line.words.text()
    composer.show_state(SessionState())
    assert not line.isVisible()


def test_how_long_the_endpoint_asks_to_wait_is_said_where_nothing_counts_down(composer: Composer) -> None:
    error = RateLimited("429", retry_after=4000)
    composer.show_state(SessionState(Phase.RETRYING, seconds=20, attempt=2, most=4, error=error))
    assert "asks to wait" not in composer.state_line.words.text()
    composer.show_state(SessionState(Phase.FAILED, error=error))
    assert composer.state_line.words.text().endswith("then try again. The endpoint asks to wait 1 h 7 min.")


def test_a_failure_says_what_to_do_with_details_on_demand(composer: Composer, qtbot: QtBot) -> None:
    line = composer.state_line
    composer.show_state(SessionState(Phase.FAILED, error=Unreachable("<b>refused</b>", host="localhost:11434")))
    assert "localhost:11434" in line.words.text()
    assert not line.details.isVisible()
    line.more.click()
    assert line.details.toPlainText() == "<b>refused</b>"
    with qtbot.waitSignal(composer.retryRequested):
        line.retry.click()
    composer.show_state(SessionState(Phase.FAILED, error=Unreachable()))
    assert "…" in line.words.text()
    assert not line.more.isVisible()


def test_everything_has_a_name_in_both_languages(composer: Composer, language: Language) -> None:
    composer.set_text("z" * (PASTE_LIMIT + 1))
    composer.show_state(SessionState(Phase.FAILED, error=Unreachable("x", host="h"), queued="q"))
    for code in ("en", "ko"):
        language.use(code)
        assert [widget for widget in _focusable(composer) if not widget.accessibleName()] == []


def _focusable(root: QWidget) -> list[QWidget]:
    return [
        widget
        for widget in root.findChildren(QWidget)
        if widget.isVisible()
        and (widget.focusPolicy() & Qt.FocusPolicy.TabFocus or isinstance(widget, QAbstractButton))
        and widget.objectName() != "qt_scrollarea_viewport"
    ]


def _compose(composer: Composer, preedit: str = "", commit: str = "") -> None:
    event = QInputMethodEvent(preedit, [])
    if commit:
        event.setCommitString(commit)
    QApplication.sendEvent(composer.edit, event)
