"""Looks at the endpoint in use: whether it answers, with which key, what its models hold and what it lacks.

Signals:
    changed(EndpointState), serversFound(tuple[LocalServer, ...]), failed(AppError).
"""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from desktop_app.bridge.background import Background
from desktop_app.bridge.session_state import EndpointState, KeyState, Reach
from desktop_app.core import errors
from desktop_app.core.endpoints import EndpointKind, LocalServer
from desktop_app.core.models import ModelInfo
from desktop_app.services.endpoint_access import EndpointAccess
from desktop_app.services.settings import SettingsService


class EndpointWatch(QObject):
    """`state` is what was seen last; each act ends in `changed` or `failed`."""

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

    def look(self) -> None:
        """Asks the endpoint for its models."""
        self._background.run(self._look(), self._show, self.failed.emit)

    def use_key(self, text: str) -> None:
        """Keeps a key in memory for this session and tries it."""
        self._background.run(self._set_key(text), self._show, self.failed.emit)

    def forget_key(self) -> None:
        """Drops the session's key from memory."""
        self._background.run(self._drop_key(), self._show, self.failed.emit)

    def find_local(self) -> None:
        """Looks for servers of the Messages API on loopback."""
        self._background.run(self._access.find_local(), self._show_servers, self.failed.emit)

    async def _set_key(self, text: str) -> EndpointState:
        self._access.set_session_key(await self._access.endpoint(), text)
        return await self._look()

    async def _drop_key(self) -> EndpointState:
        self._access.forget_session_key(await self._access.endpoint())
        return await self._look()

    async def _look(self) -> EndpointState:
        """What can be said of the endpoint now; an endpoint that fails is a state, not an error."""
        access, name = self._access, self._settings.profile.model
        endpoint = await access.endpoint()
        state = EndpointState(
            endpoint.kind,
            endpoint.host,
            KeyState(access.key_source(endpoint)),
            environment_key=access.environment_key_exists,
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

    def _show(self, state: EndpointState) -> None:
        self.state = state
        self.changed.emit(state)

    def _show_servers(self, servers: list[LocalServer]) -> None:
        self.serversFound.emit(tuple(servers))
