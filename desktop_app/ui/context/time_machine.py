"""The time machine: a slider over turns, every request of a turn, and what can be done with the one on show."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from desktop_app.bridge.context_models import HistoryModel
from desktop_app.bridge.figures import clock
from desktop_app.bridge.request_names import request_kind
from desktop_app.core.request_log import RequestPurpose, RequestRecord
from desktop_app.ui.context.turn_slider import TurnSlider
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import IconButton, TextButton
from desktop_app.ui.widgets.plain_label import ElidedLabel, PlainLabel, set_tooltip


class TimeMachine(QFrame):
    """Signals: `chosen(request_id)`, `liveAsked`, `compareAsked`, `rawAsked`, `saveAsked`, `branchAsked(turn_id)`,
    `resumeAsked`.
    """

    chosen = Signal(str)
    liveAsked = Signal()
    compareAsked = Signal()
    rawAsked = Signal()
    saveAsked = Signal()
    branchAsked = Signal(str)
    resumeAsked = Signal()

    def __init__(self, model: HistoryModel, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model, self._language = model, language
        self._record: RequestRecord | None = None
        self._requests: dict[int, list[RequestRecord]] = {}
        self._free, self._goes_on, self._comparable = True, False, False
        self.setProperty("role", "card")
        self.title = PlainLabel(tone="heading")
        self.what = ElidedLabel(tone="muted")
        self.to_live = TextButton(kind="link")
        self.earlier, self.later = IconButton(theme, "chevron-left"), IconButton(theme, "chevron-right")
        self.slider = TurnSlider(theme)
        self.round = ElidedLabel(tone="muted")
        self.before, self.after = IconButton(theme, "chevron-up"), IconButton(theme, "chevron-down")
        self.compare, self.raw, self.branch = TextButton(), TextButton(), TextButton()
        self.save = IconButton(theme, "download")
        self.kept = ElidedLabel(tone="muted")
        self.resume = TextButton(kind="link")
        self._arrange()
        self._connect()
        self.say()

    def set_requests(self, requests: list[RequestRecord]) -> None:
        """Every request of the turns on the path, for every purpose, oldest first: a turn may have several."""
        self._requests = {}
        for one in requests:
            self._requests.setdefault(one.turn, []).append(one)

    def set_state(self, *, free: bool, goes_on: bool, comparable: bool) -> None:
        """Whether the conversation can be branched now, whether messages are kept behind its end, and whether it has
        two requests to compare."""
        self._free, self._goes_on, self._comparable = free, goes_on, comparable
        self._show()

    def show_record(self, record: RequestRecord | None) -> None:
        """Names the request on show; None where it is the next one."""
        self._record = record
        self._show()

    def step(self, step: int) -> None:
        """To the request before or after within the turn."""
        record = self._about()
        of_turn = self._requests.get(record.turn, []) if record else []
        place = next((at for at, one in enumerate(of_turn) if record and one.id == record.id), -1) + step
        if 0 <= place < len(of_turn):
            self.chosen.emit(of_turn[place].id)

    def say(self) -> None:
        """The words in the language in use."""
        say = self._language.say
        self.title.setText(say("context.machine.title"))
        self.slider.setAccessibleName(say("context.machine.slider"))
        set_tooltip(self.slider, say("context.machine.slider_hint"))
        self.earlier.set_name(say("context.machine.earlier"))
        self.later.set_name(say("context.machine.later"))
        self.before.set_name(say("context.history.round_before"))
        self.after.set_name(say("context.history.round_after"))
        self.to_live.set_words(say("context.back_to_live"))
        set_tooltip(self.to_live, say("context.back_to_live_hint"))
        self.compare.set_words(say("context.machine.compare"))
        self.raw.set_words(say("context.raw"))
        self.save.set_name(say("context.request.save_hint"))
        self.branch.set_words(say("context.machine.branch"))
        self.kept.set_whole(say("context.machine.kept"))
        self.resume.set_words(say("context.machine.resume"))
        set_tooltip(self.resume, say("context.machine.resume_hint"))
        self._show()

    def _arrange(self) -> None:
        card = QVBoxLayout(self)
        card.setContentsMargins(14, 10, 12, 10)
        card.setSpacing(6)
        lines = [QHBoxLayout() for _ in range(5)]
        heading, slide, rounds, acts, kept = lines
        for line in lines:
            line.setSpacing(4)
            card.addLayout(line)
        acts.setSpacing(8)
        heading.setSpacing(8)
        rows: tuple[tuple[QHBoxLayout, tuple[QWidget, ...], QWidget], ...] = (
            (heading, (self.title, self.what, self.to_live), self.what),
            (slide, (self.earlier, self.slider, self.later), self.slider),
            (rounds, (self.round, self.before, self.after), self.round),
            (kept, (self.kept, self.resume), self.kept),
        )
        for line, widgets, widest in rows:
            for one in widgets:
                line.addWidget(one, 1 if one is widest else 0)
        for widget in (self.compare, self.raw, self.branch):
            acts.addWidget(widget)
        acts.addStretch()
        acts.addWidget(self.save)

    def _connect(self) -> None:
        self.slider.valueChanged.connect(self._on_slid)
        self.earlier.clicked.connect(self._to_earlier)
        self.later.clicked.connect(self._to_later)
        self.before.clicked.connect(self._to_before)
        self.after.clicked.connect(self._to_after)
        self.to_live.clicked.connect(self.liveAsked)
        self.compare.clicked.connect(self.compareAsked)
        self.raw.clicked.connect(self.rawAsked)
        self.save.clicked.connect(self.saveAsked)
        self.branch.clicked.connect(self._on_branch)
        self.resume.clicked.connect(self.resumeAsked)

    def _about(self) -> RequestRecord | None:
        """The request on show, or the last one sent."""
        return self._record or (self._model.records[-1] if self._model.records else None)

    def _show(self) -> None:
        records, record = self._model.records, self._about()
        self.setVisible(bool(records))
        if record is None or not records:
            return
        self._name(record, live=self._record is None)
        turn = self._record.turn if self._record else None
        place = next((at for at, one in enumerate(records) if one.turn == turn), len(records))
        self.slider.show_place(place, len(records))
        self.earlier.setEnabled(place > 0)
        self.later.setEnabled(place < len(records))
        self.to_live.setVisible(self._record is not None)
        self._show_round(record)
        self.compare.setEnabled(self._comparable)
        hint = "compare_hint" if self._comparable else "compare_alone"
        set_tooltip(self.compare, self._language.say(f"context.machine.{hint}"))
        last = record.turn >= records[-1].turn
        self.branch.setEnabled(self._free and not last)
        hint = "branch_last" if last else "branch_hint" if self._free else "branch_busy"
        set_tooltip(self.branch, self._language.say(f"context.machine.{hint}", turn=record.turn))
        self.kept.setVisible(self._goes_on)
        self.resume.setVisible(self._goes_on)
        self.resume.setEnabled(self._free)

    def _name(self, record: RequestRecord, *, live: bool) -> None:
        word = "context.machine.now" if live else "context.shown"
        text = self._language.say(word, turn=record.turn, time=clock(record.sent_at))
        self.what.set_whole(text)
        self.slider.setAccessibleDescription(text)

    def _show_round(self, record: RequestRecord) -> None:
        """Which of the turn's requests this is and what it was for; nothing where the turn has but one answer."""
        of_turn = self._requests.get(record.turn, [])
        place = next((at for at, one in enumerate(of_turn) if one.id == record.id), 0)
        for widget in (self.round, self.before, self.after):
            widget.setVisible(len(of_turn) > 1)
        here = record.purpose is not RequestPurpose.CHAT or any(one.id == record.id for one in self._model.history)
        count = self._language.say("context.history.round", place=place + 1, n=len(of_turn))
        self.round.set_whole(" · ".join([count, *request_kind(self._language.words, record, on_path=here)]))
        self.before.setEnabled(place > 0)
        self.after.setEnabled(place < len(of_turn) - 1)

    def _on_slid(self, place: int) -> None:
        records = self._model.records
        if place >= len(records):
            self.liveAsked.emit()
            return
        self._name(records[place], live=False)  # at once: the request itself has to be read
        self.chosen.emit(records[place].id)

    def _to_earlier(self) -> None:
        self.slider.setValue(self.slider.value() - 1)

    def _to_later(self) -> None:
        self.slider.setValue(self.slider.value() + 1)

    def _to_before(self) -> None:
        self.step(-1)

    def _to_after(self) -> None:
        self.step(1)

    def _on_branch(self) -> None:
        record = self._about()
        if record is not None:
            self.branchAsked.emit(record.turn_id)
