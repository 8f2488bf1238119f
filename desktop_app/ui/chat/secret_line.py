"""Says before a message is sent that it seems to hold a password or a number of a person, and where it would go."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from desktop_app.bridge.session_state import EndpointState
from desktop_app.core.endpoints import EndpointKind
from desktop_app.core.secrets.finding import find_secrets
from desktop_app.core.secrets.kinds import FindSecrets, SecretKind
from desktop_app.ui.fonts import SMALL
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.plain_label import PlainLabel

_TYPING_MS = 250
_LOOKED_AT = 20_000
"""Characters of each part: looking at so many takes about as long as painting a frame."""


class SecretLine(PlainLabel):
    """A quiet sentence under the text; nothing is held back. `parts` gives the texts that would be sent now."""

    def __init__(
        self, theme: Theme, language: Language, parts: Callable[[], list[str]], parent: QWidget | None = None
    ) -> None:
        super().__init__(tone="warning", wrap=True, parent=parent)
        self._theme, self._language, self._parts = theme, language, parts
        self._find: FindSecrets = find_secrets
        self._kinds: tuple[SecretKind, ...] = ()
        self._endpoint: EndpointState | None = None
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(_TYPING_MS)
        self._pause.timeout.connect(self.look)
        theme.changed.connect(self._refont)
        language.changed.connect(self._say)
        self._refont()
        self.hide()

    def warn_by(self, find: FindSecrets) -> None:
        """Finds secrets as memory does; by our own formats until it is open."""
        self._find = find
        self.look()

    def look_soon(self) -> None:
        """Looks at the text once the typing pauses; at once where it is empty."""
        if any(self._parts()):
            self._pause.start()
        else:
            self.look()

    def look(self) -> None:
        """Looks at the text now."""
        self._pause.stop()
        found = (secret.kind for part in self._parts() for secret in self._find(part[:_LOOKED_AT]))
        self._kinds = tuple(dict.fromkeys(found))
        self._say()

    def set_endpoint(self, endpoint: EndpointState | None) -> None:
        """Where it would be sent."""
        self._endpoint = endpoint
        self._say()

    def _say(self) -> None:
        say, endpoint = self._language.say, self._endpoint
        kinds = ", ".join(say(f"secrets.kind.{kind}") for kind in self._kinds)
        if endpoint is None:
            text = say("composer.secret", kinds=kinds)
        else:
            simulated = endpoint.kind is EndpointKind.SIMULATOR
            host = say("status.simulated") if simulated else endpoint.host
            text = say("composer.secret_to", kinds=kinds, host=host)
        self.setText(text if self._kinds else "")
        self.setVisible(bool(self._kinds))

    def _refont(self) -> None:
        self.setFont(self._theme.panel_font(size=SMALL))
