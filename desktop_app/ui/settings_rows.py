"""One setting on the page: its name, one explaining line, its control; and number fields that behave on a page."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QSpinBox, QVBoxLayout, QWidget

from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.kept_font import keep_font
from desktop_app.ui.widgets.plain_label import PlainLabel

_WORDS = 240


class SettingRow(QWidget):
    """`name` is the catalogue id below `settings.`; a `wide` control stands below its words, others beside them."""

    def __init__(self, name: str, control: QWidget, theme: Theme, language: Language, *, wide: bool = False) -> None:
        super().__init__()
        self.name, self.control = name, control
        self._language = language
        self.title = PlainLabel()
        self.hint = PlainLabel(tone="muted", wrap=True)
        self.price = PlainLabel(tone="muted", wrap=True)
        self.price.hide()
        words = QVBoxLayout()
        words.setSpacing(3)
        words.addWidget(self.title)
        words.addWidget(self.hint)
        words.addWidget(self.price)
        self._wide = wide
        self._layout = QBoxLayout(QBoxLayout.Direction.TopToBottom, self)
        self._layout.setContentsMargins(0, 10, 0, 10)
        self._layout.addLayout(words, 1)
        self._layout.addWidget(control)
        self._turn()
        keep_font(self.title, theme, 13, QFont.Weight.DemiBold)
        language.changed.connect(self.say)
        self.say()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Puts the control below its words where there is no room beside them."""
        self._turn()
        super().resizeEvent(event)

    def _turn(self) -> None:
        beside = not self._wide and self.width() - self.control.sizeHint().width() >= _WORDS
        left, right = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        way = QBoxLayout.Direction.LeftToRight if beside else QBoxLayout.Direction.TopToBottom
        self._layout.setDirection(way)
        self._layout.setSpacing(32 if beside else 8)
        none = Qt.AlignmentFlag(0)
        self._layout.setAlignment(self.control, none if self._wide else right if beside else left)

    def say(self) -> None:
        """Name and explaining line in the language in use."""
        say = self._language.say
        self.title.setText(say(f"settings.{self.name}"))
        self.say_hint(say(f"settings.{self.name}_hint"))

    def say_hint(self, text: str) -> None:
        """Another explaining line."""
        self.hint.setText(text)
        self.control.setAccessibleName(self.title.text())
        self.control.setAccessibleDescription(text)

    def say_price(self, text: str, *, loses: bool = False) -> None:
        """What the value that is chosen costs the conversation in front, and whether that is lost at once.

        Nothing is shown for an empty text.
        """
        self.price.set_tone("warning" if loses else "muted")
        self.price.setText(text)
        self.price.setVisible(bool(text))


class Section(QFrame):
    """A heading over setting rows, a hair between them."""

    def __init__(self, name: str, theme: Theme, language: Language) -> None:
        super().__init__()
        self._name, self._theme, self._language = name, theme, language
        self.heading = PlainLabel()
        self.rows: list[SettingRow] = []
        self._lines: list[QFrame] = []
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(0)
        self._layout.addWidget(self.heading)
        self.heading.setContentsMargins(0, 0, 0, 8)
        keep_font(self.heading, theme, 15, QFont.Weight.DemiBold)
        language.changed.connect(self._say)
        self._say()

    def add(self, row: SettingRow) -> SettingRow:
        """Adds a setting."""
        line = QFrame()
        line.setProperty("role", "hair")
        line.setFixedHeight(1)
        self._lines.append(line)
        self.rows.append(row)
        self._layout.addWidget(line)
        self._layout.addWidget(row)
        return row

    def show_row(self, row: SettingRow, shown: bool) -> None:
        """Shows or hides a setting together with the hair above it."""
        row.setVisible(shown)
        self._lines[self.rows.index(row)].setVisible(shown)

    def _say(self) -> None:
        self.heading.setText(self._language.say(f"settings.section_{self._name}"))


class TokenField(QSpinBox):
    """A number of tokens with separators; the wheel scrolls the page unless the field has the focus."""

    def __init__(self, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setGroupSeparatorShown(True)
        self.setKeyboardTracking(False)
        self.setSingleStep(1_000)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setButtonSymbols(QSpinBox.ButtonSymbols.NoButtons)
        self.setFixedWidth(148)
        self.setMinimumHeight(28)
        language.changed.connect(self.say)
        self.say()

    def show_value(self, value: int, low: int, high: int) -> None:
        """Shows a value within its range without a signal."""
        if self.hasFocus() and (self.minimum(), self.maximum()) == (low, high):
            return
        blocked = self.blockSignals(True)
        self.setRange(low, high)
        self.setValue(value)
        self.blockSignals(blocked)

    def say(self) -> None:
        """The unit in the language in use."""
        self.setLocale(self._language.locale)
        self.setSuffix(self._language.say("settings.tokens_suffix"))

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Passes the wheel on unless the field has the focus."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class CountField(TokenField):
    """A number with another unit: the catalogue id of its suffix."""

    def __init__(self, language: Language, suffix: str) -> None:
        self._unit = suffix
        super().__init__(language)
        self.setSingleStep(1)

    def say(self) -> None:
        """The unit in the language in use."""
        self.setLocale(self._language.locale)
        self.setSuffix(self._language.say(self._unit))
