"""Looks at the endpoint that overtake each other: what the newest saw is shown."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from desktop_app.bridge.async_runner import AsyncRunner
from desktop_app.bridge.background import Background
from desktop_app.bridge.endpoint_watch import EndpointWatch
from desktop_app.bridge.session_state import KeyState
from desktop_app.core import errors
from desktop_app.core.endpoints import Endpoint, LocalServer
from desktop_app.core.models import ModelInfo
from desktop_app.core.ports import KeyVault
from desktop_app.core.settings import ProfileSettings, Settings
from desktop_app.services.endpoint_access import EndpointAccess
from desktop_app.services.keys import KeyService
from desktop_app.services.settings import SettingsService
from tests.fakes.key_stores import CANARY, URL, MemoryStore, vault_of

SLOW, QUICK = "http://localhost:1111", "http://localhost:2222"


class Unsaved:
    """Settings that begin with the slow server."""

    def load(self) -> tuple[Settings, list[str]]:
        return Settings(profiles={"default": ProfileSettings(base_url=SLOW, model="shared")}), []

    def save(self, settings: Settings) -> None:
        pass

    def take_untold(self) -> list[str]:
        return []


class Server:
    """Lists one model; the slow one when it may."""

    def __init__(self, endpoint: Endpoint, may_answer: asyncio.Event) -> None:
        self.endpoint, self._may_answer = endpoint, may_answer

    async def models(self) -> list[ModelInfo]:
        if self.endpoint.url == SLOW:
            await self._may_answer.wait()
        return [ModelInfo("shared", "shared")]

    async def model(self, model_id: str) -> ModelInfo:
        return ModelInfo(model_id, model_id)

    async def close(self) -> None:
        pass


class Servers:
    """Opens them."""

    def __init__(self) -> None:
        self.opened: list[str] = []
        self.may_answer = asyncio.Event()

    async def open(self, endpoint: Endpoint, key: str | None) -> Server:
        self.opened.append(endpoint.url)
        return Server(endpoint, self.may_answer)

    async def find_local(self) -> list[LocalServer]:
        return []

    async def close(self) -> None:
        pass


class NoAssistant:
    """No simulated assistant is needed here."""

    async def url(self) -> str:
        raise AssertionError

    async def close(self) -> None:
        pass


class Stand:
    """A watch over both servers, and the hosts it showed."""

    def __init__(self, runner: AsyncRunner, vault: KeyVault | None = None) -> None:
        self.servers, self.settings, self.runner = Servers(), SettingsService(Unsaved()), runner
        self.access = EndpointAccess(self.settings, self.servers, NoAssistant(), keys=KeyService(vault))
        self.background = Background(runner)
        self.watch = EndpointWatch(self.access, self.settings, self.background)
        self.shown: list[str] = []
        self.watch.changed.connect(lambda state: self.shown.append(state.host))

    @property
    def idle(self) -> bool:
        """Whether every look has ended and was told."""
        return not self.background._open

    def answer(self) -> None:
        """The slow server answers now."""
        self.runner.call(self.servers.may_answer.set)


@pytest.fixture
def store() -> MemoryStore:
    """What the system's key store holds."""
    return MemoryStore()


@pytest.fixture
def stand(qtbot: QtBot, store: MemoryStore) -> Iterator[Stand]:
    runner = AsyncRunner()
    stand = Stand(runner, vault_of(store))
    yield stand
    stand.watch.stop()
    stand.background.close()
    runner.finish(stand.access.close())
    runner.stop()


def test_an_older_look_that_ends_later_is_not_shown(qtbot: QtBot, stand: Stand) -> None:
    stand.watch.look()
    qtbot.waitUntil(lambda: stand.servers.opened == [SLOW])
    stand.settings.use_in_profile(base_url=QUICK)
    stand.runner.call(stand.access.reset)
    stand.watch.look()
    qtbot.waitUntil(lambda: stand.shown == ["localhost:2222"])
    stand.answer()
    qtbot.waitUntil(lambda: stand.idle)
    assert stand.shown == ["localhost:2222"]
    assert stand.watch.state is not None and stand.watch.state.host == "localhost:2222"


def test_a_key_that_is_refused_at_once_takes_no_look_away(qtbot: QtBot, stand: Stand) -> None:
    told: list[errors.AppError] = []
    stand.watch.failed.connect(told.append)
    stand.watch.look()
    qtbot.waitUntil(lambda: stand.servers.opened == [SLOW])
    stand.watch.use_key(" ")
    qtbot.waitUntil(lambda: bool(told))
    stand.answer()
    qtbot.waitUntil(lambda: stand.idle)
    assert stand.shown == ["localhost:1111"]


@pytest.mark.parametrize("asked", ["by itself", "by a look"])
def test_a_key_that_a_command_sets_or_deletes_is_noticed(
    qtbot: QtBot, stand: Stand, store: MemoryStore, asked: str
) -> None:
    def key() -> KeyState | None:
        return stand.watch.state.key if stand.watch.state is not None else None

    def ask() -> None:
        if asked == "by a look":
            stand.watch.look()
        else:
            stand.watch._key_poll.timeout.emit()

    stand.settings.use_in_profile(base_url=URL)
    stand.watch.look()
    qtbot.waitUntil(lambda: key() is KeyState.MISSING)
    assert stand.watch._key_poll.isActive()
    ask()
    qtbot.waitUntil(lambda: stand.idle)
    assert key() is KeyState.MISSING
    store.kept["mnemoscope", URL] = CANARY
    ask()
    qtbot.waitUntil(lambda: key() is KeyState.KEYRING)
    assert not stand.watch._key_poll.isActive()
    assert stand.servers.opened == [URL]
    del store.kept["mnemoscope", URL]
    stand.watch.reread_key()
    qtbot.waitUntil(lambda: key() is KeyState.MISSING)
