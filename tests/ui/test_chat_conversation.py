"""The conversation opens at its end, stays where the reader is, and shows how each message stands."""

from __future__ import annotations

import time
from datetime import date
from itertools import pairwise
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget
from pytestqt.qtbot import QtBot

from desktop_app.bridge.entries import Entry, OtherPart, TextPart, ThinkingPart, ToolPart
from desktop_app.bridge.message_list import MessageListModel
from desktop_app.bridge.session_state import Phase, SessionState
from desktop_app.core.conversation import MessageState
from desktop_app.core.refusal import Refusal
from desktop_app.ui.chat.column_width import COLUMN
from desktop_app.ui.chat.conversation_view import ConversationView
from desktop_app.ui.chat.markdown_view import MarkdownView
from desktop_app.ui.chat.message_column import MOST_PAGES, PAGE
from desktop_app.ui.chat.message_view import MessageView
from desktop_app.ui.chat.thinking_view import ThinkingView
from desktop_app.ui.chat.tool_view import ToolView
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from tests.ui.chat_samples import MOMENT, answered, asked, turns


@pytest.fixture
def model(qapp: QApplication) -> MessageListModel:
    return MessageListModel()


@pytest.fixture
def view(qtbot: QtBot, theme: Theme, language: Language, model: MessageListModel) -> ConversationView:
    view = ConversationView(theme, language)
    qtbot.addWidget(view)
    view.resize(1040, 700)
    view.set_model(model)
    view.show()
    qtbot.waitExposed(view)
    return view


def test_an_empty_conversation_teaches(view: ConversationView, qtbot: QtBot, model: MessageListModel) -> None:
    assert view.empty.isVisible()
    with qtbot.waitSignal(view.promptChosen) as chosen:
        view.empty.examples[2].click()
    assert "17.5 %" in chosen.args[0]
    model.show(turns(2))
    assert not view.empty.isVisible()
    assert view.area.isVisible()


def test_it_opens_at_the_end_and_builds_on_piece_by_piece(
    view: ConversationView, model: MessageListModel, qtbot: QtBot
) -> None:
    model.show(turns(105))
    assert (view.column.end_row, view.column.pages_built()) == (105, 2)
    assert _at_end(view)
    built = [view.column.first_row]
    while view.area.near_start():
        QApplication.processEvents()
        built.append(view.column.first_row)
    assert {before - after for before, after in pairwise(built)} <= {0, PAGE}, "more than one page in one turn"
    assert 40 < built[-1] < 95
    assert _at_end(view)
    assert not view.jump.isVisible()
    last = view.column.view_of_row(104)
    assert last is not None
    assert last.visibleRegion().boundingRect().height() > 0
    assert last.parts.width() == COLUMN


def test_reading_up_builds_pages_and_keeps_the_place(
    view: ConversationView, model: MessageListModel, qtbot: QtBot
) -> None:
    model.show(turns(400))
    qtbot.waitUntil(lambda: _at_end(view))
    bar = view.area.verticalScrollBar()
    for _ in range(120):
        before = _top_message(view)
        bar.setValue(bar.value() - 120)
        QApplication.processEvents()
        after = _top_message(view)
        assert 0 <= before[0] - after[0] <= 3, "the reader was moved by more than the scroll"
    assert view.column.pages_built() <= MOST_PAGES
    assert not view.following
    assert view.jump.isVisible()
    view.jump.click()
    qtbot.waitUntil(lambda: _at_end(view) and view.column.end_row == 400)
    assert view.following


def test_at_most_two_hundred_messages_stand(view: ConversationView, model: MessageListModel, qtbot: QtBot) -> None:
    model.show(turns(320))
    qtbot.waitUntil(lambda: _at_end(view))
    bar = view.area.verticalScrollBar()
    while view.column.first_row > 0:
        bar.setValue(0)
        QApplication.processEvents()
    assert view.column.pages_built() == MOST_PAGES
    assert view.column.end_row == MOST_PAGES * PAGE == 200
    while view.column.end_row < 320:
        bar.setValue(bar.maximum())
        QApplication.processEvents()
    assert view.column.pages_built() == MOST_PAGES


