"""Buttons that name themselves for screen readers and follow theme and language."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QPushButton, QToolButton, QWidget

from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.plain_label import set_tooltip


class IconButton(QToolButton):
    """A line icon to press. `name` is what it does: accessible name and tool tip."""

    def __init__(
        self, theme: Theme, icon: str, name: str = "", *, colour: str = "muted", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._theme, self._icon, self._colour = theme, icon, colour
        self.setIconSize(QSize(16, 16))
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.set_name(name)
        theme.changed.connect(self._draw)
        self._draw()

    def set_name(self, name: str) -> None:
        """What pressing it does, in the language in use."""
        self.setAccessibleName(name)
        set_tooltip(self, name)

    def set_icon(self, icon: str, colour: str | None = None) -> None:
        """Another picture."""
        if (icon, colour or self._colour) != (self._icon, self._colour):
            self._icon, self._colour = icon, colour or self._colour
            self._draw()

    def _draw(self) -> None:
        self.setIcon(self._theme.icon(self._icon, self._colour))


class TextButton(QPushButton):
    """A button with words. `kind`: primary, quiet, danger, link, example, float, or empty for the plain one."""

    def __init__(self, text: str = "", *, kind: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAutoDefault(False)
        if kind:
            self.setProperty("kind", kind)
        self.set_words(text)

    def set_words(self, text: str) -> None:
        """Shows the text letter by letter: `&` makes no shortcut."""
        self.setText(text.replace("&", "&&"))
        self.setAccessibleName(text)

    def set_kind(self, kind: str) -> None:
        """Another look."""
        if self.property("kind") != kind:
            self.setProperty("kind", kind)
            self.style().unpolish(self)
            self.style().polish(self)
