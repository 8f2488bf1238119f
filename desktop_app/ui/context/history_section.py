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
from desktop_app.ui.widgets.buttons import TextButton
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
        self.empty = PlainLabel(tone="muted", wrap=True)
        self.card = QFrame()
        self.card.setProperty("role", "card")
        self.shown_title = PlainLabel(tone="heading")
        self.shown_what = ElidedLabel(tone="muted")
        self.to_live = TextButton(kind="quiet")
        self.raw = TextButton()
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._arrange()
        self.chart.chosen.connect(self.chosen)
        self.chart.pointed.connect(self._on_pointed)
        self.to_live.clicked.connect(self.liveAsked)
        self.raw.clicked.connect(self.rawAsked)
        language.changed.connect(self.say)
        self.say()
        self.show_record(None)

    def show_record(self, record: RequestRecord | None) -> None:
        """Marks the request on show; None where it is the next one."""
        self._record = record
        records = self._model.records
        self.chart.select(record.id if record else None)
        self.chart.setVisible(bool(records))
        self.empty.setVisible(not records)
        self.hint.setVisible(bool(records))
        self.card.setVisible(bool(records))
        self.to_live.setVisible(record is not None)
        self.shown_title.setText(self._language.say(f"context.{'shown' if record else 'last'}_title"))
        if records:
            one = record or records[-1]
            self.shown_what.set_whole(self._language.say("context.shown", turn=one.turn, time=clock(one.sent_at)))

    def say(self) -> None:
        """The words in the language in use."""
        say = self._language.say
        self.title.setText(say("context.history.title"))
        self.hint.set_whole(say("context.history.hint"))
        self.empty.setText(say("context.history.empty"))
        self.chart.setAccessibleName(say("context.history_name"))
        self.to_live.set_words(say("context.back_to_live"))
        set_tooltip(self.to_live, say("context.back_to_live_hint"))
        self.raw.set_words(say("context.raw"))
        self.show_record(self._record)

    def _arrange(self) -> None:
        heading = QHBoxLayout()
        heading.addWidget(self.title)
        heading.addWidget(self.hint, 1)
        card = QHBoxLayout(self.card)
        card.setContentsMargins(14, 10, 12, 10)
        card.addWidget(self.shown_title)
        card.addWidget(self.shown_what, 1)
        card.addWidget(self.to_live)
        card.addWidget(self.raw)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addLayout(heading)
        layout.addWidget(self.chart)
        layout.addWidget(self.empty)
        layout.addSpacing(6)
        layout.addWidget(self.card)

    def _on_pointed(self, text: str) -> None:
        self.hint.set_whole(text or self._language.say("context.history.hint"))
