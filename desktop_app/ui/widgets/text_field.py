"""A field of several lines in the frame of a one-line field."""

from __future__ import annotations

from PySide6.QtWidgets import QPlainTextEdit, QWidget


class TextField(QPlainTextEdit):
    """Plain text, typed or to be read; Tab leaves it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTabChangesFocus(True)
