"""How the list of conversations is filtered and drawn."""

from __future__ import annotations

from html import escape
from typing import Any

from PySide6.QtCore import (
    QAbstractItemModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    QSortFilterProxyModel,
    Qt,
    Signal,
)
from PySide6.QtGui import QFont, QFontMetrics, QHelpEvent, QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolTip,
    QWidget,
)

from desktop_app.bridge.conversation_list import ConversationListModel
from desktop_app.bridge.visible_text import search_form, visible_line
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme

AnyIndex = QModelIndex | QPersistentModelIndex
_ROW = 46
_HEADER = 30


class FilteredConversations(QSortFilterProxyModel):
    """Rows whose title or excerpt holds the filter text, however its Hangul is composed; rows can be edited."""

    def __init__(self, source: QAbstractItemModel, language: Language, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self._wanted = ""
        self.setSourceModel(source)

    def set_filter(self, text: str) -> None:
        """Shows only rows that hold every word of the text."""
        self.beginFilterChange()
        self._wanted = search_form(text)
        self.endFilterChange()

    def index_of(self, conversation_id: str | None) -> QModelIndex:
        """The row of a conversation; an invalid index where it is not shown."""
        for row in range(self.rowCount()) if conversation_id else ():
            index = self.index(row, 0)
            if index.data(ConversationListModel.IdRole) == conversation_id:
                return index
        return QModelIndex()

    def filterAcceptsRow(self, source_row: int, source_parent: AnyIndex) -> bool:
        """Whether a row is shown."""
        if not self._wanted:
            return True
        index = self.sourceModel().index(source_row, 0, source_parent)
        roles = (ConversationListModel.TitleRole, ConversationListModel.ExcerptRole)
        text = search_form("\n".join(str(index.data(role) or "") for role in roles))
        return all(word in text for word in self._wanted.split())

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The row's values; for screen readers one sentence with its day and what goes on there."""
        if role != Qt.ItemDataRole.AccessibleTextRole:
            return super().data(index, role)
        say = self._language.say
        title = visible_line(str(super().data(index, ConversationListModel.TitleRole) or ""))
        parts = [
            say(
                "sidebar.row",
                day=say(super().data(index, ConversationListModel.DayRole)),
                title=title or say("sidebar.untitled"),
                excerpt=visible_line(str(super().data(index, ConversationListModel.ExcerptRole) or ""), 120),
            )
        ]
        if super().data(index, ConversationListModel.SimulatedRole):
            parts.append(say("sidebar.simulated"))
        if super().data(index, ConversationListModel.BusyRole):
            parts.append(say("sidebar.answering"))
        return ", ".join(parts)

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        """Every row can be renamed."""
        return super().flags(index) | Qt.ItemFlag.ItemIsEditable


class ConversationDelegate(QStyledItemDelegate):
    """Draws day, title, excerpt and a dot while an answer arrives. `renamed(id, title)` after editing in place."""

    renamed = Signal(str, str)

    def __init__(self, theme: Theme, language: Language, view: QListView) -> None:
        super().__init__(view)
        self._theme, self._language, self._view = theme, language, view

    def begins_day(self, index: AnyIndex) -> bool:
        """Whether the row is the first of its day group."""
        if index.row() == 0:
            return True
        above = index.model().index(index.row() - 1, 0)
        return bool(above.data(ConversationListModel.DayRole) != index.data(ConversationListModel.DayRole))

    def sizeHint(self, _option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        """All rows alike; the first of a day has its name above."""
        return QSize(120, _ROW + (_HEADER if self.begins_day(index) else 0) + 2)

    def row_box(self, whole: QRect) -> QRect:
        """The clickable part of a row, without the day above and the margin at the right."""
        return QRect(whole.left(), whole.bottom() - _ROW - 1, whole.width() - 8, _ROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """One row."""
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = self.row_box(option.rect)
        if self.begins_day(index):
            self._paint_day(painter, option.rect, index)
        self._paint_ground(painter, box, option.state)
        right = self._paint_marks(painter, box, index)
        self._paint_words(painter, box.adjusted(9, 5, 0, -5), right, index)
        painter.restore()

    def helpEvent(
        self, event: QHelpEvent, view: QAbstractItemView, option: QStyleOptionViewItem, index: AnyIndex
    ) -> bool:
        """The whole title, as text, where it does not fit."""
        if event.type() is QEvent.Type.ToolTip and index.isValid():
            title = self.title(index)
            fits = QFontMetrics(self._theme.panel_font()).horizontalAdvance(title) < option.rect.width() - 40
            QToolTip.showText(event.globalPos(), "" if fits else f"<span>{escape(title)}</span>", view)
            return True
        return super().helpEvent(event, view, option, index)

    def title(self, index: AnyIndex) -> str:
        """The title as it is shown: one line, nothing hidden."""
        stored = str(index.data(ConversationListModel.TitleRole) or "")
        return visible_line(stored) or self._language.say("sidebar.untitled")

    def createEditor(self, parent: QWidget, _option: QStyleOptionViewItem, _index: AnyIndex) -> QWidget:
        """A field for the title."""
        field = QLineEdit(parent)
        field.setMaxLength(200)
        field.setAccessibleName(self._language.say("window.rename_name"))
        return field

    def setEditorData(self, editor: QWidget, index: AnyIndex) -> None:
        """The present title, all selected."""
        if isinstance(editor, QLineEdit):
            editor.setText(self.title(index))
            editor.selectAll()

    def setModelData(self, editor: QWidget, _model: QAbstractItemModel, index: AnyIndex) -> None:
        """Passes a changed title on."""
        if isinstance(editor, QLineEdit) and editor.text().strip() not in ("", self.title(index)):
            self.renamed.emit(index.data(ConversationListModel.IdRole), editor.text().strip())

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, _index: AnyIndex) -> None:
        """The field covers the row."""
        editor.setGeometry(self.row_box(option.rect).adjusted(2, 7, -2, -7))

    def _paint_day(self, painter: QPainter, whole: QRect, index: AnyIndex) -> None:
        painter.setFont(self._theme.panel_font(QFont.Weight.DemiBold, 11))
        painter.setPen(self._theme.tokens.color("muted"))
        box = QRect(whole.left() + 9, whole.top() + 8, whole.width() - 20, _HEADER - 12)
        align = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(box, align, self._language.say(index.data(ConversationListModel.DayRole)))

    def _paint_ground(self, painter: QPainter, box: QRect, state: QStyle.StateFlag) -> None:
        tokens = self._theme.tokens
        painter.setPen(Qt.PenStyle.NoPen)
        selected = bool(state & QStyle.StateFlag.State_Selected)
        if selected or state & QStyle.StateFlag.State_MouseOver:
            painter.setBrush(tokens.color("selected" if selected else "hover"))
            painter.drawRoundedRect(box, 6, 6)
        if self._view.hasFocus() and state & QStyle.StateFlag.State_HasFocus:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(tokens.color("accent"), 2))
            painter.drawRoundedRect(box.adjusted(1, 1, -1, -1), 6, 6)

    def _paint_marks(self, painter: QPainter, box: QRect, index: AnyIndex) -> int:
        """Dot and flask at the right end; returns where the words must end."""
        right = box.right() - 9
        if index.data(ConversationListModel.BusyRole):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._theme.tokens.color("accent"))
            painter.drawEllipse(QRect(right - 7, box.top() + 11, 8, 8))
            right -= 16
        if index.data(ConversationListModel.SimulatedRole):
            icon = self._theme.icon("flask-conical")
            icon.paint(painter, QRect(right - 13, box.top() + 8, 14, 14))
            right -= 20
        return right

    def _paint_words(self, painter: QPainter, box: QRect, right: int, index: AnyIndex) -> None:
        tokens = self._theme.tokens
        title_font = self._theme.panel_font(QFont.Weight.Medium, 13)
        top = QRect(box.left(), box.top(), right - box.left(), 19)
        align = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignAbsolute
        for font, colour, place, text in (
            (title_font, "text", top, self.title(index)),
            (
                self._theme.panel_font(size=11.5),
                "muted",
                QRect(box.left(), box.top() + 19, box.width() - 9, 17),
                visible_line(str(index.data(ConversationListModel.ExcerptRole) or ""), 120),
            ),
        ):
            painter.setFont(font)
            painter.setPen(tokens.color(colour))
            shown = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, place.width())
            painter.drawText(place, align | Qt.TextFlag.TextSingleLine, shown)
