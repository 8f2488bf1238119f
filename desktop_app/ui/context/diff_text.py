"""The lines of two texts with their signs, what went and what came in the colours of loss and gain."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QSyntaxHighlighter, QTextCharFormat
from PySide6.QtWidgets import QWidget

from desktop_app.core.line_diff import DiffLine, LineSign
from desktop_app.ui.context.raw_request import JsonText
from desktop_app.ui.theme import Theme

_PIECE = 3_000
"""Characters after which a line is broken, each piece under its line's sign."""
_COLOURS = {LineSign.GONE.value: "danger", LineSign.NEW.value: "good"}


class DiffText(JsonText):
    """Read-only lines in letters of one width, each behind its sign."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._colours = _Colours(theme, self)

    def show_lines(self, lines: Sequence[DiffLine]) -> None:
        """Shows lines; a sign and a space stand before each."""
        self.show_text("\n".join(piece for line in lines for piece in _pieces(line)))


class _Colours(QSyntaxHighlighter):
    """Colours a line by the sign it begins with."""

    def __init__(self, theme: Theme, field: DiffText) -> None:
        super().__init__(field.document())
        self._theme = theme
        theme.changed.connect(self.rehighlight)

    def highlightBlock(self, text: str) -> None:
        """One line."""
        look = QTextCharFormat()
        look.setForeground(self._theme.tokens.color(_COLOURS.get(text[:1], "muted")))
        self.setFormat(0, len(text), look)


def _pieces(line: DiffLine) -> list[str]:
    sign = " " if line.sign is LineSign.SAME else line.sign.value
    starts = range(0, len(line.text), _PIECE) or range(1)
    return [f"{sign} {line.text[at : at + _PIECE]}" for at in starts]
