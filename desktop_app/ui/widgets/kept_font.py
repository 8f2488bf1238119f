"""Gives a widget a font of the theme and sees to it that it stays."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QWidget

from desktop_app.ui import fonts
from desktop_app.ui.theme import Theme

_RESETS = (QEvent.Type.StyleChange, QEvent.Type.Polish, QEvent.Type.Show)


class _FontKeeper(QObject):
    def __init__(self, widget: QWidget, theme: Theme, wanted: Callable[[], QFont]) -> None:
        super().__init__(widget)
        self._widget, self._wanted = widget, wanted
        widget.installEventFilter(self)
        theme.changed.connect(self.apply)
        self.apply()

    def apply(self) -> None:
        font = self._wanted()
        if self._widget.font() != font:
            self._widget.setFont(font)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if event.type() in _RESETS:
            self.apply()
        return False


def keep_font(
    widget: QWidget,
    theme: Theme,
    size: float = fonts.PANEL,
    weight: QFont.Weight = QFont.Weight.Normal,
    *,
    mono: bool = False,
) -> None:
    """`size` in pixels. Qt drops a font set by hand when a style sheet is set above the widget; this one comes back."""
    _FontKeeper(widget, theme, theme.mono_font if mono else partial(theme.panel_font, weight, size))
