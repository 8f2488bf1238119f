"""The endpoint in use: an answer of the one before does not become one of the next."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import Any

import pytest

from desktop_app.core.endpoints import ANTHROPIC_URL, Endpoint, LocalServer
from desktop_app.core.models import Features, ModelInfo
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


ABLE = ModelInfo(
    "claude-opus-5-5",
    "Able",
    thinking=frozenset({"adaptive"}),
    told=True,
    edits=frozenset({"compact_20260112", "clear_tool_uses_20250919", "clear_thinking_20251015"}),
    compacts=True,
    image_input=True,
    pdf_input=False,
)
BETAS = ("server_compaction", "server_compaction_now", "clear_tool_results", "clear_thinking", "block_binding")


def features_of(model: ModelInfo, **profile: Any) -> Features:
    async def run() -> Features:
        settings = SettingsService(Unsaved())
        settings.use_in_profile(**profile)
        access = EndpointAccess(settings, Servers(), NoAssistant())
        return await access.features(model)

    return asyncio.run(run())


def test_what_the_house_offers_is_what_it_says_of_the_model() -> None:
    features = features_of(ABLE, base_url=ANTHROPIC_URL)
    assert [getattr(features, name) for name in BETAS] == [True] * 5
    assert (features.images, features.pdfs) == (True, False)
    some = replace(ABLE, edits=frozenset({"clear_thinking_20251015"}), compacts=False)
    features = features_of(some, base_url=ANTHROPIC_URL)
    assert [getattr(features, name) for name in BETAS] == [False, False, False, True, True]


def test_what_nobody_says_is_off() -> None:
    features = features_of(ModelInfo("claude-opus-5-5", "Untold"), base_url=ANTHROPIC_URL)
    assert [getattr(features, name) for name in BETAS] == [False] * 4 + [True]
    assert (features.images, features.pdfs) == (False, False)
    assert features.thinking


def test_thinking_that_is_bound_to_nothing_needs_no_dropping() -> None:
    assert not features_of(replace(ABLE, id="claude-opus-5"), base_url=ANTHROPIC_URL).block_binding
    assert not features_of(replace(ABLE, thinking=frozenset({"disabled"})), base_url=ANTHROPIC_URL).block_binding


@pytest.mark.parametrize("plain", [False, True])
def test_no_other_server_is_asked_for_what_is_beta(plain: bool) -> None:
    features = features_of(ABLE, base_url=FIRST, plain_endpoint=plain)
    assert [getattr(features, name) for name in BETAS] == [False] * 5
    assert (features.images, features.pdfs) == (True, False)