def test_the_view_moves_along_only_for_who_is_at_the_end(
    view: ConversationView, model: MessageListModel, qtbot: QtBot
) -> None:
    entries = [*turns(30), answered(31, state=MessageState.STREAMING)]
    model.show(entries)
    qtbot.waitUntil(lambda: _at_end(view) and not view.area.near_start())
    for _ in range(30):
        view.append_text("a31", 0, "A paragraph that arrives.\n\n")
        assert _at_end(view)
    view.area.verticalScrollBar().setValue(view.area.verticalScrollBar().maximum() - 300)
    place = _top_message(view)
    view.append_text("a31", 0, "More of it.\n\n" * 20)
    model.show([*entries, asked(32, "!")][:-1])
    assert _top_message(view) == place
    assert view.jump.isVisible()


def test_what_the_person_sends_is_brought_into_sight(
    view: ConversationView, model: MessageListModel, qtbot: QtBot
) -> None:
    entries = turns(60)
    model.show(entries)
    qtbot.waitUntil(lambda: _at_end(view))
    view.area.verticalScrollBar().setValue(0)
    model.show([*entries, asked(60, "a new question")])
    qtbot.waitUntil(lambda: _at_end(view))
    assert view.column.view_of("u60") is not None


def test_a_streamed_answer_becomes_the_stored_one(
    view: ConversationView, model: MessageListModel, qtbot: QtBot
) -> None:
    model.show([asked(0, "Hi"), answered(1, state=MessageState.STREAMING, seconds=None, output_tokens=None)])
    view.append_thinking("a1", 0, "Let me ")
    view.append_thinking("a1", 0, "see.")
    message = view.column.view_of("a1")
    assert message is not None
    [thinking] = message.parts.widgets()
    assert isinstance(thinking, ThinkingView)
    assert thinking.head.whole().startswith("Thinking…")
    for piece in ("On the **N", "AS**", " under `/srv`."):
        view.append_text("a1", 1, piece)
    text = message.parts.widgets()[1]
    assert isinstance(text, MarkdownView)
    assert text.toPlainText() == "On the NAS under /srv."
    final = answered(1, ThinkingPart(0, "Let me see."), "On the **NAS** under `/srv`.")
    model.show([asked(0, "Hi"), Entry(**{**_fields(final), "parts": (final.parts[0], _moved(final, 1))})])
    assert message.parts.widgets() == [thinking, text]
    assert thinking.head.whole() == "Thought for a moment"
    assert message.actions_row.meta.text() == "0.9 s   1,214 tokens"
    thinking.toggle()
    assert thinking._view.toPlainText() == "Let me see."


def test_an_answer_can_be_joined_while_it_arrives(view: ConversationView, model: MessageListModel) -> None:
    """The stored entry holds what came before the view looked; later pieces go on from there."""
    so_far = answered(1, ThinkingPart(0, "Hm."), state=MessageState.STREAMING)
    model.show([asked(0, "?"), Entry(**{**_fields(so_far), "parts": (*so_far.parts, TextPart(1, "1. one\n2. t"))})])
    view.append_text("a1", 1, "wo\n3. **thr")
    view.append_text("a1", 1, "ee**")
    message = _message(view, "a1")
    text = message.parts.widgets()[1]
    assert isinstance(text, MarkdownView)
    assert text.markdown == "1. one\n2. two\n3. **three**"
    assert text.toPlainText() == "one\ntwo\nthree"


