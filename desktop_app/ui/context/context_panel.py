"""The Context panel: what the next request holds, what the last one held, and every one before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QStackedLayout, QVBoxLayout, QWidget

from desktop_app.bridge.context_models import BudgetRowsModel, HistoryModel
from desktop_app.bridge.session_state import ShownRequest
from desktop_app.core.context_budget import Budget
from desktop_app.core.segment import Segment
from desktop_app.ui.context.blocks_view import BlocksView
from desktop_app.ui.context.budget_chart import BudgetChart
from desktop_app.ui.context.heat_strip import HeatStrip
from desktop_app.ui.context.history_section import HistorySection
from desktop_app.ui.context.request_acts import RequestActs
from desktop_app.ui.context.rows_table import RowsTable
from desktop_app.ui.context.total_line import TotalLine
from desktop_app.ui.language import Language
from desktop_app.ui.message_page import MessagePage
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import TextButton
from desktop_app.ui.widgets.plain_label import PlainLabel, set_tooltip
from desktop_app.ui.widgets.segmented import Segmented

if TYPE_CHECKING:
    from desktop_app.bridge.chat_session import ChatSession

LIVE, LAST = "live", "last"


class ContextPanel(QWidget):
    """Shows one conversation's context.

    Signals:
        messageChosen(id): a block of that message was chosen.
        writeAsked: the empty panel's act, to write a message.
        windowAsked: the window of the endpoint is unknown and is to be set.
    """

    messageChosen = Signal(str)
    writeAsked = Signal()
    windowAsked = Signal()

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._language = theme, language
        self._session: ChatSession | None = None
        self._shown: ShownRequest | None = None
        self._view = LIVE
        self._opened: Segment | None = None
        self._window_settable = True
        self.rows_model = BudgetRowsModel(language.words, self)
        self.history_model = HistoryModel(language.words, self)
        self.view = Segmented(theme)
        self.total = TotalLine(theme, language)
        self.chart = BudgetChart(theme, language)
        self.over = PlainLabel(tone="danger", wrap=True)
        self.window_unknown = PlainLabel(tone="muted", wrap=True)
        self.window_set = TextButton(kind="link")
        self.table = RowsTable(self.rows_model, theme)
        self.blocks = BlocksView(theme, language)
        self.strip = HeatStrip(theme, language)
        self.legend = PlainLabel(tone="muted", wrap=True)
        self.history = HistorySection(self.history_model, theme, language)
        self.empty = MessagePage(theme, size=13)
        self._acts = RequestActs(theme, language, self)
        self._arrange()
        self._connect()
        self._say()
        self._show_all()

    def set_session(self, session: ChatSession | None) -> None:
        """Shows another conversation, or nothing."""
        if self._session is not None:
            self._session.previewChanged.disconnect(self._on_budget)
            self._session.measuredChanged.disconnect(self._on_budget)
            self._session.historyChanged.disconnect(self._on_history)
            self._session.requestShown.disconnect(self._on_shown)
            self._session.stateChanged.disconnect(self._on_state)
            self._session.truth.heatChanged.disconnect(self._show_all)
        self._session, self._shown, self._opened = session, None, None
        self._view = LIVE
        self._acts.set_session(session)
        if session is not None:
            session.previewChanged.connect(self._on_budget)
            session.measuredChanged.connect(self._on_budget)
            session.historyChanged.connect(self._on_history)
            session.requestShown.connect(self._on_shown)
            session.stateChanged.connect(self._on_state)
            session.truth.heatChanged.connect(self._show_all)
        self._on_history()

    def set_window_settable(self, settable: bool) -> None:
        """Whether a window the endpoint does not tell can be set by hand."""
        if settable != self._window_settable:
            self._window_settable = settable
            self._say()
            self._show_all()

    def show_message(self, message_id: str) -> None:
        """Opens the row that holds a message and marks its first block."""
        budget = self.budget
        for row in budget.rows if budget else ():
            if any(one.block.message_id == message_id for one in row.blocks):
                self._open_segment(row.segment)
                self.blocks.select_message(message_id)
                return

    def open_raw(self) -> None:
        """Opens the JSON of the request shown, or of the last one sent."""
        if (request_id := self._about) is not None:
            self._acts.open_raw(request_id, self._shown)

    def save_request(self) -> None:
        """Asks for a file and writes the JSON of the request shown, or of the last one sent, into it."""
        if (request_id := self._about) is not None:
            self._acts.save(request_id, self._shown)

    def open_comparison(self) -> None:
        """Compares the request shown, or the last one sent, with the one sent before it."""
        if (request_id := self._about) is not None:
            self._acts.compare(request_id)

    @property
    def _about(self) -> str | None:
        """The id of the request shown, or of the last one sent, if any was."""
        if self._shown is not None:
            return self._shown.record.id
        records = self.history_model.records
        return records[-1].id if records else None

    @property
    def budget(self) -> Budget | None:
        """The budget on show: that of a past request, the last one sent, or the next."""
        if self._shown is not None:
            return self._shown.budget
        if self._session is None:
            return None
        return self._session.measured if self._view == LAST else self._session.preview

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
        self._fill(page)
        self.setMinimumWidth(360)

    def _fill(self, page: QWidget) -> None:
        layout = QVBoxLayout(page)
        layout.setContentsMargins(16, 12, 16, 16)
        layout.setSpacing(8)
        unknown = QHBoxLayout()
        unknown.addWidget(self.window_unknown, 1)
        unknown.addWidget(self.window_set)
        layout.addWidget(self.view)
        layout.addWidget(self.total)
        layout.addWidget(self.chart)
        layout.addWidget(self.over)
        layout.addLayout(unknown)
        for widget in (self.table, self.blocks, self.strip, self.legend):
            layout.addWidget(widget)
        layout.addSpacing(8)
        layout.addWidget(self.history)
        layout.addStretch()

    def _connect(self) -> None:
        self.view.chosen.connect(self._on_view)
        self.table.segmentOpened.connect(self._open_segment)
        self.blocks.closed.connect(self._close_segment)
        self.blocks.messageChosen.connect(self.messageChosen)
        self.history.chosen.connect(self._on_turn)
        machine = self.history.machine
        machine.liveAsked.connect(self._back_to_live)
        machine.rawAsked.connect(self.open_raw)
        machine.saveAsked.connect(self.save_request)
        machine.compareAsked.connect(self.open_comparison)
        machine.branchAsked.connect(self._on_branch)
        machine.resumeAsked.connect(self._on_resume)
        self.empty.acted.connect(self.writeAsked)
        self.window_set.clicked.connect(self.windowAsked)
        self._language.changed.connect(self._on_language)

    def _on_budget(self, _budget: object) -> None:
        self._show_all()

    def _on_history(self) -> None:
        requests = self._session.history if self._session else []
        self.history_model.show(requests)
        session = self._session
        self.history.machine.set_requests(
            [one for one in session.requests if one.turn_id in session.turns] if session else []
        )
        self._on_state()
        self._show_all()

    def _on_shown(self, shown: ShownRequest | None) -> None:
        self._shown = shown
        self._show_all()

    def _on_view(self, view: str) -> None:
        self._view = view
        if self._shown is not None and self._session is not None:
            self._shown = None
            self._session.show_request(None)
        self._show_all()

    def _on_turn(self, request_id: str) -> None:
        if self._session is not None:
            self._session.show_request(request_id)

    def _on_state(self, _state: object = None) -> None:
        session = self._session
        if session is None:
            return
        self.history.machine.set_state(
            free=not session.state.answering, goes_on=session.goes_on, comparable=len(session.requests) > 1
        )

    def _on_branch(self, turn_id: str) -> None:
        if self._session is not None:
            self._session.branch_at(turn_id)

    def _on_resume(self) -> None:
        if self._session is not None:
            self._session.resume()

    def _back_to_live(self) -> None:
        self._on_view(LIVE)

    def _open_segment(self, segment: Segment) -> None:
        self._opened = segment
        self._show_all()
        self.blocks.table.setFocus(Qt.FocusReason.OtherFocusReason)

    def _close_segment(self) -> None:
        place = self.rows_model.place_of(self._opened) if self._opened else None
        self._opened = None
        self._show_all()
        self.table.setFocus(Qt.FocusReason.OtherFocusReason)
        if place is not None:
            self.table.selectRow(place)

    def _show_all(self) -> None:
        """Everything of the panel from what the session holds; cheap enough for every keystroke."""
        budget = self.budget
        self._pages.setCurrentIndex(0 if budget is None and not self.history_model.records else 1)
        self.view.set_value(None if self._shown else self._view)
        heat = self._session.truth.heat_of(self._shown, budget) if self._session is not None else None
        self.rows_model.show(budget, heat)
        self.strip.show_heat(heat)
        self.total.show_budget(budget)
        self.chart.show_budget(budget)
        self.chart.setVisible(budget is not None)
        self.over.setVisible(budget is not None and budget.free is not None and budget.free < 0)
        unknown = budget is not None and budget.window is None
        self.window_unknown.setVisible(unknown)
        self.window_set.setVisible(unknown and self._window_settable)
        row = budget.row(self._opened) if budget and self._opened else None
        self._opened = row.segment if row else None
        self.blocks.show_row(row, heat)
        self.blocks.setVisible(row is not None)
        self.table.setVisible(row is None and budget is not None)
        self.legend.setText(self._legend())
        self.history.show_record(self._shown.record if self._shown else None)

    def _legend(self) -> str:
        """What the signs mean, and what was known of the input before and after sending."""
        say = self._language.say
        answered = (one for one in reversed(self.history_model.records) if one.usage and one.usage.input_total)
        record = self._shown.record if self._shown else next(answered, None)
        if record is None:
            return say("context.legend")
        known = {
            "estimated": record.estimated,
            "counted": record.counted,
            "measured": (record.usage.input_total if record.usage else None) or None,
        }
        figures = " · ".join(
            say(f"context.figure_{name}", tokens=self._language.number(tokens))
            for name, tokens in known.items()
            if tokens is not None
        )
        words = "context.legend_shown" if self._shown else "context.legend_last"
        return f"{say('context.legend')}\n{say(words, figures=figures)}"

    def _on_language(self) -> None:
        self.rows_model.set_words(self._language.words)
        self.history_model.set_words(self._language.words)
        self._say()
        self._show_all()

    def _say(self) -> None:
        say = self._language.say
        self.setAccessibleName(say("window.context"))
        choices = [(view, say(f"context.{view}")) for view in (LIVE, LAST)]
        self.view.set_choices(choices, self._view, say("context.view_name"))
        for view in (LIVE, LAST):
            self.view.set_hint(view, say(f"context.{view}_hint"))
        self.over.setText(say("context.over_hint"))
        self.table.setAccessibleName(say("context.rows_name"))
        set_tooltip(self.table, say("context.row_hint"))
        self.window_unknown.setText(say(f"context.window_{'unknown' if self._window_settable else 'untold'}"))
        self.window_set.set_words(say("context.window_set"))
        self.empty.say(say("context.empty_title"), say("context.empty_text"), say("context.empty_act"))
