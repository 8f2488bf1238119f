"""A table without a grid: equal rows with a hair below each, opened by click or Enter."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, Qt, Signal
from PySide6.QtGui import QFont, QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from desktop_app.ui.theme import Theme

ROW = 28
AnyIndex = QModelIndex | QPersistentModelIndex


class FlatDelegate(QStyledItemDelegate):
    """Paints a cell: background of the whole row, its text, the hair. Subclasses colour and prefix cells."""

    def __init__(self, theme: Theme, view: QTableView) -> None:
        super().__init__(view)
        self.theme, self.view = theme, view
        self.indents: dict[int, int] = {}
        """Pixels before the words of a column where it is not 6."""

    def colour(self, index: AnyIndex) -> str:
        """The name of the colour of a cell's words."""
        return "muted" if index.column() in (1, 3) else "text"

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """One cell."""
        tokens = self.theme.tokens
        box = option.rect
        state = option.state
        painter.save()
        if state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(box, tokens.color("hover"))
        if state & QStyle.StateFlag.State_Selected and self.view.hasFocus():
            painter.fillRect(box, tokens.color("selected"))
        painter.setPen(QPen(tokens.color("line"), 1))
        painter.drawLine(box.left(), box.bottom(), box.right(), box.bottom())
        text_box = box.adjusted(self.indents.get(index.column(), 6), 0, -6, -1)
        painter.setFont(self.theme.panel_font())
        painter.setPen(tokens.color(self.colour(index)))
        words = str(index.data() or "")
        shown = painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, text_box.width())
        painter.drawText(text_box, index.data(Qt.ItemDataRole.TextAlignmentRole), shown)
        self.paint_mark(painter, QRectF(box), index)
        painter.restore()

    def paint_mark(self, painter: QPainter, box: QRectF, index: AnyIndex) -> None:
        """What stands before the words of a cell; nothing here."""


class FlatHeader(QHeaderView):
    """Column names in small muted letters over a hair."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._theme = theme
        self.setSectionsClickable(False)
        self.setFixedHeight(26)

    def paintSection(self, painter: QPainter, rect: object, section: int) -> None:
        """One column name."""
        tokens, model = self._theme.tokens, self.model()
        painter.fillRect(rect, tokens.color("window"))  # type: ignore[call-overload]
        painter.setPen(QPen(tokens.color("line"), 1))
        painter.drawLine(rect.left(), rect.bottom(), rect.right(), rect.bottom())  # type: ignore[attr-defined]
        painter.setPen(tokens.color("muted"))
        painter.setFont(self._theme.panel_font(QFont.Weight.Medium, 11.5))
        align = model.headerData(section, Qt.Orientation.Horizontal, Qt.ItemDataRole.TextAlignmentRole)
        words = model.headerData(section, Qt.Orientation.Horizontal, Qt.ItemDataRole.DisplayRole)
        if words:
            painter.drawText(rect.adjusted(6, 0, -6, -1), align, words)  # type: ignore[attr-defined]


class FlatTable(QTableView):
    """`opened(row)` when a row is clicked or Enter is pressed on it."""

    opened = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.setHorizontalHeader(FlatHeader(theme, self))
        self.setShowGrid(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTabKeyNavigation(False)
        self.setMouseTracking(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(ROW)
        self.verticalHeader().setMinimumSectionSize(ROW)
        self.setAutoFillBackground(False)
        self.viewport().setAutoFillBackground(False)
        self.setProperty("bare", "true")
        self.clicked.connect(self._on_clicked)
        theme.changed.connect(self._repaint)

    def fit_columns(self, stretched: int, widths: dict[int, int]) -> None:
        """One column takes the rest, the others have fixed widths."""
        header = self.horizontalHeader()
        header.setMinimumSectionSize(16)
        for column, width in widths.items():
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
            header.resizeSection(column, width)
        header.setSectionResizeMode(stretched, QHeaderView.ResizeMode.Stretch)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter opens; everything else as usual."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.opened.emit(self.currentIndex().row())
            return
        super().keyPressEvent(event)

    def focusInEvent(self, event: object) -> None:
        """A row is current as soon as the table has the focus."""
        super().focusInEvent(event)  # type: ignore[arg-type]
        if not self.currentIndex().isValid() and self.model() and self.model().rowCount():
            self.selectRow(0)
        self.viewport().update()

    def _on_clicked(self, index: QModelIndex) -> None:
        self.opened.emit(index.row())

    def _repaint(self) -> None:
        self.viewport().update()
        self.horizontalHeader().viewport().update()
