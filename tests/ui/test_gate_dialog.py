"""The question before a write: shows exactly what would be written, and only a deliberate yes is one."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from desktop_app.bridge.async_runner import AsyncRunner
from desktop_app.bridge.gate_queue import GateQueue
from desktop_app.core.fact_relations import JudgedBy, Related, Relation
from desktop_app.core.facts import Fact, FactDraft, FactOrigin, FactSource, FactState
from desktop_app.core.gate import Answer, Proposal, Verdict, deletion
from desktop_app.core.tool_call import ToolCall
from desktop_app.ui.gate_dialog import GUARD_MS, GateDialog
from desktop_app.ui.gate_dialogs import GateDialogs
from desktop_app.ui.language import Language
from desktop_app.ui.palette import contrast
from desktop_app.ui.theme import Theme

QUOTE = "Let's make that 35 days, the month-end reports are late."
DRAFT = FactDraft(
    "backup_retention",
    "35 days",
    "home office",
    origin=FactOrigin.ASSISTANT,
    source=FactSource("m1", "c1", QUOTE),
)
CALL = ToolCall("default", "c1", "t1", "call_1", QUOTE)
THEN = datetime(2026, 11, 3, tzinfo=UTC)
BEFORE = Fact("f1", "default", "backup_retention", "30 days", FactState.ACTIVE, FactOrigin.YOU, 1, THEN, THEN)


class Stage:
    """A window with a text field, and a queue whose questions open over it."""

    def __init__(self, qtbot: QtBot, theme: Theme, language: Language, runner: AsyncRunner) -> None:
        self._qtbot, self._runner = qtbot, runner
        self.window = QWidget()
        self.field = QLineEdit(self.window)
        qtbot.addWidget(self.window)
        self.window.show()
        self.queue = GateQueue(lambda _: "Backups plan")
        self.dialogs = GateDialogs(self.queue, theme, language, self.window)

    def ask(self, proposal: Proposal | None = None) -> Future[Verdict]:
        """The assistant proposes."""
        return self._runner.start(self.queue.ask(proposal or Proposal(CALL, DRAFT)))

    def dialog(self, *, ready: bool = True) -> GateDialog:
        """The dialog in front, waited for until its answers count."""
        self._qtbot.waitUntil(lambda: self.dialogs.dialog is not None)
        dialog = self.dialogs.dialog
        assert dialog is not None
        if ready:
            self._qtbot.waitUntil(lambda: dialog.ready)
        return dialog


@pytest.fixture
def stage(qtbot: QtBot, theme: Theme, language: Language) -> Iterator[Stage]:
    runner = AsyncRunner()
    stage = Stage(qtbot, theme, language, runner)
    yield stage
    stage.queue.close()
    runner.stop()


def on_screen() -> list[QWidget]:
    return [one for one in QApplication.topLevelWidgets() if isinstance(one, GateDialog) and one.isVisible()]


def drafted(value: str, **changes: object) -> Proposal:
    return Proposal(CALL, replace(DRAFT, value=value, **changes))  # type: ignore[arg-type]


def test_a_new_fact_is_shown_whole_with_its_source_and_who_asks(stage: Stage) -> None:
    stage.ask()
    dialog = stage.dialog(ready=False)
    assert dialog.title.text() == "Save this to memory?"
    assert dialog.asks.text() == "Claude asks in “Backups plan” · profile Personal"
    assert (dialog.key.text(), dialog.category.text()) == ("backup_retention", "home office")
    assert (dialog.value_head.text(), dialog.value.toPlainText()) == ("Will be written", "35 days")
    assert (dialog.source_head.text(), dialog.quote.toPlainText()) == ("From your message", QUOTE)
    assert not dialog.before.isVisible()
    assert not dialog.foreign.isVisible()
    assert not dialog.hidden_note.isVisible()


def test_a_change_shows_before_and_after_with_what_changed_marked(stage: Stage, theme: Theme) -> None:
    stage.ask(Proposal(replace(CALL, foreign_text=True, profile="demo"), DRAFT, BEFORE))
    dialog = stage.dialog(ready=False)
    assert dialog.title.text() == "Replace this in memory?"
    assert dialog.asks.text() == "The simulated assistant asks in “Backups plan” · profile Demo"
    assert (dialog.before.toPlainText(), dialog.value.toPlainText()) == ("30 days", "35 days")
    for text, struck, underlined in ((dialog.before, True, False), (dialog.value, False, True)):
        cursor = QTextCursor(text.document())
        cursor.setPosition(1)
        assert (cursor.charFormat().fontStrikeOut(), cursor.charFormat().fontUnderline()) == (struck, underlined)
        cursor.setPosition(5)
        assert (cursor.charFormat().fontStrikeOut(), cursor.charFormat().fontUnderline()) == (False, False)
    assert "tool, a file or the web" in dialog.foreign.text()
    for tokens in (theme.tokens,):
        assert contrast(tokens.good, tokens.raised) >= 4.5
        assert contrast(tokens.danger, tokens.raised) >= 4.5


def test_a_fact_of_another_key_that_would_give_its_place_is_named_and_compared(stage: Stage) -> None:
    other = replace(BEFORE, id="f2", key="keep_backups", value="30 days\u200b")
    doubt = Related(replace(BEFORE, id="f3", key="disk"), Relation.UNSURE, JudgedBy.MODEL)
    stage.ask(Proposal(CALL, DRAFT, supersedes=(other,), related=(doubt,)))
    dialog = stage.dialog(ready=False)
    assert dialog.title.text() == "Save this and replace another fact?"
    assert not dialog.before.isVisible()
    assert [head.text() for head in dialog.places.heads] == ["Would take the place of keep_backups · since 3 Nov"]
    assert [text.toPlainText() for text in dialog.places.texts] == ["30 days⟨ZWSP⟩"]
    cursor = QTextCursor(dialog.value.document())
    cursor.setPosition(1)
    assert cursor.charFormat().fontUnderline()
    assert dialog.places.near.text().endswith("Such a write waits in the inbox of the Memory panel.")
    assert dialog.hidden_note.isVisible()
    assert "keep_backups" in dialog.accessibleDescription()


def test_a_deletion_shows_what_goes_and_has_nothing_to_edit(stage: Stage) -> None:
    answer = stage.ask(deletion(CALL, [BEFORE]))
    dialog = stage.dialog()
    assert dialog.title.text() == "Delete this from memory?"
    assert dialog.key.text() == "backup_retention"
    assert dialog.before_head.text() == "Will be deleted; you can bring it back for 30 days"
    assert dialog.before.toPlainText() == "30 days"
    cursor = QTextCursor(dialog.before.document())
    cursor.setPosition(1)
    assert cursor.charFormat().fontStrikeOut()
    assert dialog.quote.toPlainText() == QUOTE
    assert not any(one.isVisible() for one in (dialog.value, dialog.value_head, dialog.edit_box, dialog.change))
    assert dialog.before.hasFocus()
    dialog.allow.click()
    assert answer.result(5).answer is Answer.ALLOWED


def test_several_deletions_and_a_new_name_are_shown_line_by_line(stage: Stage, language: Language) -> None:
    other = replace(BEFORE, id="f2", key="nas", value="nas-7\u202e")
    stage.ask(deletion(CALL, [BEFORE, other], "/memories/home/"))
    dialog = stage.dialog(ready=False)
    assert (dialog.title.text(), dialog.key.text()) == ("Delete these facts from memory?", "/memories/home/")
    assert dialog.before.toPlainText() == "backup_retention: 30 days\nnas: nas-7⟨RLO⟩"
    assert dialog.hidden_note.isVisible()
    dialog.reject()
    moved = FactDraft("retention", "30 days", "backups")
    stage.ask(Proposal(CALL, FactDraft("/memories/backup_retention.md", ""), moves=((BEFORE, moved),)))
    dialog = stage.dialog(ready=False)
    assert dialog.title.text() == "Rename this in memory?"
    assert (dialog.before_head.text(), dialog.value_head.text()) == ("Name now", "Name then")
    assert (dialog.before.toPlainText(), dialog.value.toPlainText()) == ("backup_retention", "backups / retention")
    assert not dialog.change.isVisible()


def test_nothing_is_hidden_and_nothing_is_markup(stage: Stage) -> None:
    stage.ask(drafted("pay\u202e <b>now</b>\u200b\n&amp;", key="ke\u2066y"))
    dialog = stage.dialog(ready=False)
    assert dialog.value.toPlainText() == "pay⟨RLO⟩ <b>now</b>⟨ZWSP⟩\n&amp;"
    assert dialog.key.text() == "ke⟨LRI⟩y"
    assert dialog.key.textFormat() is Qt.TextFormat.PlainText
    assert dialog.hidden_note.isVisible()


def test_a_long_value_can_be_read_to_its_end(qtbot: QtBot, stage: Stage) -> None:
    stage.ask(drafted("\n".join(f"line {number}" for number in range(200))))
    dialog = stage.dialog()
    qtbot.waitUntil(lambda: dialog.value.verticalScrollBar().maximum() > 0)
    assert dialog.value.toPlainText().endswith("line 199")
    assert dialog.height() < 700
    assert dialog.rect().contains(dialog.allow.geometry())


def test_allow(qtbot: QtBot, stage: Stage) -> None:
    asked = stage.ask()
    dialog = stage.dialog()
    qtbot.mouseClick(dialog.allow, Qt.MouseButton.LeftButton)
    assert asked.result(5) == Verdict(Answer.ALLOWED, DRAFT)
    assert stage.dialogs.dialog is None
    assert on_screen() == []


@pytest.mark.parametrize("how", ["button", "escape", "close", "escape at once"])
def test_every_other_way_out_denies(qtbot: QtBot, stage: Stage, how: str) -> None:
    asked = stage.ask()
    dialog = stage.dialog(ready=how != "escape at once")
    if how == "button":
        qtbot.mouseClick(dialog.deny, Qt.MouseButton.LeftButton)
    elif how == "close":
        dialog.close()
    else:
        qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert asked.result(5).answer is Answer.DENIED
    assert stage.dialogs.dialog is None
    assert on_screen() == []


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space, Qt.Key.Key_A, Qt.Key.Key_Y])
def test_keys_of_someone_who_is_typing_answer_nothing(qtbot: QtBot, stage: Stage, key: Qt.Key) -> None:
    asked = stage.ask()
    dialog = stage.dialog(ready=False)
    for ready in (False, True):
        if ready:
            stage.dialog()
        QTest.keyClick(QApplication.focusWidget() or dialog, key)
        qtbot.wait(1)
        assert not asked.done()
        assert dialog.isVisible()
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)


def test_the_answers_sleep_while_someone_types_on(qtbot: QtBot, stage: Stage) -> None:
    asked = stage.ask()
    dialog = stage.dialog(ready=False)
    assert not dialog.allow.isEnabled()
    qtbot.mouseClick(dialog.allow, Qt.MouseButton.LeftButton)
    for _ in range(4):
        qtbot.wait(GUARD_MS // 3)
        qtbot.keyClick(dialog, Qt.Key.Key_X)
    assert not dialog.ready
    stage.dialog()
    assert dialog.allow.isEnabled()
    assert not asked.done()
    dialog.close()


def test_what_is_edited_is_what_is_allowed(qtbot: QtBot, stage: Stage) -> None:
    asked = stage.ask(drafted("35\u00a0days\u200b"))
    dialog = stage.dialog()
    qtbot.mouseClick(dialog.change, Qt.MouseButton.LeftButton)
    assert dialog.edit.hasFocus()
    assert dialog.edit.text() == "35\u00a0days\u200b"
    assert dialog.hidden_note.text() == "Holds characters that cannot be seen: ⟨ZWSP⟩"
    dialog.edit.moveCursor(QTextCursor.MoveOperation.End)
    qtbot.keyClick(dialog.edit, Qt.Key.Key_Backspace)
    assert not dialog.hidden_note.isVisible()
    qtbot.keyClick(dialog.edit, Qt.Key.Key_Return)
    qtbot.keyClicks(dialog.edit, "<b>ok</b>")
    assert not asked.done()
    assert dialog.allow.text() == "Allow my text"
    qtbot.mouseClick(dialog.allow, Qt.MouseButton.LeftButton)
    verdict = asked.result(5)
    assert verdict.answer is Answer.ALLOWED
    assert verdict.draft is not None
    assert verdict.draft.value == "35\u00a0days\n<b>ok</b>"
    assert (verdict.draft.key, verdict.draft.origin, verdict.draft.source) == (DRAFT.key, FactOrigin.YOU, None)


def test_an_editor_left_as_it_was_changes_nothing(qtbot: QtBot, stage: Stage) -> None:
    asked = stage.ask(drafted("first\r\nsecond"))
    dialog = stage.dialog()
    dialog.change.click()
    dialog.allow.click()
    assert asked.result(5).draft == replace(DRAFT, value="first\r\nsecond")


def test_edits_can_be_discarded_and_a_text_that_cannot_be_kept_stays(qtbot: QtBot, stage: Stage) -> None:
    asked = stage.ask()
    dialog = stage.dialog()
    dialog.change.click()
    dialog.edit.setPlainText(" \u200b")
    assert not dialog.allow.isEnabled()
    dialog.edit.setPlainText("x" * 8_001)
    dialog.allow.click()
    assert "at most 8,000 letters" in dialog.error.text()
    assert len(dialog.edit.text()) == 8_001
    dialog.change.click()
    assert not dialog.error.isVisible()
    assert dialog.value.isVisible()
    dialog.allow.click()
    assert asked.result(5).draft == DRAFT


def test_a_call_that_is_stopped_takes_its_dialog_away_and_the_next_is_shown(qtbot: QtBot, stage: Stage) -> None:
    stopped = stage.ask()
    stage.dialog()
    other = stage.ask(drafted("other", key="second"))
    stopped.cancel()
    qtbot.waitUntil(lambda: stage.dialogs.dialog is not None and stage.dialogs.dialog.key.text() == "second")
    assert on_screen() == [stage.dialogs.dialog]
    assert not stage.dialog(ready=False).ready
    stage.dialog().allow.click()
    assert other.result(5).answer is Answer.ALLOWED


def test_the_window_behind_can_be_used_meanwhile(qtbot: QtBot, stage: Stage) -> None:
    asked = stage.ask()
    dialog = stage.dialog()
    assert not dialog.isModal()
    qtbot.mouseClick(stage.field, Qt.MouseButton.LeftButton)
    qtbot.keyClicks(stage.field, "still here")
    assert stage.field.text() == "still here"
    assert dialog.isVisible() and not asked.done()
    dialog.close()


def test_quitting_denies(qtbot: QtBot, stage: Stage) -> None:
    asked = stage.ask()
    stage.dialog(ready=False)
    stage.queue.close()
    assert asked.result(5).answer is Answer.DENIED
    assert stage.dialogs.dialog is None
    assert on_screen() == []


def test_the_language_changes_while_it_is_open(stage: Stage, language: Language, theme: Theme) -> None:
    stage.ask(Proposal(CALL, DRAFT, BEFORE))
    dialog = stage.dialog()
    language.use("ko")
    theme.apply("dark")
    assert dialog.title.text() == "기억의 이 내용을 바꿀까요?"
    assert [button.text() for button in (dialog.change, dialog.deny, dialog.allow)] == ["편집", "거부", "허용"]
    assert dialog.value.accessibleName() == "저장할 내용"
    assert dialog.value.toPlainText() == "35 days"
    dialog.close()
