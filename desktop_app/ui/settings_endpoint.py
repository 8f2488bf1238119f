"""Settings of the endpoint: where requests go, the key, and what a server lacks."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from desktop_app.bridge.session_state import EndpointState, KeyState
from desktop_app.bridge.visible_text import visible_line
from desktop_app.core.endpoints import ANTHROPIC_URL, EndpointKind, LocalServer
from desktop_app.core.errors import AppError, BadInput
from desktop_app.core.settings import DEMO_PROFILE
from desktop_app.ui.key_store_choice import KeyStoreChoice
from desktop_app.ui.language import Language
from desktop_app.ui.settings_rows import Section, SettingRow
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import TextButton
from desktop_app.ui.widgets.plain_label import PlainLabel
from desktop_app.ui.widgets.segmented import Segmented
from desktop_app.ui.widgets.switch import Switch

if TYPE_CHECKING:
    from desktop_app.bridge.app_session import AppSession

ANTHROPIC, CUSTOM, DEMO = "anthropic", "custom", "demo"


class EndpointSection(Section):
    """Reads and writes the endpoint of the profile in use."""

    def __init__(self, session: AppSession, theme: Theme, language: Language) -> None:
        super().__init__("endpoint", theme, language)
        self._session = session
        self._servers: tuple[LocalServer, ...] = ()
        self._custom_chosen = self._key_wanted = False
        self._address_error: AppError | None = None
        self.kind = Segmented(theme)
        self.address = QLineEdit()
        self.connect_button = TextButton()
        self.address_note = PlainLabel(tone="danger", wrap=True)
        self.look = TextButton(kind="link")
        self.key = QLineEdit()
        self.key.setEchoMode(QLineEdit.EchoMode.Password)
        self.use_key = TextButton()
        self.forget_key = TextButton(kind="danger")
        self.key_state = PlainLabel(wrap=True)
        self.key_store = KeyStoreChoice(theme, language)
        self.environment = Switch(theme)
        self.plain = Switch(theme)
        self.lacks = PlainLabel(tone="muted", wrap=True)
        self.kind_row = self.add(SettingRow("endpoint", self.kind, theme, language))
        self.address_row = self.add(SettingRow("address", self._address_box(), theme, language, wide=True))
        self.key_row = self.add(SettingRow("key", self._key_box(), theme, language, wide=True))
        self.environment_row = self.add(SettingRow("key_environment", self.environment, theme, language))
        self.plain_row = self.add(SettingRow("plain", self.plain, theme, language))
        self.lacks_row = self.add(SettingRow("lacks", self.lacks, theme, language, wide=True))
        self._connect()
        self.show_all()

    def show_all(self) -> None:
        """Everything from the session's settings and endpoint, in the language in use."""
        say, profile, state = self._language.say, self._session.settings.of(), self._session.endpoint
        kind = self._kind_in_use()
        if kind == CUSTOM:
            self._custom_chosen = False
        shown = CUSTOM if self._custom_chosen else kind
        self.kind.set_choices(
            [(one, say(f"settings.endpoint_{one}")) for one in (ANTHROPIC, CUSTOM, DEMO)],
            shown,
            say("settings.endpoint"),
        )
        self.show_row(self.address_row, shown == CUSTOM)
        self.show_row(self.key_row, shown == kind != DEMO)
        self.show_row(self.environment_row, shown == kind == ANTHROPIC and bool(state and state.environment_key))
        self.show_row(self.plain_row, shown == kind == CUSTOM)
        self.show_row(self.lacks_row, shown == kind and bool(state and state.missing))
        if kind == CUSTOM and not self.address.hasFocus():
            self.address.setText(profile.base_url)
        self.environment.setChecked(profile.environment_key)
        self.plain.setChecked(not profile.plain_endpoint)
        self._show_key(state)
        self._show_error(state, shown)
        self._show_lacks(state)
        self._say_words()

    def show_servers(self, servers: tuple[LocalServer, ...]) -> None:
        """Offers servers found on this machine."""
        self._servers = servers
        self._clear_found()
        for server in servers:
            button = TextButton(self._language.say("settings.found", name=visible_line(server.name, 40)))
            button.clicked.connect(partial(self._use_found, server.url))
            self._found.insertWidget(self._found.count() - 2, button)

    def _address_box(self) -> QWidget:
        box = QWidget()
        line = QHBoxLayout()
        line.addWidget(self.address, 1)
        line.addWidget(self.connect_button)
        self._found = QHBoxLayout()
        self._found.addWidget(self.look)
        self._found.addStretch()
        layout = QVBoxLayout(box)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addLayout(line)
        layout.addLayout(self._found)
        layout.addWidget(self.address_note)
        return box

    def _key_box(self) -> QWidget:
        box = QWidget()
        line = QHBoxLayout()
        line.addWidget(self.key, 1)
        line.addWidget(self.use_key)
        line.addWidget(self.forget_key)
        layout = QVBoxLayout(box)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addWidget(self.key_state)
        layout.addLayout(line)
        layout.addWidget(self.key_store)
        return box

    def _connect(self) -> None:
        self.kind.chosen.connect(self._on_kind)
        self.connect_button.clicked.connect(self._on_connect)
        self.address.returnPressed.connect(self._on_connect)
        self.look.clicked.connect(self._session.find_local_servers)
        self.use_key.clicked.connect(self._on_key)
        self.key.returnPressed.connect(self._on_key)
        self.forget_key.clicked.connect(self._session.forget_key)
        self.key_store.retryAsked.connect(self._session.retry_keys)
        self.environment.clicked.connect(self._on_environment)
        self.plain.clicked.connect(self._on_plain)
        self._session.localServersFound.connect(self.show_servers)

    def _kind_in_use(self) -> str:
        if self._session.settings.profile == DEMO_PROFILE:
            return DEMO
        return ANTHROPIC if self._session.settings.of().base_url == ANTHROPIC_URL else CUSTOM

    def _on_kind(self, kind: str) -> None:
        self._custom_chosen, self._key_wanted = kind == CUSTOM, kind == ANTHROPIC
        self._address_error = None
        if kind == DEMO:
            self._session.use_demo()
        elif self._kind_in_use() == DEMO:
            self._session.leave_demo()
        if kind == ANTHROPIC and self._kind_in_use() == CUSTOM:
            self._session.use_anthropic()
        self.show_all()
        if kind == CUSTOM:
            self.address.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_connect(self) -> None:
        try:
            self._address_error = None
            self._session.use_endpoint(self.address.text())
        except BadInput as error:
            self._address_error = error
        self.show_all()

    def _use_found(self, url: str, _checked: bool = False) -> None:
        self.address.setText(url)
        self._on_connect()

    def _on_key(self) -> None:
        if self.key.text().strip():
            self._session.use_key(self.key.text().strip(), keep=self.key_store.keep)
            self.key.clear()

    def _on_environment(self, on: bool) -> None:
        self._session.update_profile(environment_key=on)

    def _on_plain(self, on: bool) -> None:
        self._session.update_profile(plain_endpoint=not on)

    def _show_key(self, state: EndpointState | None) -> None:
        key = state.key if state else KeyState.MISSING
        store = state.store if state else ""
        self.key_state.setText(self._language.say(f"settings.key_state_{key}", store=store) if state else "")
        if state is not None and state.kind is EndpointKind.ANTHROPIC and key is KeyState.MISSING:
            self.key_state.setText(f"{self.key_state.text()} {self._language.say('first_run.key_where')}")
            if self._key_wanted:
                self._key_wanted = False
                self.key.setFocus(Qt.FocusReason.OtherFocusReason)
        refused = state is not None and state.kind is EndpointKind.ANTHROPIC and state.error is not None
        self.key_state.set_tone({KeyState.MISSING: "warning"}.get(key, "good") if not refused else "danger")
        if refused and state is not None and state.error is not None:
            self.key_state.setText(self._language.explain(state.error))
        self.forget_key.setVisible(key in (KeyState.SESSION, KeyState.KEYRING))
        self.forget_key.set_words(
            self._language.say(f"settings.key_{'delete' if key is KeyState.KEYRING else 'remove'}")
        )
        self.key_store.show_state(state)

    def _show_error(self, state: EndpointState | None, shown: str) -> None:
        error = self._address_error
        if error is None and shown == CUSTOM and state is not None and state.kind is EndpointKind.CUSTOM:
            error = state.error
        self.address_note.setText(self._language.explain(error) if error else "")
        self.address_note.setVisible(error is not None)

    def _show_lacks(self, state: EndpointState | None) -> None:
        say = self._language.say
        missing = state.missing if state else ()
        self.lacks.setText("\n".join(f"{say(f'features.{one}')} – {say(f'features.{one}_reason')}" for one in missing))

    def _clear_found(self) -> None:
        while self._found.count() > 2:
            item = self._found.takeAt(0)
            widget = item.widget() if item else None
            if widget is not None:
                widget.hide()
                widget.deleteLater()

    def _say_words(self) -> None:
        say = self._language.say
        self.address.setPlaceholderText(say("first_run.server_placeholder"))
        self.address.setAccessibleName(say("settings.address"))
        self.connect_button.set_words(say("settings.address_use"))
        self.look.set_words(say("settings.look_again"))
        custom = self._kind_in_use() == CUSTOM
        self.key.setPlaceholderText("" if custom else say("first_run.key_placeholder"))
        self.key.setAccessibleName(say("settings.key"))
        self.use_key.set_words(say("settings.key_replace"))
