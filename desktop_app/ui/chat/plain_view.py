"""A person's message, a tool's output: plain text word for word, long ones folded."""

from __future__ import annotations

from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QWidget

from desktop_app.ui.chat.flow_text import FlowText
from desktop_app.ui.chat.text_limits import DISPLAY_LIMIT, LINE_LIMIT
from desktop_app.ui.chat.visible_text import visible
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme

FOLD_LIMIT = 6_000
"""Longest text shown whole at once, in characters."""
_FOLDED = 2_000


class PlainView(FlowText):
    """Shows `text` word for word; what is beyond `FOLD_LIMIT` only when unfolded."""

    def __init__(self, theme: Theme, language: Language, *, mono: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(theme, language, parent)
        self._mono = mono
        self._text = ""
        self._unfolded = False
        theme.changed.connect(self._refont)
        self._refont()

    @property
    def folded(self) -> bool:
        """Whether a part of the text is hidden."""
        return len(self._text) > FOLD_LIMIT and not self._unfolded

    def set_text(self, text: str) -> None:
        """Another text, folded where it is long."""
        if text != self._text:
            self._text, self._unfolded = text, False
            self._write()

    def set_unfolded(self, unfolded: bool) -> None:
        """Shows the whole text, or only its beginning."""
        self._unfolded = unfolded
        self._write()

    def hidden_characters(self) -> int:
        """How many characters even the unfolded text does not show."""
        return max(0, len(self._text) - DISPLAY_LIMIT)

    def _write(self) -> None:
        self.setPlainText("\n".join(display_lines(self._text[: _FOLDED if self.folded else DISPLAY_LIMIT])))
        self._space_lines()
        self.fit()

    def _space_lines(self) -> None:
        cursor = QTextCursor(self.document())
        cursor.select(QTextCursor.SelectionType.Document)
        form = cursor.blockFormat()
        form.setLineHeight(124.0, 1)
        cursor.mergeBlockFormat(form)

    def _refont(self) -> None:
        self.set_text_font(self._theme.mono_font() if self._mono else self._theme.chat_font())


def display_lines(text: str) -> list[str]:
    """Lines of a text, hidden signs shown, endless ones broken so that laying them out stalls nothing."""
    lines: list[str] = []
    for line in visible(text).split("\n"):
        lines += [line[at : at + LINE_LIMIT] for at in range(0, len(line), LINE_LIMIT)] or [""]
    return lines
