"""`used 3 memories`: how much of memory was told beside the question of an answer, and the way to why."""

from __future__ import annotations

from html import escape

from PySide6.QtWidgets import QWidget

from desktop_app.bridge.visible_text import visible_line
from desktop_app.ui.fonts import SMALL
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import TextButton
from desktop_app.ui.widgets.kept_font import keep_font

_MOST_LINES = 12
_LINE = 160


class NotesLink(TextButton):
    """Hidden without lines; they stand in its tool tip and are read out with it."""

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(kind="link", parent=parent)
        self._language = language
        self._lines: tuple[str, ...] = ()
        keep_font(self, theme, SMALL)
        language.changed.connect(self._say)

    def show_lines(self, lines: tuple[str, ...]) -> None:
        """Other lines of memory."""
        self._lines = lines
        self.setVisible(bool(lines))
        self._say()

    def _say(self) -> None:
        say = self._language.say
        self.set_words(say("recall.used", n=len(self._lines)))
        lines = [visible_line(line.removeprefix("- "), _LINE) for line in self._lines[:_MOST_LINES]]
        if len(self._lines) > _MOST_LINES:
            lines.append("…")
        told = [say("recall.used_hint"), *lines]
        self.setToolTip("<br>".join(f"<span>{escape(line)}</span>" for line in told))
        self.setAccessibleDescription("\n".join(told))
