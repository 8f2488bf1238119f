"""A summary to be read: plain text whose headings stand out by weight, as tall as it is."""

from __future__ import annotations

import re

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFont, QResizeEvent, QTextBlockFormat, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop_app.ui.chat.flow_text import FlowText
from desktop_app.ui.chat.plain_view import display_lines
from desktop_app.ui.chat.text_limits import DISPLAY_LIMIT
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme

_HEADING = re.compile(r"#{1,6}[ \t]+(?P<name>.*\S)[ \t#]*")
_FENCE = ("```", "~~~")
_LINE_HEIGHT = 122.0


class SummaryView(FlowText):
    """Shows `text` word for word but for the signs of its headings."""

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(theme, language, parent)
        self.text = ""
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.document().setDocumentMargin(0)
        theme.changed.connect(self._refont)
        self._refont()

    def set_text(self, text: str) -> None:
        """Another summary."""
        if text == self.text:
            return
        grown = text.startswith(self.text) and self.text
        self.text = text
        self._write(keep=bool(grown))

    def headings(self) -> list[str]:
        """The headings as they are shown."""
        block, found = self.document().begin(), []
        while block.isValid():
            if block.charFormat().fontWeight() >= QFont.Weight.DemiBold:
                found.append(block.text())
            block = block.next()
        return found

    def find_words(self, text: str) -> bool:
        """Selects where a text stands, or its first words; False where it does not."""
        for wanted in (text, text.split("\n", maxsplit=1)[0][:60]):
            found = self.document().find(wanted) if wanted.strip() else QTextCursor()
            if not found.isNull():
                self.setTextCursor(found)
                self.setFocus(Qt.FocusReason.OtherFocusReason)
                return True
        return False

    def sizeHint(self) -> QSize:
        """As tall as the text at this width."""
        return QSize(240, self.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another width needs another height."""
        super().resizeEvent(event)
        self.document().setTextWidth(self.viewport().width())
        self.fit()

    def _write(self, *, keep: bool) -> None:
        chosen = self.textCursor().hasSelection() and keep
        self.clear()
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        fenced, first = False, True
        for line in display_lines(self.text[:DISPLAY_LIMIT].strip()):
            if line.startswith(_FENCE):
                fenced = not fenced
            found = None if fenced else _HEADING.fullmatch(line)
            if not line.strip():
                continue  # the room between sections is the headings' own
            words = QTextCharFormat()
            words.setFontWeight(QFont.Weight.DemiBold if found else QFont.Weight.Normal)
            block = QTextBlockFormat()
            block.setLineHeight(_LINE_HEIGHT, 1)
            block.setTopMargin(8 if found and not first else 0)
            if first:
                cursor.setBlockFormat(block)
                cursor.setBlockCharFormat(words)
            else:
                cursor.insertBlock(block, words)
            cursor.insertText(found["name"] if found else line, words)
            first = False
        cursor.endEditBlock()
        if not chosen:
            self.moveCursor(QTextCursor.MoveOperation.Start)
        self.fit()

    def _refont(self) -> None:
        self.set_text_font(self._theme.panel_font())
