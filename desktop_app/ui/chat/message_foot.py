"""What stands below a message beside its actions: the memories told with it, and the line where folding ends."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop_app.bridge.entries import Entry
from desktop_app.bridge.visible_text import visible_line
from desktop_app.ui.chat.fold_marker import FoldMarker
from desktop_app.ui.chat.message_parts import USER_PAD
from desktop_app.ui.fonts import SMALL
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import TextButton
from desktop_app.ui.widgets.kept_font import keep_font

_MOST_LINES = 12
_LINE = 160


class MessageFoot(QWidget):
    """`notes` and `marker` are made when they are first needed.

    Signals:
        notesAsked(): the memories told with the message are wanted.
        foldAsked(): what was folded, or is being folded, is wanted.
    """

    notesAsked = Signal()
    foldAsked = Signal()

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._language = theme, language
        self._lines: tuple[str, ...] = ()
        self.notes: TextButton | None = None
        self.marker: FoldMarker | None = None
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        language.changed.connect(self._say)

    def show_entry(self, entry: Entry) -> None:
        """Fits it to a message."""
        self._lines = entry.notes
        if self._lines and self.notes is None:
            self.notes = TextButton(kind="link")
            keep_font(self.notes, self._theme, SMALL)
            self.notes.clicked.connect(self.notesAsked)
            line = QHBoxLayout()
            line.setContentsMargins(USER_PAD - 4, 3, 0, 0)  # below the first letter of the person's words
            line.addWidget(self.notes, 0, Qt.AlignmentFlag.AlignLeft)
            self._column.insertLayout(0, line)
        if entry.fold_end is not None and self.marker is None:
            self.marker = FoldMarker(self._theme, self._language)
            self.marker.clicked.connect(self.foldAsked)
            self._column.addWidget(self.marker)
        if self.notes is not None:
            self.notes.setVisible(bool(self._lines))
        if self.marker is not None:
            self.marker.show_end(entry.fold_end)
        self.setVisible(bool(self._lines) or entry.fold_end is not None)
        self._say()

    def _say(self) -> None:
        if self.notes is None:
            return
        say = self._language.say
        self.notes.set_words(say("compaction.notes.line", n=len(self._lines)))
        lines = [visible_line(line.removeprefix("- "), _LINE) for line in self._lines[:_MOST_LINES]]
        if len(self._lines) > _MOST_LINES:
            lines.append("…")
        told = [say("compaction.notes.hint"), *lines]
        self.notes.setToolTip("<br>".join(f"<span>{escape(line)}</span>" for line in told))
        self.notes.setAccessibleDescription("\n".join(told))
