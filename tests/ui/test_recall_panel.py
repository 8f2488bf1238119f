"""The Recall panel: what was told and why, what came near, the ways on; whatever a text holds, it stays text."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from desktop_app.core.errors import EmbedderUnreachable, StoreUnavailable
from desktop_app.core.passages import PassageKind
from desktop_app.core.recall.recollection import Fate
from desktop_app.ui.language import Language
from desktop_app.ui.recall.find_card import FindCard
from desktop_app.ui.recall.recall_panel import RecallPanel
from desktop_app.ui.theme import Theme
from tests.ui.recall_samples import FINDS, HOSTILE, LONG, NEWS, StageRecall, fact_find, passage_find
from tests.ui.window_stage import OpenWindow


@pytest.fixture
def panel(qtbot: QtBot, theme: Theme, language: Language) -> RecallPanel:
    """An answer for which something of every kind was found."""
    panel = RecallPanel(theme, language)
    qtbot.addWidget(panel)
    panel.resize(420, 900)
    show(panel, StageRecall(FINDS))
    panel.show()
    return panel


def show(panel: RecallPanel, session: StageRecall) -> StageRecall:
    session.setParent(panel)
    panel.set_session(session)
    return session


def card(panel: RecallPanel, name: str) -> FindCard:
    return next(one for one in [*panel.told.cards, *panel.near.cards] if one.name.whole() == name)


def test_each_find_says_what_it_is_what_it_says_and_why(panel: RecallPanel, qtbot: QtBot, language: Language) -> None:
    assert panel.head.place.text() == "Answer 2 of 3"
    assert panel.head.question.whole().startswith("“Where did we put the nightly backups")
    said = panel.summary.text().replace("\u00a0", " ")
    assert said == "Told beside the question: 1 fact · 2 passages of conversations · 1 passage of a document."
    assert [one.kind.text() for one in panel.told.cards] == ["fact", "said", "document", "said"]
    turn = card(panel, "Backups plan")
    assert turn.about.whole().startswith("you, 3 Nov") and turn.score.text() == "1.10"
    assert (
        turn.parts.text().replace("\u00a0", " ")
        == "words +0.55 · meaning +0.45 · same conversation +0.30 · only asks −0.20"
    )
    stretches = turn.bar.stretches()
    assert len(stretches) == 4 and stretches[3][1] == pytest.approx(stretches[2][1]), "what is taken away ends there"
    assert stretches[2][1] == pytest.approx(turn.bar.width()), "the best of its kind fills the bar"
    with qtbot.waitSignal(panel.sourceChosen) as source:
        turn.jump.click()
    assert source.args == ["c2", "m7"]
    with qtbot.waitSignal(panel.factChosen) as fact:
        card(panel, "backup path").jump.click()
    assert fact.args == ["id-backup path"]
    gone = card(panel, "Deleted since")
    assert gone.jump.isHidden() and "deleted since" in gone.text.text()
    language.use("ko")
    said = panel.told.cards[1].parts.text().replace("\u00a0", " ")
    assert said.startswith("단어 +0.55 · 의미 +0.45 · 같은 대화 +0.30")


def test_a_passage_is_shown_whole_on_demand(panel: RecallPanel) -> None:
    page = card(panel, "nas-handbook.pdf")
    assert page.text.text() == LONG and page.text.is_cut and page.jump.isHidden()
    short = page.text.heightForWidth(360)
    page.more.click()
    assert page.text.opened and page.text.heightForWidth(360) > short and page.more.text() == "Show less"
    assert card(panel, "backup path").more.isHidden()


def test_what_came_near_is_folded_and_says_its_fate(panel: RecallPanel, qtbot: QtBot) -> None:
    assert panel.near.cards == [] and panel.near.toggle.text() == "Came near: 3"
    panel.near.toggle.setFocus()
    qtbot.keyClick(panel.near.toggle, Qt.Key.Key_Space)
    fates = [one.fate.text() for one in panel.near.cards]
    assert fates == ["others were better", "says what stands there already", "no room in the budget"]


def test_hostile_text_stays_plain_text(panel: RecallPanel) -> None:
    session = StageRecall((passage_find(PassageKind.TURN, HOSTILE, HOSTILE, {"words": 0.4}),))
    session.news = NEWS
    show(panel, session)
    hostile = panel.told.cards[0]
    assert "<img src=" in hostile.text.text() and "⟨RLO⟩" in hostile.text.text() and "\u202e" not in hostile.text.text()
    assert all(label.textFormat() is Qt.TextFormat.PlainText for label in panel.findChildren(QLabel))
    assert "<b>" not in hostile.name.toolTip() and "&lt;b&gt;" in hostile.name.toolTip()


def test_facts_of_the_prompt_are_listed_as_what_they_are(panel: RecallPanel, qtbot: QtBot) -> None:
    session = show(panel, StageRecall())
    qtbot.keyClicks(panel.field, "backups?")
    session.tried = (fact_find("backup path", "/srv/nas-7", {"words": 0.9}, Fate.IN_PROMPT),)
    session.triedChanged.emit()
    assert panel.summary.text() == "1\u00a0fact that bears on it stands in the prompt anyway."
    (shown,) = panel.told.cards
    assert shown.fate.text() == "stands in the prompt" and panel.near.isHidden()


def test_why_nothing_is_listed_is_said(panel: RecallPanel) -> None:
    none = show(panel, StageRecall((), 34))
    assert panel.summary.text().startswith("Nothing else in memory bore on this question. All 34 facts stand in")
    none.found, none.searched = None, False
    none.changed.emit()
    assert panel.summary.text() == "Memory was not searched for this question."
    none.error = StoreUnavailable(path="/data")
    none.changed.emit()
    assert panel.error.isVisible() and panel.summary.isHidden()
    show(panel, StageRecall())
    assert panel.empty.isVisible() and panel.empty.text.text().startswith("After each answer you see here")


def test_an_index_that_cannot_be_used_is_said(panel: RecallPanel) -> None:
    session = show(panel, StageRecall(FINDS))
    session.index_trouble = "chroma.example:8000"
    session.changed.emit()
    assert "The index at chroma.example:8000 cannot be used, so everything was compared" in panel.summary.text()


def test_a_question_that_was_asked_by_words_alone_is_said(panel: RecallPanel) -> None:
    session = show(panel, StageRecall(FINDS))
    session.meaning_trouble = EmbedderUnreachable(host="vectors.example:11434")
    session.changed.emit()
    assert "Searched by words only." in panel.summary.text() and "vectors.example:11434" in panel.summary.text()


def test_a_text_that_is_tried_stands_in_place_of_the_answer(panel: RecallPanel, qtbot: QtBot) -> None:
    session = show(panel, StageRecall(FINDS))
    qtbot.keyClicks(panel.field, "backups")
    assert session.query == "backups" and panel.head.isHidden() and panel.told.cards == []
    session.tried = FINDS[:1]
    session.triedChanged.emit()
    assert panel.title.isVisible() and [one.name.whole() for one in panel.told.cards] == ["backup path"]
    panel.show_answer()
    assert session.calls[-1] == ("try_text", "") and panel.head.isVisible() and len(panel.told.cards) == 4


@pytest.mark.parametrize("width", [320, 520])
def test_nothing_is_clipped(panel: RecallPanel, qtbot: QtBot, language: Language, width: int) -> None:
    panel.near.open(True)
    panel.resize(width, 900)
    cards = [*panel.told.cards, *panel.near.cards]
    for code in ("en", "ko"):
        language.use(code)
        qtbot.waitUntil(lambda: all(one.width() <= width - 32 for one in cards))
        for button in panel.findChildren(QPushButton):
            if button.isVisible():
                assert button.width() >= button.sizeHint().width(), button.text()
        qtbot.waitUntil(lambda: all(one.text.height() >= one.text.heightForWidth(one.text.width()) for one in cards))
        assert all(one.accessibleName() for one in cards)


def test_an_answer_leads_to_its_recall_and_a_find_to_its_message(
    qtbot: QtBot, theme: Theme, language: Language, tmp_path: Path
) -> None:
    stage = OpenWindow(qtbot, theme, language, tmp_path / "window.ini")()
    stage.chat.recall = StageRecall(FINDS)
    stage.window.inspector.set_chat(stage.chat)
    stage.window.conversation.notesAsked.emit("u3")
    assert ("show", "u3") in stage.chat.recall.calls
    panel = stage.window.inspector.recall
    qtbot.waitUntil(panel.isVisible)
    card(panel, "Backups plan").jump.click()
    assert ("open_conversation", "c2") in stage.session.calls
    stage.window.show_panel("context")
    stage.window.actions_by_name["show_recall"].trigger()
    qtbot.waitUntil(panel.isVisible)
