"""The table of the Spending page: a click, Enter, or the arrow keys open a group and show what it was spent on."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRectF, QSize, Qt
from PySide6.QtGui import QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop_app.bridge.spending_models import SpendingModel, SpendingRow
from desktop_app.ui.context.flat_table import ROW, AnyIndex, FlatDelegate, FlatTable
from desktop_app.ui.theme import Theme

_WITH_TOKENS, _WITH_REQUESTS = 520, 330
"""Pixels from which there is room for these columns."""
_LEAST_ROWS = 5
_CHEVRON = 14


class _SpendingDelegate(FlatDelegate):
    def colour(self, index: AnyIndex) -> str:
        row: SpendingRow = index.data(SpendingModel.RowRole)
        if index.column() == SpendingModel.COST:
            return "muted" if row.unknown or row.on is not None else "text"
        return "muted" if row.on is not None or index.column() != SpendingModel.NAME else "text"

    def paint_mark(self, painter: QPainter, box: QRectF, index: AnyIndex) -> None:
        if index.column() != SpendingModel.NAME or index.data(SpendingModel.RowRole).on is not None:
            return
        name = "chevron-down" if index.data(SpendingModel.OpenRole) else "chevron-right"
        ratio = self.view.devicePixelRatioF()
        pixmap = self.theme.icon(name).pixmap(QSize(_CHEVRON, _CHEVRON), ratio)
        painter.drawPixmap(QPoint(int(box.left()) + 4, int(box.center().y()) - _CHEVRON // 2), pixmap)


class SpendingTable(FlatTable):
    """Shows a SpendingModel; opening a row opens its group."""

    def __init__(self, model: SpendingModel, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._spending = model
        self.setModel(model)
        widths = {model.REQUESTS: 76, model.INPUT: 100, model.OUTPUT: 92, model.COST: 104}
        delegate = _SpendingDelegate(theme, self)
        delegate.indents = {model.NAME: 24} | dict.fromkeys(widths, 2)
        self.setItemDelegate(delegate)
        self.fit_columns(model.NAME, widths)
        self.setMinimumHeight(_LEAST_ROWS * ROW + 28)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.opened.connect(model.toggle)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Right opens a group, Left closes it."""
        index = self.currentIndex()
        wanted = {Qt.Key.Key_Right: True, Qt.Key.Key_Left: False}.get(Qt.Key(event.key()))
        if wanted is None or not index.isValid():
            super().keyPressEvent(event)
        elif index.data(SpendingModel.OpenRole) is not wanted:
            place = self._group_row(index.row())
            self._spending.toggle(place)
            self.selectRow(place)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Name and money always have a column, the others where there is room."""
        super().resizeEvent(event)
        width = self.width()
        for column in (SpendingModel.INPUT, SpendingModel.OUTPUT):
            self.setColumnHidden(column, width < _WITH_TOKENS)
        self.setColumnHidden(SpendingModel.REQUESTS, width < _WITH_REQUESTS)

    def _group_row(self, place: int) -> int:
        rows = self._spending.rows
        return next(at for at in range(place, -1, -1) if rows[at].on is None)