def test_parts_are_shown_as_what_they_are(view: ConversationView, model: MessageListModel) -> None:
    call = ToolPart(0, "c1", "calculator<b>", '{"expression":"2340*0.175"}')
    failed = ToolPart(1, "c2", "calculator", '{"expression":"1/0"}', "division by zero", True)
    model.show([asked(0, "?"), answered(1, call, failed, OtherPart(2, "image"), stop_reason="tool_use")])
    message = view.column.view_of("a1")
    assert message is not None
    running, error = (widget for widget in message.parts.widgets() if isinstance(widget, ToolView))
    assert running.head.whole() == "calculator<b>: 2340*0.175"
    assert error.head.whole() == "calculator failed: division by zero"
    done = ToolPart(0, "c1", "calculator<b>", call.arguments, "409.5")
    model.show([asked(0, "?"), answered(1, done, failed, OtherPart(2, "image"), stop_reason="tool_use")])
    assert running.head.whole() == "calculator<b>: 2340*0.175 → 409.5"
    running.toggle()
    assert running._result.toPlainText() == "409.5"
    assert running._arguments.toPlainText() == '{\n  "expression": "2340*0.175"\n}'
    assert not message.actions_row.isVisible()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"state": MessageState.STOPPED}, "Stopped by you."),
        ({"state": MessageState.INTERRUPTED}, "Interrupted: the connection or the app ended before the answer did."),
        ({"stop_reason": "max_tokens", "can_continue": True}, "The answer reached the output limit"),
        ({"stop_reason": "model_context_window_exceeded", "can_continue": True}, "The context window is full"),
        ({"stop_reason": "tool_use", "can_continue": True}, "The answer stopped after these tool calls"),
        ({"stop_reason": "refusal"}, "This turn is left out of the context"),
        ({"left_out": True}, "Not sent any more"),
        ({"shows_nothing": True}, "The assistant answered nothing that can be shown."),
        ({"shows_nothing": True, "stop_reason": "refusal"}, "This turn is left out of the context"),
        ({"shows_nothing": True, "stop_reason": "max_tokens", "can_continue": True}, "The answer reached the output"),
    ],
)
def test_how_a_message_ended(
    change: dict[str, Any], words: str, view: ConversationView, model: MessageListModel, qtbot: QtBot
) -> None:
    model.show([asked(0, "?"), answered(1, "Once upon", **change)])
    message = view.column.view_of("a1")
    assert message is not None
    assert words in message.notice.words.text()
    assert message.notice.go_on.isVisible() is change.get("can_continue", False)
    if message.notice.go_on.isVisible():
        with qtbot.waitSignal(view.continueRequested):
            message.notice.go_on.click()
        view.show_state(SessionState(Phase.STREAMING))
        assert not message.notice.go_on.isVisible()


def test_why_the_model_declined_is_shown_letter_by_letter(
    view: ConversationView, model: MessageListModel, language: Language
) -> None:
    why = Refusal("cyber", "<img src='http://127.0.0.1/x'> a\u202e\n" + "long " * 1_000)
    model.show([asked(0, "?"), answered(1, stop_reason="refusal", refusal=why), answered(2, stop_reason="refusal")])
    told, silent = _message(view, "a1").notice, _message(view, "a2").notice
    category, explanation = told.reason.text().split("\n")
    assert category == "Category: cyber"
    assert explanation.startswith("Explanation: <img src='http://127.0.0.1/x'> a⟨RLO⟩ long long")
    assert explanation.endswith("…") and len(explanation) < 2_100
    assert told.reason.textFormat() is Qt.TextFormat.PlainText
    assert told.reason.isVisible() and not silent.reason.isVisible()
    assert silent.words.isVisible()
    language.use("ko")
    assert told.reason.text().startswith("분류: cyber\n설명: <img")
    model.show([asked(0, "?"), answered(1, stop_reason="refusal", refusal=Refusal("bio"))])
    assert told.reason.text() == "분류: bio"


def test_who_and_when(view: ConversationView, model: MessageListModel, language: Language) -> None:
    model.show(
        [
            asked(0, "?"),
            answered(1, "a"),
            asked(2, "?"),
            answered(3, "b", simulated=True),
            answered(4, "c", headed=False),
            asked(5, "?"),
            answered(6, "d", model="claude-opus-5-5"),
        ]
    )
    views = {message.entry.id: message for message in view.column.views()}
    assert views["u0"].name.text() == "You"
    assert views["a1"].model.text() == "claude-sonnet-5-5"
    assert views["a3"].model is None
    assert views["a6"].model.text() == "claude-opus-5-5"
    assert views["a3"].simulated.isVisible()
    assert views["a1"].simulated is None
    assert not views["a4"].head.isVisible()
    assert views["a1"].time.text() == language.when(answered(1).created_at)
    language.use("ko")
    assert views["u0"].name.text() == "나"
    assert views["a3"].simulated.text() == "모의"
    assert views["a1"].actions_row.meta.text() == "0.9초   1,214토큰"


def test_edit_and_send_again(view: ConversationView, model: MessageListModel, qtbot: QtBot) -> None:
    model.show([asked(0, "first\nwords"), answered(1, "a")])
    message = _message(view, "u0")
    message.actions_row.tools.edit.click()
    assert message.editor is not None
    assert message.editor.edit.toPlainText() == "first\nwords"
    message.editor.edit.setPlainText("  ")
    assert not message.editor.send.isEnabled()
    QTest.keyClick(message.editor.edit, Qt.Key.Key_Escape)
    assert message.editor is None
    message.begin_edit()
    message.editor.edit.setPlainText("other words")
    with qtbot.waitSignal(view.editRequested) as edited:
        message.editor.send.click()
    assert edited.args == ["u0", "other words"]


