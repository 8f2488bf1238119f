"""A text of the gate to be read: all of it, letter by letter, with what went and what came marked."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QResizeEvent, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop_app.bridge.word_changes import Change, Piece
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.kept_font import keep_font
from desktop_app.ui.widgets.text_field import TextField

_MOST_LINES = 9
_FRAME = 10
"""Border and padding of the style sheet, above and below together."""


class GateText(TextField):
    """As tall as its text up to `most` lines, then it scrolls. Can be selected, not changed."""

    def __init__(self, theme: Theme, parent: QWidget | None = None, *, most: int = _MOST_LINES) -> None:
        super().__init__(parent)
        self._theme, self._most = theme, most
        self._pieces: tuple[Piece, ...] = ()
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.document().setDocumentMargin(2)
        self.document().documentLayout().documentSizeChanged.connect(self._fit)
        keep_font(self, theme, 13)
        theme.changed.connect(self._write)

    def show_pieces(self, pieces: Sequence[Piece]) -> None:
        """Shows a text in pieces."""
        self._pieces = tuple(pieces)
        self._write()

    def show_text(self, text: str) -> None:
        """Shows a text of one piece."""
        self.show_pieces([Piece(text, Change.KEPT)])

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another width breaks lines elsewhere."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit()

    def _write(self) -> None:
        self.clear()
        cursor = self.textCursor()
        for piece in self._pieces:
            cursor.insertText(piece.text, self._look(piece.change))
        self.moveCursor(QTextCursor.MoveOperation.Start)
        self._fit()

    def _look(self, change: Change) -> QTextCharFormat:
        look = QTextCharFormat()
        tokens = self._theme.tokens
        look.setForeground(tokens.color("text"))
        if change is Change.GONE:
            look.setForeground(tokens.color("danger"))
            look.setFontStrikeOut(True)
        elif change is Change.NEW:
            look.setForeground(tokens.color("good"))
            look.setFontWeight(QFont.Weight.DemiBold)
            look.setFontUnderline(True)
        return look

    def _fit(self) -> None:
        lines = min(max(self.document().size().height(), 1), self._most)
        inner = lines * self.fontMetrics().lineSpacing() + 2 * self.document().documentMargin()
        self.setFixedHeight(ceil(inner) + _FRAME)
        full = self.document().size().height() > self._most
        policy = Qt.ScrollBarPolicy.ScrollBarAsNeeded if full else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        self.setVerticalScrollBarPolicy(policy)
