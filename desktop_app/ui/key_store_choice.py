"""Below a key field: whether a key goes into the system's key store, or what can be done where that is not possible."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop_app.bridge.session_state import EndpointState, KeyState
from desktop_app.core.endpoints import EndpointKind
from desktop_app.core.errors import NoKeyVault
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import TextButton
from desktop_app.ui.widgets.plain_label import PlainLabel
from desktop_app.ui.widgets.segmented import Segmented


class KeyStoreChoice(QWidget):
    """`keep` is what the person chose, yes at first; `retryAsked` to ask the key store again."""

    retryAsked = Signal()

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self._state: EndpointState | None = None
        self.keep = True
        self.choice = Segmented(theme)
        self.words = PlainLabel(tone="muted", wrap=True)
        self.retry = TextButton(kind="link")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addWidget(self.choice)
        layout.addWidget(self.words)
        layout.addWidget(self.retry, 0, Qt.AlignmentFlag.AlignLeft)
        self.choice.chosen.connect(self._on_choice)
        self.retry.clicked.connect(self.retryAsked)
        self.say()

    def show_state(self, state: EndpointState | None) -> None:
        """What is known of the key store."""
        self._state = state
        self.say()

    def say(self) -> None:
        """Everything in the language in use."""
        say, state = self._language.say, self._state
        parts = [(True, say("keys.in_store")), (False, say("keys.in_session"))]
        self.choice.set_choices(parts, self.keep, say("keys.where"))
        self.setVisible(_matters(state))
        if state is None:
            return
        trouble = state.trouble
        self.choice.setVisible(bool(state.store))
        self.retry.setVisible(trouble is not None)
        self.retry.set_words(say("keys.look_again" if isinstance(trouble, NoKeyVault) else "keys.retry"))
        self.words.set_tone("muted" if trouble is None or isinstance(trouble, NoKeyVault) else "warning")
        if isinstance(trouble, NoKeyVault):
            ways = [say("keys.way_environment")] if state.kind is EndpointKind.ANTHROPIC else []
            self.words.setText("\n".join((say("keys.no_store"), *ways, say("keys.way_store"))))
        elif trouble is not None:
            self.words.setText(say(f"keys.{trouble.word}"))
        else:
            self.words.setText(say(f"keys.{'in_store' if self.keep else 'in_session'}_hint", store=state.store))

    def _on_choice(self, keep: bool) -> None:
        self.keep = keep
        self.say()


def _matters(state: EndpointState | None) -> bool:
    """Whether there is something to choose or to do; a missing store matters only to a key that needs one."""
    if state is None:
        return False
    if isinstance(state.trouble, NoKeyVault):
        return state.key in (KeyState.MISSING, KeyState.SESSION)
    return state.trouble is not None or bool(state.store)
