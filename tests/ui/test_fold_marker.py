"""What the chat shows of folding: strip, line, muted words, memories told, and what waits meanwhile."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop_app.bridge.entries import Entry, Fold
from desktop_app.bridge.message_list import MessageListModel
from desktop_app.bridge.session_state import Phase, SessionState
from desktop_app.core import errors
from desktop_app.core.fact_notes import FactNote, MessageNotes, NoteKind, PassageNote
from desktop_app.core.passages import PassageKind
from desktop_app.ui.chat.composer import Composer
from desktop_app.ui.chat.conversation_view import ConversationView
from desktop_app.ui.chat.fold_marker import FoldMarker
from desktop_app.ui.chat.message_view import MessageView
from desktop_app.ui.language import Language
from desktop_app.ui.palette import DARK, LIGHT, contrast
from desktop_app.ui.theme import Theme
from tests.ui import fold_samples as samples

PATH = samples.path(5)
ONE = samples.compaction("a3", 6)
LINES = ('- "path": "/srv/backup/nas-7"', '- "note": "<b>bold</b> \u202e"', '- "keep": "35 days"')


@pytest.fixture
def model(qapp: QApplication) -> MessageListModel:
    return MessageListModel()


@pytest.fixture
def view(qtbot: QtBot, theme: Theme, language: Language, model: MessageListModel) -> ConversationView:
    view = ConversationView(theme, language)
    qtbot.addWidget(view)
    view.resize(900, 1600)
    view.set_model(model)
    view.show()
    qtbot.waitExposed(view)
    return view


@pytest.fixture
def composer(qtbot: QtBot, theme: Theme, language: Language) -> Composer:
    composer = Composer(theme, language)
    qtbot.addWidget(composer)
    composer.resize(760, 260)
    composer.show()
    qtbot.waitExposed(composer)
    return composer


def show(qtbot: QtBot, view: ConversationView, model: MessageListModel, entries: list[Entry]) -> None:
    """Shows entries and waits until all of them are built."""
    model.show(entries)
    qtbot.waitUntil(lambda: view.column.first_row == 0 and view.column.end_row == len(entries))


def message(view: ConversationView, row: int) -> MessageView:
    found = view.column.view_of_row(row)
    assert found is not None
    return found


def marker(view: ConversationView, row: int) -> FoldMarker:
    found = message(view, row).marker
    assert found is not None
    return found


def strip_colour(one: MessageView, y: int = 4) -> str:
    return one.grab().toImage().pixelColor(1, y).name().upper()


def letters(view: ConversationView, row: int) -> str:
    """The colour that stands out most in the words of a message, as it is painted."""
    one = message(view, row).parts.texts()[0]
    image = view.grab(one.rect().translated(one.mapTo(view, QPoint()))).toImage()
    ground = image.pixelColor(image.width() - 1, 0).lightness()
    points = ((x, y) for x in range(image.width()) for y in range(image.height()))
    return max((image.pixelColor(*at) for at in points), key=lambda one: abs(one.lightness() - ground)).name().upper()


def test_the_folded_part_has_its_strip_its_line_and_quieter_words(
    view: ConversationView, model: MessageListModel, qtbot: QtBot, theme: Theme
) -> None:
    show(qtbot, view, model, samples.entries(PATH, ONE))
    qtbot.waitUntil(lambda: marker(view, 5).isVisible())
    assert marker(view, 5).text() == "6 messages folded into a summary"
    assert [entry.fold for entry in map(model.entry, range(10))] == [Fold.FOLDED] * 6 + [Fold.NONE] * 4
    assert [strip_colour(message(view, row)) for row in (0, 3, 5)] == [LIGHT.warning_mark] * 3
    assert strip_colour(message(view, 6)) != LIGHT.warning_mark
    last = message(view, 5)
    assert last.gutter_height() < last.height() - 10, "the strip ends at the line"
    assert letters(view, 1) == LIGHT.muted
    assert letters(view, 7) == LIGHT.text
    assert "no longer sent" in message(view, 0).accessibleDescription()
    assert message(view, 6).accessibleDescription() == ""
    theme.apply("dark")
    assert strip_colour(message(view, 0)) == DARK.warning_mark
    assert letters(view, 1) == DARK.muted


@pytest.mark.parametrize("tokens", [LIGHT, DARK])
def test_quieter_words_and_the_line_can_be_read(tokens: object) -> None:
    for words in ("muted", "warning"):
        for ground in ("surface", "user", "code"):
            assert contrast(getattr(tokens, words), getattr(tokens, ground)) >= 4.5
    assert contrast(tokens.warning_mark, tokens.surface) >= 3


def test_a_click_and_the_keyboard_ask_for_what_was_folded(
    view: ConversationView, model: MessageListModel, qtbot: QtBot, language: Language
) -> None:
    show(qtbot, view, model, samples.entries(PATH, ONE))
    line = marker(view, 5)
    with qtbot.waitSignal(view.foldAsked):
        qtbot.mouseClick(line, Qt.MouseButton.LeftButton)
    line.setFocus()
    with qtbot.waitSignal(view.foldAsked):
        qtbot.keyClick(line, Qt.Key.Key_Space)
    assert line.accessibleName() == "6 messages folded into a summary"
    language.use("ko")
    assert line.text() == line.accessibleName() == "메시지 6개를 요약으로 접었습니다"
    assert "접음" in message(view, 0).accessibleDescription()


def test_what_is_being_folded_is_marked_but_not_muted_and_an_undo_leaves_nothing(
    view: ConversationView, model: MessageListModel, qtbot: QtBot
) -> None:
    show(qtbot, view, model, samples.entries(PATH))
    plain = [message(view, row).height() for row in range(10)]
    model.show(samples.entries(PATH, None, *(one.id for one in PATH[:6])))
    assert marker(view, 5).text() == "folding 6 messages…"
    assert strip_colour(message(view, 2)) == LIGHT.warning_mark
    assert letters(view, 1) == LIGHT.text
    model.show(samples.entries(PATH, ONE))
    assert marker(view, 5).text() == "6 messages folded into a summary"
    assert letters(view, 1) == LIGHT.muted
    model.show(samples.entries(PATH))
    qtbot.waitUntil(lambda: [message(view, row).height() for row in range(10)] == plain)
    assert not marker(view, 5).isVisible()
    assert letters(view, 1) == LIGHT.text
    assert strip_colour(message(view, 2)) != LIGHT.warning_mark


def test_what_would_fold_is_marked_and_asks_for_the_panel(
    view: ConversationView, model: MessageListModel, qtbot: QtBot, language: Language
) -> None:
    show(qtbot, view, model, samples.planned(PATH, *(one.id for one in PATH[:6])))
    qtbot.waitUntil(lambda: marker(view, 5).isVisible())
    assert marker(view, 5).text() == "6 messages would fold down to here"
    assert strip_colour(message(view, 2)) == LIGHT.warning_mark
    assert strip_colour(message(view, 6)) != LIGHT.warning_mark
    assert letters(view, 1) == LIGHT.text, "it is still sent"
    assert message(view, 0).accessibleDescription() == "Would be folded into a summary"
    with qtbot.waitSignal(view.foldAsked):
        qtbot.mouseClick(marker(view, 5), Qt.MouseButton.LeftButton)
    language.use("ko")
    assert marker(view, 5).text() == "여기까지 메시지 6개를 접게 됩니다"
    model.show(samples.entries(PATH))
    assert not marker(view, 5).isVisible()


def test_a_second_folding_keeps_the_line_of_the_first(
    view: ConversationView, model: MessageListModel, qtbot: QtBot
) -> None:
    show(qtbot, view, model, samples.entries(PATH, samples.compaction("a1", 2), *(one.id for one in PATH[2:6])))
    assert marker(view, 1).text() == "2 messages folded into a summary"
    assert marker(view, 5).text() == "folding 4 messages…"


def test_folding_keeps_the_reader_where_they_are(view: ConversationView, model: MessageListModel, qtbot: QtBot) -> None:
    path = samples.path(60)
    view.resize(900, 500)
    model.show(samples.entries(path))
    view.reveal("u40")
    qtbot.waitUntil(lambda: not view._build_soon.isActive())
    top = message(view, 78).mapTo(view, QPoint()).y()
    model.show(samples.entries(path, samples.compaction("a30", 60)))
    QApplication.processEvents()
    assert abs(message(view, 78).mapTo(view, QPoint()).y() - top) <= 1


@pytest.mark.timed
def test_thousands_of_messages_fold_at_once_and_open_as_quickly(
    view: ConversationView, model: MessageListModel, qtbot: QtBot
) -> None:
    path = samples.path(2_500)
    plain = samples.entries(path)
    folded = samples.entries(path, samples.compaction("a2480", 4_960))
    model.show(plain)
    changes: list[tuple[int, int]] = []
    model.dataChanged.connect(lambda first, last: changes.append((first.row(), last.row())))
    began = time.perf_counter()
    model.show(folded)
    assert time.perf_counter() - began < 0.6
    assert changes == [(0, 4_959)]
    began = time.perf_counter()
    view.set_model(model)
    opening = time.perf_counter() - began
    assert opening < 0.6
    view.reveal("a2480")
    qtbot.waitUntil(lambda: marker(view, 4_959).isVisible())
    assert marker(view, 4_959).text() == "4960 messages folded into a summary"


def test_the_memories_an_answer_used_stand_below_it(
    view: ConversationView, model: MessageListModel, qtbot: QtBot, language: Language
) -> None:
    passages = (PassageNote(PassageKind.DOCUMENT, "d1", "p1", '- "handbook", part 2: "rotate"'),)
    facts = tuple(FactNote(f"f{n}", n, NoteKind.RECALLED, line) for n, line in enumerate(LINES))
    path = [*PATH[:8], replace(PATH[8], notes=MessageNotes(1, facts, passages)), PATH[9]]
    model.show(samples.entries(path))
    row = message(view, 9).actions_row
    assert row.notes is not None and row.notes.isVisible() and row.isVisible()
    assert row.notes.text() == "used 4 memories"
    assert row.y() >= message(view, 9).parts.geometry().bottom()
    tip = row.notes.toolTip()
    assert "&quot;path&quot;: &quot;/srv/backup/nas-7&quot;" in tip and "handbook" in tip
    assert "&lt;b&gt;bold&lt;/b&gt;" in tip and "<b>" not in tip and "⟨RLO⟩" in tip
    with qtbot.waitSignal(view.notesAsked) as asked:
        row.notes.click()
    assert asked.args == ["u5"]
    assert message(view, 8).actions_row.notes is None and message(view, 7).actions_row.notes is None
    language.use("ko")
    assert row.notes.text() == "기억 4개 사용"


def test_while_folding_the_person_writes_on(composer: Composer, qtbot: QtBot, language: Language) -> None:
    composer.show_state(SessionState(Phase.FOLDING, folding=42))
    assert composer.state_line.words.text() == "Folding 42 messages into a summary. You can go on writing."
    with qtbot.waitSignal(composer.stopRequested):
        composer.state_line.stop.click()
    assert composer.send.text().startswith("Send")
    composer.edit.setPlainText("And the keys?")
    with qtbot.waitSignal(composer.submitted) as sent:
        composer.send.click()
    assert sent.args == ["And the keys?"]
    composer.show_state(SessionState(Phase.FOLDING, folding=42, queued="And the keys?"))
    chip = composer.queued
    assert chip.words.whole() == "Sent after folding: And the keys?"
    assert chip.now.isVisible() and chip.cancel.isVisible() and not chip.cross.isVisible()
    with qtbot.waitSignal(composer.nowRequested):
        chip.now.click()
    with qtbot.waitSignal(composer.queueDropped):
        chip.cancel.click()
    composer.edit.setPlainText("Another")
    qtbot.keyClick(composer.edit, Qt.Key.Key_Return)
    assert chip.cancel.hasFocus(), "one message waits already"
    language.use("ko")
    assert (chip.now.text(), chip.cancel.text()) == ("접지 않고 보내기", "취소")
    composer.show_state(SessionState(Phase.FOLDING, folding=42, queued="And the keys?", ending=True))
    assert not chip.now.isEnabled()
    assert not composer.state_line.stop.isVisible()
    composer.show_state(SessionState(Phase.STREAMING, queued="And the keys?"))
    assert chip.cross.isVisible() and not chip.now.isVisible()


def test_a_folding_that_waits_for_the_endpoint_says_so(composer: Composer, qtbot: QtBot) -> None:
    line = composer.state_line
    composer.show_state(SessionState(Phase.FOLDING))
    assert line.words.text().startswith("Preparing to fold")
    assert not line.retry.isVisible()
    state = SessionState(Phase.FOLDING, seconds=3.2, attempt=2, most=8, error=errors.Overloaded(), folding=4)
    composer.show_state(state)
    assert line.words.text().endswith("Trying again in 4 s (attempt 2 of 8).")
    with qtbot.waitSignal(composer.retryRequested):
        line.retry.click()


def test_the_actions_of_the_answer_can_be_used_while_folding(view: ConversationView, model: MessageListModel) -> None:
    model.show(samples.entries(PATH))
    view.show_state(SessionState(Phase.STREAMING))
    tools = message(view, 9).actions_row.tools
    assert not tools.again.isEnabled()
    view.show_state(SessionState(Phase.FOLDING, folding=4))
    assert tools.again.isEnabled()


def test_the_strip_is_the_colour_of_warnings() -> None:
    assert QColor(LIGHT.warning_mark).name().upper() == "#D55E00"


def test_entries_know_where_folding_ends() -> None:
    entries: list[Entry] = samples.entries(PATH, ONE)
    assert [entry.id for entry in entries if entry.fold_end is not None] == ["a3"]
    assert samples.entries(PATH[6:], ONE) == samples.entries(PATH[6:]), "nothing of it is shown"
