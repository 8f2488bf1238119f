"""The window's outermost frame: on the screen before anything else is imported, it then takes the window's parts."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QRect
from PySide6.QtGui import QCloseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop_app.ui.theme import Theme
from desktop_app.ui.window_memory import FIRST_SIZE, INSPECTOR, SIDEBAR, WindowMemory

_BAR, _STATUS = 45, 28


class WindowFrame(QWidget):
    """Shows the outline of the window until `set_content`; closing it closes the content."""

    def __init__(self, theme: Theme, window_file: Path) -> None:
        super().__init__()
        self._theme = theme
        self._memory = WindowMemory(window_file)
        self._content: QWidget | None = None
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self.setWindowTitle("Mnemoscope")
        self.setMinimumSize(760, 480)
        if not self._memory.restore_geometry(self):
            self.resize(*FIRST_SIZE)

    def set_content(self, content: QWidget) -> None:
        """Puts the window's parts in."""
        self._content = content
        self._column.addWidget(content)
        content.windowTitleChanged.connect(self.setWindowTitle)
        self.setWindowTitle(content.windowTitle() or self.windowTitle())
        content.show()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """The outline: bar, sidebar, chat, inspector and status line, empty."""
        tokens, painter = self._theme.tokens, QPainter(self)
        painter.fillRect(self.rect(), tokens.window)
        if self._content is not None:
            return
        middle = QRect(0, _BAR, self.width(), self.height() - _BAR - _STATUS)
        left = SIDEBAR if self._memory.sidebar_shown else 0
        right = INSPECTOR if self._memory.inspector_shown else 0
        chat = middle.adjusted(left, 0, -right, 0)
        painter.fillRect(chat, tokens.surface)
        painter.setPen(tokens.line)
        for line in (middle.top(), middle.bottom() + 1):
            painter.drawLine(0, line, self.width(), line)
        for line in (chat.left(), chat.right() + 1):
            painter.drawLine(line, middle.top(), line, middle.bottom())

    def closeEvent(self, event: QCloseEvent) -> None:
        """The content keeps what it has to keep, and may object."""
        if self._content is not None and not self._content.close():
            event.ignore()
            return
        super().closeEvent(event)
