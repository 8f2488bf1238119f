"""The first page of a fresh machine: a key, another server, or the simulated assistant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from desktop_app.bridge.session_state import EndpointState, KeyState, Reach
from desktop_app.core.endpoints import EndpointKind, LocalServer
from desktop_app.core.errors import BadInput
from desktop_app.core.words import LANGUAGES
from desktop_app.ui.first_run_cards import DemoCard, KeyCard, ServerCard
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.kept_font import keep_font
from desktop_app.ui.widgets.plain_label import PlainLabel
from desktop_app.ui.widgets.segmented import Segmented

if TYPE_CHECKING:
    from desktop_app.bridge.app_session import AppSession

_NARROW = 860


class FirstRunPage(QWidget):
    """Three cards; `finished` once one of them leads to an endpoint that can be talked to."""

    finished = Signal()

    def __init__(self, session: AppSession, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._language = session, language
        self._asked: KeyCard | ServerCard | None = None
        self.title = PlainLabel(wrap=True)
        self.subtitle = PlainLabel(tone="muted", wrap=True)
        self.language = Segmented(theme)
        self.key = KeyCard(theme, language)
        self.server = ServerCard(theme, language)
        self.demo = DemoCard(theme, language)
        self._arrange()
        self._connect()
        keep_font(self.title, theme, 23, QFont.Weight.DemiBold)
        keep_font(self.subtitle, theme, 14)
        self._say()

    def begin(self) -> None:
        """Called when the services are there: looks for servers on this machine."""
        self._look()
        self._on_endpoint(self._session.endpoint)
        self.key.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def stop_waiting(self) -> None:
        """Something else was said; the cards can be used again."""
        for card in (self.key, self.server):
            card.set_busy(False)

    def _connect(self) -> None:
        self.key.used.connect(self._use_key)
        self.key.environmentChosen.connect(self._use_environment)
        self.key.storedChosen.connect(self._use_stored)
        self.key.store.retryAsked.connect(self._session.retry_keys)
        self.key.anywayChosen.connect(self._finish)
        self.server.used.connect(self._use_server)
        self.server.lookAgain.connect(self._look)
        self.demo.used.connect(self._use_demo)
        self.language.chosen.connect(self._on_language)
        self._session.endpointChanged.connect(self._on_endpoint)
        self._session.localServersFound.connect(self._on_servers)
        self._language.changed.connect(self._say)

    def _use_key(self, text: str) -> None:
        if not text.strip():
            self.key.say_error(self._language.say("first_run.key_empty"))
            return
        self._wait_for(self.key)
        self._go_to_anthropic()
        self._session.use_key(text.strip(), keep=self.key.store.keep)

    def _use_stored(self) -> None:
        self._wait_for(self.key)
        self._go_to_anthropic()
        self._session.check_endpoint()

    def _use_environment(self) -> None:
        self._wait_for(self.key)
        self._go_to_anthropic()
        self._session.update_profile(environment_key=True)

    def _go_to_anthropic(self) -> None:
        if self._session.endpoint is not None and self._session.endpoint.kind is not EndpointKind.ANTHROPIC:
            self._session.use_anthropic()

    def _use_server(self, url: str) -> None:
        if not url.strip():
            self.server.say_error(self._language.say("first_run.server_empty"))
            return
        self._wait_for(self.server)
        try:
            self._session.use_endpoint(url)
        except BadInput as error:
            self.server.set_busy(False)
            self.server.say_error(self._language.explain(error))

    def _use_demo(self) -> None:
        self._asked = None
        self._session.use_demo()
        self._finish()

    def _look(self) -> None:
        self.server.show_looking()
        self._session.find_local_servers()

    def _wait_for(self, card: KeyCard | ServerCard) -> None:
        self.stop_waiting()
        self._asked = card
        card.set_busy(True)

    def _on_language(self, code: str) -> None:
        self._session.update_settings(language=code)

    def _on_servers(self, servers: tuple[LocalServer, ...]) -> None:
        self.server.show_servers(servers)

    def _on_endpoint(self, state: EndpointState | None) -> None:
        if state is None:
            return
        self.key.show_state(state)
        card = self._asked
        if card is None:
            return
        wanted = EndpointKind.ANTHROPIC if card is self.key else EndpointKind.CUSTOM
        if state.kind is not wanted or (card is self.key and state.key is KeyState.MISSING and not state.error):
            return
        card.set_busy(False)
        if state.error is not None:
            held = state.key is not KeyState.MISSING and state.reach is Reach.OFFLINE
            card.say_error(self._language.explain(state.error))
            self.key.offer_way_on(held and card is self.key)
        elif state.reach is Reach.ONLINE:
            self._finish()

    def _finish(self) -> None:
        self._asked = None
        self.key.forget()
        self._session.update_settings(welcomed=True)
        self.finished.emit()

    def resizeEvent(self, _event: object) -> None:
        """Cards side by side, or one below the other where there is no room."""
        narrow = self.width() < _NARROW
        way = QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight
        self._cards.setDirection(way)

    def _arrange(self) -> None:
        self._cards = QHBoxLayout()
        self._cards.setSpacing(16)
        for card in (self.key, self.server, self.demo):
            self._cards.addWidget(card, 1)
        column = QWidget()
        column.setMaximumWidth(1040)
        inner = QVBoxLayout(column)
        inner.setContentsMargins(24, 24, 24, 24)
        inner.setSpacing(8)
        inner.addStretch(2)
        head = QHBoxLayout()
        head.addWidget(self.title, 1)
        head.addWidget(self.language)
        inner.addLayout(head)
        inner.addWidget(self.subtitle)
        inner.addSpacing(16)
        inner.addLayout(self._cards)
        inner.addStretch(3)
        scroll = QScrollArea()
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidgetResizable(True)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        holder = QWidget()
        holder.setProperty("surface", "true")
        holder.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        across = QHBoxLayout(holder)
        across.setContentsMargins(0, 0, 0, 0)
        across.addStretch(1)
        across.addWidget(column, 100)
        across.addStretch(1)
        scroll.setWidget(holder)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(scroll)

    def _say(self) -> None:
        self.title.setText(self._language.say("first_run.title"))
        self.subtitle.setText(self._language.say("first_run.subtitle"))
        choices = [(code, self._language.say(f"settings.language_{code}")) for code in LANGUAGES]
        self.language.set_choices(choices, self._language.code, self._language.say("settings.language"))
