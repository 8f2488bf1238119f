"""The endpoint in use: an answer of the one before does not become one of the next."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest

from desktop_app.core.endpoints import Endpoint, LocalServer
from desktop_app.core.models import ModelInfo
from desktop_app.core.request import Request
from desktop_app.core.settings import ProfileSettings, Settings
from desktop_app.core.stream import StreamEvent
from desktop_app.services.endpoint_access import EndpointAccess
from desktop_app.services.settings import SettingsService

FIRST, SECOND = "http://localhost:1111", "http://localhost:2222"


class Unsaved:
    """Settings that begin with the first server."""

    def load(self) -> tuple[Settings, list[str]]:
        """One profile."""
        return Settings(profiles={"default": ProfileSettings(base_url=FIRST, model="shared")}), []

    def save(self, settings: Settings) -> None:
        """Nowhere."""

    def take_untold(self) -> list[str]:
        """Nothing was set aside."""
        return []


class Server:
    """Knows one model, `shared`, whose window is its port; answers when it may."""

    def __init__(self, endpoint: Endpoint, may_answer: asyncio.Event) -> None:
        self.endpoint = endpoint
        self._may_answer = may_answer

    def stream(self, request: Request) -> AbstractAsyncContextManager[AsyncIterator[StreamEvent]]:
        """Not asked here."""
        raise AssertionError

    async def count(self, request: Request) -> int:
        """Not asked here."""
        raise AssertionError

    async def models(self) -> list[ModelInfo]:
        """The one."""
        return [await self.model("shared")]

    async def model(self, model_id: str) -> ModelInfo:
        """The one."""
        await self._may_answer.wait()
        return ModelInfo(model_id, model_id, window=int(self.endpoint.url[-4:]))

    async def close(self) -> None:
        """Nothing to close."""


class Servers:
    """The first waits for `may_answer`, the second does not."""

    def __init__(self) -> None:
        self.may_answer = asyncio.Event()

    async def open(self, endpoint: Endpoint, key: str | None) -> Server:
        """One of them."""
        free = asyncio.Event()
        free.set()
        return Server(endpoint, self.may_answer if endpoint.url == FIRST else free)

    async def find_local(self) -> list[LocalServer]:
        """None."""
        return []

    async def close(self) -> None:
        """Nothing to end."""


class NoAssistant:
    """No simulated assistant is needed here."""

    async def url(self) -> str:
        """Not asked."""
        raise AssertionError

    async def close(self) -> None:
        """Nothing to close."""


@pytest.mark.parametrize("asked", ["models", "model"])
def test_a_late_answer_of_the_endpoint_before_is_not_taken_for_one_of_the_next(asked: str) -> None:
    async def run() -> int | None:
        servers, settings = Servers(), SettingsService(Unsaved())
        access = EndpointAccess(settings, servers, NoAssistant())
        waiting: asyncio.Task[Any] = asyncio.create_task(
            access.models() if asked == "models" else access.model("shared")  # type: ignore[arg-type]
        )
        for _ in range(20):
            await asyncio.sleep(0)
        settings.use_in_profile(base_url=SECOND)
        access.reset()
        servers.may_answer.set()
        await waiting
        found = await access.model("shared")
        await access.close()
        return found.window

    assert asyncio.run(run()) == 2222
