"""A field to search by."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit


class SearchField(QLineEdit):
    """`downPressed` by the arrow key."""

    downPressed = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrow down leads to what was found, Escape empties the field."""
        if event.key() == Qt.Key.Key_Down:
            self.downPressed.emit()
            return
        if event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
            return
        super().keyPressEvent(event)
