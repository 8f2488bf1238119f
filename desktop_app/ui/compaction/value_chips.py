"""Exact values as chips that flow over lines; a click, Enter or Space opens what can be done with one."""

from __future__ import annotations

from PySide6.QtCore import (
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFont, QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPen, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QListView,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from desktop_app.bridge.value_models import ValueListModel
from desktop_app.core.compaction.value_check import CheckedValue, Fate
from desktop_app.ui.compaction.fate_look import FateLook, fate_look
from desktop_app.ui.theme import Theme

_PAD = 7
_GAP = 4
_SIZE = 11.5
AnyIndex = QModelIndex | QPersistentModelIndex


def paint_chip(painter: QPainter, box: QRectF, text: str, look: FateLook) -> None:
    """A chip with its words; the font is the painter's."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    words, ground = QColor(look.words), QColor(look.ground)
    painter.setBrush(ground)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.drawRoundedRect(box, look.radius, look.radius)
    if look.outline is not Qt.PenStyle.NoPen:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(words, 1, look.outline))
        painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), look.radius, look.radius)
    painter.setPen(words)
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)


def chip_font(theme: Theme) -> QFont:
    """The font of values: monospace where the system's has the letters."""
    font = theme.mono_font()
    font.setPixelSize(round(_SIZE))
    return font


class _ChipDelegate(QStyledItemDelegate):
    def __init__(self, theme: Theme, view: QListView) -> None:
        super().__init__(view)
        self._theme, self._view = theme, view
        self._font = chip_font(theme)
        self._metrics = QFontMetrics(self._font)

    def sizeHint(self, _option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        metrics = self._metrics
        wide = metrics.horizontalAdvance(str(index.data())) + 2 * _PAD + _GAP
        return QSize(min(wide, max(self._view.viewport().width() - 2, 40)), metrics.height() + 4 + _GAP)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        tokens = self._theme.tokens
        value: CheckedValue = index.data(ValueListModel.ValueRole)
        box = QRectF(option.rect).adjusted(0.5, _GAP / 2, -_GAP, -_GAP / 2)
        painter.save()
        painter.setFont(self._font)
        room = int(box.width()) - 2 * _PAD + 2
        text = painter.fontMetrics().elidedText(str(index.data()), Qt.TextElideMode.ElideMiddle, room)
        paint_chip(painter, box, text, fate_look(value.fate, dark=tokens.dark))
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        current = self._view.hasFocus() and self._view.currentIndex() == index
        if chosen or current or option.state & QStyle.StateFlag.State_MouseOver:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(tokens.color("accent" if chosen or current else "muted"), 2 if current else 1))
            painter.drawRoundedRect(box, 5, 5)
        painter.restore()


class ValueChips(QListView):
    """As tall as its chips. `chosen(values, point)`: what can be done with these is wanted at a point of the screen."""

    chosen = Signal(object, QPoint)

    def __init__(self, theme: Theme, model: ValueListModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.setProperty("bare", True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFlow(QListView.Flow.LeftToRight)
        self.setWrapping(True)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setSelectionRectVisible(False)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setMouseTracking(True)
        self.viewport().setAutoFillBackground(False)
        self.viewport().setCursor(Qt.CursorShape.PointingHandCursor)
        self.setItemDelegate(_ChipDelegate(theme, self))
        self.setModel(model)
        model.modelReset.connect(self._fit)
        theme.changed.connect(self.scheduleDelayedItemsLayout)

    def selected_values(self) -> list[CheckedValue]:
        """What is selected, in order."""
        rows = sorted(index.row() for index in self.selectionModel().selectedIndexes())
        return [self._model.value(row) for row in rows]

    def select_lost(self) -> None:
        """Selects every value that was lost."""
        rows = self._model.rows_of(Fate.LOST)
        self.clearSelection()
        for row in rows:
            self.selectionModel().select(self._model.index(row), QItemSelectionModel.SelectionFlag.Select)

    def sizeHint(self) -> QSize:
        """A few lines."""
        return QSize(240, self.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another width needs another height."""
        super().resizeEvent(event)
        self._fit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """The panel around it scrolls."""
        event.ignore()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A plain click opens what can be done; with Ctrl or Shift it selects."""
        super().mouseReleaseEvent(event)
        index = self.indexAt(event.position().toPoint())
        plain = event.modifiers() == Qt.KeyboardModifier.NoModifier
        if event.button() in (Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton) and plain and index.isValid():
            self._ask(index)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter and Space open what can be done; Ctrl+A selects what was lost."""
        plain = event.modifiers() == Qt.KeyboardModifier.NoModifier
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space, Qt.Key.Key_Menu) and plain:
            if self.currentIndex().isValid():
                self._ask(self.currentIndex())
            return
        if event.key() == Qt.Key.Key_A and event.modifiers() == Qt.KeyboardModifier.ControlModifier:
            self.select_lost()
            return
        super().keyPressEvent(event)

    def _ask(self, index: AnyIndex) -> None:
        values, one = self.selected_values(), self._model.value(index.row())
        where = self.viewport().mapToGlobal(self.visualRect(index).bottomLeft() + QPoint(0, 2))
        self.chosen.emit(values if one in values else [one], where)

    def _fit(self) -> None:
        self.doItemsLayout()
        last = self._model.rowCount() - 1
        tall = self.visualRect(self._model.index(last)).bottom() + 2 if last >= 0 else 0
        if tall != self.height():
            self.setFixedHeight(max(tall, 0))
