"""A chip that shows one of several choices and opens them as a menu."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import partial

from PySide6.QtCore import QPoint, QSize, Signal
from PySide6.QtGui import QActionGroup, QPainter, QPaintEvent
from PySide6.QtWidgets import QMenu, QWidget

from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import TextButton


class ChoiceButton(TextButton):
    """`chosen(value)` when another choice is taken. `name` says what is chosen, for screen readers.

    `note` tells what stands beside a choice in the menu, `foot` what stands below all of them; asked as it opens.
    """

    chosen = Signal(object)

    def __init__(self, theme: Theme, name: str = "", *, kind: str = "", parent: QWidget | None = None) -> None:
        super().__init__(kind=kind, parent=parent)
        self._theme, self._name = theme, name
        self._choices: list[tuple[Hashable, str]] = []
        self._value: Hashable = None
        self.note: Callable[[Hashable], str] | None = None
        self.foot: Callable[[], str] | None = None
        self.clicked.connect(self._open)
        theme.changed.connect(self.update)

    @property
    def value(self) -> Hashable:
        """The choice in use."""
        return self._value

    @property
    def choices(self) -> list[tuple[Hashable, str]]:
        """All (value, words)."""
        return self._choices

    def set_choices(
        self, choices: Sequence[tuple[Hashable, str]], value: Hashable, name: str | None = None, shown: str = ""
    ) -> None:
        """Sets what can be chosen and what is; `shown` replaces the words of the choice on the chip."""
        self._choices, self._value = list(choices), value
        self._name = self._name if name is None else name
        text = shown or next((words for one, words in choices if one == value), str(value or ""))
        self.set_words(text)
        self.setAccessibleName(f"{self._name}: {text}" if self._name else text)

    def sizeHint(self) -> QSize:
        """Room for the words and the arrow."""
        hint = super().sizeHint()
        return QSize(hint.width(), max(hint.height(), 28))

    def menu_of_choices(self) -> QMenu:
        """The menu as it opens."""
        menu = QMenu(self)
        group = QActionGroup(menu)
        for value, words in self._choices:
            note = self.note(value) if self.note is not None and value != self._value else ""
            action = menu.addAction("\t".join(filter(None, (words.replace("&", "&&"), note))))
            action.setCheckable(True)
            action.setChecked(value == self._value)
            group.addAction(action)
            action.triggered.connect(partial(self.take, value))
        self._add_foot(menu)
        return menu

    def _add_foot(self, menu: QMenu) -> None:
        foot = self.foot() if self.foot is not None else ""
        if foot:
            menu.addSeparator()
        for line in foot.splitlines():
            menu.addAction(line.replace("&", "&&")).setEnabled(False)

    def take(self, value: Hashable, _checked: bool = False) -> None:
        """Chooses as a click on the menu does."""
        if value != self._value:
            self.set_choices(self._choices, value)
            self.chosen.emit(value)

    def paintEvent(self, event: QPaintEvent) -> None:
        """The chip and its arrow."""
        super().paintEvent(event)
        colour = "muted" if self.isEnabled() else "line"
        pixmap = self._theme.icon("chevron-down", colour).pixmap(QSize(14, 14), self.devicePixelRatioF())
        QPainter(self).drawPixmap(QPoint(self.width() - 21, (self.height() - 14) // 2), pixmap)

    def _open(self) -> None:
        menu = self.menu_of_choices()
        menu.setMinimumWidth(self.width())
        menu.exec(self.mapToGlobal(QPoint(0, self.height() + 2)))
        menu.deleteLater()