def test_actions_of_an_answer(view: ConversationView, model: MessageListModel, qtbot: QtBot) -> None:
    model.show([asked(0, "?"), answered(1, "a **b**", "c", branch=(2, 3))])
    row = _message(view, "a1").actions_row
    _message(view, "a1").setFocus(Qt.FocusReason.TabFocusReason)
    assert row.tools.isVisible()
    row.tools.copy.click()
    assert QGuiApplication.clipboard().text() == "a **b**\n\nc"
    with qtbot.waitSignal(view.regenerateRequested) as again:
        row.tools.again.click()
    assert again.args == ["a1"]
    assert row.branch.place.text() == "2 / 3"
    with qtbot.waitSignal(view.branchRequested) as branch:
        row.branch.before.click()
    assert branch.args == ["a1", -1]
    with qtbot.waitSignal(view.contextAsked) as context:
        row.tools.context.click()
    assert context.args == ["a1"]
    view.show_state(SessionState(Phase.WAITING))
    assert not any(button.isEnabled() for button in (row.tools.again, row.branch.before, row.branch.after))
    _message(view, "a1")._copied_timer.stop()


def test_the_actions_of_a_question_take_no_room(view: ConversationView, model: MessageListModel, qtbot: QtBot) -> None:
    model.show([asked(0, "?"), answered(1, "a"), asked(2, "b", branch=(1, 2)), answered(3, "c")])
    qtbot.waitUntil(lambda: _at_end(view))
    question, answer, edited = (_message(view, name) for name in ("u0", "a1", "u2"))
    [block] = question.parts.widgets()
    below = block.mapTo(view.column, block.rect().bottomLeft()).y()
    assert answer.name.mapTo(view.column, QPoint(0, 0)).y() - below == pytest.approx(18, abs=1)
    row, height = question.actions_row, question.height()
    assert not row.isVisible()
    question.setFocus(Qt.FocusReason.TabFocusReason)
    QApplication.processEvents()
    assert row.tools.edit.isVisible()
    assert question.height() == height
    assert question.rect().contains(row.geometry())
    assert row.geometry().right() == pytest.approx(block.geometry().right(), abs=20)
    assert edited.actions_row.branch.isVisible()
    answer.setFocus(Qt.FocusReason.TabFocusReason)
    assert not row.isVisible()


def test_reveal_goes_to_a_message_far_away(view: ConversationView, model: MessageListModel, qtbot: QtBot) -> None:
    model.show(turns(300))
    qtbot.waitUntil(lambda: _at_end(view))
    assert view.reveal("u40")
    message = _message(view, "u40")
    assert message.visibleRegion().boundingRect().height() > 20
    assert message.grab().toImage() != _message(view, "u42").grab().toImage()
    assert not view.reveal("nobody")
    message._reveal_timer.stop()
    view.jump.click()
    qtbot.waitUntil(lambda: _at_end(view) and view.column.end_row == 300)


def test_another_path_is_shown_in_place(view: ConversationView, model: MessageListModel, qtbot: QtBot) -> None:
    entries = turns(30)
    model.show(entries)
    qtbot.waitUntil(lambda: view.column.view_of("u20") is not None)
    kept = view.column.view_of("u20")
    model.show([*entries[:21], answered(21, "another answer", branch=(2, 2))])
    assert view.column.view_of("u20") is kept
    assert view.column.view_of("a23") is None
    assert view.column.end_row == 22
    model.show([*entries[:5], answered(5, "from the fifth on")])
    assert (view.column.first_row, view.column.end_row) == (0, 6)
    model.show([])
    qtbot.waitUntil(view.empty.isVisible)


def test_keyboard_reaches_messages_and_their_actions(
    view: ConversationView, model: MessageListModel, qtbot: QtBot, language: Language
) -> None:
    model.show([*turns(4), answered(5, "```\ncode\n```\n[a](https://a.example)", ToolPart(1, "c", "t", "{}", "1"))])
    stops = [message for message in view.column.views() if message.focusPolicy() & Qt.FocusPolicy.TabFocus]
    assert [message.entry.id for message in stops] == ["a5"]
    stops[0].setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(stops[0], Qt.Key.Key_Up)
    assert QApplication.focusWidget() is view.column.view_of("a3")
    for code in ("en", "ko"):
        language.use(code)
        assert [widget for widget in _focusable(view) if not widget.accessibleName()] == []


