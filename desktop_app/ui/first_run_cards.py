"""The three cards of the first page."""

from __future__ import annotations

from functools import partial
from urllib.parse import urlsplit

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from desktop_app.bridge.session_state import EndpointState, KeyState
from desktop_app.bridge.visible_text import visible_line
from desktop_app.core.endpoints import LocalServer
from desktop_app.ui.key_store_choice import KeyStoreChoice
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import TextButton
from desktop_app.ui.widgets.kept_font import keep_font
from desktop_app.ui.widgets.plain_label import PlainLabel, themed_icon_label


class Card(QFrame):
    """Icon, title, a sentence, what the subclass adds, an error line, the main button."""

    name = ""
    icon = ""

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme, self.language = theme, language
        self._error = ""
        self.setProperty("role", "card")
        self.title = PlainLabel()
        self.text = PlainLabel(tone="muted", wrap=True)
        self.note = PlainLabel(wrap=True)
        self.main = TextButton()
        self.body = QVBoxLayout()
        self.body.setSpacing(8)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(themed_icon_label(theme, self.icon, "accent"))
        head.addWidget(self.title, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 20, 20, 20)
        layout.setSpacing(10)
        layout.addLayout(head)
        layout.addWidget(self.text)
        layout.addLayout(self.body)
        layout.addStretch(1)
        layout.addWidget(self.note)
        layout.addWidget(self.main)
        self.note.hide()
        self.fill()
        keep_font(self.title, theme, 15, QFont.Weight.DemiBold)
        language.changed.connect(self.say)
        self.say()

    def fill(self) -> None:
        """Adds what the card has of its own to `body`."""

    def say(self) -> None:
        """The words in the language in use."""
        say = self.language.say
        self.title.setText(say(f"first_run.{self.name}_title"))
        self.text.setText(say(f"first_run.{self.name}_text"))
        self.main.set_words(say(f"first_run.{self.name}_use"))

    def say_error(self, text: str) -> None:
        """Shows what went wrong and what to do, inside the card."""
        self.note.set_tone("danger")
        self.note.setText(text)
        self.note.setVisible(bool(text))

    def set_busy(self, busy: bool) -> None:
        """While the endpoint is tried the button rests."""
        self.main.setEnabled(not busy)
        self.note.setVisible(busy)
        if busy:
            self.note.set_tone("muted")
            self.note.setText(self.language.say(f"first_run.{self.name}_checking"))


class KeyCard(Card):
    """`used(text)`, `environmentChosen`, `storedChosen`, and `anywayChosen` where the key could not be tried."""

    name, icon = "key", "key-round"
    used = Signal(str)
    environmentChosen = Signal()
    storedChosen = Signal()
    anywayChosen = Signal()

    def fill(self) -> None:
        """The masked field, where the key is kept, where keys come from, the keys that are there already."""
        self.field = QLineEdit()
        self.field.setEchoMode(QLineEdit.EchoMode.Password)
        self.field.setMinimumHeight(32)
        self.where = PlainLabel(tone="muted", wrap=True)
        self.store = KeyStoreChoice(self.theme, self.language)
        self.stored = TextButton(kind="link")
        self.environment = TextButton(kind="link")
        self.anyway = TextButton(kind="link")
        self.body.addWidget(self.field)
        self.body.addWidget(self.where)
        self.body.addWidget(self.store)
        for button in (self.stored, self.environment, self.anyway):
            self.body.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
            button.hide()
        self.main.set_kind("primary")
        self.main.clicked.connect(self._use)
        self.field.returnPressed.connect(self._use)
        self.stored.clicked.connect(self.storedChosen)
        self.environment.clicked.connect(self.environmentChosen)
        self.anyway.clicked.connect(self.anywayChosen)

    def show_state(self, state: EndpointState) -> None:
        """The key store, and the keys found there and in the environment."""
        self.store.show_state(state)
        self.stored.setVisible(state.key is KeyState.KEYRING)
        self.environment.setVisible(state.environment_key)

    def forget(self) -> None:
        """Leaves nothing of the key in the field."""
        self.field.clear()

    def offer_way_on(self, offered: bool) -> None:
        """Where the endpoint only could not be reached, the key is kept and the chat can be opened."""
        self.anyway.setVisible(offered)

    def say_error(self, text: str) -> None:
        """The error, and the key marked to be replaced."""
        super().say_error(text)
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)
        self.field.selectAll()

    def say(self) -> None:
        """The words in the language in use."""
        super().say()
        say = self.language.say
        self.field.setPlaceholderText(say("first_run.key_placeholder"))
        self.field.setAccessibleName(say("first_run.key_field"))
        self.where.setText(say("first_run.key_where"))
        self.store.say()
        self.stored.set_words(say("first_run.key_stored"))
        self.environment.set_words(say("first_run.key_environment"))
        self.anyway.set_words(say("first_run.anyway"))

    def _use(self) -> None:
        self.used.emit(self.field.text())


