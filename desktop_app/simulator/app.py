"""The routes: messages, count_tokens, models, and the simulator's own control endpoints."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from .checks.envelope import BODY_LIMIT, Envelope, parse_body, too_large
from .control import control_routes
from .conversation import last_question
from .delivery import BrokenConnection, deliver
from .errors import ApiError
from .listing import list_models, one_model
from .recording import LogEntry
from .reply import new_id
from .scenario import Step
from .service import Simulator
from .streaming import Message

Result = TypeVar("Result")
LARGE_BODY = 64 * 1024  # bytes
ORGANIZATION = "00000000-0000-4000-8000-000000000000"


def build_app(simulator: Simulator) -> Starlette:
    """The ASGI application around one simulator."""
    endpoints = _Endpoints(simulator)
    routes = [
        Route("/v1/messages", endpoints.messages, methods=["POST"]),
        Route("/v1/messages/count_tokens", endpoints.count_tokens, methods=["POST"]),
        Route("/v1/models", endpoints.models, methods=["GET"]),
        Route("/v1/models/{model:path}", endpoints.model, methods=["GET"]),
        *control_routes(simulator),
    ]
    handlers: dict[Any, Any] = {404: _not_found, 405: _not_allowed, Exception: _failed}
    return Starlette(routes=routes, exception_handlers=handlers)


def _not_found(request: Request, _: Exception) -> Response:
    return _refusal(ApiError(404, "Not Found"), new_id("req", request.url.path.encode()))


def _not_allowed(request: Request, _: Exception) -> Response:
    return _refusal(ApiError(405, "Method Not Allowed"), new_id("req", request.url.path.encode()))


def _failed(request: Request, _: Exception) -> Response:
    return _refusal(ApiError(500, "Internal server error"), new_id("req", request.url.path.encode()))


def _headers(request_id: str) -> dict[str, str]:
    return {"request-id": request_id, "anthropic-organization-id": ORGANIZATION}


def _refusal(error: ApiError, request_id: str) -> Response:
    return JSONResponse(error.body(request_id), error.status, _headers(request_id) | error.headers)


class _Endpoints:
    def __init__(self, simulator: Simulator) -> None:
        self.simulator = simulator

    async def messages(self, request: Request) -> Response:
        return await self._answer(request, self._message)

    async def count_tokens(self, request: Request) -> Response:
        return await self._answer(request, self._count)

    async def models(self, request: Request) -> Response:
        return await self._answer(request, self._list)

    async def model(self, request: Request) -> Response:
        return await self._answer(request, self._model)

    async def _answer(
        self, request: Request, handle: Callable[[Request, LogEntry, bytes], Awaitable[Response]]
    ) -> Response:
        """Log a request, handle it, and turn every refusal into the API's error body."""
        started = self.simulator.clock.now()
        try:
            raw, oversize = await _read(request), None
        except ApiError as error:
            raw, oversize = b"", error
        request_id = new_id("req", raw or request.url.path.encode())
        recorder = self.simulator.recorder
        entry = recorder.begin(request.url.path, request.headers, raw, started, request_id)
        try:
            if oversize is not None:
                raise oversize
            response = await handle(request, entry, raw)
            entry.status = response.status_code
            if entry.ended == "open" and not isinstance(response, StreamingResponse):
                entry.ended = "complete"
            response.headers.update(_headers(request_id))
        except ApiError as error:
            entry.status, entry.error, entry.ended = error.status, error.message, "refused"
            response = _refusal(error, request_id)
        recorder.finish(entry, request.headers)
        return response

    # ---- models ----

    async def _list(self, request: Request, entry: LogEntry, _: bytes) -> Response:
        await self._fault(entry, b"")
        Envelope.open(request.headers)
        return JSONResponse(list_models(request.query_params, self.simulator.features))

    async def _model(self, request: Request, entry: LogEntry, _: bytes) -> Response:
        await self._fault(entry, b"")
        Envelope.open(request.headers)
        return JSONResponse(one_model(request.path_params["model"], self.simulator.features))

    # ---- counting and answering ----

    async def _count(self, request: Request, entry: LogEntry, raw: bytes) -> Response:
        await self._fault(entry, raw)
        envelope = Envelope.open(request.headers)
        body = parse_body(raw)
        entry.model = str(body.get("model"))
        counted = await _work(raw, self.simulator.count, body, envelope)
        entry.input_tokens = counted["input_tokens"]
        return JSONResponse(counted)

    async def _message(self, request: Request, entry: LogEntry, raw: bytes) -> Response:
        fault = await self._fault(entry, raw)
        envelope = Envelope.open(request.headers)
        body = parse_body(raw)
        entry.model, entry.stream = str(body.get("model")), body.get("stream") is True
        checked = await _work(raw, self.simulator.check, body, envelope)
        outcome = await _work(raw, self.simulator.split_input, checked, entry.at)
        if fault is not None and fault.action == "replay":
            return StreamingResponse(self._replay(fault, entry), media_type="text/event-stream")
        message = await _work(raw, self.simulator.compose, checked, outcome, fault, raw, entry.at)
        self.simulator.diagnose(message, checked, fault)
        entry.message_id, entry.usage, entry.stop_reason = message.id, message.usage(), message.sent.stop_reason
        entry.input_tokens, entry.diagnostics = outcome.total, message.diagnostics
        if entry.stream:
            stream = self._stream(request, message, fault, entry)
            return StreamingResponse(stream, media_type="text/event-stream", headers={"cache-control": "no-cache"})
        return await self._whole(message, fault, entry)

    async def _fault(self, entry: LogEntry, raw: bytes) -> Step | None:
        """The scenario step for this request, its delay served; a `status` step refuses here."""
        fault = self.simulator.scenario.take(entry.path, lambda: _asked(raw))
        if fault is None:
            return None
        entry.scenario = fault.action
        if fault.get("delay"):
            await asyncio.sleep(float(fault.get("delay")))
        if fault.action == "delay":
            await asyncio.sleep(float(fault.get("seconds")))
        if fault.action == "status":
            raise _status_error(fault)
        return fault

    async def _whole(self, message: Message, fault: Step | None, entry: LogEntry) -> Response:
        """An answer in one piece, with the faults that make sense for it."""
        if fault is not None and fault.action == "error":
            raise ApiError(529, fault.get("message", "Overloaded"), error_type=fault.get("error_type"))
        if fault is not None and fault.action == "silence":
            await asyncio.sleep(float(fault.get("seconds")))
        self.simulator.commit(message)
        body = json.dumps(message.as_json(), ensure_ascii=False).encode()
        if fault is not None and fault.action in ("cut", "eof"):
            entry.ended = "broken"
            half, size = body[: len(body) // 2], str(len(body))
            return StreamingResponse(
                _broken(half), headers={"content-length": size, "content-type": "application/json"}
            )
        return Response(body, media_type="application/json")

    async def _stream(
        self, request: Request, message: Message, fault: Step | None, entry: LogEntry
    ) -> AsyncIterator[bytes]:
        self.simulator.commit(message)
        try:
            async for chunk in deliver(message, fault, self.simulator.settings.speed):
                yield chunk
            ended_early = fault is not None and fault.action in ("error", "eof")
            entry.ended = "broken" if ended_early else "complete"
        except BrokenConnection:
            entry.ended = "broken"
            raise
        finally:
            if entry.ended == "open":
                entry.ended = "closed"
            self.simulator.recorder.finish(entry, request.headers)

    async def _replay(self, fault: Step, entry: LogEntry) -> AsyncIterator[bytes]:
        yield await asyncio.to_thread(Path(fault.get("file")).read_bytes)
        entry.ended = "complete"


async def _work(raw: bytes, task: Callable[..., Result], *arguments: Any) -> Result:
    """Run a task for a request; beside the event loop where the body is large, so that other streams flow on."""
    if len(raw) < LARGE_BODY:
        return task(*arguments)
    return await asyncio.to_thread(task, *arguments)


async def _broken(beginning: bytes) -> AsyncIterator[bytes]:
    yield beginning
    raise BrokenConnection


async def _read(request: Request) -> bytes:
    """The body, refused as soon as it is over the limit."""
    if int(request.headers.get("content-length") or 0) > BODY_LIMIT:
        async for _ in request.stream():
            pass
        raise too_large()
    parts: list[bytes] = []
    size = 0
    try:
        async for part in request.stream():
            size += len(part)
            if size <= BODY_LIMIT:
                parts.append(part)
    except ClientDisconnect:
        return b""
    if size > BODY_LIMIT:
        raise too_large()
    return b"".join(parts)


def _asked(raw: bytes) -> str:
    """The user's last words for matching, "" where the body is too broken to tell."""
    try:
        return last_question(json.loads(raw))
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
        return ""


def _status_error(fault: Step) -> ApiError:
    status = int(fault.get("status"))
    code, wait = fault.get("error_code"), fault.get("retry_after")
    return ApiError(
        status,
        fault.get("message") or _TEXTS.get(status, "The request failed."),
        error_type=fault.get("error_type"),
        details=None if code is None else {"error_code": code},
        headers={} if wait is None else {"retry-after": str(wait)},
    )


_TEXTS = {
    401: "invalid x-api-key",
    402: "Your credit balance is too low to access the API.",
    403: "Your API key does not have permission to use the specified resource.",
    404: "Not Found",
    429: "This request would exceed your organization's rate limit. Please try again later.",
    500: "Internal server error",
    529: "Overloaded",
}