def test_narrow_and_wide(view: ConversationView, model: MessageListModel, qtbot: QtBot) -> None:
    model.show(turns(10))
    view.resize(420, 500)
    qtbot.waitUntil(lambda: _message(view, "a9").parts.width() == 420 - 48)
    assert _at_end(view)
    view.resize(1400, 500)
    qtbot.waitUntil(lambda: _message(view, "a9").parts.width() == COLUMN)
    qtbot.waitUntil(lambda: _at_end(view))


@pytest.mark.timed
def test_five_thousand_open_like_fifty(view: ConversationView, model: MessageListModel, qtbot: QtBot) -> None:
    few, many = turns(50), turns(5000)
    taken: dict[int, list[float]] = {50: [], 5000: []}
    for _ in range(3):
        for entries in (few, many):
            model.show([])
            QApplication.processEvents()
            began = time.perf_counter()
            model.show(entries)
            QApplication.processEvents()
            taken[len(entries)].append(time.perf_counter() - began)
    assert min(taken[5000]) <= 1.5 * min(taken[50]) + 0.05
    assert _at_end(view)


def test_times_and_figures_of_a_language(language: Language) -> None:
    today = MOMENT.astimezone().date()
    clock = MOMENT.astimezone().strftime("%H:%M")
    assert language.when(MOMENT, today) == clock
    assert language.when(MOMENT, date.fromordinal(today.toordinal() + 1)) == f"Yesterday {clock}"
    assert language.when(MOMENT, date(2026, 12, 24)) == f"2 March, {clock}"
    assert language.when(MOMENT, date(2027, 1, 1)) == f"2 March 2026, {clock}"
    assert language.when(None) == "time unknown"
    assert [language.seconds(value) for value in (0.94, 42.4, 185)] == ["0.9 s", "42 s", "3 min 05 s"]
    language.use("ko")
    assert language.when(MOMENT, date(2026, 12, 24)) == f"3월 2일 {clock}"
    assert language.number(1_234_567) == "1,234,567"


def _message(view: ConversationView, message_id: str) -> MessageView:
    message = view.column.view_of(message_id)
    assert message is not None
    return message


def _at_end(view: ConversationView) -> bool:
    bar = view.area.verticalScrollBar()
    return bar.value() == bar.maximum() and view.column.height() >= view.area.viewport().height()


def _top_message(view: ConversationView) -> tuple[int, int]:
    """The number of the first message in sight and where it begins."""
    value = view.area.verticalScrollBar().value()
    for message in view.column.views():
        top = message.mapTo(view.column, message.rect().topLeft()).y()
        if top + message.height() > value:
            return int(message.entry.id[1:]), top - value
    raise AssertionError("no message in sight")


def _fields(entry: Entry) -> dict[str, Any]:
    return {name: getattr(entry, name) for name in Entry.__slots__}


def _moved(entry: Entry, index: int) -> Any:
    part = entry.parts[index]
    return type(part)(index, part.text)  # type: ignore[union-attr, call-arg]


def _focusable(root: QWidget) -> list[QWidget]:
    return [
        widget
        for widget in root.findChildren(QWidget)
        if widget.isVisible()
        and (widget.focusPolicy() & Qt.FocusPolicy.TabFocus or isinstance(widget, QAbstractButton))
        and widget.objectName() != "qt_scrollarea_viewport"
    ]


def test_earlier_messages_come_in_front_without_moving_the_reader(
    view: ConversationView, model: MessageListModel, qtbot: QtBot
) -> None:
    entries = turns(133)
    model.show(entries[-40:])
    qtbot.waitUntil(lambda: _at_end(view))
    before = [shown.entry.id for shown in view.column.views()]
    model.show(entries)
    qtbot.waitUntil(lambda: _at_end(view))
    assert [shown.entry.id for shown in view.column.views()][-len(before) :] == before
    assert view.column.end_row == 133
    seen = {shown.entry.id for shown in view.column.views()}
    for _ in range(30):
        view.area.verticalScrollBar().setValue(0)
        qtbot.wait(10)
        seen |= {shown.entry.id for shown in view.column.views()}
    assert seen == {entry.id for entry in entries}
    assert view.column.first_row == 0
    for row in (0, 12, 13, 60, 132):
        assert view.reveal(entries[row].id)
        shown = view.column.view_of_row(row)
        assert shown is not None
        assert shown.entry.id == entries[row].id
