"""Opens endpoints and finds those on loopback; the SDK is imported with the first one that is opened."""

from __future__ import annotations

import asyncio
import gc
from typing import TYPE_CHECKING

from desktop_app.core.endpoints import Endpoint, LocalServer
from desktop_app.core.ports import ModelEndpoint

if TYPE_CHECKING:
    import httpx2

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

    @staticmethod
    def prepare() -> None:
        """Imports the SDK, 3,500 modules, without the cyclic collector, which would stop every thread often."""
        enabled = gc.isenabled()
        gc.disable()
        try:
            import desktop_app.adapters.claude.client  # noqa: F401
        finally:
            if enabled:
                gc.freeze()
                gc.enable()

    async def open(self, endpoint: Endpoint, key: str | None) -> ModelEndpoint:
        """A client for an endpoint; the first call waits about a second for the SDK, off the event loop."""
        await asyncio.to_thread(self.prepare)
        from desktop_app.adapters.claude.client import ClaudeEndpoint

        return ClaudeEndpoint(endpoint, key)

    async def find_local(self) -> list[LocalServer]:
        """Those of the candidates that list models in the way these servers do."""
        await asyncio.to_thread(self.prepare)
        import httpx2

        async with httpx2.AsyncClient(timeout=_PATIENCE, trust_env=False) as client:
            found = await asyncio.gather(*(_look(client, name, url) for name, url in self._candidates))
        return [server for server in found if server is not None]

    async def close(self) -> None:
        """Nothing stays open beside the endpoints."""


async def _look(client: httpx2.AsyncClient, name: str, url: str) -> LocalServer | None:
    import httpx2

    try:
        answer = await client.get(f"{url}/v1/models")
        listed = answer.json().get("data") if answer.status_code == 200 else None
    except (httpx2.HTTPError, ValueError, AttributeError):
        return None
    if not isinstance(listed, list):
        return None
    models = tuple(str(model["id"]) for model in listed if isinstance(model, dict) and "id" in model)
    return LocalServer(name, url, models)
