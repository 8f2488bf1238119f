"""The Cache panel: figures that agree with each other, turns that can be chosen, unknown and simulated said so."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from desktop_app.bridge.cache_models import CachePart
from desktop_app.core.cache.causes import Cause
from desktop_app.core.cache.culprit import Agreement, Culprit
from desktop_app.core.cache.diagnosis import CacheDiagnosis, DiagnosisKind
from desktop_app.core.usage import Usage
from desktop_app.core.words import load_words
from desktop_app.ui.cache import cache_panel
from desktop_app.ui.cache.cache_panel import CachePanel
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import TextButton
from tests.ui.cache_samples import (
    FINDINGS,
    StageCache,
    StageTruth,
    comparison,
    forecast,
    full_truth,
    miss,
    report,
    request,
    talk,
    tell,
)

NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
UNTIL = NOW + timedelta(minutes=3, seconds=41)


@pytest.fixture
def panel(qtbot: QtBot, theme: Theme, language: Language) -> CachePanel:
    panel = CachePanel(theme, language)
    qtbot.addWidget(panel)
    panel.resize(420, 1_060)
    panel.show()
    return panel


@pytest.fixture
def cache(panel: CachePanel) -> StageCache:
    cache = StageCache(report())
    panel.set_cache(cache)
    return cache


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[datetime]:
    """The moment the panel takes for now."""
    moment = [NOW]
    monkeypatch.setattr(cache_panel, "now", lambda: moment[0])
    return moment


@pytest.fixture
def truth(panel: CachePanel, clock: list[datetime]) -> StageTruth:
    truth, cache = full_truth(UNTIL), StageCache(report())
    cache.forecast = forecast(UNTIL)
    panel.set_cache(cache, truth)
    return truth


def lines(panel: CachePanel) -> list[list[str]]:
    model = panel.clocks.model
    return [[model.index(row, column).data() for column in range(4)] for row in range(model.rowCount())]


def rows(panel: CachePanel) -> list[list[str]]:
    model = panel.turn.model
    columns = [column for column in range(3) if not panel.turn.table.isColumnHidden(column)]
    return [[model.index(row, column).data() for column in columns] for row in range(model.rowCount())]


def local(turns: int) -> StageCache:
    return StageCache(report([request(n, Usage(500 * n, output=40), host="localhost:11434") for n in range(1, turns)]))


def test_an_empty_panel_teaches_and_offers_the_act(qtbot: QtBot, panel: CachePanel) -> None:
    assert panel.empty.isVisible()
    assert "read from the prompt cache" in panel.empty.text.text()
    with qtbot.waitSignal(panel.writeAsked):
        panel.empty.act.click()
    panel.set_cache(StageCache(report([])))
    assert panel.empty.isVisible()


def test_the_tiles_tell_the_whole_conversation(panel: CachePanel, cache: StageCache) -> None:
    assert not panel.empty.isVisible()
    assert panel.tiles.rate.big.text == "86.3 %"
    assert panel.tiles.rate.below.whole() == "579,855 input"
    assert panel.tiles.saved.big.text == "$1.82"
    assert panel.tiles.saved.below.whole() == "spent $0.7613"
    assert panel.tiles.warm.big.text == "cold"
    assert panel.tiles.warm.name.whole() == "next message"
    assert panel.tiles.warm.below.whole() == "reads nothing of it"
    assert panel.tiles.rate.accessibleName() == "hit rate: 86.3 %, 579,855 input"
    assert not panel.simulated.isVisible()
    assert not panel.unknown.isVisible()
    assert panel.notes.text() == "Prices of Anthropic as of 30 November 2026, in USD."


def test_the_last_turn_stands_in_rows_that_fill_the_bar(panel: CachePanel, cache: StageCache) -> None:
    section = panel.turn
    assert section.title.text() == "Last turn"
    assert section.input.whole() == "42,123 input tokens · measured"
    assert rows(panel) == [
        ["read from cache", "38,300", "$0.0077"],
        ["written, 5 min", "3,820", "$0.0191"],
        ["uncached", "3", "< $0.0001"],
        ["output", "548", "$0.0110"],
    ]
    assert section.sum.text() == "Cost $0.0377 · saved $0.1417"
    stretches = section.bar.stretches()
    assert [row.part for row, _, _ in stretches] == [CachePart.READ, CachePart.WRITE_5M, CachePart.UNCACHED]
    assert stretches[0][1] == 0
    assert stretches[-1][2] == pytest.approx(section.bar.width())
    assert all(right - left >= 2 for _, left, right in stretches)
    assert section.bar.accessibleName() == (
        "read from cache: 38,300 tokens, written, 5 min: 3,820 tokens, uncached: 3 tokens"
    )


def test_a_turn_is_chosen_in_the_table_and_given_back(qtbot: QtBot, panel: CachePanel, cache: StageCache) -> None:
    panel.table.setFocus()
    panel.table.selectRow(11)
    qtbot.keyClick(panel.table, Qt.Key.Key_Return)
    assert panel.turn.title.text() == "Turn 13"
    assert panel.turn.sum.text() == "Cost $0.0495 · lost $0.0080"
    assert panel.chart._selected == 12
    assert panel.turn.back.isVisible()
    panel.turn.back.click()
    assert panel.turn.title.text() == "Last turn"
    assert panel.chart._selected is None
    panel.table.turnOpened.emit("memo")
    assert panel.turn.title.text() == "Fold"


def test_a_turn_is_chosen_in_the_chart(qtbot: QtBot, panel: CachePanel, cache: StageCache) -> None:
    chart = panel.chart
    place = chart.place_of(4).toPoint()
    qtbot.mouseMove(chart, place)
    assert panel.chart_hint.whole().startswith("turn 5 · ")
    assert panel.chart_hint.whole().endswith(" from the cache")
    qtbot.mouseClick(chart, Qt.MouseButton.LeftButton, pos=place)
    assert panel.turn.title.text() == "Turn 5"
    qtbot.keyClick(chart, Qt.Key.Key_Left)
    assert panel.turn.title.text() == "Turn 4"
    assert chart.accessibleDescription().startswith("turn 4 · ")
    qtbot.keyClick(chart, Qt.Key.Key_End)
    assert panel.turn.title.text() == "Turn 24"
    qtbot.keyClick(chart, Qt.Key.Key_Home)
    assert panel.turn.title.text() == "Turn 1"


def test_the_line_follows_the_hit_rate(panel: CachePanel, cache: StageCache) -> None:
    chart = panel.chart
    points = [chart.place_of(place) for place in range(24)]
    assert points[0].y() == points[12].y() > points[1].y() > points[11].y()
    assert [point.x() for point in points] == sorted(point.x() for point in points)


def test_new_figures_keep_the_chosen_turn_and_another_conversation_does_not(
    panel: CachePanel, cache: StageCache
) -> None:
    panel.table.turnOpened.emit("t3")
    tell(cache, report(talk(25)))
    assert panel.turn.title.text() == "Turn 3"
    panel.set_cache(StageCache(report(talk(3))))
    assert panel.turn.title.text() == "Last turn"
    tell(cache, report(talk(30)))
    assert panel.turns_model.rowCount() == 3
    panel.set_cache(None)
    assert panel.empty.isVisible()


def test_a_local_server_without_a_cache_is_unknown(panel: CachePanel) -> None:
    panel.set_cache(local(4))
    assert [tile.big.text for tile in (panel.tiles.rate, panel.tiles.saved, panel.tiles.warm)] == ["unknown"] * 3
    assert panel.unknown.isVisible()
    assert rows(panel)[0] == ["read from cache", "unknown"]
    assert panel.turn.sum.text() == "There is no known price for this endpoint or model, so no sum is shown."
    assert not panel.chart.isVisible()
    assert not panel.table.isVisible()
    assert panel.turn.bar.stretches() == []


def test_what_is_left_out_and_estimated_is_said(panel: CachePanel) -> None:
    records = [*talk(2), request(3, Usage(800, output=20), host="localhost:1234")]
    records.append(request(4, Usage(4, 300, 200, 9_000, 44, split_known=False, output_estimated=True)))
    panel.set_cache(StageCache(report(records)))
    assert panel.notes.text().splitlines() == [
        "The tokens of 1 request are left out of these sums: nothing of a cache was reported for it.",
        "1 request is left out of the money: its price is not known.",
        "Prices of Anthropic as of 30 November 2026, in USD.",
        "≈ is an estimate: the output of an answer that broke off is not reported, or the lifetime of a write.",
        "– is unknown.",
    ]
    assert panel.tiles.saved.big.text.startswith("≈ $")
    assert panel.turn.sum.text().startswith("Cost ≈ $")
    assert rows(panel)[2][0] == "written, 1 h"


def test_requests_without_marks_have_no_rate_and_the_setting_is_named(panel: CachePanel, language: Language) -> None:
    plain = [request(n, Usage(500, 0, 0, 0, 20), host="localhost:1234", app_version="1.0") for n in (1, 2)]
    panel.set_cache(StageCache(report(plain)))
    assert (panel.tiles.rate.big.text, panel.tiles.rate.below.whole()) == ("–", "1,000 input")
    assert "no cache marks" in panel.tiles.rate.toolTip()
    assert panel.notes.text().startswith("2 requests carried no cache marks")
    assert f"“{language.say('settings.plain')}”" in panel.notes.text()
    assert panel.turns_model.index(0, panel.turns_model.RATE).data() == "–"


def test_turns_of_another_version_are_muted_and_explained(panel: CachePanel) -> None:
    told = report(talk(3))
    *_, last = told.turns
    panel.set_cache(StageCache(replace(told, turns=(*told.turns, replace(last, id="old", other_version=True)))))
    delegate = panel.table.itemDelegate()
    colours = [delegate.colour(panel.turns_model.index(row, 0)) for row in range(2)]  # type: ignore[attr-defined]
    assert colours == ["muted", "text"]
    assert "‹› is another version" in panel.notes.text()
    assert panel.turn.title.text() == "Last turn"
    assert not panel.chart.isHidden()


def test_simulated_figures_are_labelled_and_have_no_money(panel: CachePanel) -> None:
    panel.set_cache(StageCache(report(simulated=True)))
    assert panel.simulated.isVisible()
    assert "imitated on this machine" in panel.simulated.text()
    assert (panel.tiles.saved.big.text, panel.tiles.saved.below.whole()) == ("–", "no money")
    assert rows(panel)[0] == ["read from cache", "38,300"]
    assert panel.turns_model.columnCount() == 6
    assert panel.table.isColumnHidden(panel.turns_model.SAVED)
    assert not panel.turn.sum.isVisible()
    texts = [label.text() for label in panel.findChildren(type(panel.notes)) if label.isVisible()]
    assert not [text for text in texts if "$" in text]


@pytest.mark.parametrize("width", [360, 420])
@pytest.mark.parametrize("code", ["en", "ko"])
def test_no_figure_is_cut(panel: CachePanel, language: Language, width: int, code: str) -> None:
    language.use(code)
    records = talk(30)
    records.append(request(31, Usage(4, 120_000, 0, 1_234_567, 44, split_known=False, output_estimated=True)))
    panel.set_cache(StageCache(report(records)))
    panel.resize(width, 1_060)
    page = panel.notes.parentWidget()
    assert page is not None
    assert page.minimumSizeHint().width() <= width
    table, metrics = panel.table, panel.fontMetrics()
    for row in range(panel.turns_model.rowCount()):
        for column in range(6):
            if not table.isColumnHidden(column):
                text = panel.turns_model.index(row, column).data()
                left = table.itemDelegate().indents.get(column, 6)  # type: ignore[attr-defined]
                assert metrics.horizontalAdvance(text) <= table.columnWidth(column) - left - 6, (column, text)
    for tile in (panel.tiles.rate, panel.tiles.saved, panel.tiles.warm):
        assert tile.big.fitting_size() >= 14
        assert tile.name.text() == tile.name.whole()
    assert table.isColumnHidden(panel.turns_model.SAVED) is (width == 360)


def test_korean_and_dark_without_restart(
    panel: CachePanel, cache: StageCache, language: Language, theme: Theme
) -> None:
    language.use("ko")
    theme.apply("dark")
    assert panel.turn.title.text() == "마지막 턴"
    assert panel.tiles.rate.name.whole() == "적중률"
    assert rows(panel)[0][0] == "캐시에서 읽음"
    assert panel.notes.text() == "2026년 11월 30일 기준 Anthropic 가격(USD)입니다."
    assert not panel.grab().isNull()


def test_the_clock_tells_how_long_it_is_warm_and_what_it_costs_afterwards(
    panel: CachePanel, truth: StageTruth, clock: list[datetime]
) -> None:
    tile = panel.tiles.warm
    assert (tile.name.whole(), tile.big.text, tile.below.whole()) == ("warm for", "3:41", "cold: ≈ $0.2140")
    assert "About 42,123 tokens of the next request" in tile.toolTip()
    assert "Its input then costs ≈ $0.0118, and ≈ $0.2140 afterwards." in tile.toolTip()
    spoken = tile.accessibleName()
    clock[0] += timedelta(seconds=1)
    panel._ticking.timeout.emit()
    assert tile.big.text == "3:40"
    assert tile.accessibleName() == spoken  # a screen reader is not told every second
    clock[0] = UNTIL
    panel._ticking.timeout.emit()
    assert (tile.name.whole(), tile.big.text) == ("next message", "cold")
    assert tile.below.whole() == "reads nothing of it"
    assert "Its input costs ≈ $0.2140." in tile.toolTip()
    assert panel._ticking.isActive()  # what stands before the messages is kept longer
    clock[0] += timedelta(hours=1)
    panel._ticking.timeout.emit()
    assert not panel._ticking.isActive()


def test_a_hidden_panel_does_not_tick(panel: CachePanel, truth: StageTruth, clock: list[datetime]) -> None:
    assert panel._ticking.isActive()
    panel.hide()
    assert not panel._ticking.isActive()
    clock[0] += timedelta(minutes=1)
    panel.show()
    assert panel.tiles.warm.big.text == "2:41"
    assert panel._ticking.isActive()
    panel.set_cache(None)
    assert not panel._ticking.isActive()


def test_each_mark_has_its_clock(panel: CachePanel, truth: StageTruth, clock: list[datetime]) -> None:
    assert lines(panel) == [
        ["instructions", "≈ 2,310", "1 h", "58:41"],
        ["facts", "≈ 5,252", "1 h", "58:41"],
        ["message 7", "≈ 38,300", "5 min", "3:41"],
        ["the end", "42,123", "5 min", "3:41"],
    ]
    clock[0] += timedelta(minutes=5)
    panel._ticking.timeout.emit()
    assert [line[3] for line in lines(panel)] == ["53:41", "53:41", "expired", "expired"]
    assert panel.clocks.table.accessibleName() == "Kept in the cache"


def test_why_the_last_miss_missed(panel: CachePanel, truth: StageTruth) -> None:
    card = panel.miss
    assert card.isVisible()
    assert card.title.text() == "Why turn 22 missed"
    assert card.lost.whole() == "41,020 tokens · $0.1969 more"
    assert card.cause.text() == "A fact in the beginning changed: backup_retention."
    assert card.where.text() == "First difference: facts › backup_retention, byte 9,412"
    assert card.difference.before.text() == "- - backup_retention: 30 days"
    assert card.difference.after.text() == "+ - backup_retention: 35 days"
    assert card.difference.after.accessibleName() == "now: - backup_retention: 35 days"
    assert card.api.text() == "The API agrees: the system prompt changed."
    assert card.api.property("tone") == "muted"
    assert card.accessibleName() == "Why turn 22 missed, 41,020 tokens · $0.1969 more"
    assert panel.chart._missed == {"t22"}
    panel._on_pointed(panel.turns_model.turns[2])
    assert panel.chart_hint.whole().endswith("missed 41,020 tokens")


def test_a_chosen_turn_tells_only_of_itself(panel: CachePanel, truth: StageTruth) -> None:
    panel.chart.chosen.emit("t5")
    assert not panel.miss.isVisible()
    panel.chart.chosen.emit("t22")
    assert panel.miss.title.text() == "Why turn 22 missed"
    truth.misses = {}
    truth.changed.emit()
    assert not panel.miss.isVisible()


def test_both_answers_are_shown_where_they_disagree(panel: CachePanel, truth: StageTruth) -> None:
    told = CacheDiagnosis(DiagnosisKind.TOOLS_CHANGED, 40_000, "tools_changed")
    silent = CacheDiagnosis(DiagnosisKind.UNAVAILABLE, None, "unavailable")
    for changes, words, tone in (
        (
            {"diagnosis": told, "agreement": Agreement.DISAGREES},
            "The API says otherwise: the tools changed.",
            "warning",
        ),
        (
            {"diagnosis": CacheDiagnosis(DiagnosisKind.NONE), "agreement": Agreement.DISAGREES},
            "The API found no difference. Mnemoscope found one.",
            "warning",
        ),
        (
            {"diagnosis": silent, "agreement": Agreement.SILENT},
            "The API says: no comparison was possible. This neither confirms nor contradicts the finding.",
            "muted",
        ),
        ({"diagnosis": None, "agreement": Agreement.SILENT}, "The API was not asked for its own diagnosis.", "muted"),
    ):
        truth.misses = {"t22": miss(**changes)}
        truth.changed.emit()
        assert panel.miss.api.text() == words
        assert panel.miss.api.property("tone") == tone


def test_a_setting_is_named_with_both_values_and_has_no_lines(panel: CachePanel, truth: StageTruth) -> None:
    culprit = Culprit(Cause.EFFORT, "", "", "high", lost_tokens=900, also=(Cause.TOOL_ADDED, Cause.EFFORT))
    truth.misses = {"t22": replace(miss(), culprit=culprit)}
    truth.changed.emit()
    card = panel.miss
    assert card.cause.text() == "The effort changed: not set → high. Also changed: a tool added."
    assert not card.where.isVisible()
    assert not card.difference.isVisible()
    assert card.lost.whole() == "900 tokens"


def test_a_late_request_says_how_late(panel: CachePanel, truth: StageTruth) -> None:
    truth.misses = {"t22": replace(miss(), culprit=Culprit(Cause.EXPIRED, "", "5m", "432", lost_tokens=41_020))}
    truth.changed.emit()
    late = "Nothing changed, but the request came too late: the cache had expired."
    assert panel.miss.cause.text() == f"{late} It is kept for 5 min; this request came after 7 min 12 s."


@pytest.mark.parametrize("code", ["en", "ko"])
def test_every_cause_has_its_words(code: str) -> None:
    words = load_words(code)
    for cause in Cause:
        assert words.has(f"cache.cause.{cause}"), cause
        assert cause is Cause.NONE or words.has(f"cache.also.{cause}"), cause


def test_expected_and_got_stand_side_by_side_on_demand(qtbot: QtBot, panel: CachePanel, truth: StageTruth) -> None:
    section = panel.expected
    assert section.line.whole() == "Expected to read ≈ 38,300, read 38,300"
    assert not section.table.isVisible()
    section.more.setFocus()
    qtbot.keyClick(section.more, Qt.Key.Key_Space)
    model = section.model
    assert [[model.index(row, column).data() for column in range(4)] for row in range(model.rowCount())] == [
        ["read", "≈ 38,300", "38,300", "0 %"],
        ["written", "≈ 3,700", "3,820", "+0.3 %"],
        ["uncached", "≈ 3", "3", "0 %"],
        ["input", "≈ 42,003", "42,123", "+0.3 %"],
        ["input cost", "≈ $0.0262", "$0.0268", "+2.2 %"],
    ]
    assert section.summary.text().splitlines() == [
        "Last 20 requests: reads were off by 0.4 % on average, at most 2.1 %; input by 0.4 %, at most 2.1 %.",
        "Calibration: estimates for this text are 1.13× the initial rule of thumb, learned from 46 exact figures.",
    ]
    panel.chart.chosen.emit("t5")
    assert not section.isVisible()


def test_advice_offers_the_better_lifetime(qtbot: QtBot, panel: CachePanel, truth: StageTruth) -> None:
    card = panel.advice
    assert card.text.text() == (
        "You usually answer after 7 min 12 s. Keeping for 1 h would have saved ≈ $0.6114 in the last 30 days."
    )
    assert card.costs.text() == (
        "What the input of 214 requests would have cost: ≈ $4.10 with 5 min, "
        "≈ $3.92 with 1 h for the beginning, ≈ $3.49 with 1 h."
    )
    with qtbot.waitSignal(panel.lifetimeAsked) as asked:
        card.use.click()
    assert asked.args == ["1h"]
    assert card.use.text() == "Use 1 h"
    truth.compared = comparison("1h")
    truth.changed.emit()
    assert card.text.text() == "Keeping for 1 h fits your pauses: you usually answer after 7 min 12 s."
    assert not card.use.isVisible()
    truth.compared = None
    truth.changed.emit()
    assert not card.isVisible()


def test_what_may_spoil_the_cache_has_its_remedy(qtbot: QtBot, panel: CachePanel, truth: StageTruth) -> None:
    card = panel.lint
    buttons = card.findChildren(TextButton)
    assert [button.text() for button in buttons] == ["Edit instructions", "Back to claude-opus-5-5"]
    with qtbot.waitSignal(panel.remedyAsked) as asked:
        buttons[1].click()
    assert asked.args == [FINDINGS[1]]
    assert buttons[0].accessibleDescription() == "There is a date in the instructions: Today is 30 November 2026"
    truth.findings = ()
    truth.changed.emit()
    assert not card.isVisible()


def test_what_was_written_and_never_read_is_a_loss(panel: CachePanel) -> None:
    panel.set_cache(StageCache(report([request(1, Usage(3, 40_000, 0, 0, 300))])))
    tile = panel.tiles.saved
    assert (tile.name.whole(), tile.big.text, tile.big.tone) == ("lost", "$0.0400", "warning")
    assert panel.turn.sum.text() == "Cost $0.2060 · lost $0.0400"
    assert Decimal("-0.04") == report([request(1, Usage(3, 40_000, 0, 0, 300))]).total.saved


def test_a_simulated_conversation_has_no_money_behind_it(panel: CachePanel, truth: StageTruth) -> None:
    cache = StageCache(report(simulated=True))
    panel.set_cache(cache, truth)
    assert panel.miss.lost.whole() == "41,020 tokens"
    assert not panel.advice.isVisible()
    truth.reconciled = {}
    truth.changed.emit()
    texts = [label.text() for label in panel.findChildren(type(panel.notes)) if label.isVisible()]
    assert not [text for text in texts if "$" in text]


def test_text_of_a_request_is_shown_letter_by_letter(panel: CachePanel, truth: StageTruth) -> None:
    report = miss()
    difference = report.culprit.difference
    assert difference is not None
    nasty = "<b>x</b>" + "한글" * 300
    culprit = replace(report.culprit, name="<i>k</i>", difference=replace(difference, after=nasty))
    truth.misses = {"t22": replace(report, culprit=culprit)}
    truth.changed.emit()
    assert panel.miss.difference.after.text().startswith("+ <b>x</b>한글")
    assert panel.miss.difference.after.text().count("\n") == 3
    assert panel.miss.difference.after.text().endswith("…")
    assert "<i>k</i>" in panel.miss.cause.text()


@pytest.mark.parametrize("code", ["en", "ko"])
def test_nothing_of_the_truth_is_cut_in_a_narrow_panel(
    panel: CachePanel, truth: StageTruth, language: Language, code: str
) -> None:
    language.use(code)
    panel.resize(380, 2_000)
    panel.expected.more.click()
    page = panel.notes.parentWidget()
    assert page is not None
    assert page.minimumSizeHint().width() <= 380
    metrics = panel.fontMetrics()
    for table, columns in ((panel.clocks.table, 4), (panel.expected.table, 4)):
        model = table.model()
        for row in range(model.rowCount()):
            for column in range(columns):
                text = model.index(row, column).data()
                assert metrics.horizontalAdvance(text) <= table.columnWidth(column) - 12, text
        for column in range(columns):
            name = str(model.headerData(column, Qt.Orientation.Horizontal, Qt.ItemDataRole.DisplayRole))
            header = table.horizontalHeader().fontMetrics()
            assert header.horizontalAdvance(name) <= table.columnWidth(column) - 12, name
    assert panel.tiles.warm.name.text() == panel.tiles.warm.name.whole()
