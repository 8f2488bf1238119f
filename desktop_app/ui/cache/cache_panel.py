"""The Cache panel: how much of every request was read from the prompt cache, and what that saved."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QScrollArea, QStackedLayout, QVBoxLayout, QWidget

from desktop_app.bridge.cache_models import CacheTurnsModel
from desktop_app.core.cache.culprit import MissReport
from desktop_app.core.cache.figures import CacheFigures, CacheReport, CacheTurn
from desktop_app.core.cache.miss_words import unmarked_words
from desktop_app.core.conversation import now
from desktop_app.core.money.price_sources import sources_words
from desktop_app.core.request_log import RequestPurpose
from desktop_app.ui.cache.advice_card import AdviceCard
from desktop_app.ui.cache.clock_section import ClockSection
from desktop_app.ui.cache.expected_section import ExpectedSection
from desktop_app.ui.cache.figure_tiles import FigureTiles
from desktop_app.ui.cache.hit_rate_chart import HitRateChart
from desktop_app.ui.cache.lint_card import LintCard
from desktop_app.ui.cache.miss_card import MissCard
from desktop_app.ui.cache.turn_section import TurnSection
from desktop_app.ui.cache.turns_table import TurnsTable
from desktop_app.ui.language import Language
from desktop_app.ui.message_page import MessagePage
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.plain_label import ElidedLabel, PlainLabel

if TYPE_CHECKING:
    from desktop_app.bridge.cache_truth import CacheTruth
    from desktop_app.bridge.conversation_cache import ConversationCache


_TICK_MS = 1_000


class CachePanel(QWidget):
    """Shows one conversation's cache.

    Signals:
        writeAsked: the empty panel's act, to write a message.
        lifetimeAsked(str): the advised lifetime of the cache is to be used (`LIFETIMES`).
        remedyAsked(LintFinding): its remedy is wanted.
    """

    writeAsked = Signal()
    lifetimeAsked = Signal(str)
    remedyAsked = Signal(object)

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self._cache: ConversationCache | None = None
        self._truth: CacheTruth | None = None
        self._report: CacheReport | None = None
        self._chosen: str | None = None
        self._in_front = True
        self._stale = False
        self.simulated = PlainLabel(tone="muted", wrap=True)
        self.tiles = FigureTiles(theme, language)
        self.unknown = PlainLabel(tone="muted", wrap=True)
        self.turn = TurnSection(theme, language)
        self.expected = ExpectedSection(theme, language)
        self.chart_title = PlainLabel(tone="heading")
        self.chart_hint = _right(ElidedLabel(tone="muted"))
        self.chart = HitRateChart(theme, language)
        self.miss = MissCard(theme, language)
        self.lint = LintCard(language)
        self.clocks = ClockSection(theme, language)
        self.advice = AdviceCard(language)
        self.turns_title = PlainLabel(tone="heading")
        self.turns_hint = _right(ElidedLabel(tone="muted"))
        self.turns_model = CacheTurnsModel(language.words, self)
        self.table = TurnsTable(self.turns_model, theme)
        self.notes = PlainLabel(tone="muted", wrap=True)
        self.empty = MessagePage(theme, size=13)
        self._ticking = QTimer(self)
        self._ticking.setInterval(_TICK_MS)
        self._arrange()
        self._connect()
        self._say()

    def set_cache(self, cache: ConversationCache | None, truth: CacheTruth | None = None) -> None:
        """Shows the cache of another conversation with what stands behind it, or nothing."""
        if self._cache is not None:
            self._cache.reportChanged.disconnect(self._on_report)
            self._cache.forecastChanged.disconnect(self._on_forecast)
        if self._truth is not None:
            self._truth.changed.disconnect(self._on_truth)
        self._cache, self._truth, self._chosen = cache, truth, None
        if cache is not None:
            cache.reportChanged.connect(self._on_report)
            cache.forecastChanged.connect(self._on_forecast)
        if truth is not None:
            truth.changed.connect(self._on_truth)
        self._on_report(cache.report if cache is not None else None)

    def set_in_front(self, in_front: bool) -> None:
        """Whether it stands behind no other tab: Qt calls one behind another visible, too."""
        self._in_front = in_front
        self._on_seen()

    @property
    def is_seen(self) -> bool:
        """Whether a person can see it; nothing is drawn and no clock runs while nobody can."""
        return self._in_front and self.isVisible()

    def showEvent(self, event: QShowEvent) -> None:
        """Clocks run while they are seen."""
        super().showEvent(event)
        self._on_seen()

    def hideEvent(self, event: QHideEvent) -> None:
        """And rest while they are not."""
        super().hideEvent(event)
        self._on_seen()

    def _on_seen(self) -> None:
        if not self.is_seen:
            self._ticking.stop()
        elif self._stale:
            self._show_all()
        else:
            self._tick()

    def _arrange(self) -> None:
        self._pages = QStackedLayout(self)
        self._pages.addWidget(self.empty)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._pages.addWidget(scroll)
        page = QWidget()
        scroll.setWidget(page)
        layout = QVBoxLayout(page)
        layout.setContentsMargins(16, 12, 16, 16)
        layout.setSpacing(8)
        for widget in (self.simulated, self.tiles, self.unknown):
            layout.addWidget(widget)
        layout.addSpacing(8)
        layout.addWidget(self.turn)
        layout.addWidget(self.expected)
        layout.addSpacing(8)
        layout.addLayout(_line(self.chart_title, self.chart_hint))
        layout.addWidget(self.chart)
        self.clocks.setContentsMargins(0, 8, 0, 0)
        for part in (self.miss, self.lint, self.clocks, self.advice):
            layout.addWidget(part)
        layout.addSpacing(8)
        layout.addLayout(_line(self.turns_title, self.turns_hint))
        layout.addWidget(self.table)
        layout.addWidget(self.notes)
        layout.addStretch()
        self.setMinimumWidth(360)

    def _connect(self) -> None:
        self.turn.backAsked.connect(self._back)
        self.chart.chosen.connect(self._choose)
        self.chart.pointed.connect(self._on_pointed)
        self.table.turnOpened.connect(self._choose)
        self.advice.lifetimeAsked.connect(self.lifetimeAsked)
        self.lint.remedyAsked.connect(self.remedyAsked)
        self.empty.acted.connect(self.writeAsked)
        self._ticking.timeout.connect(self._tick)
        self._language.changed.connect(self._say)

    def _on_report(self, report: CacheReport | None) -> None:
        self._report = report
        self._show_all()

    def _on_forecast(self, _forecast: object) -> None:
        if self.is_seen:
            self._show_lint()
            self._tick()

    def _on_truth(self) -> None:
        """Only what stands behind the figures is another: the figures themselves stay as they are."""
        report, self._stale = self._report, self._stale or not self.is_seen
        if report is not None and report.turns and not self._stale:
            self._show_truth(report)
            self._tick()

    def _choose(self, turn_id: str) -> None:
        self._chosen = turn_id
        self._show_all()

    def _back(self) -> None:
        self._chosen = None
        self._show_all()

    def _show_all(self) -> None:
        """Everything anew; what nobody sees waits until somebody does."""
        report, self._stale = self._report, not self.is_seen
        if self._stale:
            self._ticking.stop()
            return
        self.turns_model.show(report)
        self._pages.setCurrentIndex(1 if report and report.turns else 0)
        if report is None or not report.turns:
            self._ticking.stop()
            return
        chosen = next((turn for turn in report.turns if turn.id == self._chosen), None)
        self._chosen = chosen.id if chosen else None
        self.simulated.setVisible(report.simulated)
        total = report.total
        self.tiles.show_total(total, simulated=report.simulated)
        known = total.input_total is not None
        self.unknown.setVisible(not known)
        for widget in (self.chart_title, self.chart_hint, self.chart, self.turns_title, self.turns_hint, self.table):
            widget.setVisible(known)
        self.turn.show_turn(self._shown(report), chosen=chosen is not None, simulated=report.simulated)
        turns = [turn for turn in report.turns if turn.purpose is RequestPurpose.CHAT]
        self.chart.show_turns(turns, self._chosen)
        self._show_truth(report)
        self.notes.setText("\n".join(self._notes(report, total)))
        self.notes.setVisible(bool(self.notes.text()))
        self._tick()

    @property
    def _misses(self) -> Mapping[str, MissReport]:
        """The turns that read less than was kept, by their ids."""
        return self._truth.misses if self._truth is not None else {}

    def _shown(self, report: CacheReport) -> CacheTurn:
        """The turn on show: the chosen one, or the last."""
        chosen = next((turn for turn in report.turns if turn.id == self._chosen), None)
        return chosen or report.last or report.turns[-1]

    def _show_truth(self, report: CacheReport) -> None:
        """What stands behind the figures: of the turn on show, of the last miss, of the next request."""
        truth, shown = self._truth, self._shown(report)
        self.chart.show_missed(self._misses.keys())
        latest = [turn for turn in report.turns if turn.id in self._misses]
        turn = shown if self._chosen else (latest[-1] if latest else None)
        self.miss.show_report(self._misses.get(turn.id) if turn else None, simulated=report.simulated)
        self.clocks.show_clocks(truth.clocks if truth else (), now())
        self.advice.show_comparison(truth.compared if truth and not report.simulated else None)
        self._show_lint()
        reconciled = truth.reconciled.get(shown.id) if truth else None
        self.expected.show_request(reconciled, truth.drift if truth else None, truth.learned if truth else None)

    def _show_lint(self) -> None:
        """Nothing can be spoiled where no cache is known."""
        forecast = self._cache.forecast if self._cache is not None else None
        cached = forecast is not None and forecast.cache.read is not None
        self.lint.show_findings(self._truth.findings if self._truth and cached else ())

    def _tick(self) -> None:
        """Says the time that is left; goes on while some is and somebody sees it."""
        report, truth, moment = self._report, self._truth, now()
        if report is None or not report.turns or not self.is_seen:
            self._ticking.stop()
            return
        forecast = self._cache.forecast if self._cache is not None else None
        until = truth.warm_until if truth else (forecast.cache.warm_until if forecast else None)
        self.tiles.show_warmth(forecast, until, moment)
        clocks = truth.clocks if truth else ()
        self.clocks.model.tick(moment)
        runs = (until is not None and until > moment) or any(clock.left(moment) for clock in clocks)
        if not runs:
            self._ticking.stop()
        elif not self._ticking.isActive():
            self._ticking.start()

    def _notes(self, report: CacheReport, total: CacheFigures) -> list[str]:
        """What the figures leave out, and where the prices are from."""
        say, words = self._language.say, self._language.words
        notes = []
        if total.input_total is None:
            return []
        if total.unreported:
            notes.append(say("cache.unreported", n=total.unreported))
        if total.unmarked:
            notes.append(unmarked_words(words, total.unmarked))
        if total.unpriced and total.cost is not None:
            notes.append(say("cache.unpriced", n=total.unpriced))
        # The year always belongs to a price.
        if prices := sources_words(words, total.sources, self._language.day(report.dated, date.min)):
            notes.append(prices)
        if any(turn.other_version for turn in report.turns):
            notes.append(say("cache.legend_other_version"))
        if total.output_estimated or not total.split_known:
            notes.append(say("cache.legend_estimate"))
        if total.unreported:
            notes.append(say("cache.legend_unknown"))
        return notes

    def _on_pointed(self, turn: CacheTurn | None) -> None:
        line = self.turns_model.line(turn) if turn is not None else ""
        miss = self._misses.get(turn.id) if turn is not None else None
        if miss is not None and miss.culprit.lost_tokens:
            tokens = self._language.number(miss.culprit.lost_tokens)
            line = self._language.say("cache.line_missed", line=line, tokens=tokens)
        self.chart.setAccessibleDescription(line)
        self.chart_hint.set_whole(line or self._language.say("cache.chart_hint"))

    def _say(self) -> None:
        say = self._language.say
        self.setAccessibleName(say("window.cache"))
        self.simulated.setText(say("cache.simulated"))
        self.unknown.setText(say("cache.none_reported"))
        self.chart_title.setText(say("cache.chart_title"))
        self.chart.setAccessibleName(say("cache.chart_title"))
        self.turns_title.setText(say("cache.turns_title"))
        self.turns_hint.set_whole(say("cache.turns_hint"))
        self.table.setAccessibleName(say("cache.turns_title"))
        self.empty.say(say("cache.empty_title"), say("cache.empty_text"), say("cache.empty_act"))
        self.turns_model.set_words(self._language.words)
        self.lint.say()
        self.clocks.say()
        self._on_pointed(None)
        self._show_all()


def _right(label: ElidedLabel) -> ElidedLabel:
    label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    return label


def _line(title: QLabel, hint: QLabel) -> QHBoxLayout:
    line = QHBoxLayout()
    line.addWidget(title)
    line.addWidget(hint, 1)
    return line
