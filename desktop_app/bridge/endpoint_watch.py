"""Looks at the endpoint in use: whether it answers, with which key, what its models hold and what it lacks.

Signals:
    changed(EndpointState), serversFound(tuple[LocalServer, ...]), failed(AppError).
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, QTimer, Signal

from desktop_app.bridge.background import Background
from desktop_app.bridge.session_state import EndpointState, KeyState, Reach
from desktop_app.core import errors
from desktop_app.core.endpoints import EndpointKind, LocalServer
from desktop_app.core.models import ModelInfo
from desktop_app.services.endpoint_access import EndpointAccess
from desktop_app.services.settings import SettingsService

_KEY_POLL_MS = 2_000


@dataclass(frozen=True, slots=True)
class _Look:
    """One look of many, numbered as they begin; `refused` is why the key store did not take a key before it."""

    number: int
    state: EndpointState
    refused: errors.KeyVaultError | None = None


class EndpointWatch(QObject):
    """`state` is what was seen last; each act ends in `changed` or `failed`, unless a newer look began meanwhile.

    While a key is missing or refused, the key store is asked from time to time: a command may have written it.
    """

    changed = Signal(object)
    serversFound = Signal(object)
    failed = Signal(object)

    def __init__(
        self,
        access: EndpointAccess,
        settings: SettingsService,
        background: Background,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._access = access
        self._settings = settings
        self._background = background
        self.state: EndpointState | None = None
        self._looks = 0
        self._counting = threading.Lock()
        self._key_poll = QTimer(self)
        self._key_poll.setInterval(_KEY_POLL_MS)
        self._key_poll.timeout.connect(self.reread_key)

    def stop(self) -> None:
        """Asks no more for a key."""
        self._key_poll.stop()

    def look(self) -> None:
        """Asks the endpoint for its models."""
        self._background.run(self._look(self._begin()), self._show, self.failed.emit)

    def use_key(self, text: str, *, keep: bool = True) -> None:
        """Takes a key and tries it: into the system's key store where there is one, else for this session only.

        Where the store refuses it, the session has it all the same, and both `failed` and `changed` tell.
        """
        self._background.run(self._set_key(text, keep), self._show, self.failed.emit)

    def forget_key(self) -> None:
        """Drops the key in use, from memory or from the key store."""
        self._background.run(self._drop_key(), self._show, self.failed.emit)

    def retry_keys(self) -> None:
        """Asks the system's key store again."""
        self._background.run(self._ask_again(), self._show, self.failed.emit)

    def reread_key(self) -> None:
        """Looks at the endpoint if the system's key store has another key for it than before, or none any more."""
        self._background.run(self._key_moved(), lambda moved: self.look() if moved else None)

    def find_local(self) -> None:
        """Looks for servers of the Messages API on loopback."""
        self._background.run(self._access.find_local(), self._show_servers, self.failed.emit)

    async def _set_key(self, text: str, keep: bool) -> _Look:
        endpoint, refused = await self._access.endpoint(), None
        self._access.use_key(endpoint, text)
        if keep:
            try:
                await self._access.keep_key(endpoint)
            except errors.NoKeyVault:
                pass  # the state tells it
            except errors.KeyVaultError as error:
                refused = error
        return replace(await self._look(self._begin()), refused=refused)

    async def _key_moved(self) -> bool:
        return await self._access.key_moved(await self._access.endpoint())

    async def _drop_key(self) -> _Look:
        await self._access.forget_key(await self._access.endpoint())
        return await self._look(self._begin())

    async def _ask_again(self) -> _Look:
        await self._access.retry_keys()
        return await self._look(self._begin())

    def _begin(self) -> int:
        """The number of a look that begins now, on any thread; after a change of the key, for it knows of that."""
        with self._counting:
            self._looks += 1
            return self._looks

    async def _look(self, number: int) -> _Look:
        return _Look(number, await self._seen())

    async def _seen(self) -> EndpointState:
        """What can be said of the endpoint now; an endpoint that fails is a state, not an error."""
        access, name = self._access, self._settings.profile.model
        endpoint = await access.endpoint()
        key = await access.key_status(endpoint)
        if key.source == KeyState.MISSING and self.state is not None and await access.key_moved(endpoint):
            key = await access.key_status(endpoint)
        state = EndpointState(
            endpoint.kind,
            endpoint.host,
            KeyState(key.source),
            environment_key=access.environment_key_exists,
            store=key.store,
            trouble=key.trouble,
        )
        if state.key is KeyState.MISSING:
            return replace(state, model=ModelInfo(name, name))
        try:
            state = replace(state, reach=Reach.ONLINE, models=tuple(await access.models()))
        except (errors.Unreachable, errors.TimedOut) as error:
            return replace(state, reach=Reach.OFFLINE, error=error)
        except errors.EndpointError as error:
            state = replace(state, reach=Reach.ONLINE)
            if endpoint.kind is not EndpointKind.CUSTOM or isinstance(error, errors.KeyRefused | errors.NotMessagesApi):
                return replace(state, error=error)
        try:
            model = await access.model(name)
        except errors.EndpointError as error:
            return replace(state, error=error)
        return replace(
            state,
            model=model,
            features=await access.features(model),
            missing=await access.missing_features(model),
        )

    def _show(self, look: _Look) -> None:
        if look.refused is not None:
            self.failed.emit(look.refused)
        if look.number == self._looks:
            self.state = look.state
            lacks_key = look.state.key is KeyState.MISSING or isinstance(look.state.error, errors.KeyRefused)
            if not lacks_key:
                self._key_poll.stop()
            elif not self._key_poll.isActive():
                self._key_poll.start()
            self.changed.emit(look.state)

    def _show_servers(self, servers: list[LocalServer]) -> None:
        self.serversFound.emit(tuple(servers))
