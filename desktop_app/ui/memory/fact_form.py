"""The fields of a fact: key, category and value, typed in place."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QCheckBox, QGridLayout, QLineEdit, QWidget

from desktop_app.bridge.visible_text import hidden_marks
from desktop_app.core.conversation import is_blank
from desktop_app.core.facts import MOST_CATEGORY_LETTERS, MOST_KEY_LETTERS, Fact
from desktop_app.core.secrets.finding import find_secrets
from desktop_app.core.secrets.kinds import FindSecrets
from desktop_app.ui.language import Language
from desktop_app.ui.memory.value_edit import ValueBox, as_field_text
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.kept_font import keep_font
from desktop_app.ui.widgets.plain_label import PlainLabel, set_tooltip


class FactTexts(NamedTuple):
    """What stands in the fields."""

    key: str = ""
    value: str = ""
    category: str = ""


def texts_of(fact: Fact | None) -> FactTexts:
    """What stands in the fields while nothing was typed."""
    return FactTexts(fact.key, as_field_text(fact.value), fact.category) if fact else FactTexts()


class FactForm(QWidget):
    """Signals: edited() at every change, saveAsked() on Enter (Shift+Enter breaks the line), left() on Escape."""

    edited = Signal()
    saveAsked = Signal()
    left = Signal()

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self._find: FindSecrets = find_secrets
        self.key, self.category = QLineEdit(), QLineEdit()
        self._box = ValueBox(theme)
        self.value = self._box.value
        self.hidden_note = PlainLabel(tone="warning", wrap=True)
        self.secret_note = PlainLabel(tone="warning", wrap=True)
        self.keep = QCheckBox()
        self._names = {name: PlainLabel(tone="muted") for name in ("key", "category", "value")}
        self.key.setMaxLength(2 * MOST_KEY_LETTERS)
        self.category.setMaxLength(MOST_CATEGORY_LETTERS)
        self._arrange(theme)
        self.key.textChanged.connect(self._on_edited)
        self.category.textChanged.connect(self._on_edited)
        self.value.textChanged.connect(self._on_edited)
        self.key.returnPressed.connect(self.saveAsked)
        self.category.returnPressed.connect(self.saveAsked)
        self.value.entered.connect(self.saveAsked)
        self.keep.toggled.connect(self._on_edited)
        language.changed.connect(self.say)
        self.say()
        self._on_edited()

    def warn_by(self, find: FindSecrets | None) -> None:
        """Finds secrets as whoever keeps the fact will; by our own formats where nothing is open."""
        self._find = find or find_secrets
        self._say_secrets()

    @property
    def texts(self) -> FactTexts:
        """What stands in the fields."""
        return FactTexts(self.key.text(), self.value.text(), self.category.text())

    @property
    def keeps_secrets(self) -> bool:
        """Whether the person wants a secret in the fields kept as it is."""
        return not self.keep.isHidden() and self.keep.isChecked()

    def keep_secrets(self, keeps: bool) -> None:
        """Whether what stands in the fields was kept as it is."""
        self.keep.setChecked(keeps)

    @property
    def complete(self) -> bool:
        """Whether key and value hold something that can be seen."""
        return not is_blank(self.key.text()) and not is_blank(self.value.text())

    def show_texts(self, texts: FactTexts) -> None:
        """Puts texts into the fields; those that stand there already keep their cursor."""
        for field, text in ((self.key, texts.key), (self.category, texts.category)):
            if field.text() != text:
                field.setText(text)
                field.setCursorPosition(0)
        if self.value.text() != texts.value:
            self.value.setPlainText(texts.value)

    def settle(self) -> FactTexts:
        """Ends what an input method is composing; what stands in the fields then."""
        self.value.settle()
        return self.texts

    def set_editable(self, editable: bool) -> None:
        """Whether something can be typed."""
        for field in (self.key, self.category, self.value):
            field.setReadOnly(not editable)
        self.keep.setEnabled(editable)

    def name_fields(self, named: bool) -> None:
        """Whether the names of the fields stand above them, or only where a field is empty."""
        for label in self._names.values():
            label.setVisible(named)

    def focus(self, field: QWidget) -> None:
        """Puts the cursor into a field, its text selected."""
        field.setFocus(Qt.FocusReason.OtherFocusReason)
        if isinstance(field, QLineEdit):
            field.selectAll()
        else:
            self.value.selectAll()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape leaves the fields, it stops no answer."""
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
            return
        super().keyPressEvent(event)

    def _arrange(self, theme: Theme) -> None:
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(0, 3)
        grid.setColumnStretch(1, 2)
        grid.addWidget(self._names["key"], 0, 0)
        grid.addWidget(self._names["category"], 0, 1)
        grid.addWidget(self.key, 1, 0)
        grid.addWidget(self.category, 1, 1)
        grid.setRowMinimumHeight(2, 2)
        grid.addWidget(self._names["value"], 3, 0, 1, 2)
        grid.addWidget(self._box, 4, 0, 1, 2)
        for row, widget in enumerate((self.hidden_note, self.secret_note, self.keep), 5):
            grid.addWidget(widget, row, 0, 1, 2)
        for label in self._names.values():
            keep_font(label, theme, 11.5)
        QWidget.setTabOrder(self.key, self.value)
        QWidget.setTabOrder(self.value, self.category)

    def _on_edited(self) -> None:
        marks = hidden_marks(self.value.text())
        self.hidden_note.setVisible(bool(marks))
        self.hidden_note.setText(self._language.say("memory.hidden", marks=marks))
        self._say_secrets()
        self.edited.emit()

    def _say_secrets(self) -> None:
        say, found = self._language.say, self._find(f"{self.key.text()}: {self.value.text()}")
        kinds = ", ".join(dict.fromkeys(say(f"secrets.kind.{secret.kind}") for secret in found))
        for widget in (self.secret_note, self.keep):
            widget.setVisible(bool(found))
        if not found:
            self.keep.setChecked(False)
        self.secret_note.setText(say("memory.secrets_kept" if self.keep.isChecked() else "memory.secrets", kinds=kinds))

    def say(self) -> None:
        """Names of the fields in the language in use."""
        say = self._language.say
        for name, field in (("key", self.key), ("category", self.category), ("value", self.value)):
            words = say(f"memory.field_{name}")
            self._names[name].setText(words)
            field.setAccessibleName(words)
        self.key.setPlaceholderText(say("memory.key_placeholder"))
        self.category.setPlaceholderText(say("memory.category_placeholder"))
        self.value.setPlaceholderText(say("memory.value_placeholder"))
        set_tooltip(self.value, say("memory.value_hint"))
        self.keep.setText(say("memory.secrets_keep"))
        self._on_edited()
