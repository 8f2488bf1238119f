"""What was expected of a turn against what came: one line; on demand every figure, the running drift, calibration."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from desktop_app.bridge.truth_models import ReconciledModel
from desktop_app.core.cache.reconciliation import DriftSummary, FigureName, LearnedFactor, Reconciled
from desktop_app.ui.context.flat_table import ROW, AnyIndex, FlatDelegate, FlatTable
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import TextButton
from desktop_app.ui.widgets.fitting_label import FittingLabel
from desktop_app.ui.widgets.plain_label import PlainLabel


class _FigureDelegate(FlatDelegate):
    def colour(self, index: AnyIndex) -> str:
        return "text" if index.column() in (ReconciledModel.NAME, ReconciledModel.GOT) else "muted"


class ExpectedSection(QWidget):
    """The details are closed at first and stay as they were left."""

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self._shown: Reconciled | None = None
        self._drift: DriftSummary | None = None
        self._learned: LearnedFactor | None = None
        self._opened = False
        self.line = FittingLabel(tone="muted")
        self.more = TextButton(kind="link")
        self.model = ReconciledModel(language.words, self)
        self.table = FlatTable(theme)
        self.table.setModel(self.model)
        self.table.setItemDelegate(_FigureDelegate(theme, self.table))
        widths = {self.model.EXPECTED: 84, self.model.GOT: 72, self.model.DRIFT: 102}
        self.table.fit_columns(self.model.NAME, widths)
        self.table.unsetCursor()
        self.table.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.table.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.summary = PlainLabel(tone="muted", wrap=True)
        head = QHBoxLayout()
        head.addWidget(self.line, 1)
        head.addWidget(self.more)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addLayout(head)
        layout.addWidget(self.table)
        layout.addWidget(self.summary)
        self.more.clicked.connect(self._toggle)

    def show_request(self, shown: Reconciled | None, drift: DriftSummary | None, learned: LearnedFactor | None) -> None:
        """Shows a turn; hidden where there is nothing to compare."""
        self._shown, self._drift, self._learned = shown, drift, learned
        self.say()

    def say(self) -> None:
        """Everything in the language in use."""
        say, shown = self._language.say, self._shown
        self.setVisible(shown is not None)
        self.model.set_words(self._language.words)
        self.model.show(shown)
        self.table.setFixedHeight(self.model.rowCount() * ROW + self.table.horizontalHeader().height() + 2)
        self.table.setAccessibleName(say("cache.expected.name"))
        self.more.set_words(say("cache.expected.hide" if self._opened else "cache.expected.show"))
        self.table.setVisible(self._opened)
        self.line.choose_from(self._line(shown) if shown is not None else "")
        self.summary.setText("\n".join(filter(None, (self._summary(), self._calibration()))))
        self.summary.setVisible(self._opened and bool(self.summary.text()))

    def _toggle(self) -> None:
        self._opened = not self._opened
        self.say()

    def _line(self, shown: Reconciled) -> str:
        say, read = self._language.say, shown.figure(FigureName.READ)
        if read.expected is None or read.got is None:
            return say("cache.expected.line_unknown")
        expected, got = (self._language.number(int(value)) for value in (read.expected, read.got))
        return say("cache.expected.line", expected=f"≈ {expected}", got=got)

    def _summary(self) -> str:
        drift = self._drift
        if drift is None or FigureName.READ not in drift.mean or FigureName.INPUT not in drift.mean:
            return ""
        percent = self._language.percent
        return self._language.say(
            "cache.expected.summary",
            n=drift.requests,
            read=percent(drift.mean[FigureName.READ]),
            read_most=percent(drift.largest[FigureName.READ]),
            input=percent(drift.mean[FigureName.INPUT]),
            input_most=percent(drift.largest[FigureName.INPUT]),
        )

    def _calibration(self) -> str:
        if self._learned is None:
            return ""
        factor = self._language.locale.toString(self._learned.factor, "f", 2)
        return self._language.say("cache.expected.learned", factor=factor, n=self._learned.seen)
