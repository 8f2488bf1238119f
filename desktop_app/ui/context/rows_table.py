"""The rows of a budget: colour, name, sign, tokens, share, what of it is cached; one click shows what is inside."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QBrush, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop_app.bridge.context_models import BudgetRowsModel, ContextRow, Rest
from desktop_app.core.cache.heat import Heat
from desktop_app.core.segment import Segment
from desktop_app.ui.context.flat_table import ROW, AnyIndex, FlatDelegate, FlatTable
from desktop_app.ui.context.heat_sign import INDENT, paint_heat
from desktop_app.ui.theme import Theme

_ROOMY = 366
"""Pixels from which on the cache's words find room beside the others."""


def paint_swatch(painter: QPainter, theme: Theme, part: Segment | Rest, box: QRectF) -> None:
    """The little square of a part: filled for input, hatched for the reserve, empty for what is free."""
    tokens = theme.tokens
    painter.setPen(Qt.PenStyle.NoPen)
    if isinstance(part, Segment):
        painter.setBrush(tokens.segment(part))
        painter.drawRoundedRect(box, 2, 2)
        return
    if part is Rest.OVER:
        painter.setBrush(tokens.color("danger"))
        painter.drawRoundedRect(box, 2, 2)
        return
    if part is Rest.RESERVE:
        painter.setBrush(QBrush(tokens.color("muted"), Qt.BrushStyle.BDiagPattern))
    else:
        painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(tokens.color("muted"), 1))
    painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 1.5, 1.5)


class _RowDelegate(FlatDelegate):
    def colour(self, index: AnyIndex) -> str:
        row: ContextRow = index.data(BudgetRowsModel.RowRole)
        if row.part is Rest.OVER:
            return "danger"
        if index.column() == BudgetRowsModel.CACHE:
            return "muted" if index.data(BudgetRowsModel.HeatRole) == Heat.NEW else "text"
        return "muted" if row.row is None else super().colour(index)

    def paint_mark(self, painter: QPainter, box: QRectF, index: AnyIndex) -> None:
        heat = index.data(BudgetRowsModel.HeatRole)
        if index.column() == BudgetRowsModel.CACHE and heat is not None:
            paint_heat(painter, self.theme, heat, box)
        if index.column() != BudgetRowsModel.SEGMENT:
            return
        row: ContextRow = index.data(BudgetRowsModel.RowRole)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_swatch(painter, self.theme, row.part, QRectF(box.left() + 6, box.center().y() - 5.5, 11, 11))


class RowsTable(FlatTable):
    """`segmentOpened(segment)` when an input row is opened; as tall as its rows."""

    segmentOpened = Signal(object)

    def __init__(self, model: BudgetRowsModel, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._rows = model
        self._layout: tuple[bool, bool] | None = None
        self.setModel(model)
        delegate = _RowDelegate(theme, self)
        delegate.indents = {model.SEGMENT: 26, model.CACHE: INDENT}
        self.setItemDelegate(delegate)
        self._fit_columns()
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.opened.connect(self._open)
        model.modelReset.connect(self._fit)
        model.dataChanged.connect(self._fit_columns)
        self._fit()

    def _open(self, place: int) -> None:
        row = self._rows.row(place)
        if row.row is not None and row.row.blocks:
            self.segmentOpened.emit(row.part)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fewer words of the cache where there is little room."""
        super().resizeEvent(event)
        self._rows.set_compact(self.width() < _ROOMY)
        self._fit_columns()

    def _fit_columns(self) -> None:
        """The cache has a column where something is known of it."""
        model = self._rows
        cached = model.heat is not None
        layout = (cached, self.width() < _ROOMY)
        if layout == self._layout:
            return
        self._layout = layout
        self.setColumnHidden(model.CACHE, not cached)
        if cached:
            widths = {model.SIGN: 22, model.TOKENS: 72, model.SHARE: 58, model.CACHE: 58 if layout[1] else 78}
        else:
            widths = {model.SIGN: 32, model.TOKENS: 96, model.SHARE: 76, model.CACHE: 78}
        self.fit_columns(model.SEGMENT, widths)

    def _fit(self) -> None:
        self.setFixedHeight(self._rows.rowCount() * ROW + self.horizontalHeader().height() + 2)
        self._fit_columns()
