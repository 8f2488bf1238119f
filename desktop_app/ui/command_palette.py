"""Every command of the window behind one key, found by typing; and the list of all keys."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QModelIndex, QObject, QSize, Qt, QTimer
from PySide6.QtGui import QAction, QFont, QKeyEvent, QPainter, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QGridLayout,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from desktop_app.bridge.visible_text import search_form
from desktop_app.ui.actions import keys_of
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import TextButton
from desktop_app.ui.widgets.kept_font import keep_font
from desktop_app.ui.widgets.plain_label import PlainLabel

_ACTION = Qt.ItemDataRole.UserRole + 1
_KEYS = Qt.ItemDataRole.UserRole + 2
_ROW = 32


class _CommandDelegate(QStyledItemDelegate):
    def __init__(self, theme: Theme, parent: QObject) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, _option: QStyleOptionViewItem, _index: object) -> QSize:
        return QSize(200, _ROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex) -> None:  # type: ignore[override]
        tokens = self._theme.tokens
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(tokens.color("selected"))
            painter.drawRoundedRect(option.rect, 6, 6)
        box = option.rect.adjusted(10, 0, -10, 0)
        painter.setFont(self._theme.panel_font(size=13))
        painter.setPen(tokens.color("text"))
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, index.data())
        painter.setFont(self._theme.panel_font(size=12))
        painter.setPen(tokens.color("muted"))
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, index.data(_KEYS))
        painter.restore()


class CommandPalette(QFrame):
    """Lists the enabled actions over the window; Enter or a click runs one, Escape or a click elsewhere closes."""

    def __init__(
        self, actions: Sequence[QAction], theme: Theme, language: Language, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setProperty("role", "card")
        self._came_from: QWidget | None = None
        self._actions = [action for action in actions if action.isEnabled()]
        self.wanted = QLineEdit()
        self.list = QListView()
        self.none = PlainLabel(tone="muted")
        self._model = QStandardItemModel(self)
        self.list.setModel(self._model)
        self.list.setItemDelegate(_CommandDelegate(theme, self.list))
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.list.setProperty("bare", "true")
        inner = QVBoxLayout(self)
        inner.setContentsMargins(10, 10, 10, 10)
        inner.addWidget(self.wanted)
        inner.addWidget(self.list)
        inner.addWidget(self.none)
        self.wanted.textChanged.connect(self._filter)
        self.wanted.installEventFilter(self)
        self.list.clicked.connect(self._run)
        say = language.say
        self.setAccessibleName(say("palette.name"))
        self.wanted.setPlaceholderText(say("palette.placeholder"))
        self.wanted.setAccessibleName(say("palette.placeholder"))
        self.list.setAccessibleName(say("palette.list_name"))
        self.none.setText(say("palette.none"))
        self._filter("")

    def open_over(self, window: QWidget) -> None:
        """Shows it in the upper middle of a window."""
        self._came_from = window.focusWidget()
        self.resize(min(520, window.width() - 64), min(440, window.height() - 120))
        self.move((window.width() - self.width()) // 2, 64)
        self.show()
        self.raise_()
        self.wanted.setFocus(Qt.FocusReason.OtherFocusReason)

    def leave(self) -> None:
        """Closes; the keyboard goes back to where it was."""
        if self._came_from is not None and self.wanted.hasFocus():
            self._came_from.setFocus(Qt.FocusReason.OtherFocusReason)
        self.close()

    def shown(self) -> list[str]:
        """The names listed now."""
        return [self._model.item(row).text() for row in range(self._model.rowCount())]

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Arrow keys and Enter of the field act on the list; leaving the field closes."""
        if watched is self.wanted and event.type() is QEvent.Type.FocusOut:
            QTimer.singleShot(0, self, self._close_if_left)
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress and watched is self.wanted:
            if event.key() == Qt.Key.Key_Escape:
                self.leave()
                return True
            row = self.list.currentIndex().row()
            step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()))
            if step is not None and self._model.rowCount():
                self.list.setCurrentIndex(self._model.index((row + step) % self._model.rowCount(), 0))
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._run(self.list.currentIndex())
                return True
        return super().eventFilter(watched, event)

    def _filter(self, text: str) -> None:
        words = search_form(text).split()
        self._model.clear()
        for action in self._actions:
            if all(word in search_form(action.text()) for word in words):
                item = QStandardItem(action.text())
                item.setData(action, _ACTION)
                item.setData(keys_of(action), _KEYS)
                self._model.appendRow(item)
        self.list.setCurrentIndex(self._model.index(0, 0))
        self.none.setVisible(not self._model.rowCount())

    def _run(self, index: QModelIndex) -> None:
        action = index.data(_ACTION) if index.isValid() else None
        self.leave()
        if isinstance(action, QAction):
            action.trigger()

    def _close_if_left(self) -> None:
        if self.isVisible() and not self.wanted.hasFocus() and self.window().isActiveWindow():
            self.close()


class ShortcutList(QDialog):
    """All keys of the window on one page."""

    def __init__(
        self, actions: Sequence[QAction], theme: Theme, language: Language, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        say = language.say
        self.setWindowTitle(say("palette.shortcuts_title"))
        grid = QGridLayout()
        grid.setHorizontalSpacing(48)
        grid.setVerticalSpacing(8)
        rows = [(action.text(), keys_of(action)) for action in actions if keys_of(action)]
        rows += [(say("palette.send"), "Enter"), (say("palette.break_line"), "Shift+Enter")]
        for row, (name, keys) in enumerate(rows):
            key = PlainLabel(keys)
            keep_font(key, theme, weight=QFont.Weight.Medium)
            grid.addWidget(PlainLabel(name), row, 0)
            grid.addWidget(key, row, 1)
        leave = TextButton(say("palette.close"))
        leave.clicked.connect(self.close)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 20, 24, 20)
        layout.setSpacing(16)
        layout.addWidget(PlainLabel(say("palette.shortcuts_text"), tone="muted"))
        layout.addLayout(grid)
        layout.addWidget(leave, 0, Qt.AlignmentFlag.AlignRight)
