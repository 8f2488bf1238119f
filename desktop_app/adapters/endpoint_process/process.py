"""The parent's side: asks the child, and starts a new one when it is gone."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from desktop_app.adapters.endpoint_process import wire
from desktop_app.adapters.endpoint_process.lines import Line, Lines
from desktop_app.adapters.own_process import end_own, start_own
from desktop_app.core.endpoints import Endpoint, LocalServer
from desktop_app.core.errors import ConnectionsEnded
from desktop_app.core.models import ModelInfo
from desktop_app.core.request import Request
from desktop_app.core.stream import StreamEvent


def start_child() -> subprocess.Popen[bytes]:
    """The child, importing the SDK at once; raises ConnectionsEnded where the system refuses."""
    try:
        return start_own("endpoints")
    except OSError as error:
        raise ConnectionsEnded(str(error)) from error


class EndpointProcess:
    """Fulfils `core.ports.Endpoints` on one event loop, by a child that was started before (`start_child`).

    A child that is gone is followed by a new one with the next call; what was under way has failed by then.
    """

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._child: _Child | None = None

    async def open(self, endpoint: Endpoint, key: str | None) -> RemoteEndpoint:
        """A client for it; the key goes down the pipe and stays in the two processes. Raises NoKey or KeyRefused."""
        opened = RemoteEndpoint(self, endpoint, key)
        await opened.ready()
        return opened

    async def find_local(self) -> list[LocalServer]:
        """Servers of the Messages API that answer on loopback."""
        return [wire.value(line, LocalServer) for line in await self.child().ask("find_local")]

    def child(self) -> _Child:
        """The running child. Raises ConnectionsEnded where none can be started."""
        if self._child is not None and self._child.is_gone:
            self._child.end()
            end_own(self._process)
            self._child.join()
            self._process, self._child = start_child(), None
        if self._child is None:
            self._child = _Child(self._process)
        return self._child

    async def close(self) -> None:
        """Ends the child."""
        child = self._child
        if child is not None:
            child.end()
        await asyncio.to_thread(end_own, self._process)
        if child is not None:
            await asyncio.to_thread(child.join)


class RemoteEndpoint:
    """Fulfils `core.ports.ModelEndpoint` through the child."""

    def __init__(self, process: EndpointProcess, endpoint: Endpoint, key: str | None) -> None:
        self._process = process
        self._endpoint = endpoint
        self._key = key
        self._on: tuple[_Child, int] | None = None
        self._opening = asyncio.Lock()

    def __repr__(self) -> str:
        return f"RemoteEndpoint({self._endpoint.url})"

    @property
    def endpoint(self) -> Endpoint:
        """Where it is."""
        return self._endpoint

    async def ready(self) -> tuple[_Child, int]:
        """The child in which it is open, and its name there; opens it anew in a new child."""
        async with self._opening:
            child = self._process.child()
            if self._on is None or self._on[0] is not child:
                call = child.begin("open", endpoint=wire.plain(self._endpoint), key=self._key)
                await call.answer()
                self._on = (child, call.number)
            return self._on

    @asynccontextmanager
    async def stream(self, request: Request) -> AsyncIterator[AsyncIterator[StreamEvent]]:
        """Sends a request and gives its events; leaving the context has the child close the connection."""
        child, on = await self.ready()
        call = child.begin("stream", on=on, request=wire.plain(request))
        try:
            await call.answer(keep=True)
            yield call.events()
        finally:
            call.leave()

    async def count(self, request: Request) -> int:
        """Input tokens of a request by count_tokens."""
        return int(await self._ask("count", request=wire.plain(request)))

    async def models(self) -> list[ModelInfo]:
        """The models it lists."""
        return [wire.value(line, ModelInfo) for line in await self._ask("models")]

    async def model(self, model_id: str) -> ModelInfo:
        """One model; raises ModelUnknown."""
        return wire.value(await self._ask("model", model=model_id), ModelInfo)

    async def _ask(self, do: str, **fields: Any) -> Any:
        child, on = await self.ready()
        return await child.ask(do, on=on, **fields)

    async def close(self) -> None:
        """Closes connections; a child that is gone has none."""
        if self._on is not None and not self._on[0].is_gone:
            child, on = self._on
            await child.ask("close", on=on)
        self._on = None


class _Child:
    """The lines to and from one running child; all but `end` on the event loop."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.is_gone = False
        self._calls: dict[int, _Call] = {}
        self._last = 0
        self._lines = Lines(process.stdout, process.stdin)
        loop = asyncio.get_running_loop()
        self._lines.listen(lambda line: _soon(loop, self._take, line))

    async def ask(self, do: str, **fields: Any) -> Any:
        """One line, and its answer."""
        return await self.begin(do, **fields).answer()

    def begin(self, do: str, **fields: Any) -> _Call:
        """Sends a line; what comes back is read from the call."""
        self._last += 1
        call = _Call(self, self._last)
        self._calls[call.number] = call
        if self.is_gone:
            call.take(None)
        self._lines.send({"id": call.number, "do": do, **fields})
        return call

    def leave(self, call: _Call) -> None:
        """The caller wants no more of it."""
        if self._calls.pop(call.number, None) is not None and not call.is_over:
            self._lines.send({"cancel": call.number})

    def _take(self, line: Line | None) -> None:
        if line is None:
            self.is_gone = True
            for call in self._calls.values():
                call.take(None)
        elif line["id"] in self._calls:
            self._calls[line["id"]].take(line)

    def end(self) -> None:
        """Lets it end after what it was sent."""
        self._lines.end()

    def join(self) -> None:
        """Waits for the threads of the lines."""
        self._lines.join()


class _Call:
    """One question and what comes back for it."""

    def __init__(self, child: _Child, number: int) -> None:
        self.number = number
        self.is_over = False
        self._child = child
        self._lines: asyncio.Queue[Line | None] = asyncio.Queue()

    def take(self, line: Line | None) -> None:
        """A line for it came; None: the child is gone."""
        self._lines.put_nowait(line)

    async def answer(self, *, keep: bool = False) -> Any:
        """What the child answers; raises its error. With `keep` more lines follow."""
        try:
            line = await self._next()
            self.is_over = not keep
            return line["answer"]
        finally:
            if not keep:
                self._child.leave(self)

    async def events(self) -> AsyncIterator[StreamEvent]:
        """The events of an answer to its end."""
        while "event" in (line := await self._next()):
            yield wire.event(line["event"])
        self.is_over = True

    def leave(self) -> None:
        """Nobody reads on."""
        self._child.leave(self)

    async def _next(self) -> Line:
        line = await self._lines.get()
        if line is not None and "error" not in line:
            return line
        self.is_over = True
        if line is not None:
            raise wire.error(line["error"])
        raise ConnectionsEnded("the process ended")


def _soon(loop: asyncio.AbstractEventLoop, take: Any, line: Line | None) -> None:
    try:
        loop.call_soon_threadsafe(take, line)
    except RuntimeError:
        return  # the loop is closed: nobody waits any more
