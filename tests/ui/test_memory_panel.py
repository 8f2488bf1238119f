"""The Memory panel over the real services: what a person sees and does, and nothing typed is lost."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from time import perf_counter

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from desktop_app.bridge.fact_list import FactListModel
from desktop_app.core.compaction.compaction import Compaction
from desktop_app.core.conversation import now
from desktop_app.core.fact_relations import Relation
from desktop_app.core.facts import Fact, FactSource, FactState
from desktop_app.core.recall.values import FactHit
from desktop_app.core.segment import Segment
from desktop_app.ui.language import Language
from desktop_app.ui.memory.memory_panel import MemoryPanel
from desktop_app.ui.palette import DARK, LIGHT, contrast
from desktop_app.ui.theme import Theme
from tests.fakes.memory_room import MemoryRoom, open_room
from tests.ui.tag_samples import SetTags, cold_tags, unpriced_tags, warm_tags
from tests.unit.secret_samples import SLACK_HOOK

KEY, VALUE, PIN = FactListModel.KEY, FactListModel.VALUE, FactListModel.PIN


class Desk:
    """The panel, and the room whose facts it shows."""

    def __init__(self, qtbot: QtBot, room: MemoryRoom, panel: MemoryPanel) -> None:
        self.qtbot, self.room, self.panel = qtbot, room, panel

    def reload(self) -> None:
        """Reads the facts again."""
        with self.qtbot.waitSignal(self.room.session.listChanged, timeout=5_000):
            self.room.session.reload()

    def rows(self) -> list[str]:
        """The keys in the table."""
        model = self.panel.table.model()
        return [str(model.index(row, KEY).data()) for row in range(model.rowCount())]

    def place(self, row: int, column: int) -> QPoint:
        """The middle of a cell."""
        return self.panel.table.visualRect(self.panel.table.model().index(row, column)).center()

    def click(self, row: int, column: int = VALUE) -> None:
        """Clicks a cell."""
        viewport = self.panel.table.viewport()
        self.qtbot.mouseClick(viewport, Qt.MouseButton.LeftButton, pos=self.place(row, column))

    def choose(self, fact: Fact) -> None:
        """Chooses a fact by mouse and waits for its history."""
        self.click(self.rows().index(fact.key))
        self.qtbot.waitUntil(lambda: self.panel.detail.isVisible() and self.panel.detail.about.history.text() != "…")

    def until(self, key: str, value: str) -> None:
        """Waits until a fact is stored so."""
        self.qtbot.waitUntil(lambda: (key, value) in self.room.facts())


@pytest.fixture
def desk(qtbot: QtBot, theme: Theme, language: Language, tmp_path: Path) -> Iterator[Desk]:
    with open_room(tmp_path) as room:
        panel = MemoryPanel(theme, language)
        qtbot.addWidget(panel)
        panel.set_session(room.session)
        panel.resize(440, 788)
        panel.show()
        qtbot.waitUntil(lambda: room.session.loaded)
        yield Desk(qtbot, room, panel)
        panel.set_session(None)


@pytest.fixture
def coffee(desk: Desk) -> Fact:
    """The first of three facts."""
    desk.room.add("plumber", "after 18:00", "people")
    desk.room.add("backup_path", "/srv/backup/nas-7", "home", pinned=True)
    fact = desk.room.add("coffee", "dark roast", "preference")
    desk.reload()
    return fact


# -- the table --------------------------------------------------------------------------------------


def test_an_empty_memory_teaches_and_offers_the_act(qtbot: QtBot, desk: Desk) -> None:
    panel = desk.panel
    assert panel.empty.isVisible()
    assert not panel.table.isVisible()
    assert "Remember that" in panel.empty.text.text()
    panel.empty.act.click()
    assert panel.detail.adding
    assert panel.detail.form.key.hasFocus()


def test_without_services_the_panel_is_off(desk: Desk) -> None:
    desk.panel.set_session(None)
    assert not desk.panel.isEnabled()
    assert not desk.panel.detail.isVisible()


def test_a_fact_is_added_and_chosen(qtbot: QtBot, desk: Desk, coffee: Fact) -> None:
    panel = desk.panel
    panel.add.click()
    form = panel.detail.form
    assert not panel.detail.save.isEnabled()
    qtbot.keyClicks(form.key, "car_lease_end")
    qtbot.keyClicks(form.value, "2027-06-30")
    qtbot.keyClicks(form.category, "documents")
    qtbot.keyClick(form.value, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "car_lease_end" in desk.rows())
    assert ("car_lease_end", "2027-06-30") in desk.room.facts()
    assert not panel.detail.adding
    assert panel.detail.form.texts == ("car_lease_end", "2027-06-30", "documents")
    assert panel.table.currentIndex().row() == desk.rows().index("car_lease_end")
    assert panel.search.placeholderText() == "Search 4 facts"


def test_a_key_that_is_taken_is_said_before_it_is_replaced(qtbot: QtBot, desk: Desk, coffee: Fact) -> None:
    panel = desk.panel
    panel.add.click()
    qtbot.keyClicks(panel.detail.form.key, "COFFEE")
    assert "“dark roast”" in panel.detail.note.text()
    assert panel.detail.save.text() == "Replace"
    panel.detail.form.key.clear()
    assert not panel.detail.note.isVisible()
    assert panel.detail.save.text() == "Save"


def test_a_click_on_the_diamond_and_space_pin(qtbot: QtBot, desk: Desk, coffee: Fact) -> None:
    assert desk.rows() == ["backup_path", "coffee", "plumber"]
    desk.click(1, PIN)
    qtbot.waitUntil(lambda: desk.room.run(desk.room.services.memory.fact("coffee")).pinned)
    qtbot.waitUntil(lambda: [fact.pinned for fact in desk.room.session.facts.facts] == [True, True, False])
    assert not desk.panel.detail.isVisible()
    table = desk.panel.table
    table.setFocus()
    table.selectRow(desk.rows().index("plumber"))
    qtbot.keyClick(table, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: desk.room.run(desk.room.services.memory.fact("plumber")).pinned)


def test_the_diamond_is_filled_only_where_pinned(desk: Desk, coffee: Fact) -> None:
    image: QImage = desk.panel.table.viewport().grab().toImage()
    ratio = image.devicePixelRatio()
    colours = [image.pixelColor(desk.place(row, PIN) * ratio).name().upper() for row in (0, 1)]
    assert colours[0] == LIGHT.text
    assert colours[1] != LIGHT.text


def test_the_keyboard_alone_finds_edits_and_deletes(qtbot: QtBot, desk: Desk, coffee: Fact) -> None:
    panel = desk.panel
    panel.search.setFocus()
    qtbot.keyClick(panel.search, Qt.Key.Key_Down)
    assert panel.table.hasFocus()
    assert not panel.detail.isVisible()
    qtbot.keyClick(panel.table, Qt.Key.Key_Down)
    qtbot.keyClick(panel.table, Qt.Key.Key_Down)
    assert panel.detail.form.key.text() == "coffee"
    qtbot.keyClick(panel.table, Qt.Key.Key_Return)
    assert panel.detail.form.value.hasFocus()
    qtbot.keyClicks(panel.detail.form.value, "tea")
    qtbot.keyClick(panel.detail.form.value, Qt.Key.Key_Return)
    desk.until("coffee", "tea")
    panel.table.setFocus()
    qtbot.keyClick(panel.table, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: desk.room.facts() == [("backup_path", "/srv/backup/nas-7"), ("plumber", "after 18:00")])


def test_search_lists_what_is_found_and_says_when_nothing_is(
    qtbot: QtBot, desk: Desk, coffee: Fact, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def nothing(_text: str) -> list[FactHit]:
        return []

    monkeypatch.setattr(desk.room.services.memory, "search", nothing)
    panel = desk.panel
    qtbot.keyClicks(panel.search, "back")
    qtbot.waitUntil(lambda: desk.rows() == ["backup_path"])
    panel.search.setText("<b>zzzz</b>")
    qtbot.waitUntil(panel.none.isVisible)
    assert panel.none.title.text() == "No fact matches “<b>zzzz</b>”."
    panel.none.act.click()
    qtbot.waitUntil(lambda: len(desk.rows()) == 3)
    assert panel.search.text() == ""
    assert panel.table.isVisible()


@pytest.mark.timed
def test_hundreds_of_facts_stay_fluid(qtbot: QtBot, desk: Desk) -> None:
    for number in range(400):
        desk.room.add(f"fact_{number:03d}", f"value {number} " * 20, "many")
    desk.reload()
    table = desk.panel.table
    assert len(desk.rows()) == 400
    assert {table.rowHeight(row) for row in range(400)} == {28}
    table.grab()
    start = perf_counter()
    for row in range(0, 400, 40):
        table.scrollTo(table.model().index(row, KEY))
        table.grab()
    assert (perf_counter() - start) / 10 < 0.05
    assert table.verticalScrollBar().maximum() > 0


def test_the_category_is_shown_where_there_is_room(desk: Desk, coffee: Fact) -> None:
    table = desk.panel.table
    assert table.isColumnHidden(FactListModel.CATEGORY)
    desk.panel.resize(600, 788)
    QApplication.processEvents()
    assert not table.isColumnHidden(FactListModel.CATEGORY)
    assert table.columnWidth(VALUE) >= 100
    assert table.horizontalScrollBar().maximum() == 0


# -- one fact ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tongue", "told"),
    [
        ("en", "It also stands in 1 summary of what was folded; undo that folding to take it out."),
        ("ko", "접은 대화의 요약 1개에도 있습니다. 요약에서 빼려면 그 접기를 되돌리세요."),
    ],
)
def test_the_detail_tells_of_summaries_that_hold_the_text(
    qtbot: QtBot, desk: Desk, language: Language, tongue: str, told: str
) -> None:
    conversation, messages = desk.room.conversation("Backups plan", "Keep it.", "Yes.")
    store = desk.room.services.store
    for compaction_id, memo in (("c1", "- 35 days"), ("c2", "none")):
        kept = Compaction(compaction_id, conversation.id, messages[0].id, memo, 1, 9, 5, now(), "m", 1.0, "r")
        desk.room.run(store.add_compaction(kept))
    fact = desk.room.add("backup_retention", "35 days")
    language.use(tongue)
    desk.reload()
    desk.choose(fact)
    qtbot.waitUntil(lambda: told in desk.panel.detail.price.text())


def test_the_detail_tells_everything_about_a_fact(qtbot: QtBot, desk: Desk) -> None:
    conversation, messages = desk.room.conversation("Backups plan", "Keep it for 35 days.")
    source = FactSource(messages[0].id, conversation.id, "Keep it for <b>35 days</b>.")
    fact = desk.room.propose("backup_retention", "35 days", source, pending=False)
    desk.reload()
    desk.room.session.use_tags(SetTags(warm_tags(block=frozenset([fact.id]))))
    desk.choose(fact)
    detail = desk.panel.detail
    assert detail.about.meta.text().endswith("tokens · in the prompt · from Claude")
    assert detail.about.quote.text() == "“Keep it for <b>35 days</b>.”"
    assert detail.about.quote.textFormat() is Qt.TextFormat.PlainText
    assert detail.about.history.text().endswith("Claude: added")
    qtbot.waitUntil(lambda: "1 message of 1 conversation" in detail.price.text())
    assert (
        "Deleting: ≈\xa055,000 tokens are written anew, ≈\u00a0$0.2756 instead of ≈\u00a0$0.0120."
        in detail.price.text()
    )
    with qtbot.waitSignal(desk.room.session.sourceAsked) as asked:
        detail.about.source_link.click()
    assert asked.args == [conversation.id, messages[0].id]
    for title in ("W" * 60, "긴 제목 " * 12):
        desk.room.conversations.show([replace(conversation, title=title)])
        detail.say()
        qtbot.waitUntil(lambda: detail.about.source_link.text().endswith("…"))
        page = detail.form.parentWidget()
        qtbot.waitUntil(lambda page=page: page.width() <= page.parentWidget().width())  # type: ignore[misc]
        assert title.strip() in detail.about.source_link.accessibleName()
    desk.room.conversations.show([])
    detail.say()
    assert not detail.about.source_link.isVisible()
    assert detail.about.source_note.text() == "The conversation it comes from is not listed any more."


def test_what_was_typed_stays_when_it_cannot_be_kept(qtbot: QtBot, desk: Desk, coffee: Fact) -> None:
    desk.choose(coffee)
    detail = desk.panel.detail
    detail.form.key.setText("plumber")
    detail.form.value.setPlainText("a value nobody wants to type again")
    with qtbot.waitSignal(desk.room.session.refused, timeout=5_000):
        detail.save.click()
    assert "another fact has this key already" in detail.note.text()
    assert detail.form.texts == ("plumber", "a value nobody wants to type again", "preference")
    assert detail.save.isEnabled()
    detail.form.key.setText("espresso")
    detail.save.click()
    desk.until("espresso", "a value nobody wants to type again")
    qtbot.waitUntil(lambda: not detail.dirty)
    assert not detail.note.isVisible()


def test_what_was_typed_is_there_again_when_the_fact_is(qtbot: QtBot, desk: Desk, coffee: Fact) -> None:
    desk.choose(coffee)
    detail = desk.panel.detail
    detail.form.value.setPlainText("half a thought")
    desk.click(desk.rows().index("plumber"))
    assert detail.form.texts == ("plumber", "after 18:00", "people")
    desk.click(desk.rows().index("coffee"))
    assert detail.form.value.text() == "half a thought"
    assert detail.dirty
    qtbot.keyClick(detail.form.value, Qt.Key.Key_Escape)
    assert detail.form.value.text() == "dark roast"
    assert not detail.revert.isVisible()


def test_a_change_of_another_window_does_not_take_what_is_typed(qtbot: QtBot, desk: Desk, coffee: Fact) -> None:
    desk.choose(coffee)
    detail = desk.panel.detail
    desk.room.run(desk.room.services.memory.edit(coffee.id, value="tea"))
    desk.reload()
    assert detail.form.value.text() == "tea"
    detail.form.value.setPlainText("typed here")
    desk.room.run(desk.room.services.memory.edit(coffee.id, value="cocoa"))
    desk.reload()
    assert detail.form.value.text() == "typed here"
    assert "“cocoa”" in detail.note.text()
    detail.save.click()
    desk.until("coffee", "typed here")


def test_what_was_left_typed_is_told_of_a_change_and_saved_over_it_knowingly(
    qtbot: QtBot, desk: Desk, coffee: Fact
) -> None:
    desk.choose(coffee)
    detail = desk.panel.detail
    detail.form.value.setPlainText("half a thought")
    desk.click(desk.rows().index("plumber"))
    desk.room.run(desk.room.services.memory.edit(coffee.id, value="cocoa"))
    desk.reload()
    desk.click(desk.rows().index("coffee"))
    assert detail.form.value.text() == "half a thought"
    assert "“cocoa”" in detail.note.text() and detail.note.isVisible()
    detail.save.click()
    desk.until("coffee", "half a thought")


def test_a_save_under_which_the_fact_changed_shows_both_texts(qtbot: QtBot, desk: Desk, coffee: Fact) -> None:
    """The change is not known here yet: nothing is written, and what was typed and what there is are both shown."""
    desk.choose(coffee)
    detail = desk.panel.detail
    detail.form.category.setText("drinks")
    desk.room.run(desk.room.services.memory.edit(coffee.id, value="cocoa"))
    detail.save.click()
    qtbot.waitUntil(lambda: "“cocoa”" in detail.note.text())
    assert detail.form.category.text() == "drinks"
    assert dict(desk.room.facts())["coffee"] == "cocoa"
    detail.leave()
    detail.form.category.setText("drinks")
    detail.save.click()
    qtbot.waitUntil(lambda: not detail.dirty)
    fact = desk.room.run(desk.room.services.memory.fact(coffee.id))
    assert (fact.value, fact.category) == ("cocoa", "drinks")


def test_two_saves_one_behind_the_other_are_both_written(qtbot: QtBot, desk: Desk, coffee: Fact) -> None:
    """The second is begun before the list was read again."""
    desk.choose(coffee)
    detail = desk.panel.detail
    for value in ("tea", "cocoa", "water"):
        detail.form.value.setPlainText(value)
        with qtbot.waitSignal(desk.room.session.kept, timeout=5_000):
            detail.save.click()
    desk.until("coffee", "water")


def test_what_was_read_before_the_last_save_is_not_shown_over_it(
    qtbot: QtBot, desk: Desk, coffee: Fact, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.choose(coffee)
    detail = desk.panel.detail
    before = desk.room.session.detail
    detail.form.value.setPlainText("tea")
    with qtbot.waitSignal(desk.room.session.kept, timeout=5_000):
        detail.save.click()
    monkeypatch.setattr(type(detail), "_detail", property(lambda _: before))
    for typed in ("tea", "cocoa"):
        detail.form.value.setPlainText(typed)
        detail.show_chosen()
        assert detail.form.value.toPlainText() == typed
        assert detail.save.isEnabled() is (typed == "cocoa") and not detail.note.text()


def test_an_answer_to_what_changed_meanwhile_keeps_what_was_typed_and_shows_what_there_is(
    qtbot: QtBot, desk: Desk, coffee: Fact
) -> None:
    desk.room.propose_beside("hot drink", "light roast", coffee, Relation.UNSURE)
    desk.reload()
    inbox = desk.panel.inbox
    inbox.setFocus()
    qtbot.keyClick(inbox, Qt.Key.Key_M)
    qtbot.keyClicks(inbox.edit, "any roast")
    desk.room.run(desk.room.services.memory.edit(coffee.id, value="cocoa"))
    desk.reload()
    qtbot.keyClick(inbox.edit, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "was changed meanwhile" in inbox.note.text())
    assert inbox.edit.text() == "any roast"
    assert inbox.compared.before.toPlainText() == "cocoa"
    assert dict(desk.room.facts())["coffee"] == "cocoa"
    with qtbot.waitSignal(desk.room.session.kept, timeout=5_000):
        qtbot.keyClick(inbox.edit, Qt.Key.Key_Return)
    assert dict(desk.room.facts())["coffee"] == "any roast"


def test_hidden_characters_and_no_break_spaces_are_kept_and_shown(qtbot: QtBot, desk: Desk) -> None:
    fact = desk.room.add("odd", "a\u202eb\u00a0c")
    desk.reload()
    desk.choose(fact)
    detail = desk.panel.detail
    assert not detail.dirty
    assert detail.form.hidden_note.text() == "Holds characters that cannot be seen: ⟨RLO⟩"
    assert desk.panel.table.model().index(0, VALUE).data() == "a⟨RLO⟩b c"
    detail.form.category.setText("x")
    detail.save.click()
    qtbot.waitUntil(lambda: desk.room.run(desk.room.services.memory.fact("odd")).category == "x")
    assert desk.room.facts() == [("odd", "a\u202eb\u00a0c")]


def test_delete_and_undo_of_the_last_change(qtbot: QtBot, desk: Desk, coffee: Fact) -> None:
    desk.choose(coffee)
    detail = desk.panel.detail
    assert not detail.about.undo.isVisible()
    detail.form.value.setPlainText("tea")
    detail.save.click()
    qtbot.waitUntil(detail.about.undo.isVisible)
    detail.about.undo.click()
    desk.until("coffee", "dark roast")
    qtbot.waitUntil(lambda: "(taken back)" in detail.about.history.text())
    with qtbot.waitSignal(desk.room.session.deleted, timeout=5_000):
        detail.delete.click()
    qtbot.waitUntil(lambda: not detail.isVisible())
    assert desk.rows() == ["backup_path", "plumber"]


# -- what waits -------------------------------------------------------------------------------------


def test_waiting_facts_are_answered_by_their_keys(qtbot: QtBot, desk: Desk, coffee: Fact) -> None:
    conversation, messages = desk.room.conversation("Backups plan", "weekly")
    desk.room.propose("phone_backup", "weekly", FactSource(messages[0].id, conversation.id, "weekly"))
    desk.room.propose("coffee", "light <i>roast</i>")
    desk.room.propose("unwanted", "no")
    told: list[int] = []
    desk.panel.pendingChanged.connect(told.append)
    desk.reload()
    inbox = desk.panel.inbox
    assert inbox.count.text() == "3 waiting"
    assert inbox.text.text() == "phone_backup: weekly"
    assert inbox.origin.whole().endswith("in “Backups plan”")
    inbox.setFocus()
    qtbot.keyClick(inbox, Qt.Key.Key_A)
    desk.until("phone_backup", "weekly")
    qtbot.waitUntil(lambda: inbox.text.text() == "coffee: light <i>roast</i>")
    assert inbox.compared.stands.text() == "A fact of this key is kept already."
    assert inbox.compared.before.toPlainText() == "dark roast"
    assert inbox.hasFocus()
    qtbot.keyClick(inbox, Qt.Key.Key_E)
    assert inbox.edit.hasFocus()
    qtbot.keyClicks(inbox.edit, "a dead decaf")
    assert inbox.fact is not None and inbox.fact.key == "coffee"
    qtbot.keyClick(inbox.edit, Qt.Key.Key_Return)
    desk.until("coffee", "a dead decaf")
    qtbot.waitUntil(lambda: inbox.text.text() == "unwanted: no")
    qtbot.keyClick(inbox, Qt.Key.Key_D)
    qtbot.waitUntil(lambda: not inbox.isVisible())
    assert "unwanted" not in dict(desk.room.facts())
    assert told == [3, 2, 1, 0]


def test_a_long_waiting_value_is_read_before_it_is_accepted(qtbot: QtBot, desk: Desk) -> None:
    value = "a long value " * 60 + "with its end"
    desk.room.propose("long", value)
    desk.reload()
    inbox = desk.panel.inbox
    inbox.accept.click()
    assert inbox.editing
    assert inbox.edit.text() == value
    assert desk.room.facts() == []
    qtbot.keyClick(inbox.edit, Qt.Key.Key_Escape)
    assert not inbox.editing
    inbox.accept.click()
    inbox.accept.click()
    desk.until("long", value)


def test_a_waiting_fact_is_compared_with_the_one_it_contradicts_and_replaces_it(
    qtbot: QtBot, desk: Desk, coffee: Fact
) -> None:
    desk.room.propose_beside("hot drink", "light roast", coffee, Relation.CONTRADICTS)
    desk.reload()
    inbox = desk.panel.inbox
    assert inbox.origin.whole().startswith("Found by extraction, ")
    assert inbox.quote.text() == "“Now light roast.”"
    assert inbox.compared.stands.text() == "Contradicts a fact that is kept."
    assert inbox.compared.before_head.text() == "Now: coffee, since today"
    assert (inbox.compared.before.toPlainText(), inbox.compared.after.toPlainText()) == ("dark roast", "light roast")
    assert not inbox.accept.isVisible()
    inbox.setFocus()
    qtbot.keyClick(inbox, Qt.Key.Key_A)
    desk.until("hot drink", "light roast")
    assert "coffee" not in dict(desk.room.facts())
    assert desk.room.facts(FactState.SUPERSEDED) == [("coffee", "dark roast")]


@pytest.mark.parametrize("relation", [Relation.UNSURE, Relation.SAME])
def test_in_doubt_the_person_chooses(qtbot: QtBot, desk: Desk, coffee: Fact, relation: Relation) -> None:
    desk.room.propose_beside("hot drink", "light roast", coffee, relation)
    desk.reload()
    inbox = desk.panel.inbox
    inbox.setFocus()
    qtbot.keyClick(inbox, Qt.Key.Key_A)
    assert desk.room.facts(FactState.PENDING) == [("hot drink", "light roast")]
    if relation is Relation.SAME:
        qtbot.keyClick(inbox, Qt.Key.Key_K)
        desk.until("hot drink", "light roast")
        assert dict(desk.room.facts())["coffee"] == "dark roast"
        return
    qtbot.keyClick(inbox, Qt.Key.Key_M)
    assert inbox.edit.text() == "dark roast\nlight roast"
    qtbot.keyClicks(inbox.edit, "any roast")
    qtbot.keyClick(inbox.edit, Qt.Key.Key_Return)
    desk.until("coffee", "any roast")
    assert "hot drink" not in dict(desk.room.facts())


def test_two_facts_of_one_key_are_both_kept_under_two_keys(qtbot: QtBot, desk: Desk, coffee: Fact) -> None:
    desk.room.propose("backup_path", "/mnt/nas-8")
    desk.reload()
    inbox = desk.panel.inbox
    assert inbox.compared.stands.text().endswith("It is pinned: only you can replace it.")
    inbox.setFocus()
    qtbot.keyClick(inbox, Qt.Key.Key_K)
    assert inbox.key_edit.hasFocus()
    assert not inbox.keep.isEnabled()
    qtbot.keyClicks(inbox.key_edit, "second backup_path")
    qtbot.keyClick(inbox.key_edit, Qt.Key.Key_Return)
    desk.until("second backup_path", "/mnt/nas-8")
    assert dict(desk.room.facts())["backup_path"] == "/srv/backup/nas-7"


# -- pause, price, profile, words -------------------------------------------------------------------


def test_pause_says_what_it_does(qtbot: QtBot, desk: Desk, coffee: Fact) -> None:
    panel = desk.panel
    desk.choose(coffee)
    assert panel.switch.isChecked()
    assert not panel.paused.isVisible()
    panel.switch.click()
    assert desk.room.settings.profile.memory is False
    assert panel.paused.isVisible()
    assert "no fact is put into prompts" in panel.paused.text()
    assert panel.detail.about.meta.text().endswith("memory paused · from you")
    panel.switch.click()
    assert desk.room.settings.profile.memory is True
    assert not panel.paused.isVisible()


def test_the_rebuild_is_offered_with_its_price(qtbot: QtBot, desk: Desk, language: Language) -> None:
    session, panel = desk.room.session, desk.panel
    assert not panel.rebuild.isVisible()
    tags = SetTags(warm_tags(begun=False))
    session.use_tags(tags)
    for read, words in (
        (unpriced_tags(), "Renew facts now · ≈\xa054,000 tokens"),
        (warm_tags(changed=frozenset("f")), "Renew facts now · ≈\u00a0$0.2756"),
        (cold_tags(), "Renew facts now"),
    ):
        tags.set_tags(read)
        assert panel.rebuild.isVisible()
        assert panel.rebuild.text() == words
    assert "nothing of this conversation is in the cache any more" in panel.rebuild.toolTip()
    tags.set_tags(warm_tags())
    assert "At the next fold it costs nothing extra." in panel.rebuild.toolTip()
    assert "57,000 tokens are written anew" in panel.switch.toolTip()
    language.use("ko")
    assert panel.rebuild.text() == "사실 새로 적용 · ≈\u00a0$0.2708"
    tags.set_tags(warm_tags(begun=False))
    assert not panel.rebuild.isVisible()


def test_what_is_typed_has_its_price_before_it_is_saved(
    qtbot: QtBot, desk: Desk, coffee: Fact, language: Language
) -> None:
    desk.room.session.use_tags(SetTags(warm_tags()))
    detail = desk.panel.detail
    desk.choose(coffee)
    assert detail.price.text() == "Deleting: this conversation was never told of it, so nothing is written anew."
    assert "Pinning: nothing is written anew now. It moves to its new place at the next fold." in detail.pin.toolTip()
    detail.form.value.setPlainText("a flat white in the morning")
    assert detail.price.text().startswith(
        "Saving: nothing is written anew now; the change goes with your next message ("
    )
    assert "tokens, ≈\u00a0$0.000" in detail.price.text()
    language.use("ko")
    assert detail.price.text().startswith("저장: 지금 새로 쓰는 것은 없으며, 변경은 다음 메시지와 함께 전달되고(")
    detail.revert.click()
    assert detail.price.text() == "삭제: 이 대화에 알린 적이 없어 새로 쓰는 것이 없습니다."
    language.use("en")
    desk.panel.add.click()
    assert not detail.price.isVisible()
    detail.form.key.setText("tea")
    detail.form.value.setPlainText("green")
    assert detail.price.isVisible()
    assert detail.price.text().startswith("Saving: nothing is written anew now")


def test_another_profile_starts_with_nothing_of_the_one_before(qtbot: QtBot, desk: Desk, coffee: Fact) -> None:
    panel = desk.panel
    desk.room.propose("waits", "secret")
    desk.reload()
    desk.choose(coffee)
    panel.detail.form.value.setPlainText("typed in the first profile")
    panel.search.setText("coffee")
    desk.room.use_profile("work")
    assert panel.search.text() == ""
    assert not panel.detail.isVisible()
    assert not panel.inbox.isVisible()
    qtbot.waitUntil(panel.empty.isVisible)
    panel.add.click()
    assert panel.detail.form.texts == ("", "", "")


def test_both_languages_and_themes_while_it_is_open(
    qtbot: QtBot, desk: Desk, coffee: Fact, language: Language, theme: Theme
) -> None:
    desk.choose(coffee)
    panel = desk.panel
    panel.detail.form.value.setPlainText("아직 저장하지 않음")
    language.use("ko")
    theme.apply("dark")
    header = panel.table.model().headerData(KEY, Qt.Orientation.Horizontal, Qt.ItemDataRole.DisplayRole)
    assert header == "키"
    assert panel.search.placeholderText() == "사실 3개에서 검색"
    assert panel.detail.save.text() == "저장"
    assert panel.detail.form.value.text() == "아직 저장하지 않음"
    assert panel.table.accessibleName() == "사실 목록"
    assert "스페이스" in panel.table.accessibleDescription()
    assert panel.detail.form.value.accessibleName() == "값"


@pytest.mark.parametrize("tokens", [LIGHT, DARK])
def test_words_and_marks_stand_out(tokens: object) -> None:
    assert isinstance(tokens, type(LIGHT))
    for ground in (tokens.window, tokens.raised, tokens.selected, tokens.hover):
        assert contrast(tokens.text, ground) >= 4.5
        assert contrast(tokens.muted, ground) >= 4.5
    for segment in (Segment.FACTS, Segment.SUMMARY):
        assert contrast(tokens.segments[segment], tokens.window) >= 3


def test_no_label_reads_markup(desk: Desk, coffee: Fact) -> None:
    desk.choose(coffee)
    labels = [label for label in desk.panel.findChildren(QLabel) if label.text()]
    assert len(labels) > 10
    assert {label.textFormat() for label in labels} == {Qt.TextFormat.PlainText}


def test_in_a_low_panel_the_chosen_fact_stands_alone_and_can_be_saved(qtbot: QtBot, desk: Desk, coffee: Fact) -> None:
    panel = desk.panel
    panel.resize(360, 370)
    panel.table.selectRow(0)
    qtbot.waitUntil(panel.detail.isVisible)
    qtbot.waitUntil(panel.back.isVisible)
    assert not panel.table.isVisible()
    bottom = panel.detail.save.mapTo(panel, panel.detail.save.rect().bottomLeft())
    assert bottom.y() < panel.height()
    panel.back.click()
    qtbot.waitUntil(panel.table.isVisible)
    assert not panel.detail.isVisible()


def test_a_fact_chosen_elsewhere_is_shown(qtbot: QtBot, desk: Desk, coffee: Fact) -> None:
    desk.panel.search.setText("plumber")
    desk.panel.show_fact(coffee.id)
    qtbot.waitUntil(lambda: desk.panel.detail.isVisible() and desk.panel.detail.form.texts[0] == "coffee")
    qtbot.waitUntil(lambda: desk.panel.table.currentIndex().row() == desk.rows().index("coffee"))


def test_a_secret_is_masked_unless_the_person_wants_it_kept(desk: Desk) -> None:
    desk.panel.begin_new("wifi password")
    form = desk.panel.detail.form
    form.value.setPlainText("hunter2-FAKE")
    assert form.secret_note.isVisible() and form.secret_note.text() == "Masked when it is saved: password."
    assert not form.keep.isChecked()
    desk.panel.detail.save.click()
    desk.until("wifi password", "⟨password⟩")
    desk.qtbot.waitUntil(lambda: form.value.text() == "⟨password⟩")
    assert not form.secret_note.isVisible() and not form.keep.isVisible()

    form.value.setPlainText("hunter3-FAKE")
    form.keep.click()
    assert "It is sent with every request" in form.secret_note.text()
    desk.panel.detail.save.click()
    desk.until("wifi password", "hunter3-FAKE")
    desk.qtbot.waitUntil(lambda: not desk.panel.detail.dirty)
    form.keep.click()
    desk.panel.detail.save.click()
    desk.until("wifi password", "⟨password⟩")


def test_what_only_the_library_knows_is_warned_of_and_can_be_kept(desk: Desk) -> None:
    desk.panel.begin_new("hook of the build")
    form = desk.panel.detail.form
    form.value.setPlainText(SLACK_HOOK)
    assert form.secret_note.isVisible() and form.secret_note.text() == "Masked when it is saved: API key."
    form.keep.click()
    desk.panel.detail.save.click()
    desk.until("hook of the build", SLACK_HOOK)


def test_whether_a_secret_is_kept_is_asked_for_each_fact(desk: Desk) -> None:
    desk.room.run(desk.room.services.memory.add("vault", "password=hunter2-FAKE", allow_secrets=True))
    desk.room.add("coffee", "black")
    desk.reload()
    form = desk.panel.detail.form
    desk.click(desk.rows().index("vault"))
    desk.qtbot.waitUntil(lambda: form.value.text() == "password=hunter2-FAKE")
    assert form.keep.isChecked() and not desk.panel.detail.dirty
    desk.click(desk.rows().index("coffee"))
    desk.qtbot.waitUntil(lambda: form.value.text() == "black")
    form.value.setPlainText("password=hunter3-FAKE")
    assert form.keep.isVisible() and not form.keep.isChecked()


def test_secrets_of_older_days_are_told_of_and_masked_by_one_click(desk: Desk, tmp_path: Path) -> None:
    desk.room.add("old", "harmless")
    with closing(sqlite3.connect(tmp_path / "mnemoscope.db")) as connection, connection:
        connection.execute("UPDATE fact SET value = 'password=hunter2-FAKE', checked_by = 0")
    desk.panel.set_session(session := desk.room.open_session())
    desk.qtbot.waitUntil(desk.panel.secrets.isVisible)
    assert desk.panel.secrets.words.text().startswith("1 older fact holds a secret.")
    desk.panel.secrets.act.click()
    desk.qtbot.waitUntil(lambda: not desk.panel.secrets.isVisible())
    assert desk.room.facts() == [("old", "password=⟨password⟩")]
    assert desk.room.run(desk.room.services.memory.suspected()) == []
    session.stop()
