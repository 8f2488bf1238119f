"""The model that finds by meaning, as the settings page shows and changes it.

Signals:
    changed(): `status`, `error` or `trying` is another one.
"""

from __future__ import annotations

from concurrent.futures import Future

from PySide6.QtCore import QObject, QTimer, Signal

from desktop_app.bridge.background import Background
from desktop_app.core.embedders import EmbedderKind, KnownEmbedder
from desktop_app.core.errors import AppError
from desktop_app.services.embedders import EmbedderService, EmbedderStatus
from desktop_app.services.keys import KeyService

_POLL_MS = 1_000


class EmbedderSession(QObject):
    """Works off the GUI thread; reads again every second while it is `watched`."""

    changed = Signal()

    def __init__(
        self, service: EmbedderService, keys: KeyService, background: Background, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._service, self._keys, self._background = service, keys, background
        self.status: EmbedderStatus | None = None
        self.error: AppError | None = None
        self.trying = False
        """Whether one that was chosen has yet to answer; `give_up` ends that."""
        self._trial: Future[KnownEmbedder] | None = None
        self._reading = False
        self._poll = QTimer(self)
        self._poll.setInterval(_POLL_MS)
        self._poll.timeout.connect(self.read)

    def installed(self, kind: EmbedderKind) -> bool:
        """Whether this machine has what a kind needs."""
        return self._service.installed(kind)

    def watch(self, watched: bool) -> None:
        """Somebody looks, or looks no more."""
        if watched and not self._poll.isActive():
            self._poll.start()
            self.read()
        elif not watched:
            self._poll.stop()

    def read(self) -> None:
        """Reads how things stand."""
        if not self._reading:
            self._reading = True
            self._background.run(self._service.status(), self._take, self._refuse, self._ended)

    def choose(self, kind: str, url: str = "", model: str = "") -> None:
        """Wants another one, once it answers, in place of one that has not yet; `error` says why not."""
        self.give_up()
        self._show_error(None)
        trial = self._background.run(
            self._service.choose(kind, url, model), lambda _: self.read(), self._refuse, lambda _: self._tried(trial)
        )
        self._trial, self.trying = trial, True
        self.changed.emit()

    def give_up(self) -> None:
        """Waits no longer for one that was chosen: the one before is wanted still."""
        if self._trial is not None:
            self._trial.cancel()

    def pause(self, paused: bool) -> None:
        """Lets a change wait, or go on."""
        self._background.run(self._pause(paused), lambda _: self.read(), self._refuse)

    def cancel(self) -> None:
        """Stays with the one that serves."""
        self._background.run(self._service.cancel(), lambda _: self.read(), self._refuse)

    def keep_key(self, name: str, text: str) -> None:
        """Puts the key of a server into the key store, or holds it for the session where there is none."""
        self._show_error(None)
        self._background.run(self._keep_key(name, text), lambda _: self.read(), self._refuse)

    async def _pause(self, paused: bool) -> None:
        self._service.pause(paused)

    async def _keep_key(self, name: str, text: str) -> None:
        self._keys.hold(name, text)
        await self._keys.keep(name)
        self._service.kick()

    def _take(self, status: EmbedderStatus) -> None:
        if status != self.status:
            self.status = status
            self.changed.emit()

    def _refuse(self, error: AppError) -> None:
        self._show_error(error)

    def _tried(self, trial: Future[KnownEmbedder]) -> None:
        if self._trial is trial:
            self._trial, self.trying = None, False
            self.changed.emit()

    def _ended(self, _error: BaseException | None) -> None:
        self._reading = False

    def _show_error(self, error: AppError | None) -> None:
        if error is not self.error:
            self.error = error
            self.changed.emit()
