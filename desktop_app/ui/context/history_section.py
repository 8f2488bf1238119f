"""The lower part of the Context panel: history over turns, and the request on show with its raw JSON."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from desktop_app.bridge.context_models import HistoryModel
from desktop_app.bridge.figures import clock
from desktop_app.core.request_log import RequestRecord
from desktop_app.ui.context.history_chart import HistoryChart
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import IconButton, TextButton
from desktop_app.ui.widgets.plain_label import ElidedLabel, PlainLabel, set_tooltip


class HistorySection(QWidget):
    """Signals: `chosen(request_id)`, `rawAsked`, `liveAsked`."""

    chosen = Signal(str)
    rawAsked = Signal()
    liveAsked = Signal()

    def __init__(self, model: HistoryModel, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model, self._language = model, language
        self._record: RequestRecord | None = None
        self.title = PlainLabel(tone="heading")
        self.hint = ElidedLabel(tone="muted")
        self.hint.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.chart = HistoryChart(model, theme, language)
        self._requests: dict[int, list[RequestRecord]] = {}
        self.empty = PlainLabel(tone="muted", wrap=True)
        self.card = QFrame()
        self.card.setProperty("role", "card")
        self.shown_title = PlainLabel(tone="heading")
        self.shown_what = ElidedLabel(tone="muted")
        self.to_live = TextButton(kind="quiet")
        self.raw = TextButton()
        self.round = PlainLabel(tone="muted")
        self.before, self.after = IconButton(theme, "chevron-left"), IconButton(theme, "chevron-right")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._arrange()
        self.before.clicked.connect(self._to_before)
        self.after.clicked.connect(self._to_after)
        self.chart.stepped.connect(self._step)
        self.chart.chosen.connect(self.chosen)
        self.chart.pointed.connect(self._on_pointed)
        self.to_live.clicked.connect(self.liveAsked)
        self.raw.clicked.connect(self.rawAsked)
        language.changed.connect(self.say)
        self.say()
        self.show_record(None)

    def set_requests(self, requests: list[RequestRecord]) -> None:
        """Every request of the conversation: a turn with tools, or answered anew, has several."""
        self._requests = {}
        for one in requests:
            self._requests.setdefault(one.turn, []).append(one)

    def show_record(self, record: RequestRecord | None) -> None:
        """Marks the request on show; None where it is the next one."""
        self._record = record
        records = self._model.records
        self.chart.select(record.turn if record else None)
        self.chart.setVisible(bool(records))
        self.empty.setVisible(not records)
        self.hint.setVisible(bool(records))
        self.card.setVisible(bool(records))
        self.to_live.setVisible(record is not None)
        self.shown_title.setText(self._language.say(f"context.{'shown' if record else 'last'}_title"))
        if records:
            one = record or records[-1]
            self.shown_what.set_whole(self._language.say("context.shown", turn=one.turn, time=clock(one.sent_at)))
            self._show_round(one)

    def say(self) -> None:
        """The words in the language in use."""
        say = self._language.say
        self.title.setText(say("context.history.title"))
        self.hint.set_whole(say("context.history.hint"))
        self.empty.setText(say("context.history.empty"))
        self.chart.setAccessibleName(say("context.history_name"))
        self.before.set_name(say("context.history.round_before"))
        self.after.set_name(say("context.history.round_after"))
        self.to_live.set_words(say("context.back_to_live"))
        set_tooltip(self.to_live, say("context.back_to_live_hint"))
        self.raw.set_words(say("context.raw"))
        self.show_record(self._record)

    def _arrange(self) -> None:
        heading = QHBoxLayout()
        heading.addWidget(self.title)
        heading.addWidget(self.hint, 1)
        card = QVBoxLayout(self.card)
        card.setContentsMargins(14, 10, 12, 10)
        card.setSpacing(4)
        line, rounds = QHBoxLayout(), QHBoxLayout()
        card.addLayout(line)
        card.addLayout(rounds)
        line.addWidget(self.shown_title)
        line.addWidget(self.shown_what, 1)
        line.addWidget(self.to_live)
        line.addWidget(self.raw)
        rounds.setSpacing(2)
        rounds.addWidget(self.round, 1)
        rounds.addWidget(self.before)
        rounds.addWidget(self.after)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addLayout(heading)
        layout.addWidget(self.chart)
        layout.addWidget(self.empty)
        layout.addSpacing(6)
        layout.addWidget(self.card)

    def _show_round(self, record: RequestRecord) -> None:
        """Which of the turn's requests this is; nothing where the turn has but one."""
        of_turn = self._requests.get(record.turn, [])
        place = next((at for at, one in enumerate(of_turn) if one.id == record.id), 0)
        for widget in (self.round, self.before, self.after):
            widget.setVisible(len(of_turn) > 1)
        self.round.setText(self._language.say("context.history.round", place=place + 1, n=len(of_turn)))
        self.before.setEnabled(place > 0)
        self.after.setEnabled(place < len(of_turn) - 1)

    def _to_before(self) -> None:
        self._step(-1)

    def _to_after(self) -> None:
        self._step(1)

    def _step(self, step: int) -> None:
        """To the request before or after within the turn."""
        record = self._record or (self._model.records[-1] if self._model.records else None)
        of_turn = self._requests.get(record.turn, []) if record else []
        place = next((at for at, one in enumerate(of_turn) if record and one.id == record.id), -1) + step
        if 0 <= place < len(of_turn):
            self.chosen.emit(of_turn[place].id)

    def _on_pointed(self, text: str) -> None:
        self.hint.set_whole(text or self._language.say("context.history.hint"))
