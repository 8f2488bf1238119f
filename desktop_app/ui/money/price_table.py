"""The table of prices in use; the person's own ones carry a mark and a word."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyleOptionViewItem, QWidget

from desktop_app.bridge.price_session import PriceTableModel
from desktop_app.core.money.price_rows import KINDS, PriceRow
from desktop_app.ui.context.flat_table import ROW, AnyIndex, FlatDelegate, FlatTable
from desktop_app.ui.theme import Theme

_MARK_SPACE = 18
_AMOUNTS = range(PriceTableModel.FIRST_AMOUNT, PriceTableModel.FIRST_AMOUNT + len(KINDS))
_WIDE = 780
"""Pixels from which on there is room for the wide columns."""
_LEAST_ROWS = 3


class _PriceDelegate(FlatDelegate):
    def colour(self, index: AnyIndex) -> str:
        return "muted" if index.column() == PriceTableModel.HOLDS else "text"

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """One cell; the chosen row keeps its ground when the keyboard is elsewhere."""
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(option.rect, self.theme.tokens.color("selected"))
        super().paint(painter, option, index)

    def paint_mark(self, painter: QPainter, box: QRectF, index: AnyIndex) -> None:
        """A dot before the model of a price of one's own."""
        row: PriceRow = index.data(PriceTableModel.RowRole)
        if index.column() != PriceTableModel.MODEL or not row.own:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.theme.tokens.color("accent"))
        painter.drawEllipse(QRectF(box.left() + 6, box.center().y() - 3.5, 7, 7))


class PriceTable(FlatTable):
    """Rows of a PriceTableModel; a row is chosen with the mouse or the arrows and opened by Enter or a double click."""

    def __init__(self, model: PriceTableModel, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.setModel(model)
        delegate = _PriceDelegate(theme, self)
        delegate.indents = {PriceTableModel.MODEL: _MARK_SPACE}
        self.setItemDelegate(delegate)
        self.fit_columns(PriceTableModel.MODEL, self._widths())
        model.modelReset.connect(self._fit)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setMinimumHeight(_LEAST_ROWS * ROW + self.horizontalHeader().height())
        self.clicked.disconnect()
        self.doubleClicked.connect(lambda index: self.opened.emit(index.row()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where there is little room the model keeps a column that can be read."""
        super().resizeEvent(event)
        self._fit()

    @property
    def chosen(self) -> PriceRow | None:
        """The row the person is on."""
        rows = self.selectionModel().selectedRows()
        row: PriceRow | None = rows[0].data(PriceTableModel.RowRole) if rows else None
        return row

    def choose(self, place: int | None) -> None:
        """Goes to a row; None leaves none."""
        if place is None:
            self.clearSelection()
            return
        self.selectRow(place)
        self.scrollTo(self.model().index(place, PriceTableModel.MODEL))

    def _fit(self) -> None:
        for column, width in self._widths().items():
            self.horizontalHeader().resizeSection(column, width)

    def _widths(self) -> dict[int, int]:
        """Of all columns but that of the model; no name of a column is cut."""
        holds, amount = (210, 74) if self.width() >= _WIDE else (152, 62)
        letters = QFontMetrics(self.theme.panel_font(QFont.Weight.Medium, 11.5))
        names = {column: str(self.model().headerData(column, Qt.Orientation.Horizontal) or "") for column in _AMOUNTS}
        amounts = {column: max(amount, letters.horizontalAdvance(name) + 14) for column, name in names.items()}
        return {PriceTableModel.HOLDS: holds, **amounts}
