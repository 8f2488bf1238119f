"""The bar on top: conversations, the title in front, profile, model, settings and inspector."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QFont, QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QSizePolicy, QStackedWidget, QWidget

from desktop_app.bridge.session_state import EndpointState
from desktop_app.bridge.visible_text import visible_line
from desktop_app.ui.language import Language
from desktop_app.ui.profile_menu import ProfileButton
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import IconButton
from desktop_app.ui.widgets.choice_button import ChoiceButton
from desktop_app.ui.widgets.kept_font import keep_font
from desktop_app.ui.widgets.plain_label import ElidedLabel, PlainLabel, set_tooltip

OTHER_MODEL = "\0other"


class TitleField(QStackedWidget):
    """The title of the conversation; a double click or `edit()` makes it a field. `renamed(title)` on Enter."""

    renamed = Signal(str)

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self.editable = False
        self.untitled = "window.new_title"
        self.raw = ""
        self.label = ElidedLabel()
        self.field = QLineEdit()
        self.field.setMaxLength(200)
        self.addWidget(self.label)
        self.addWidget(self.field)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(30)
        self.label.installEventFilter(self)
        self.field.installEventFilter(self)
        self.field.returnPressed.connect(self._accept)
        self.field.editingFinished.connect(self._leave)
        language.changed.connect(self._say)
        keep_font(self.label, theme, 14, QFont.Weight.DemiBold)
        keep_font(self.field, theme, 14, QFont.Weight.Medium)
        self._say()

    def show_title(self, title: str, *, editable: bool) -> None:
        """Shows a title (as stored); an empty one reads New chat."""
        self.raw, self.editable = title, editable
        self._leave()
        self._say()

    def show_untitled(self, message_id: str) -> None:
        """What stands here without a title."""
        if message_id != self.untitled:
            self.untitled = message_id
            self._say()

    def edit(self) -> None:
        """Turns the title into a field."""
        if self.editable:
            self.field.setText(visible_line(self.raw, 200))
            self.setCurrentWidget(self.field)
            self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
            self.field.selectAll()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Double click on the label begins, Escape in the field ends without change."""
        if watched is self.label and event.type() is QEvent.Type.MouseButtonDblClick:
            self.edit()
            return True
        if (
            watched is self.field
            and isinstance(event, QKeyEvent)
            and event.type() is QEvent.Type.KeyPress
            and event.key() == Qt.Key.Key_Escape
        ):
            self._leave()
            return True
        return super().eventFilter(watched, event)

    def _accept(self) -> None:
        title = self.field.text().strip()
        self._leave()
        if title and title != visible_line(self.raw, 200):
            self.renamed.emit(title)

    def _leave(self) -> None:
        self.setCurrentWidget(self.label)

    def _say(self) -> None:
        say = self._language.say
        shown = visible_line(self.raw) or say(self.untitled)
        self.label.set_whole(shown)
        self.label.setAccessibleName(shown)
        self.field.setAccessibleName(say("window.rename_name"))
        self.label.setAccessibleDescription(say("window.rename_hint") if self.editable else "")


class TopBar(QFrame):
    """`modelChosen(id)`, `otherModelAsked`, `profile`, and the buttons `menu`, `palette`, `settings`, `inspector`."""

    modelChosen = Signal(str)
    otherModelAsked = Signal()

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._language = theme, language
        self._endpoint: EndpointState | None = None
        self._model = ""
        self._keys: dict[str, str] = {}
        self.menu = IconButton(theme, "menu")
        self.title = TitleField(theme, language)
        self.simulated = PlainLabel(tone="tag")
        self.profile = ProfileButton(theme, language)
        self.model = ChoiceButton(theme)
        self.palette_button = IconButton(theme, "command")
        self.settings = IconButton(theme, "settings")
        self.inspector = IconButton(theme, "panel-right")
        self.inspector.setCheckable(True)
        self.menu.setCheckable(True)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 0, 12, 0)
        layout.setSpacing(8)
        for widget in (self.menu, self.title):
            layout.addWidget(widget)
        layout.addWidget(self.simulated, 0, Qt.AlignmentFlag.AlignVCenter)
        layout.addWidget(self.profile)
        layout.addWidget(self.model)
        for button in (self.palette_button, self.settings, self.inspector):
            layout.addWidget(button)
        for button in (self.menu, self.palette_button, self.settings, self.inspector):
            button.setFixedSize(QSize(30, 30))
        self.setFixedHeight(46)
        self.simulated.hide()
        self.model.chosen.connect(self._on_model)
        language.changed.connect(self._say)
        self._say()

    def show_endpoint(self, endpoint: EndpointState | None, model: str) -> None:
        """The models to choose from, and the one in use (its id)."""
        self._endpoint, self._model = endpoint, model
        self._show_models()

    def show_simulated(self, simulated: bool) -> None:
        """Whether the simulated assistant answers."""
        self.simulated.setVisible(simulated)

    def name_keys(self, **keys: str) -> None:
        """Keys of the buttons for their tool tips."""
        self._keys = keys
        self._say()

    def _show_models(self) -> None:
        say = self._language.say
        models = self._endpoint.models if self._endpoint else ()
        choices = [(one.id, visible_line(one.name, 60)) for one in models]
        names = dict(choices)
        in_use = self._endpoint.model if self._endpoint else None
        shown = names.get(self._model) or (in_use.name if in_use and in_use.id == self._model else self._model)
        if self._model and self._model not in names:
            choices.insert(0, (self._model, visible_line(shown, 60)))
        if not models:
            choices.append((OTHER_MODEL, say("window.model_other")))
        words = visible_line(shown, 40) or say("window.model_none")
        self.model.set_choices(choices, self._model, say("window.model"), words)

    def _on_model(self, value: str) -> None:
        if value == OTHER_MODEL:
            self._show_models()
            self.otherModelAsked.emit()
        else:
            self.modelChosen.emit(value)

    def _say(self) -> None:
        say = self._language.say
        for name, button in (
            ("menu", self.menu),
            ("palette", self.palette_button),
            ("settings", self.settings),
            ("inspector", self.inspector),
        ):
            text = say(f"window.{name}")
            key = self._keys.get(name, "")
            button.set_name(text)
            set_tooltip(button, say("window.key", text=text, key=key) if key else text)
        self.simulated.setText(say("window.simulated"))
        set_tooltip(self.simulated, say("window.simulated_hint"))
        set_tooltip(self.model, say("window.model_choose"))
        set_tooltip(self.title, say("window.rename_hint"))
        self._show_models()
