"""A field of several lines in the frame of a one-line field."""

from __future__ import annotations

from PySide6.QtWidgets import QPlainTextEdit, QWidget

from desktop_app.ui.theme import Theme


class TextField(QPlainTextEdit):
    """Plain text, typed or to be read; Tab leaves it."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setTabChangesFocus(True)
        theme.changed.connect(self._frame)
        self._frame()

    def _frame(self) -> None:
        tokens = self._theme.tokens
        self.setStyleSheet(
            f"QPlainTextEdit {{ border: 1px solid {tokens.line}; border-radius: 6px; padding: 4px 8px; }}"
            f"QPlainTextEdit:focus {{ border: 2px solid {tokens.accent}; padding: 3px 7px; }}"
        )
