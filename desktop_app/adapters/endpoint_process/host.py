"""The child's side: opens endpoints, and answers each line it is asked with one line or a stream of them.

Lines in:  {"id", "do": open|find_local|stream|count|models|model|close, …}, {"cancel": id}.
Lines out: {"id", "answer"}, {"id", "event"}…, {"id", "ended"}, {"id", "error"}.
It ends when its input does, which the system brings about even when the parent is killed.
"""

from __future__ import annotations

import asyncio
import os
import sys
from typing import Any

from desktop_app.adapters.claude.environment import take_environment_key
from desktop_app.adapters.claude.opening import Endpoints
from desktop_app.adapters.endpoint_process import wire
from desktop_app.adapters.endpoint_process.lines import Line, Lines
from desktop_app.core.endpoints import Endpoint
from desktop_app.core.ports import ModelEndpoint
from desktop_app.core.request import Request


class Host:
    """Runs what the lines ask for, each in a task of its own. An endpoint is named by the id that opened it."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._endpoints = Endpoints()
        self._open: dict[int, ModelEndpoint] = {}
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._ended = asyncio.Event()

    async def run(self) -> None:
        """Serves until the input ends, then closes every connection."""
        loop = asyncio.get_running_loop()
        self._lines.listen(lambda line: loop.call_soon_threadsafe(self._take, line))
        await self._ended.wait()
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)
        for client in self._open.values():
            await client.close()

    def _take(self, line: Line | None) -> None:
        if line is None:
            self._ended.set()
        elif "cancel" in line:
            if (task := self._tasks.get(line["cancel"])) is not None:
                task.cancel()
        else:
            task = asyncio.create_task(self._serve(line))
            self._tasks[line["id"]] = task
            task.add_done_callback(lambda _: self._tasks.pop(line["id"], None))

    async def _serve(self, line: Line) -> None:
        number = line["id"]
        try:
            if line["do"] == "stream":
                await self._stream(number, line)
            else:
                self._lines.send({"id": number, "answer": await self._answer(number, line)})
        except Exception as error:
            self._lines.send({"id": number, "error": wire.plain_error(error)})

    async def _stream(self, number: int, line: Line) -> None:
        request = wire.value(line["request"], Request)
        async with self._open[line["on"]].stream(request) as events:
            self._lines.send({"id": number, "answer": None})
            async for event in events:
                self._lines.send({"id": number, "event": wire.plain(event)})
        self._lines.send({"id": number, "ended": True})

    async def _answer(self, number: int, line: Line) -> Any:
        match line["do"]:
            case "open":
                endpoint = wire.value(line["endpoint"], Endpoint)
                self._open[number] = await self._endpoints.open(endpoint, line["key"])
                return None
            case "find_local":
                return [wire.plain(server) for server in await self._endpoints.find_local()]
            case "count":
                return await self._open[line["on"]].count(wire.value(line["request"], Request))
            case "models":
                return [wire.plain(model) for model in await self._open[line["on"]].models()]
            case "model":
                return wire.plain(await self._open[line["on"]].model(line["model"]))
            case "close":
                await self._open.pop(line["on"]).close()
                return None
        raise ValueError(line["do"])


def main() -> int:
    """Imports the SDK at once, then serves the parent's pipes."""
    take_environment_key()
    incoming, outgoing = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    # Nothing that prints may come between the lines.
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    Endpoints.prepare()
    asyncio.run(Host(Lines(incoming, outgoing)).run())
    return 0
