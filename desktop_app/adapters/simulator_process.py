"""The simulated assistant as a child process that dies with its parent."""

from __future__ import annotations

import asyncio
import json
from asyncio.subprocess import DEVNULL, PIPE, Process
from contextlib import suppress
from pathlib import Path

from desktop_app.adapters.own_process import own_command, own_environment
from desktop_app.core.errors import ServerFailed

_START_SECONDS = 20.0
_END_SECONDS = 2.0


class SimulatorProcess:
    """Fulfils `core.ports.SimulatedAssistant`. `arguments` are added to the command (for tests and the tour)."""

    def __init__(self, state: Path | None = None, arguments: tuple[str, ...] = ()) -> None:
        self._arguments = (*(("--state", str(state)) if state else ()), *arguments)
        self._process: Process | None = None
        self._url = ""
        self._starting = asyncio.Lock()

    async def url(self) -> str:
        """Its base URL; starts the process, or a new one when it is gone."""
        async with self._starting:
            if self._process is None or self._process.returncode is not None:
                await self._start()
            return self._url

    async def _start(self) -> None:
        try:
            # It ends when this pipe closes, which the system does even after a kill.
            process = await asyncio.create_subprocess_exec(
                *own_command("simulator"),
                "--port",
                "0",
                "--watch-stdin",
                *self._arguments,
                stdin=PIPE,
                stdout=PIPE,
                stderr=DEVNULL,
                start_new_session=True,
                env=own_environment(),
            )
        except OSError as error:
            raise ServerFailed(str(error), reason="simulator") from error
        try:
            self._url = await _announced(process)
        except BaseException as error:
            await _end(process)
            if isinstance(error, OSError | ValueError | KeyError | TypeError):
                raise ServerFailed(f"{type(error).__name__}: {error}", reason="simulator") from error
            raise
        self._process = process

    async def close(self) -> None:
        """Ends the process."""
        async with self._starting:
            process, self._process = self._process, None
        if process is None or process.returncode is not None:
            return
        if process.stdin is not None:
            process.stdin.close()
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(_END_SECONDS):
                    await process.wait()
        finally:
            await _end(process)


async def _announced(process: Process) -> str:
    """The base URL it writes when it is ready."""
    assert process.stdout is not None
    async with asyncio.timeout(_START_SECONDS):
        line = await process.stdout.readline()
    return str(json.loads(line)["url"])


async def _end(process: Process) -> None:
    """Kills what still runs, and takes its exit code so that nothing is left of it."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            process.kill()
    await process.wait()
