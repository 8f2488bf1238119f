"""The dialog of prices: what holds, what is one's own, and that a wrong field says so and keeps nothing."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from desktop_app.adapters.price_file import PriceFile
from desktop_app.bridge.async_runner import AsyncRunner
from desktop_app.bridge.background import Background
from desktop_app.bridge.price_session import PriceSession, PriceTableModel
from desktop_app.core.money.price_rows import KINDS, row_from
from desktop_app.core.money.pricing import load_prices
from desktop_app.services.prices import PriceService
from desktop_app.ui.language import Language
from desktop_app.ui.money.price_dialog import PriceDialog
from desktop_app.ui.theme import Theme

AMOUNTS = dict(zip(KINDS, ("3", "3.75", "6", "0.30", "15"), strict=True))


class Stage:
    """The dialog over a real price file."""

    def __init__(self, qtbot: QtBot, theme: Theme, language: Language, folder: Path, runner: AsyncRunner) -> None:
        self._qtbot = qtbot
        self.folder = folder
        self.service = PriceService(load_prices(), PriceFile(folder))
        self.background = Background(runner)
        self.session = PriceSession(self.service, self.background)
        self.window = QWidget()
        qtbot.addWidget(self.window)
        self.dialog = PriceDialog(self.session, theme, language, self.window)
        self.dialog.show()

    def press(self, button: QWidget) -> None:
        assert button.isVisible()
        assert button.isEnabled()
        self._qtbot.mouseClick(button, Qt.MouseButton.LeftButton)

    def wait(self, button: QWidget, signal: object) -> None:
        """Presses and waits until the change is told."""
        with self._qtbot.waitSignal(signal, timeout=5_000):
            self.press(button)

    def type(self, **texts: str) -> None:
        for name, text in texts.items():
            edit = self.dialog.form.fields["from" if name == "since" else name].edit
            edit.selectAll()
            self._qtbot.keyClick(edit, Qt.Key.Key_Delete)
            self._qtbot.keyClicks(edit, text)

    def go_to(self, model: str, number: int = 0) -> None:
        places = [place for place, row in enumerate(self.dialog.model.rows) if row.model == model]
        self.dialog.table.choose(places[number])

    def line(self, model: str, number: int = 0) -> list[str]:
        """The cells of a row."""
        table = self.dialog.model
        place = [place for place, row in enumerate(table.rows) if row.model == model][number]
        return [str(table.index(place, column).data()) for column in range(table.columnCount())]

    def wrong(self) -> dict[str, str]:
        """The sentences that can be seen, by field."""
        fields = self.dialog.form.fields.items()
        return {name: field.wrong.text() for name, field in fields if field.wrong.isVisible()}


@pytest.fixture
def stage(qtbot: QtBot, theme: Theme, language: Language, tmp_path: Path) -> Iterator[Stage]:
    runner = AsyncRunner()
    stage = Stage(qtbot, theme, language, tmp_path, runner)
    yield stage
    stage.background.close()
    runner.stop()


def test_every_price_that_holds_is_shown(stage: Stage) -> None:
    assert stage.dialog.model.rowCount() == 19
    assert stage.line("claude-opus-5-5") == ["claude-opus-5-5", "", "4", "5", "8", "0.20", "20"]
    assert stage.line("claude-haiku-5-5", 1)[:3] == ["claude-haiku-5-5", "prompts over 100,000 tokens", "0.50"]
    assert stage.line("claude-sonnet-5-5", 1)[1] == "from 7 October 2026"
    assert "Built-in prices are as of 30 November 2026." in stage.dialog.about.text()
    index = stage.dialog.model.index(0, PriceTableModel.MODEL)
    assert index.data(Qt.ItemDataRole.AccessibleTextRole) == (
        "claude-fable-5-2, Input 8, Write 5 min 10, Write 1 h 16, Read 0.20, Output 40"
    )


def test_adding_a_price_of_ones_own(stage: Stage) -> None:
    stage.press(stage.dialog.add)
    assert not stage.dialog.add.isVisible()
    stage.type(model="llama3:8b", host="http://localhost:11434", **AMOUNTS)
    stage.wait(stage.dialog.save, stage.session.kept)
    assert stage.line("llama3:8b")[1:] == ["your own · localhost:11434", "3", "3.75", "6", "0.30", "15"]
    assert stage.dialog.table.chosen == stage.dialog.model.rows[-1]
    assert stage.dialog.told.text() == "Your own price for llama3:8b now applies."
    assert not stage.dialog.form.isVisible()
    assert PriceFile(stage.folder).load()[0] == [stage.dialog.model.rows[-1]]


def test_a_new_price_is_seen_whole_once_it_is_kept(stage: Stage) -> None:
    stage.press(stage.dialog.add)
    stage.type(model="zzz", host="http://localhost:11434", **AMOUNTS)
    stage.wait(stage.dialog.save, stage.session.kept)
    table = stage.dialog.table
    row = table.visualRect(stage.dialog.model.index(stage.dialog.model.rowCount() - 1, PriceTableModel.MODEL))
    assert table.viewport().rect().contains(row)
    assert not stage.dialog.area.isVisible()


@pytest.mark.parametrize("code", ["en", "ko"])
def test_the_smallest_window_holds_it(stage: Stage, language: Language, code: str) -> None:
    language.use(code)
    dialog = stage.dialog
    stage.press(dialog.add)
    stage.press(dialog.save)
    dialog.resize(700, 470)
    dialog._settle()
    assert (dialog.width(), dialog.height()) == (700, 470)
    assert dialog.layout().totalMinimumHeightForWidth(700) <= 470
    assert dialog.table.columnWidth(PriceTableModel.MODEL) >= 150
    stage.type(**AMOUNTS)
    stage.type(model="mine", above="many")
    stage.press(dialog.save)
    wrong = dialog.form.fields["above"].wrong
    assert wrong.isVisible() and not wrong.visibleRegion().isEmpty()


def test_every_wrong_field_says_what_it_takes(stage: Stage) -> None:
    stage.press(stage.dialog.add)
    assert stage.wrong() == {}
    stage.press(stage.dialog.save)
    number = "A number from 0 to 1,000,000, such as 3.75."
    assert stage.wrong() == {"model": "The id of a model, without spaces.", **dict.fromkeys(KINDS, number)}
    stage.type(model="mine", host="a b", since="1.12.2026", above="many", **{**AMOUNTS, "read": "-1"})
    assert stage.wrong() == {
        "read": number,
        "host": "A host or base URL, such as gateway.example.com.",
        "from": "A day, written like 2026-12-01.",
        "above": "A number of tokens, such as 100000.",
    }
    stage.press(stage.dialog.save)
    assert stage.dialog.form.isVisible()
    assert PriceFile(stage.folder).mark() is None
    stage.type(host="", since="", above="", read="0")
    assert stage.wrong() == {}
    stage.wait(stage.dialog.save, stage.session.kept)
    assert stage.service.prices.own["api.anthropic.com", "mine"][0].read == 0


def test_proposals_are_offered_and_only_taken_when_asked(stage: Stage) -> None:
    form = stage.dialog.form
    stage.press(stage.dialog.add)
    assert not form.propose.isVisible()
    stage.type(model="mine", input="3", write_1h="7")
    assert "3.75, 6 and 0.3" in form.proposal.text()
    assert "not a known price" in form.proposal.text()
    assert form.fields["write_5m"].edit.text() == ""
    stage.press(form.propose)
    assert [form.fields[kind].edit.text() for kind in KINDS] == ["3", "3.75", "7", "0.3", ""]
    assert not form.propose.isVisible()


def test_a_row_is_changed_alone_and_its_model_stays(stage: Stage) -> None:
    stage.go_to("claude-haiku-5-5", 1)
    stage.press(stage.dialog.edit)
    fields = stage.dialog.form.fields
    assert not fields["model"].edit.isEnabled()
    assert (fields["host"].edit.text(), fields["above"].edit.text()) == ("api.anthropic.com", "100000")
    assert stage.dialog.form.effect.text() == "The other prices of this model stay as your own."
    stage.type(input="0.6")
    stage.wait(stage.dialog.save, stage.session.kept)
    assert stage.line("claude-haiku-5-5")[1:3] == ["your own", "0.10"]
    assert stage.line("claude-haiku-5-5", 1)[1:3] == ["your own · prompts over 100,000 tokens", "0.6"]


def test_a_price_that_takes_the_place_of_others_says_so(stage: Stage) -> None:
    stage.press(stage.dialog.add)
    stage.type(model="claude-haiku-5-5", **AMOUNTS)
    assert stage.dialog.form.effect.text() == "It replaces all 2 built-in prices of this model."
    stage.type(since="2027-01-01")
    assert stage.dialog.form.effect.text() == "The other prices of this model stay as your own."
    stage.type(model="claude-opus-5", since="")
    assert stage.dialog.form.effect.text() == "It replaces the built-in price of this model."
    stage.type(model="unheard-of")
    assert not stage.dialog.form.effect.isVisible()


def test_taking_back_can_be_undone(stage: Stage, qtbot: QtBot) -> None:
    stage.service.put(row_from({"model": "claude-opus-5-5", **AMOUNTS}))
    stage.service.put(row_from({"model": "mine", **AMOUNTS}))
    stage.session.changed.emit()
    stage.go_to("claude-opus-5")
    assert not stage.dialog.reset.isEnabled()
    stage.go_to("mine")
    assert stage.dialog.reset.text() == "Remove"
    stage.go_to("claude-opus-5-5")
    assert stage.dialog.reset.text() == "Back to built-in"
    stage.wait(stage.dialog.reset, stage.session.taken)
    assert stage.line("claude-opus-5-5")[1:3] == ["", "4"]
    assert stage.dialog.told.text() == "Your own prices for claude-opus-5-5 were removed."
    stage.wait(stage.dialog.undo, stage.session.kept)
    assert stage.line("claude-opus-5-5")[1:3] == ["your own", "3"]
    assert not stage.dialog.undo.isVisible()


def test_what_cannot_be_written_is_said_and_the_form_stays(stage: Stage) -> None:
    (stage.folder / "prices.toml").mkdir()
    stage.press(stage.dialog.add)
    stage.type(model="mine", **AMOUNTS)
    stage.wait(stage.dialog.save, stage.session.refused)
    assert str(stage.folder) in stage.dialog.told.text()
    assert stage.dialog.form.fields["model"].edit.text() == "mine"
    assert stage.dialog.save.isEnabled()
    assert stage.service.prices == load_prices()


def test_escape_leaves_the_form_before_the_dialog(stage: Stage, qtbot: QtBot) -> None:
    stage.go_to("claude-opus-5-5")
    qtbot.keyClick(stage.dialog.table, Qt.Key.Key_Return)
    assert stage.dialog.form.isVisible()
    qtbot.keyClick(stage.dialog.form.fields["input"].edit, Qt.Key.Key_Escape)
    assert not stage.dialog.form.isVisible()
    assert stage.dialog.isVisible()
    qtbot.keyClick(stage.dialog.table, Qt.Key.Key_Escape)
    assert not stage.dialog.isVisible()


def test_enter_in_a_field_saves(stage: Stage, qtbot: QtBot) -> None:
    stage.go_to("claude-opus-5-5")
    stage.press(stage.dialog.edit)
    stage.type(input="9")
    with qtbot.waitSignal(stage.session.kept, timeout=5_000):
        qtbot.keyClick(stage.dialog.form.fields["input"].edit, Qt.Key.Key_Return)
    assert stage.dialog.isVisible()
    assert stage.service.prices.own["api.anthropic.com", "claude-opus-5-5"][0].input == Decimal(9)


def test_names_from_a_file_are_text(stage: Stage, language: Language) -> None:
    stage.service.put(row_from({"model": "<b>bold</b>", **AMOUNTS}))
    stage.session.changed.emit()
    assert stage.dialog.model.rows[-1].model == "<b>bold</b>"
    stage.dialog.table.choose(stage.dialog.model.rowCount() - 1)
    stage.wait(stage.dialog.reset, stage.session.taken)
    assert stage.dialog.told.textFormat() is Qt.TextFormat.PlainText
    language.use("ko")
    assert stage.dialog.title.text() == "가격"
    assert stage.line("claude-haiku-5-5", 1)[1] == "100,000토큰 초과 프롬프트"
