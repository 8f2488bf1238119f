"""Which key an endpoint is opened with: the session's, the key store's, that of the environment, in this order."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from keyring.errors import KeyringLocked

from desktop_app.core import errors
from desktop_app.core.endpoints import Endpoint, EndpointKind, LocalServer, endpoint_for
from desktop_app.core.ports import KeyVault, ModelEndpoint
from desktop_app.core.settings import DEFAULT_PROFILE, DEMO_PROFILE, ProfileSettings, Settings
from desktop_app.services.endpoint_access import EndpointAccess
from desktop_app.services.keys import KeyService
from desktop_app.services.settings import SettingsService
from tests.fakes.house import FixedAssistant
from tests.fakes.key_stores import CANARY, URL, HangingStore, MemoryStore, RefusingStore, vault_of

LOCAL = "http://localhost:1234"


class Unsaved:
    """Settings of one profile."""

    def __init__(self, name: str, profile: ProfileSettings) -> None:
        self._settings = Settings(profile=name, profiles={name: profile})

    def load(self) -> tuple[Settings, list[str]]:
        return self._settings, []

    def save(self, settings: Settings) -> None:
        pass

    def take_untold(self) -> list[str]:
        return []


class Opened:
    """What was opened, and with which key."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint

    async def close(self) -> None:
        pass


class Opening:
    """Notes keys; Anthropic's endpoint needs one."""

    def __init__(self) -> None:
        self.keys: list[str | None] = []

    async def open(self, endpoint: Endpoint, key: str | None) -> ModelEndpoint:
        if endpoint.needs_key and not key:
            raise errors.NoKey()
        self.keys.append(key)
        return Opened(endpoint)  # type: ignore[return-value]

    async def find_local(self) -> list[LocalServer]:
        return []

    async def close(self) -> None:
        pass


class Stand:
    """An EndpointAccess over a vault."""

    def __init__(
        self, vault: KeyVault | None, environment: str | None = None, profile: str = DEFAULT_PROFILE, **values: object
    ) -> None:
        settings = SettingsService(Unsaved(profile, ProfileSettings(**values)))  # type: ignore[arg-type]
        self.opening = Opening()
        self.access = EndpointAccess(
            settings, self.opening, FixedAssistant("http://localhost:9"), environment, KeyService(vault)
        )
        self.endpoint = endpoint_for(settings.profile.base_url)

    async def source(self) -> str:
        return (await self.access.key_status(self.endpoint)).source


@pytest.fixture
def hanging() -> Iterator[HangingStore]:
    store = HangingStore(CANARY)
    yield store
    store.release()


def test_the_session_stands_before_the_store_and_the_store_before_the_environment() -> None:
    store = MemoryStore()

    async def run() -> list[str]:
        stand = Stand(vault_of(store), "sk-ant-of-the-environment", environment_key=True)
        sources = [await stand.source()]
        await stand.access.client()
        stand.access.use_key(stand.endpoint, CANARY)
        sources.append(await stand.source())
        await stand.access.keep_key(stand.endpoint)
        sources.append(await stand.source())
        await stand.access.client()
        stand.access.use_key(stand.endpoint, "sk-ant-for-the-session")
        sources.append(await stand.source())
        await stand.access.client()
        for _ in range(2):
            await stand.access.forget_key(stand.endpoint)
            sources.append(await stand.source())
        assert stand.opening.keys == ["sk-ant-of-the-environment", CANARY, "sk-ant-for-the-session"]
        return sources

    assert asyncio.run(run()) == ["environment", "session", "keyring", "session", "keyring", "environment"]
    assert store.kept == {}


def test_the_key_of_the_environment_needs_permission() -> None:
    async def run() -> None:
        stand = Stand(vault_of(MemoryStore()), "sk-ant-of-the-environment")
        assert await stand.source() == "missing"
        assert stand.access.environment_key_exists
        with pytest.raises(errors.NoKey) as told:
            await stand.access.client()
        assert not isinstance(told.value, errors.KeyOutOfReach)

    asyncio.run(run())


def test_another_server_takes_the_key_kept_for_it_and_none_of_another() -> None:
    store = MemoryStore(CANARY)

    async def run() -> None:
        stand = Stand(vault_of(store), "sk-ant-of-the-environment", base_url=LOCAL, environment_key=True)
        assert await stand.source() == "not_needed"
        await stand.access.client()
        store.kept["mnemoscope", LOCAL] = "local-token"
        await stand.access.retry_keys()
        assert await stand.source() == "keyring"
        await stand.access.client()
        assert stand.opening.keys == [None, "local-token"]

    asyncio.run(run())


def test_the_simulated_assistant_asks_no_store() -> None:
    store = MemoryStore(CANARY)

    async def run() -> None:
        stand = Stand(vault_of(store), profile=DEMO_PROFILE)
        endpoint = await stand.access.endpoint()
        assert endpoint.kind is EndpointKind.SIMULATOR
        assert (await stand.access.key_status(endpoint)).source == "not_needed"
        await stand.access.client()

    asyncio.run(run())
    assert store.calls == []


def test_a_locked_store_is_said_where_the_key_is_missed() -> None:
    store = RefusingStore(lambda: KeyringLocked("no"), CANARY)

    async def run() -> None:
        stand = Stand(vault_of(store))
        for _ in range(3):
            with pytest.raises(errors.KeyOutOfReach):
                await stand.access.client()
        status = await stand.access.key_status(stand.endpoint)
        assert (status.source, type(status.trouble)) == ("missing", errors.KeyVaultLocked)
        assert store.calls == ["get"]
        store.open = True
        await stand.access.retry_keys()
        await stand.access.client()
        assert stand.opening.keys == [CANARY]

    asyncio.run(run())


def test_a_server_that_may_need_no_key_is_opened_although_the_store_hangs(hanging: HangingStore) -> None:
    async def run() -> None:
        stand = Stand(vault_of(hanging), base_url=LOCAL)
        await stand.access.client()
        assert stand.opening.keys == [None]

    asyncio.run(run())


def test_a_key_entered_while_the_store_hangs_is_used(hanging: HangingStore) -> None:
    async def run() -> None:
        stand = Stand(vault_of(hanging, patience=1))
        waiting = asyncio.create_task(stand.access.client())
        while not hanging.calls:
            await asyncio.sleep(0.005)
        stand.access.use_key(stand.endpoint, CANARY)
        await waiting
        assert stand.opening.keys == [CANARY]
        assert await stand.source() == "session"

    asyncio.run(run())
    assert hanging.calls == ["get"]


def test_nothing_of_a_key_is_in_a_representation() -> None:
    stand = Stand(None, CANARY)
    stand.access.use_key(stand.endpoint, CANARY)
    assert CANARY not in repr(stand.access)
    assert stand.endpoint.url == URL
