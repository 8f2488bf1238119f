"""The table of turns in the Cache panel, newest first; a click or Enter shows a turn above."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QTableView, QWidget

from desktop_app.bridge.cache_models import CacheTurnsModel
from desktop_app.ui.context.flat_table import ROW, AnyIndex, FlatDelegate, FlatTable
from desktop_app.ui.theme import Theme

_MOST = 12
"""Rows seen at once; the others are reached by scrolling inside."""
_WITH_MONEY = 386


class _TurnDelegate(FlatDelegate):
    def __init__(self, turns: CacheTurnsModel, theme: Theme, view: QTableView) -> None:
        super().__init__(theme, view)
        self._turns = turns

    def colour(self, index: AnyIndex) -> str:
        words = str(index.data() or "")
        if index.column() == CacheTurnsModel.SAVED and "−" in words:
            return "warning"  # money lost
        turn = self._turns.turns[index.row()]
        return "muted" if words == "–" or turn.other_version else "text"


class TurnsTable(FlatTable):
    """`turnOpened(id)` when a row is clicked or Enter is pressed on it."""

    turnOpened = Signal(str)

    def __init__(self, model: CacheTurnsModel, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._turns = model
        self.setModel(model)
        widths = {model.READ: 70, model.WRITTEN: 59, model.UNCACHED: 66, model.RATE: 58, model.SAVED: 76}
        delegate = _TurnDelegate(model, theme, self)
        # Figures stand at the right, so that they need no room before them.
        delegate.indents = dict.fromkeys(widths, 2)
        self.setItemDelegate(delegate)
        self.fit_columns(model.TURN, widths)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.opened.connect(self._open)
        model.modelReset.connect(self._fit)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The money has a column where there is room, and where there is money."""
        super().resizeEvent(event)
        self._fit_columns()

    def _open(self, place: int) -> None:
        self.turnOpened.emit(self._turns.turns[place].id)

    def _fit(self) -> None:
        rows = min(self._turns.rowCount(), _MOST)
        self.setFixedHeight(rows * ROW + self.horizontalHeader().height() + 2)
        many = self._turns.rowCount() > _MOST
        shown = Qt.ScrollBarPolicy.ScrollBarAlwaysOn if many else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        self.setVerticalScrollBarPolicy(shown)
        self._fit_columns()

    def _fit_columns(self) -> None:
        self.setColumnHidden(self._turns.SAVED, self._turns.simulated or self.width() < _WITH_MONEY)
