"""The table of facts: pin, key, value, category, origin with its colour, last used; all rows alike."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QAbstractItemModel, QEvent, QModelIndex, QRect, QRectF, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QFont,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QToolTip,
    QWidget,
)

from desktop_app.bridge.fact_list import FactListModel
from desktop_app.bridge.visible_text import visible_text
from desktop_app.core.facts import Fact, FactOrigin
from desktop_app.core.segment import Segment
from desktop_app.ui.context.flat_table import AnyIndex, FlatTable
from desktop_app.ui.language import Language
from desktop_app.ui.memory.pin_mark import paint_pin
from desktop_app.ui.theme import Theme

PIN, KEY, VALUE = FactListModel.PIN, FactListModel.KEY, FactListModel.VALUE
CATEGORY, ORIGIN, USED = FactListModel.CATEGORY, FactListModel.ORIGIN, FactListModel.USED
_PIN_WIDTH = 30
_CATEGORY_FROM = 540
"""From this width on there is room for the category."""
_ORIGIN_MARKS = {
    FactOrigin.YOU: Segment.FACTS,
    FactOrigin.ASSISTANT: Segment.SUMMARY,
    FactOrigin.FOREIGN: Segment.RECALLED,
    FactOrigin.IMPORTED: Segment.MESSAGES,
}
_MOST_IN_TIP = 600
_ARROWS = (Qt.Key.Key_Up, Qt.Key.Key_Down)


class FactDelegate(QStyledItemDelegate):
    """Paints a cell; the chosen row keeps its ground when the keyboard is elsewhere."""

    def __init__(self, theme: Theme, view: FactTable) -> None:
        super().__init__(view)
        self._theme, self._view = theme, view

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """One cell."""
        fact: Fact = index.data(FactListModel.FactRole)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_ground(painter, option, index)
        box = QRect(option.rect)
        if index.column() == PIN:
            self._paint_pin(painter, QRectF(box), pinned=fact.pinned)
        else:
            if index.column() == ORIGIN:
                self._paint_origin(painter, QRectF(box), fact.origin)
                box.setLeft(box.left() + 13)
            self._paint_words(painter, box.adjusted(6, 0, -6, -1), index)
        painter.restore()

    def helpEvent(
        self, event: QHelpEvent, view: QAbstractItemView, option: QStyleOptionViewItem, index: AnyIndex
    ) -> bool:
        """The whole text of a cell that does not fit, what pressing the pin does."""
        if event.type() is not QEvent.Type.ToolTip or not index.isValid():
            return super().helpEvent(event, view, option, index)
        QToolTip.showText(event.globalPos(), self._tip(option.rect.width(), index), view)
        return True

    def _tip(self, width: int, index: AnyIndex) -> str:
        fact: Fact = index.data(FactListModel.FactRole)
        if index.column() == PIN:
            return f"<span>{escape(self._view.pin_words(fact))}</span>"
        whole = {KEY: fact.key, VALUE: visible_text(fact.value), CATEGORY: fact.category, ORIGIN: index.data()}
        words = str(whole.get(index.column()) or "")
        if self._view.fontMetrics().horizontalAdvance(str(index.data() or "")) <= width - 12:
            return ""
        shown = words if len(words) <= _MOST_IN_TIP else f"{words[:_MOST_IN_TIP]}…"
        return f"<span>{escape(shown)}</span>"

    def _paint_ground(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        tokens, box = self._theme.tokens, option.rect
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(box, tokens.color("selected"))
        elif option.state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(box, tokens.color("hover"))
        painter.setPen(QPen(tokens.color("line"), 1))
        painter.drawLine(box.left(), box.bottom(), box.right(), box.bottom())
        if self._view.hasFocus() and index.row() == self._view.currentIndex().row() and index.column() == PIN:
            painter.fillRect(QRect(box.left(), box.top(), 3, box.height()), tokens.color("accent"))

    def _paint_pin(self, painter: QPainter, box: QRectF, *, pinned: bool) -> None:
        paint_pin(painter, box, self._theme.tokens.color("text" if pinned else "muted"), pinned=pinned)

    def _paint_origin(self, painter: QPainter, box: QRectF, origin: FactOrigin) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.tokens.segment(_ORIGIN_MARKS[origin]))
        mark = QRectF(box.left() + 6, box.center().y() - 3.5, 7, 7)
        if origin is FactOrigin.YOU:
            painter.drawEllipse(mark)
        else:
            painter.drawRoundedRect(mark, 1.5, 1.5)

    def _paint_words(self, painter: QPainter, box: QRect, index: AnyIndex) -> None:
        weight = QFont.Weight.DemiBold if index.column() == KEY else QFont.Weight.Normal
        painter.setFont(self._theme.panel_font(weight))
        painter.setPen(self._theme.tokens.color("text" if index.column() in (KEY, VALUE) else "muted"))
        text = str(index.data() or "")
        shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, box.width())
        align = index.data(Qt.ItemDataRole.TextAlignmentRole) | Qt.AlignmentFlag.AlignAbsolute
        painter.drawText(box, align | Qt.TextFlag.TextSingleLine, shown)


class FactTable(FlatTable):
    """Rows of a FactListModel.

    Signals:
        chosen(str): the id of the fact whose row was chosen.
        openAsked(): Enter or a double click on a row.
        pinAsked(Fact): its diamond was clicked, or Space was pressed. deleteAsked(Fact): Delete was pressed.
    """

    chosen = Signal(str)
    openAsked = Signal()
    pinAsked = Signal(object)
    deleteAsked = Signal(object)

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._language = language
        self._quiet = False
        self.setItemDelegate(FactDelegate(theme, self))
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.doubleClicked.connect(self._on_double_click)
        self.setMinimumHeight(120)

    def setModel(self, model: QAbstractItemModel | None) -> None:
        """Shows the rows of another session."""
        super().setModel(model)
        if model is not None:
            self.selectionModel().selectionChanged.connect(self._on_selection)
            self._fit()

    def mark(self, place: int | None) -> None:
        """Shows a row as the chosen one without choosing it again; None leaves none."""
        if self.model() is None or place == self._selected():
            return
        self._quiet = True
        if place is None:
            self.clearSelection()
        else:
            self.selectRow(place)
            self.scrollTo(self.model().index(place, KEY))
        self._quiet = False

    def fact(self, index: AnyIndex) -> Fact | None:
        """The fact of a row."""
        return index.data(FactListModel.FactRole) if index.isValid() else None

    def pin_words(self, fact: Fact) -> str:
        """What pressing the pin of a fact does."""
        return self._language.say("memory.unpin_hint" if fact.pinned else "memory.pin_hint")

    def focusInEvent(self, event: object) -> None:
        """A row is chosen by the person, not by the keyboard coming here."""
        QTableView.focusInEvent(self, event)  # type: ignore[arg-type]
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """The mark of the keyboard goes."""
        super().focusOutEvent(event)
        self.viewport().update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter opens, Space pins, Delete deletes; the first arrow chooses the row the keyboard is on."""
        fact = self.fact(self.currentIndex())
        if fact is not None and self._selected() is None and event.key() in _ARROWS:
            self.selectRow(self.currentIndex().row())
            return
        if fact is not None and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.openAsked.emit()
        elif fact is not None and event.key() == Qt.Key.Key_Space:
            self.pinAsked.emit(fact)
        elif fact is not None and event.key() == Qt.Key.Key_Delete:
            self.deleteAsked.emit(fact)
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A press on a diamond pins and leaves the choice as it is."""
        index = self.indexAt(event.position().toPoint())
        fact = self.fact(index)
        if fact is not None and index.column() == PIN and event.button() is Qt.MouseButton.LeftButton:
            self.pinAsked.emit(fact)
            return
        super().mousePressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Columns share the width; the category goes where there is no room for it."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        if self.model() is None:
            return
        width = self.viewport().width()
        wide = width >= _CATEGORY_FROM
        self.setColumnHidden(CATEGORY, not wide)
        key = max(96, min(round(width * (0.24 if wide else 0.27)), 220))
        self.fit_columns(VALUE, {PIN: _PIN_WIDTH, KEY: key, CATEGORY: 96, ORIGIN: 68, USED: 76})

    def _selected(self) -> int | None:
        rows = self.selectionModel().selectedRows()
        return rows[0].row() if rows else None

    def _on_selection(self) -> None:
        place = self._selected()
        fact = self.fact(self.model().index(place, KEY)) if place is not None else None
        if fact is not None and not self._quiet:
            self.chosen.emit(fact.id)

    def _on_double_click(self, index: QModelIndex) -> None:
        if index.column() != PIN:
            self.openAsked.emit()
