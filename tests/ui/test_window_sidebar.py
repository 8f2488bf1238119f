"""The list of conversations: filter, groups, rename in place, delete with undo, titles as data."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from desktop_app.bridge.conversation_list import ConversationListModel
from desktop_app.core.conversation import Conversation
from desktop_app.ui.language import Language
from desktop_app.ui.sidebar import Sidebar
from desktop_app.ui.theme import Theme
from tests.ui.window_stage import NOW, OpenWindow, Stage, StageChat, listed


@pytest.fixture
def stage(qtbot: QtBot, theme: Theme, language: Language, tmp_path: Path) -> Stage:
    return OpenWindow(qtbot, theme, language, tmp_path / "window.ini")()


@pytest.fixture
def sidebar(stage: Stage) -> Sidebar:
    return stage.window.sidebar


def titles(sidebar: Sidebar) -> list[str]:
    return [sidebar.delegate.title(sidebar.rows.index(row, 0)) for row in range(sidebar.rows.rowCount())]


def row_of(sidebar: Sidebar, id_: str) -> QModelIndex:
    return sidebar.rows.index_of(id_)


def click(qtbot: QtBot, sidebar: Sidebar, index: QModelIndex) -> None:
    box = sidebar.delegate.row_box(sidebar.list.visualRect(index))
    qtbot.mouseClick(sidebar.list.viewport(), Qt.MouseButton.LeftButton, pos=box.center())


def test_the_filter_finds_titles_and_first_lines_while_typing(qtbot: QtBot, sidebar: Sidebar) -> None:
    assert len(titles(sidebar)) == 7
    qtbot.keyClicks(sidebar.filter, "nas")
    assert titles(sidebar) == ["Backups plan"]
    sidebar.filter.setText("FIRMWARE")
    assert titles(sidebar) == ["Router firmware"]


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_hangul_is_found_however_it_is_composed(sidebar: Sidebar, form: str) -> None:
    sidebar.filter.setText(unicodedata.normalize(form, "동문시장"))  # type: ignore[arg-type]
    assert titles(sidebar) == ["제주 여행 일정"]


def test_a_filter_without_hits_says_so_and_escape_empties_it(qtbot: QtBot, sidebar: Sidebar) -> None:
    sidebar.filter.setText("<b>nothing</b>")
    assert sidebar.note.isVisible()
    assert sidebar.note.text() == "No title or first line holds “<b>nothing</b>”."
    qtbot.keyClick(sidebar.filter, Qt.Key.Key_Escape)
    assert len(titles(sidebar)) == 7
    assert not sidebar.note.isVisible()


def test_an_empty_list_teaches(stage: Stage, sidebar: Sidebar) -> None:
    stage.session.conversations.show([])
    assert sidebar.note.text() == "Your conversations will be listed here, newest first."


def test_days_begin_where_the_day_changes(sidebar: Sidebar) -> None:
    begins = [sidebar.delegate.begins_day(sidebar.rows.index(row, 0)) for row in range(7)]
    days = [sidebar.rows.index(row, 0).data(ConversationListModel.DayRole) for row in range(7)]
    expected = [row == 0 or days[row] != days[row - 1] for row in range(7)]
    assert begins == expected
    heights = {sidebar.delegate.row_box(sidebar.list.visualRect(sidebar.rows.index(r, 0))).height() for r in range(7)}
    assert heights == {46}


def test_a_conversation_of_unknown_time_stands_below_a_day_of_its_own(stage: Stage, sidebar: Sidebar) -> None:
    timeless = Conversation("c9", "default", "Imported", None, None)
    stage.session.conversations.show([Conversation("c8", "default", "Now", NOW, NOW), timeless])
    index = row_of(sidebar, "c9")
    assert sidebar.delegate.begins_day(index)
    assert index.data(ConversationListModel.UpdatedRole) is None
    assert index.data(Qt.ItemDataRole.AccessibleTextRole).startswith("Time unknown, Imported")


def test_titles_are_data(sidebar: Sidebar) -> None:
    assert titles(sidebar)[5] == "invoice⟨RLO⟩fdp.exe <b>bold</b>"


def test_the_row_in_front_is_selected_and_a_click_opens_another(qtbot: QtBot, stage: Stage, sidebar: Sidebar) -> None:
    assert sidebar.list.currentIndex().data(ConversationListModel.IdRole) == "c1"
    click(qtbot, sidebar, row_of(sidebar, "c2"))
    assert stage.session.calls[-1] == ("open_conversation", "c2")
    stage.session.current = StageChat("c4", "정규식 도와줘", full=False)
    stage.session.currentChanged.emit(stage.session.current)
    assert sidebar.list.currentIndex().data(ConversationListModel.IdRole) == "c4"
    stage.session.current = StageChat(None, "", full=False)
    stage.session.currentChanged.emit(stage.session.current)
    assert not sidebar.list.currentIndex().isValid()


def test_enter_opens_from_the_filter_by_keys_alone(qtbot: QtBot, stage: Stage, sidebar: Sidebar) -> None:
    sidebar.filter.setText("kitchen")
    sidebar.filter.setFocus()
    qtbot.keyClick(sidebar.filter, Qt.Key.Key_Down)
    qtbot.keyClick(sidebar.list, Qt.Key.Key_Return)
    assert stage.session.calls[-1] == ("open_conversation", "c7")


def test_a_row_is_renamed_in_place(qtbot: QtBot, stage: Stage, sidebar: Sidebar) -> None:
    sidebar.list.setFocus()
    sidebar.list.setCurrentIndex(row_of(sidebar, "c2"))
    qtbot.keyClick(sidebar.list, Qt.Key.Key_F2)
    field = next(one for one in sidebar.list.viewport().findChildren(QLineEdit) if one.isVisible())
    assert field.text() == "제주 여행 일정"
    field.setText("제주 9월")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: ("rename", "c2", "제주 9월") in stage.session.calls)
    assert not [call for call in stage.session.calls if call[0] == "open_conversation"]
    assert "제주 9월" in titles(sidebar)


def test_delete_can_be_undone_by_button_and_by_key(qtbot: QtBot, stage: Stage, sidebar: Sidebar) -> None:
    sidebar.list.setFocus()
    sidebar.list.setCurrentIndex(row_of(sidebar, "c5"))
    qtbot.keyClick(sidebar.list, Qt.Key.Key_Delete)
    assert stage.session.calls[-1] == ("delete", "c5")
    assert "Router firmware" not in titles(sidebar)
    notice = stage.window.notices.rows[0]
    assert notice.undo.isVisible()
    qtbot.keyClick(sidebar.list, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert stage.session.calls[-1] == ("undo", "c5")
    assert not stage.window.notices.isVisible()
    qtbot.keyClick(sidebar.list, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert len([call for call in stage.session.calls if call[0] == "undo"]) == 1


def test_ctrl_z_in_the_text_field_undoes_typing_first(qtbot: QtBot, stage: Stage) -> None:
    stage.session.delete("c5")
    field = stage.window.composer.edit
    field.setFocus()
    qtbot.keyClicks(field, "word")
    qtbot.keyClick(field, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert field.toPlainText() == ""
    assert not [call for call in stage.session.calls if call[0] == "undo"]


def test_the_menu_of_a_row(stage: Stage, sidebar: Sidebar) -> None:
    menu = sidebar.menu_for(row_of(sidebar, "c3"))
    assert [action.text() for action in menu.actions()] == ["Open", "Rename", "Delete"]
    menu.actions()[2].trigger()
    assert stage.session.calls[-1] == ("delete", "c3")


def test_a_row_is_one_sentence_for_screen_readers(sidebar: Sidebar) -> None:
    text = row_of(sidebar, "c3").data(Qt.ItemDataRole.AccessibleTextRole)
    assert text.endswith("Invoice wording, Net 14, not net 30, An answer is arriving")


def test_an_answer_arriving_shows_its_dot(stage: Stage, sidebar: Sidebar) -> None:
    index = row_of(sidebar, "c4")
    box = sidebar.delegate.row_box(sidebar.list.visualRect(index))
    place = box.topRight()
    place.setX(place.x() - 12)
    place.setY(place.y() + 15)

    def colour() -> str:
        return sidebar.list.viewport().grab().toImage().pixelColor(place).name()

    quiet = colour()
    stage.session.conversations.set_busy("c4", True)
    assert colour() != quiet


def test_five_thousand_conversations_are_listed_at_once(qtbot: QtBot, stage: Stage, sidebar: Sidebar) -> None:
    rows = tuple((f"n{place}", f"Title {place}", "words", place // 50) for place in range(5_000))
    stage.session.conversations.show(listed(rows)._rows)
    assert sidebar.rows.rowCount() == 5_000
    sidebar.filter.setText("4999")
    assert titles(sidebar) == ["Title 4999"]
