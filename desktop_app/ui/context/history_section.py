"""The lower part of the Context panel: history over turns, and the time machine that leads through it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from desktop_app.bridge.context_models import HistoryModel
from desktop_app.core.request_log import RequestRecord
from desktop_app.ui.context.history_chart import HistoryChart
from desktop_app.ui.context.time_machine import TimeMachine
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.plain_label import ElidedLabel, PlainLabel


class HistorySection(QWidget):
    """`chosen(request_id)` from the chart or the time machine; what else the latter asks for it tells itself."""

    chosen = Signal(str)

    def __init__(self, model: HistoryModel, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model, self._language = model, language
        self._record: RequestRecord | None = None
        self.title = PlainLabel(tone="heading")
        self.hint = ElidedLabel(tone="muted")
        self.hint.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.chart = HistoryChart(model, theme, language)
        self.empty = PlainLabel(tone="muted", wrap=True)
        self.machine = TimeMachine(model, theme, language)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._arrange()
        self.chart.stepped.connect(self.machine.step)
        self.chart.chosen.connect(self.chosen)
        self.chart.pointed.connect(self._on_pointed)
        self.machine.chosen.connect(self.chosen)
        language.changed.connect(self.say)
        self.say()

    def show_record(self, record: RequestRecord | None) -> None:
        """Marks the request on show; None where it is the next one."""
        self._record = record
        some = bool(self._model.records)
        self.chart.select(record.turn if record else None)
        self.chart.setVisible(some)
        self.empty.setVisible(not some)
        self.hint.setVisible(some)
        self.machine.show_record(record)

    def say(self) -> None:
        """The words in the language in use."""
        say = self._language.say
        self.title.setText(say("context.history.title"))
        self.hint.set_whole(say("context.history.hint"))
        self.empty.setText(say("context.history.empty"))
        self.chart.setAccessibleName(say("context.history_name"))
        self.machine.say()
        self.show_record(self._record)

    def _arrange(self) -> None:
        heading = QHBoxLayout()
        heading.addWidget(self.title)
        heading.addWidget(self.hint, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addLayout(heading)
        layout.addWidget(self.chart)
        layout.addWidget(self.empty)
        layout.addSpacing(6)
        layout.addWidget(self.machine)

    def _on_pointed(self, text: str) -> None:
        self.hint.set_whole(text or self._language.say("context.history.hint"))
