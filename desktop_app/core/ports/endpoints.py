"""What services need of servers of the Messages API."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from desktop_app.core.endpoints import Endpoint, LocalServer
from desktop_app.core.models import ModelInfo
from desktop_app.core.request import Request
from desktop_app.core.stream import StreamEvent


class ModelEndpoint(Protocol):
    """A server of the Messages API. All methods raise kinds of EndpointError."""

    @property
    def endpoint(self) -> Endpoint:
        """Where it is."""

    def stream(self, request: Request) -> AbstractAsyncContextManager[AsyncIterator[StreamEvent]]:
        """Sends a request and yields its answer; leaving the context closes the connection."""

    async def count(self, request: Request) -> int:
        """Input tokens of a request by count_tokens."""

    async def models(self) -> list[ModelInfo]:
        """The models it lists."""

    async def model(self, model_id: str) -> ModelInfo:
        """One model; raises ModelUnknown."""

    async def close(self) -> None:
        """Closes connections."""


class Endpoints(Protocol):
    """Opens endpoints."""

    async def open(self, endpoint: Endpoint, key: str | None) -> ModelEndpoint:
        """A client for it; the key stays inside. Raises NoKey or KeyRefused."""

    async def find_local(self) -> list[LocalServer]:
        """Servers of the Messages API that answer on loopback (Ollama, LM Studio, llama-server)."""

    async def close(self) -> None:
        """Ends what they were opened with, after the endpoints themselves."""


class SimulatedAssistant(Protocol):
    """The simulator as a child process."""

    async def url(self) -> str:
        """Its base URL; starts it when it is not running. Raises ServerFailed."""

    async def close(self) -> None:
        """Ends it."""
