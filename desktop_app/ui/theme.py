"""The look: one palette, one small style sheet and the fonts, switched while the window is open."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QFont, QIcon
from PySide6.QtWidgets import QApplication, QStyleFactory

from desktop_app.ui import fonts
from desktop_app.ui.icons import line_icon
from desktop_app.ui.palette import DARK, LIGHT, Tokens, qt_palette
from desktop_app.ui.style_sheet import style_sheet


class Theme(QObject):
    """The colours and fonts in use.

    Signals:
        changed: colours or fonts are others now; what paints by itself paints anew.
    """

    changed = Signal()

    def __init__(self, app: QApplication, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._app = app
        self.mode = "light"
        self.tokens: Tokens = LIGHT
        self.system_font = False
        app.setStyle(QStyleFactory.create("Fusion"))
        app.styleHints().colorSchemeChanged.connect(self._on_system_scheme)
        self._paint()

    def apply(self, mode: str) -> None:
        """Switches to `system`, `light` or `dark`; where the system does not tell, light."""
        self.mode = mode
        tokens = DARK if self._wants_dark() else LIGHT
        if tokens is not self.tokens:
            self.tokens = tokens
            self._paint()
            self.changed.emit()

    def use_system_font(self, chosen: bool) -> None:
        """Takes the system's font for words, or the bundled one."""
        if chosen != self.system_font:
            self.system_font = chosen
            self._paint()
            self.changed.emit()

    def chat_font(self, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
        """The font of messages."""
        return fonts.text_font(fonts.CHAT, weight, system=self.system_font)

    def panel_font(self, weight: QFont.Weight = QFont.Weight.Normal, size: float = fonts.PANEL) -> QFont:
        """The font of everything beside the messages; `size` in pixels."""
        return fonts.text_font(size, weight, system=self.system_font)

    def mono_font(self, size: float = fonts.CODE) -> QFont:
        """The font of code; `size` in pixels."""
        return fonts.mono_font(size)

    def icon(self, name: str, colour: str = "muted", disabled: str = "line") -> QIcon:
        """A line icon in the colour of that name, and in another where it cannot be pressed."""
        return line_icon(name, getattr(self.tokens, colour), getattr(self.tokens, disabled))

    def _wants_dark(self) -> bool:
        if self.mode == "system":
            return self._system_scheme() is Qt.ColorScheme.Dark
        return self.mode == "dark"

    def _system_scheme(self) -> Qt.ColorScheme:
        return self._app.styleHints().colorScheme()

    def _on_system_scheme(self) -> None:
        if self.mode == "system":
            self.apply("system")

    def _paint(self) -> None:
        self._app.setPalette(qt_palette(self.tokens))
        self._app.setFont(self.panel_font())
        self._app.setStyleSheet(style_sheet(self.tokens))
