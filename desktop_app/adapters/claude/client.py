"""One endpoint of the Messages API: streaming, counting and models over AsyncAnthropic."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anthropic
import httpx2

from desktop_app.adapters.claude.connections import open_connections
from desktop_app.adapters.claude.errors import FAILURES, as_endpoint_error
from desktop_app.adapters.claude.replies import read_reply
from desktop_app.core.context_editing import EDITS
from desktop_app.core.endpoints import Endpoint
from desktop_app.core.errors import BadInput, KeyRefused, NoKey, NotMessagesApi, ServerFailed
from desktop_app.core.models import ModelInfo
from desktop_app.core.request import Request
from desktop_app.core.stream import ReplyOpened, StreamEvent

# A local server may load a model or fill its prompt for minutes before the first byte.
_STREAM_TIMEOUT = httpx2.Timeout(connect=10.0, read=300.0, write=60.0, pool=10.0)
_SHORT_TIMEOUT = httpx2.Timeout(connect=5.0, read=30.0, write=30.0, pool=10.0)
_NOT_COUNTED = ("max_tokens", "stop_sequences", "stream", "diagnostics")
_NO_KEY = "none"


class ClaudeEndpoint:
    """Fulfils `core.ports.ModelEndpoint`. Must be used on one event loop only."""

    def __init__(self, endpoint: Endpoint, key: str | None) -> None:
        self._endpoint = endpoint
        clean = (key or "").strip()
        if endpoint.needs_key and not clean:
            raise NoKey()
        if not clean.isascii() or any(char.isspace() for char in clean):
            raise KeyRefused("the key holds characters no key has")
        # Explicit key and base URL: nothing from the environment or a config file is asked.
        try:
            self._client = anthropic.AsyncAnthropic(
                api_key=clean or _NO_KEY,
                base_url=endpoint.url,
                max_retries=0,
                timeout=_STREAM_TIMEOUT,
                open_telemetry=False,
                http_client=open_connections(endpoint),
            )
        except httpx2.InvalidURL as error:
            raise BadInput(str(error), what=endpoint.url, why="url") from error

    def __repr__(self) -> str:
        return f"ClaudeEndpoint({self._endpoint.url})"

    @property
    def endpoint(self) -> Endpoint:
        """Where it is."""
        return self._endpoint

    @asynccontextmanager
    async def stream(self, request: Request) -> AsyncIterator[AsyncIterator[StreamEvent]]:
        """Sends a request and gives its events; leaving the context closes the connection at once."""
        fields = request.body()
        fields.pop("stream", None)
        host = self._endpoint.host

        async def events(stream: Any) -> AsyncIterator[StreamEvent]:
            opened = False
            try:
                async for event in read_reply(stream, diagnosed="diagnostics" in fields):
                    opened = opened or isinstance(event, ReplyOpened)
                    if opened:
                        yield event
            except Exception as error:
                # Also what is no error of the SDK: a server may send anything in place of an event.
                raise as_endpoint_error(error, host, streaming=opened) from error
            if not opened:
                raise NotMessagesApi("the answer holds no event of a message", host=host)

        try:
            async with self._client.beta.messages.stream(**fields, **_betas(request)) as stream:
                yield events(stream)
        except FAILURES as error:
            raise as_endpoint_error(error, host) from error

    async def count(self, request: Request) -> int:
        """Input tokens of the whole request by count_tokens, after what the API would leave out of it."""
        fields = {name: value for name, value in request.body().items() if name not in _NOT_COUNTED}
        try:
            counted = await self._client.beta.messages.count_tokens(**fields, **_betas(request), timeout=_SHORT_TIMEOUT)
        except Exception as error:
            raise as_endpoint_error(error, self._endpoint.host) from error
        tokens = getattr(counted, "input_tokens", None)
        if not isinstance(tokens, int) or tokens <= 0:
            # No request is empty: a server that says so cannot count.
            raise ServerFailed(f"count_tokens: {tokens!r}", reason="count_tokens")
        return tokens

    async def models(self) -> list[ModelInfo]:
        """All models the endpoint lists."""
        try:
            return [
                _model_info(model) async for model in self._client.beta.models.list(limit=100, timeout=_SHORT_TIMEOUT)
            ]
        except Exception as error:
            raise as_endpoint_error(error, self._endpoint.host) from error

    async def model(self, model_id: str) -> ModelInfo:
        """One model with its limits."""
        try:
            return _model_info(await self._client.beta.models.retrieve(model_id, timeout=_SHORT_TIMEOUT))
        except Exception as error:
            raise as_endpoint_error(error, self._endpoint.host) from error

    async def close(self) -> None:
        """Closes connections."""
        await self._client.close()


def _betas(request: Request) -> dict[str, Any]:
    return {"betas": list(request.betas)} if request.betas else {}


def _model_info(model: Any) -> ModelInfo:
    """Reads what is there: other servers leave most of it out."""
    plain: dict[str, Any] = model.to_dict(mode="json")
    if not plain.get("id"):
        raise ValueError("a model without an id")
    capabilities = plain.get("capabilities") or {}
    efforts = capabilities.get("effort") or {}
    thinking = (capabilities.get("thinking") or {}).get("types") or {}
    edits = capabilities.get("context_management") or {}
    return ModelInfo(
        id=str(plain.get("id", "")),
        name=str(plain.get("display_name") or plain.get("id", "")),
        window=_limit(plain.get("max_input_tokens")),
        output_limit=_limit(plain.get("max_tokens")),
        efforts=tuple(name for name in ("low", "medium", "high", "xhigh", "max") if _supported(efforts.get(name))),
        thinking=frozenset(name for name, value in thinking.items() if _supported(value)),
        told=bool(capabilities),
        edits=frozenset(name for name in EDITS if _supported(edits.get(name))),
        compacts=_supported((capabilities.get("compaction") or {}).get("summarize")),
        image_input=_told(capabilities.get("image_input")),
        pdf_input=_told(capabilities.get("pdf_input")),
        structured=_supported(capabilities.get("structured_outputs")),
    )


def _limit(value: Any) -> int | None:
    return value if isinstance(value, int) and 0 < value < 10**12 else None


def _told(value: Any) -> bool | None:
    return None if value is None else _supported(value)


def _supported(value: Any) -> bool:
    return bool(value.get("supported")) if isinstance(value, dict) else bool(value)