class ServerCard(Card):
    """`used(url)` for an address typed or a server found, `lookAgain`."""

    name, icon = "server", "server"
    used = Signal(str)
    lookAgain = Signal()

    def fill(self) -> None:
        """The address, what was found, look again."""
        self._servers: tuple[LocalServer, ...] | None = None
        self.field = QLineEdit()
        self.field.setMinimumHeight(32)
        self.found_title = PlainLabel(tone="muted", wrap=True)
        self.found = QVBoxLayout()
        self.found.setSpacing(6)
        self.again = TextButton(kind="link")
        self.body.addWidget(self.field)
        self.body.addWidget(self.found_title)
        self.body.addLayout(self.found)
        self.body.addWidget(self.again, 0, Qt.AlignmentFlag.AlignLeft)
        self.main.clicked.connect(self._use)
        self.field.returnPressed.connect(self._use)
        self.again.clicked.connect(self.lookAgain)

    def show_looking(self) -> None:
        """Servers are being looked for."""
        self._servers = None
        self.again.setEnabled(False)
        self._show_found()

    def show_servers(self, servers: tuple[LocalServer, ...]) -> None:
        """Offers what was found."""
        self._servers = servers
        self.again.setEnabled(True)
        self._show_found()

    def buttons(self) -> list[TextButton]:
        """The buttons of the servers found."""
        items = [self.found.itemAt(place) for place in range(self.found.count())]
        widgets = [item.widget() for item in items if item is not None]
        return [widget for widget in widgets if isinstance(widget, TextButton)]

    def say(self) -> None:
        """The words in the language in use."""
        super().say()
        say = self.language.say
        self.field.setPlaceholderText(say("first_run.server_placeholder"))
        self.field.setAccessibleName(say("first_run.server_field"))
        self.again.set_words(say("first_run.server_again"))
        self._show_found()

    def _show_found(self) -> None:
        say = self.language.say
        for button in self.buttons():
            self.found.removeWidget(button)
            button.hide()
            button.deleteLater()
        if self._servers is None:
            self.found_title.setText(say("first_run.server_looking"))
            return
        self.found_title.setText(say("first_run.server_found" if self._servers else "first_run.server_none"))
        for server in self._servers:
            name, host = visible_line(server.name, 40), urlsplit(server.url).netloc
            words = say("first_run.server_use_found", name=name, host=host)
            if server.models:
                words += " · " + say("first_run.server_models", n=len(server.models))
            button = TextButton(words)
            button.clicked.connect(partial(self._use_found, server.url))
            self.found.addWidget(button)

    def _use_found(self, url: str, _checked: bool = False) -> None:
        self.field.setText(url)
        self.used.emit(url)

    def _use(self) -> None:
        self.used.emit(self.field.text())


class DemoCard(Card):
    """`used` to try without a key."""

    name, icon = "demo", "flask-conical"
    used = Signal()

    def fill(self) -> None:
        """Nothing but the button."""
        self.main.clicked.connect(self.used)
