"""Two requests of the past side by side: two pickers, the blocks with their signs, and the lines of one of them."""

from __future__ import annotations

from collections.abc import Sequence, Set

from PySide6.QtCore import QModelIndex, QPoint, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QGridLayout,
    QHBoxLayout,
    QListView,
    QSplitter,
    QStyledItemDelegate,
    QVBoxLayout,
    QWidget,
)

from desktop_app.bridge.comparison_model import ComparedModel, ComparedRow, lines_of
from desktop_app.bridge.request_comparison import RequestComparison
from desktop_app.bridge.request_list import RequestListModel
from desktop_app.core.errors import AppError
from desktop_app.core.request_diff import Change
from desktop_app.core.request_log import RequestRecord
from desktop_app.ui.context.diff_text import DiffText
from desktop_app.ui.context.flat_table import AnyIndex, FlatDelegate, FlatTable
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import IconButton, TextButton
from desktop_app.ui.widgets.plain_label import ElidedLabel, PlainLabel, set_tooltip
from desktop_app.ui.widgets.segmented import Segmented
from desktop_app.ui.widgets.switch import Switch

FIRST, WHOLE = "first", "whole"
_COLOURS = {Change.ADDED: "good", Change.REMOVED: "danger", Change.CHANGED: "warning", Change.SAME: "muted"}


class _RowDelegate(FlatDelegate):
    """The sign in the colour of its change, equal rows muted."""

    def colour(self, index: AnyIndex) -> str:
        """By the change of the row."""
        row: ComparedRow = index.data(ComparedModel.RowRole)
        if index.column() == ComparedModel.SIGN or row.change is Change.SAME:
            return _COLOURS[row.change]
        return "muted" if index.column() == ComparedModel.WHAT else "text"


