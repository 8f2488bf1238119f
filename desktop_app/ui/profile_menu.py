"""The profile in use, the others to change to, and the making of a new one."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QMenu, QVBoxLayout, QWidget

from desktop_app.bridge.visible_text import search_form, visible_line
from desktop_app.core.conversation import is_blank
from desktop_app.core.errors import BadInput
from desktop_app.core.settings import DEFAULT_PROFILE, DEMO_PROFILE, Settings
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import TextButton
from desktop_app.ui.widgets.choice_button import ChoiceButton
from desktop_app.ui.widgets.growing_dialog import GrowingDialog
from desktop_app.ui.widgets.kept_font import keep_font
from desktop_app.ui.widgets.plain_label import PlainLabel, set_tooltip

_MOST_SHOWN = 24


def profile_label(language: Language, name: str) -> str:
    """What a profile is called: the person's own ones by name, the first one and Demo in words."""
    if name == DEFAULT_PROFILE:
        return language.say("profiles.default")
    return language.say("profiles.demo") if name == DEMO_PROFILE else visible_line(name, 60)


class ProfileButton(ChoiceButton):
    """`chosen(name)` when another profile is taken, `newAsked()` for a new one."""

    newAsked = Signal()

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent=parent)
        self._language = language
        self._settings = Settings()
        language.changed.connect(self.say)
        self.say()

    def show_settings(self, settings: Settings) -> None:
        """The profiles there are, and the one in use."""
        self._settings = settings
        self.say()

    def names(self) -> list[str]:
        """The profiles in the order they are offered: the first one, the others by name, Demo."""
        own = {*self._settings.profiles, self._settings.profile} - {DEFAULT_PROFILE, DEMO_PROFILE}
        return [DEFAULT_PROFILE, *sorted(own, key=search_form), DEMO_PROFILE]

    def menu_of_choices(self) -> QMenu:
        """The profiles, and the way to a new one."""
        menu = super().menu_of_choices()
        menu.addSeparator()
        menu.addAction(self._language.say("profiles.new")).triggered.connect(self.newAsked)
        return menu

    def say(self) -> None:
        """Everything in the language in use."""
        say, in_use = self._language.say, self._settings.profile
        choices = [(name, self._line(name)) for name in self.names()]
        label = visible_line(profile_label(self._language, in_use), _MOST_SHOWN)
        self.set_choices(choices, in_use, say("profiles.name"), label)
        set_tooltip(self, say("profiles.hint"))

    def _line(self, name: str) -> str:
        label = profile_label(self._language, name)
        return self._language.say("profiles.demo_line", name=label) if name == DEMO_PROFILE else label


class NewProfileDialog(GrowingDialog):
    """Asks for the name of a new profile; `make` makes it, or raises BadInput and the name stays to be corrected."""

    def __init__(
        self, make: Callable[[str], object], theme: Theme, language: Language, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._make, self._language = make, language
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.title = PlainLabel()
        self.text = PlainLabel(tone="muted", wrap=True)
        self.field = QLineEdit()
        self.error = PlainLabel(tone="danger", wrap=True)
        self.cancel, self.accept_button = TextButton(), TextButton(kind="primary")
        self.error.hide()
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addStretch()
        buttons.addWidget(self.cancel)
        buttons.addWidget(self.accept_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 20, 24, 18)
        layout.setSpacing(8)
        for widget in (self.title, self.text, self.field, self.error):
            layout.addWidget(widget)
        layout.addSpacing(8)
        layout.addLayout(buttons)
        self.setMinimumWidth(420)
        self.field.setMaxLength(80)
        self.field.textChanged.connect(self._weigh)
        self.field.returnPressed.connect(self._on_make)
        self.accept_button.clicked.connect(self._on_make)
        self.cancel.clicked.connect(self.reject)
        language.changed.connect(self._say)
        keep_font(self.title, theme, 15, QFont.Weight.DemiBold)
        self._say()
        self._weigh()

    def _on_make(self) -> None:
        if is_blank(self.field.text()):
            return
        try:
            self._make(self.field.text())
        except BadInput as error:
            self.error.setText(self._language.explain(error))
            self.error.show()
            self.field.setFocus(Qt.FocusReason.OtherFocusReason)
            return
        self.accept()

    def _weigh(self) -> None:
        self.error.hide()
        self.accept_button.setEnabled(not is_blank(self.field.text()))

    def _say(self) -> None:
        say = self._language.say
        self.setWindowTitle(say("profiles.new_title"))
        self.title.setText(say("profiles.new_title"))
        self.text.setText(say("profiles.new_text"))
        self.field.setPlaceholderText(say("profiles.new_placeholder"))
        self.field.setAccessibleName(say("profiles.new_field"))
        self.cancel.set_words(say("profiles.cancel"))
        self.accept_button.set_words(say("profiles.make"))
