"""The field a fact's value is typed in: as tall as its text, and true to every letter of it."""

from __future__ import annotations

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop_app.ui.chat.growing_edit import EditBox, GrowingEdit
from desktop_app.ui.theme import Theme

_FONT = 13.0


class ValueEdit(GrowingEdit):
    """A GrowingEdit in the letters of a panel, whose height follows its width too."""

    def text(self) -> str:
        """What was typed. `toPlainText` would make plain spaces of those that do not break."""
        return self.document().toRawText().replace("\u2029", "\n").replace("\u2028", "\n")

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another width breaks lines elsewhere."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._grow()

    def _refont(self) -> None:
        self.setFont(self._theme.panel_font(size=_FONT))
        self._grow()


class ValueBox(EditBox):
    """A ValueEdit in its frame."""

    def __init__(self, theme: Theme, *, most: int = 7, parent: QWidget | None = None) -> None:
        self.value = ValueEdit(theme, least=2, most=most)
        super().__init__(self.value, parent)
        inner = QVBoxLayout(self)
        inner.setContentsMargins(7, 3, 5, 3)
        inner.addWidget(self.value)


def as_field_text(text: str) -> str:
    """A text as a field gives it back when nothing was typed: it knows one kind of line break."""
    for end in ("\r\n", "\r", "\u2028", "\u2029"):
        text = text.replace(end, "\n")
    return text