class RequestPicker(QComboBox):
    """Chooses one of the requests of a list, newest last."""

    def __init__(self, requests: RequestListModel, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._requests = theme, requests
        theme.changed.connect(self.update)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(20)
        self.setMaxVisibleItems(20)
        self.setItemDelegate(QStyledItemDelegate(self))  # this one has the look of the sheet
        popup = QListView(self)
        popup.setUniformItemSizes(True)  # a long conversation has thousands of requests to be measured
        self.setView(popup)
        self.setModel(requests)
        self.setCurrentIndex(-1)

    @property
    def request_id(self) -> str:
        """The chosen request, empty before there is one."""
        return self._requests.request_id(self.currentIndex())

    def choose(self, request_id: str) -> None:
        """Chooses a request by its id."""
        self.setCurrentIndex(self._requests.place_of(request_id))

    def paintEvent(self, event: QPaintEvent) -> None:
        """The choice and an arrow."""
        super().paintEvent(event)
        pixmap = self._theme.icon("chevron-down", "muted").pixmap(QSize(14, 14), self.devicePixelRatioF())
        QPainter(self).drawPixmap(QPoint(self.width() - 22, (self.height() - 14) // 2), pixmap)


class CompareView(QDialog):
    """The window, which takes the comparison as its own; `records` are all requests of a conversation, `turns` the
    messages of its path in use, `simulated` whether the simulated assistant got them."""

    def __init__(
        self,
        comparison: RequestComparison,
        records: Sequence[RequestRecord],
        turns: Set[str],
        theme: Theme,
        language: Language,
        parent: QWidget | None = None,
        *,
        simulated: bool = False,
    ) -> None:
        super().__init__(parent)
        comparison.setParent(self)
        self._comparison = comparison
        self._theme, self._language = theme, language
        self._reading = False
        self._error: AppError | None = None
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(860, 720)
        self.model = ComparedModel(language.words, self)
        self.from_label, self.to_label = PlainLabel(tone="muted"), PlainLabel(tone="muted")
        self.requests = RequestListModel(language.words, records, turns, self)
        self.before, self.after = RequestPicker(self.requests, theme), RequestPicker(self.requests, theme)
        self.swap = IconButton(theme, "refresh-cw")
        self.summary = PlainLabel(tone="heading", wrap=True)
        self.everything = Switch(theme)
        self.table = FlatTable(theme)
        self.what = ElidedLabel(tone="muted")
        self.extent = Segmented(theme)
        self.lines = DiffText(theme)
        self.simulated = PlainLabel(tone="muted")
        self.simulated.setVisible(simulated)
        self.leave = TextButton()
        self._arrange()
        self._connect()
        self._say()

    def compare(self, before_id: str, after_id: str) -> None:
        """Compares from one request to another."""
        for picker, request_id in ((self.before, before_id), (self.after, after_id)):
            picker.blockSignals(True)
            picker.choose(request_id)
            picker.blockSignals(False)
        self._ask()

    def paintEvent(self, event: QPaintEvent) -> None:
        """An edge, for where the system draws none."""
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setPen(self._theme.tokens.color("line"))
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))

    def done(self, result: int) -> None:
        """Both requests may be large: they are not kept."""
        self._comparison.forget()
        super().done(result)

    def _arrange(self) -> None:
        self.table.horizontalHeader().hide()
        kept = self.extent.sizePolicy()
        kept.setRetainSizeWhenHidden(True)
        self.extent.setSizePolicy(kept)
        self.table.setModel(self.model)
        self.table.setItemDelegate(_RowDelegate(self._theme, self.table))
        self.table.fit_columns(ComparedModel.WORDS, {ComparedModel.SIGN: 30, ComparedModel.WHAT: 190})
        pickers = QGridLayout()
        pickers.setHorizontalSpacing(10)
        for row, (label, picker) in enumerate(((self.from_label, self.before), (self.to_label, self.after))):
            label.setBuddy(picker)
            pickers.addWidget(label, row, 0)
            pickers.addWidget(picker, row, 1)
        pickers.addWidget(self.swap, 0, 2, 2, 1)
        pickers.setColumnStretch(1, 1)
        counts, above, below = QHBoxLayout(), QHBoxLayout(), QHBoxLayout()
        counts.addWidget(self.summary, 1)
        counts.addWidget(self.everything)
        above.addWidget(self.what, 1)
        above.addWidget(self.extent)
        below.addWidget(self.simulated)
        below.addStretch()
        below.addWidget(self.leave)
        detail = QWidget()
        inside = QVBoxLayout(detail)
        inside.setContentsMargins(0, 10, 0, 0)
        inside.addLayout(above)
        inside.addWidget(self.lines, 1)
        self.splitter = QSplitter(Qt.Orientation.Vertical)
        self.splitter.addWidget(self.table)
        self.splitter.addWidget(detail)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.setSizes([300, 260])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 16, 16, 16)
        layout.setSpacing(12)
        layout.addLayout(pickers)
        layout.addLayout(counts)
        layout.addWidget(self.splitter, 1)
        layout.addLayout(below)

    def _connect(self) -> None:
        self._comparison.changed.connect(self._on_compared)
        self._comparison.failed.connect(self._on_failed)
        self.before.currentIndexChanged.connect(self._ask)
        self.after.currentIndexChanged.connect(self._ask)
        self.swap.clicked.connect(self._swap)
        self.everything.toggled.connect(self._show)
        self.table.selectionModel().currentRowChanged.connect(self._on_row)
        self.table.opened.connect(self._show_lines)
        self.extent.chosen.connect(self._show_lines)
        self.leave.clicked.connect(self.close)
        self._language.changed.connect(self._say)

    def _ask(self) -> None:
        before, after = self.before.request_id, self.after.request_id
        if before and after:
            # What was found for others must not stand under these names, not even while they are read.
            self._comparison.forget()
            self._reading, self._error = True, None
            self._show()
            self._comparison.compare(before, after)

    def _on_compared(self) -> None:
        self._reading = False
        self._show()

    def _on_failed(self, error: AppError) -> None:
        self._reading, self._error = False, error
        self._show()

    def _swap(self) -> None:
        self.compare(self.after.request_id, self.before.request_id)

    def _show(self) -> None:
        found = self._comparison.comparison
        self.model.show(found.diff if found else None, everything=self.everything.isChecked())
        self.summary.set_tone("danger" if self._error else "heading")
        self.summary.setText(self._summary())
        first = self.model.first_difference()
        if first is None and self.model.rowCount():
            first = 0
        if first is not None:
            self.table.selectRow(first)
            self.table.scrollTo(self.model.index(first, 0))
        self._show_lines()

    def _summary(self) -> str:
        say = self._language.say
        if self._error is not None:
            return self._language.explain(self._error)
        if self._comparison.comparison is None:
            return say("context.compare.reading") if self._reading else ""
        counts = self.model.counts()
        if not self.model.differs:
            return say("context.compare.no_difference", n=counts[Change.SAME])
        order = (Change.CHANGED, Change.ADDED, Change.REMOVED, Change.SAME)
        return " · ".join(say(f"context.compare.count_{one}", n=counts[one]) for one in order if counts[one])

    def _on_row(self, _current: QModelIndex, _before: QModelIndex) -> None:
        self._show_lines()

    def _show_lines(self, _chosen: object = None) -> None:
        """The lines of the row in front; a run of equal blocks has none, and what came or went no first difference."""
        index = self.table.currentIndex()
        row = self.model.row(index.row()) if index.isValid() else None
        shown = row is not None and not row.equal
        self.extent.setVisible(row is not None and all(row.texts))
        self.what.set_whole(self._title(index) if shown else "")
        whole = self.extent.value == WHOLE
        self.lines.show_lines(lines_of(row, whole=whole) if shown and row is not None else [])

    def _title(self, index: AnyIndex) -> str:
        row: ComparedRow = index.data(ComparedModel.RowRole)
        what = self.model.index(index.row(), ComparedModel.WHAT).data()
        return f"{self._language.say(f'context.compare.{row.change}')} · {what}"

    def _say(self) -> None:
        say = self._language.say
        self.setWindowTitle(say("context.compare.title"))
        self.from_label.setText(say("context.compare.from"))
        self.to_label.setText(say("context.compare.to"))
        self.before.setAccessibleName(say("context.compare.from"))
        self.after.setAccessibleName(say("context.compare.to"))
        self.requests.set_words(self._language.words)
        self.swap.set_name(say("context.compare.swap"))
        self.everything.setText(say("context.compare.everything"))
        self.everything.setAccessibleName(say("context.compare.everything"))
        self.table.setAccessibleName(say("context.compare.table_name"))
        choices = [(one, say(f"context.compare.{one}")) for one in (FIRST, WHOLE)]
        self.extent.set_choices(choices, self.extent.value or FIRST, say("context.compare.depth_name"))
        self.lines.setAccessibleName(say("context.compare.lines_name"))
        self.simulated.setText(say("window.simulated"))
        set_tooltip(self.simulated, say("window.simulated_hint"))
        self.leave.set_words(say("context.request.close"))
        self.model.set_words(self._language.words)
        self._show()
