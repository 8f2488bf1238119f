"""Buttons that name themselves for screen readers and follow theme and language."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QToolButton, QWidget

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


class ShorteningButton(TextButton):
    """A button whose words are cut with … where there is no room; whole in its tool tip and for screen readers."""

    def __init__(self, text: str = "", *, kind: str = "", parent: QWidget | None = None) -> None:
        self._whole = text
        super().__init__(text, kind=kind, parent=parent)
        # A button's own policy takes what it would like for the least it needs.
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    def set_words(self, text: str) -> None:
        """Sets the words before shortening."""
        self._whole = text
        self.setAccessibleName(text)
        self._fit()

    def sizeHint(self) -> QSize:
        return QSize(self._around() + self.fontMetrics().horizontalAdvance(self._whole), super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(self._around() + self.fontMetrics().horizontalAdvance("……"), super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _around(self) -> int:
        """Pixels beside the words."""
        shown = self.fontMetrics().size(Qt.TextFlag.TextShowMnemonic, self.text()).width()
        return super().sizeHint().width() - shown

    def _fit(self) -> None:
        room = max(self.width(), self.minimumSizeHint().width()) - self._around()
        shown = self.fontMetrics().elidedText(self._whole, Qt.TextElideMode.ElideRight, room)
        self.setText(shown.replace("&", "&&"))
        set_tooltip(self, self._whole if shown != self._whole else "")
