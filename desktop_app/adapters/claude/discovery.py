"""Finds servers of the Messages API on loopback: Ollama, LM Studio, llama-server."""

from __future__ import annotations

import asyncio

import httpx2

from desktop_app.adapters.claude.client import ClaudeEndpoint
from desktop_app.core.endpoints import Endpoint, LocalServer
from desktop_app.core.ports import ModelEndpoint

_CANDIDATES = (
    ("Ollama", "http://127.0.0.1:11434"),
    ("LM Studio", "http://127.0.0.1:1234"),
    ("llama-server", "http://127.0.0.1:8080"),
)
_PATIENCE = 1.5


class Endpoints:
    """Fulfils `core.ports.Endpoints`. `candidates` are (name, base URL) pairs to look at."""

    def __init__(self, candidates: tuple[tuple[str, str], ...] = _CANDIDATES) -> None:
        self._candidates = candidates

    def open(self, endpoint: Endpoint, key: str | None) -> ModelEndpoint:
        """A client for an endpoint."""
        return ClaudeEndpoint(endpoint, key)

    async def find_local(self) -> list[LocalServer]:
        """Those of the candidates that list models in the way these servers do."""
        async with httpx2.AsyncClient(timeout=_PATIENCE, trust_env=False) as client:
            found = await asyncio.gather(*(_look(client, name, url) for name, url in self._candidates))
        return [server for server in found if server is not None]


async def _look(client: httpx2.AsyncClient, name: str, url: str) -> LocalServer | None:
    try:
        answer = await client.get(f"{url}/v1/models")
        listed = answer.json().get("data") if answer.status_code == 200 else None
    except (httpx2.HTTPError, ValueError, AttributeError):
        return None
    if not isinstance(listed, list):
        return None
    models = tuple(str(model["id"]) for model in listed if isinstance(model, dict) and "id" in model)
    return LocalServer(name, url, models)
