"""A text document that never loads what its text refers to."""

from __future__ import annotations

from PySide6.QtCore import QObject, QUrl
from PySide6.QtGui import QTextDocument

from desktop_app.ui.chat.markdown_formats import LIST_INDENT


class SafeDocument(QTextDocument):
    """A document that loads nothing, whatever its text refers to."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.setUndoRedoEnabled(False)
        self.setDocumentMargin(0)
        self.setIndentWidth(LIST_INDENT)

    def loadResource(self, kind: int, name: QUrl | str) -> None:
        """Answers every request for a picture, sheet or file with nothing."""
