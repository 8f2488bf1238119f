"""A panel of the inspector as a dock: beside the chat, tabbed with others, floating, or hidden."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFont, QPainter, QPaintEvent
from PySide6.QtWidgets import QDockWidget, QHBoxLayout, QWidget

from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import IconButton
from desktop_app.ui.widgets.kept_font import keep_font
from desktop_app.ui.widgets.plain_label import PlainLabel

_HEIGHT = 38


class _DockTitle(QWidget):
    """The panel's name, underlined like the tab in front, with float and hide; drags the dock."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self.name = PlainLabel()
        self.float_button = IconButton(theme, "maximize-2")
        self.hide_button = IconButton(theme, "x")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(18, 0, 8, 0)
        layout.setSpacing(2)
        layout.addWidget(self.name)
        layout.addStretch()
        for button in (self.float_button, self.hide_button):
            button.setFixedSize(QSize(28, 28))
            layout.addWidget(button)
        self.setFixedHeight(_HEIGHT)
        keep_font(self.name, theme, weight=QFont.Weight.DemiBold)
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), _HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(super().minimumSizeHint().width(), _HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.fillRect(self.rect(), tokens.color("window"))
        painter.fillRect(0, self.height() - 1, self.width(), 1, tokens.color("line"))
        left = self.name.x() - 10
        painter.fillRect(left, self.height() - 2, self.name.width() + 20, 2, tokens.color("accent"))


class InspectorDock(QDockWidget):
    """Holds one panel, made when the dock is first seen.

    `name` is the catalogue id below `window.` and the name the layout is remembered by.
    """

    def __init__(
        self,
        name: str,
        make: Callable[[], QWidget],
        theme: Theme,
        language: Language,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._name, self._language = name, language
        self._make: Callable[[], QWidget] | None = make
        self._waiting = 0
        self.setObjectName(name)
        self.setAllowedAreas(Qt.DockWidgetArea.LeftDockWidgetArea | Qt.DockWidgetArea.RightDockWidgetArea)
        self.title = _DockTitle(theme, self)
        self._no_title = QWidget(self)
        self.setTitleBarWidget(self.title)
        self.title.float_button.clicked.connect(self._float)
        self.title.hide_button.clicked.connect(self.close)
        self.visibilityChanged.connect(self._on_visible)
        language.changed.connect(self._say)
        self._say()

    def build(self) -> None:
        """Makes the panel now, if it was not made before."""
        if self._make is not None:
            make, self._make = self._make, None
            self.setWidget(make())

    def show_title(self, shown: bool) -> None:
        """A dock among tabs has its name on its tab."""
        wanted = self.title if shown else self._no_title
        if self.titleBarWidget() is not wanted:
            self.setTitleBarWidget(wanted)
            self.title.setVisible(shown)

    def say(self, waiting: int) -> None:
        """How many things in the panel wait for the person; told with its name."""
        if waiting != self._waiting:
            self._waiting = waiting
            self._say()

    def _on_visible(self, visible: bool) -> None:
        if visible:
            self.build()

    def _float(self) -> None:
        self.setFloating(not self.isFloating())

    def _say(self) -> None:
        say = self._language.say
        name = say(f"window.{self._name}")
        if self._waiting:
            name = say("window.waiting", name=name, count=self._waiting)
        self.setWindowTitle(name)
        self.title.name.setText(name)
        self.title.float_button.set_name(say("window.dock_float"))
        self.title.hide_button.set_name(say("window.dock_hide"))
