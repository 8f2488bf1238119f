"""What was spent, on a page over the chat: the budget, and the sums of a time by day, conversation and more."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont, QHideEvent, QKeyEvent, QShowEvent
from PySide6.QtWidgets import QFileDialog, QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from desktop_app.bridge.spending_models import SpendingModel, report_notes
from desktop_app.bridge.spending_session import PeriodChoice, SpendingSession
from desktop_app.core.errors import BadInput
from desktop_app.core.money.spending import SpendingBy
from desktop_app.core.money.spending_words import amount
from desktop_app.ui.language import Language
from desktop_app.ui.money.budget_card import BudgetCard
from desktop_app.ui.money.spending_table import SpendingTable
from desktop_app.ui.profile_menu import profile_label
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import IconButton, TextButton
from desktop_app.ui.widgets.choice_button import ChoiceButton
from desktop_app.ui.widgets.kept_font import keep_font
from desktop_app.ui.widgets.plain_label import PlainLabel, set_tooltip
from desktop_app.ui.widgets.segmented import Segmented

if TYPE_CHECKING:
    from desktop_app.bridge.app_session import AppSession

_WIDTH = 760
_ORDER = (SpendingBy.DAY, SpendingBy.CONVERSATION, SpendingBy.TURN, SpendingBy.MODEL, SpendingBy.PROFILE)
_FILE = "mnemoscope-spending.csv"


class SpendingPage(QWidget):
    """`closed` by its button, by Escape, or to write a message; `pricesAsked` when the price list is wanted."""

    closed = Signal()
    pricesAsked = Signal()

    def __init__(
        self,
        app: AppSession,
        spending: SpendingSession,
        theme: Theme,
        language: Language,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._app, self._spending, self._language = app, spending, language
        self.title, self.close_button = PlainLabel(), IconButton(theme, "x")
        self.prices, self.export = TextButton(), TextButton()
        self.budget = BudgetCard(theme, language)
        self.by = Segmented(theme)
        self.period, self.profile = ChoiceButton(theme), ChoiceButton(theme)
        self.total_name, self.total = PlainLabel(tone="muted"), PlainLabel()
        self.model = SpendingModel(language.words, lambda name: profile_label(language, name), self)
        self.table = SpendingTable(self.model, theme)
        self.none, self.notes = PlainLabel(tone="muted", wrap=True), PlainLabel(tone="muted", wrap=True)
        self.begin = TextButton()
        self._arrange()
        self._connect()
        for label, size in ((self.title, 18), (self.total, 18)):
            keep_font(label, theme, size, QFont.Weight.DemiBold)
        self._say()

    def showEvent(self, event: QShowEvent) -> None:
        """What it shows is read, and again after every request, while it is seen."""
        super().showEvent(event)
        self._spending.open()

    def hideEvent(self, event: QHideEvent) -> None:
        """Nothing is read for it any more."""
        super().hideEvent(event)
        self._spending.close()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape closes."""
        if event.key() == Qt.Key.Key_Escape:
            self.closed.emit()
            return
        super().keyPressEvent(event)

    # -- building ---------------------------------------------------------------------------------

    def _arrange(self) -> None:
        # From the outside in: what is put into another widget is polished with all it holds.
        layout = self._column()
        layout.addLayout(_line(self.title, None, self.prices, self.export, self.close_button))
        layout.addWidget(self.budget)
        layout.addSpacing(4)
        layout.addWidget(self.by)
        layout.addLayout(_line(self.period, self.profile, None, self.total_name, self.total))
        layout.addWidget(self.table, 1)
        layout.addWidget(self.none)
        layout.addWidget(self.begin, 0, Qt.AlignmentFlag.AlignLeft)
        layout.addWidget(self.notes)
        self._rest = QWidget()
        layout.addWidget(self._rest, 1)

    def _column(self) -> QVBoxLayout:
        """The column in the middle; it scrolls where the window is too low for all of it."""
        holder = QWidget()
        holder.setProperty("surface", "true")
        holder.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        across = QHBoxLayout(holder)
        across.setContentsMargins(0, 0, 0, 0)
        across.addStretch(1)
        column = QWidget()
        column.setMaximumWidth(_WIDTH)
        across.addWidget(column, 100)
        across.addStretch(1)
        self.area = QScrollArea()
        self.area.setFrameShape(QFrame.Shape.NoFrame)
        self.area.setWidgetResizable(True)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.area.setWidget(holder)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self.area)
        inner = QVBoxLayout(column)
        inner.setContentsMargins(24, 24, 24, 20)
        inner.setSpacing(12)
        return inner

    def _connect(self) -> None:
        spending = self._spending
        self.close_button.clicked.connect(self.closed)
        self.begin.clicked.connect(self.closed)  # what lies below is the chat, ready to type
        self.prices.clicked.connect(self.pricesAsked)
        self.export.clicked.connect(self._export)
        self.budget.budgetGiven.connect(self._set_budget)
        self.by.chosen.connect(spending.add_up_by)
        self.period.chosen.connect(spending.choose_period)
        self.profile.chosen.connect(self._choose_profile)
        spending.reportChanged.connect(self._show_report)
        spending.budgetChanged.connect(self.budget.show_budget)
        self._app.settingsChanged.connect(self._say)
        self._language.changed.connect(self._say)
        if spending.budget is not None:
            self.budget.show_budget(spending.budget)

    # -- acts -------------------------------------------------------------------------------------

    def _set_budget(self, text: str) -> None:
        try:
            self._spending.set_budget(text)
        except BadInput as error:
            self.budget.refuse(self._language.explain(error))
            return
        self.budget.take()

    def _choose_profile(self, name: str) -> None:
        self._spending.choose_profile(name or None)

    def _export(self) -> None:
        """Asks where to, and writes the file."""
        say = self._language.say
        dialog = QFileDialog(self.window(), say("money.export_title"), _FILE, say("money.export_filter"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("csv")
        dialog.fileSelected.connect(self.write)
        dialog.open()

    def write(self, file: str) -> None:
        """Writes what is shown into a file, request by request."""
        self._spending.export(Path(file))

    # -- words ------------------------------------------------------------------------------------

    def _say(self, _changed: object = None) -> None:
        say, spending = self._language.say, self._spending
        self.title.setText(say("money.title"))
        self.close_button.set_name(say("money.close"))
        for button, name in ((self.prices, "prices"), (self.export, "export")):
            button.set_words(say(f"money.{name}"))
            set_tooltip(button, say(f"money.{name}_hint"))
        self.by.set_choices([(by, say(f"money.by_{by}")) for by in _ORDER], spending.by, say("money.by"))
        periods = [(one, say(f"money.period_{one}")) for one in PeriodChoice]
        self.period.set_choices(periods, spending.period, say("money.period"))
        names = [(name, profile_label(self._language, name)) for name in self._app.settings.profiles]
        choices = [("", say("money.profile_all")), *names]
        self.profile.set_choices(choices, spending.profile or "", say("money.profile"))
        self.total_name.setText(say("money.total"))
        self.none.setText(say("money.none"))
        self.begin.set_words(say("money.write"))
        self.model.set_words(self._language.words)
        self._show_report()

    def _show_report(self, _report: object = None) -> None:
        report = self._spending.report
        self.model.show(report)
        empty = report is not None and not report.groups
        self.table.setVisible(not empty)
        self.none.setVisible(empty)
        self.begin.setVisible(empty)
        self._rest.setVisible(empty)
        words = self._language.words
        self.total.setText(amount(words, report.total) if report and not empty else "")
        self.total_name.setVisible(bool(self.total.text()))
        by = self._language.say(f"money.by_{self._spending.by}")
        self.table.setAccessibleName(self._language.say("money.table", by=by))
        self.table.setAccessibleDescription(self._language.say("money.expand"))
        self.notes.setText("\n".join(report_notes(words, report)) if report else "")
        self.notes.setVisible(bool(self.notes.text()))
        self.export.setEnabled(report is not None and bool(report.groups or report.simulated))


def _line(*widgets: QWidget | None) -> QHBoxLayout:
    """Widgets beside each other; None is what stretches between them."""
    line = QHBoxLayout()
    line.setSpacing(8)
    for widget in widgets:
        if widget is None:
            line.addStretch(1)
        else:
            line.addWidget(widget)
    return line
