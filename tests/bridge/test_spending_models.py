"""The table of the Spending page: groups open and close, stay open when sums grow, and are told whole."""

from __future__ import annotations

from PySide6.QtCore import QAbstractItemModel, Qt
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from desktop_app.bridge.spending_models import SpendingModel, budget_text, report_notes, today_hint, today_text
from desktop_app.core.money.spending import SpendingBy
from desktop_app.core.words import load_words
from tests.ui.spending_samples import budget, month, report
from tests.unit.spent_samples import spent

EN, KO = load_words("en"), load_words("ko")


def texts(model: QAbstractItemModel, place: int) -> list[str]:
    return [str(model.index(place, column).data()) for column in range(model.columnCount())]


def test_group_opens_to_what_it_was_spent_on_and_closes(qtbot: QtBot, qtmodeltester: ModelTester) -> None:
    model = SpendingModel(EN)
    qtmodeltester.check(model)
    model.show(report())
    assert (model.rowCount(), texts(model, 1)[0]) == (9, "29 November 2026")
    model.toggle(1)
    assert [texts(model, place)[0] for place in (2, 3, 4, 5)] == [
        "Answers",
        "Repeated attempts",
        "Counting tokens",
        "28 November 2026",
    ]
    assert texts(model, 4) == ["Counting tokens", "3", "", "", "free"]
    assert texts(model, 1)[4] == "≈ $0.1466" and texts(model, 2)[4] == "$0.0859"
    model.toggle(3)
    assert model.rowCount() == 9


def test_open_groups_stay_open_while_the_same_is_added_up(qtbot: QtBot) -> None:
    model = SpendingModel(EN)
    model.show(report())
    model.toggle(0)
    more = report(requests=[*month(), spent(9, id="new", conversation_id="c1", turn_id="new")])
    model.show(more)
    assert [texts(model, place)[0] for place in (0, 1)] == ["30 November 2026", "Answers"]
    model.show(report(SpendingBy.MODEL))
    assert [row.on for row in model.rows] == [None] * 3


def test_names_of_every_kind_of_group(qtbot: QtBot) -> None:
    model = SpendingModel(EN, {"default": "Personal", "work": "work"}.__getitem__)
    names: dict[SpendingBy, list[str]] = {}
    for by in SpendingBy:
        model.show(report(by, [one for one in month(1) if one.profile != "demo"]))
        names[by] = [texts(model, place)[0] for place in range(model.rowCount())]
    assert names[SpendingBy.DAY] == ["30 November 2026"]
    assert sorted(names[SpendingBy.PROFILE]) == ["Personal", "work"]
    assert sorted(names[SpendingBy.MODEL]) == ["claude-haiku-5-5", "claude-opus-5-5", "qwen-9 · localhost:11434"]
    assert "Local trial" in names[SpendingBy.CONVERSATION] and "Backups plan" in names[SpendingBy.CONVERSATION]
    assert "turn 1 · Backups plan" in names[SpendingBy.TURN]
    model.set_words(KO)
    model.show(report(SpendingBy.TURN))
    assert model.headerData(0, Qt.Orientation.Horizontal) == "턴"


def test_unknown_price_is_a_word_and_a_row_is_told_whole(qtbot: QtBot) -> None:
    model = SpendingModel(EN)
    model.show(report(SpendingBy.MODEL, month(1)))
    last = model.index(model.rowCount() - 1, 0)
    assert texts(model, last.row())[4] == "unknown"
    told = last.data(Qt.ItemDataRole.AccessibleTextRole)
    assert told == "qwen-9 · localhost:11434, requests 1, input 5,000, output 4,000, cost unknown"


def test_today_and_budget_in_words(qtbot: QtBot) -> None:
    assert today_text(EN, report(requests=[spent(0)])) == "$0.1000"
    assert today_text(EN, report(requests=[spent(0, model="x")])) == "unknown"
    assert today_text(EN, report(requests=[spent(0), spent(1, model="x")])) == "≥ $0.1000"
    assert today_text(KO, report(requests=[spent(0, simulated=True)])) == "모의 응답, 무료"
    assert today_text(EN, report(requests=[])) == "$0"
    assert budget_text(EN, budget()) == "November 2026: $12.40 of $20.00 spent (62 %)."
    assert budget_text(KO, budget()) == "2026년 11월: $20.00 중 $12.40 사용 (62 %)."
    assert budget_text(EN, budget(limit=None)) == "November 2026: $12.40 spent."


def test_notes_tell_what_is_left_out(qtbot: QtBot) -> None:
    assert [line.split()[0] for line in report_notes(EN, report())] == ["The", "≈", "1", "Prices"]
    assert report_notes(EN, report(requests=[])) == []


def test_hint_of_today_says_how_many_requests_its_sum_leaves_out() -> None:
    strange = spent(1, model="qwen-9", host="localhost:1")
    assert today_hint(EN, report(requests=[spent(0)])) == EN.say("status.today_hint")
    told = today_hint(EN, report(requests=[spent(0), strange]))
    assert told == f"{EN.say('status.today_hint')} The price of 1 request is unknown, so it is not in the sum."
    assert "1개" in today_hint(KO, report(requests=[strange]))
