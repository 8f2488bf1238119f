"""The simulated assistant's process: one at a time, and none left behind when its start fails."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from desktop_app.adapters import simulator_process
from desktop_app.adapters.simulator_process import SimulatorProcess
from desktop_app.core.errors import ServerFailed


def stand_in(monkeypatch: pytest.MonkeyPatch, folder: Path, line: str) -> Path:
    """Puts a program in the simulator's place that notes its process id, writes a line and stays."""
    pids, program = folder / "pids", folder / "program"
    program.write_text(f"#!/bin/sh\necho $$ >> '{pids}'\n{line}\nexec sleep 60\n")
    program.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(program))
    return pids


def running(pids: Path) -> list[int]:
    """Those of the noted processes that still exist, also as a dead child nobody asked for."""
    found = []
    for pid in map(int, pids.read_text().split()):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            continue
        found.append(pid)
    return found


@pytest.mark.parametrize("line", ["echo nonsense", "echo '{}'", "echo '[]'", "exit 3", ":"])
def test_a_start_that_fails_leaves_no_process(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, line: str) -> None:
    monkeypatch.setattr(simulator_process, "_START_SECONDS", 0.5)
    pids = stand_in(monkeypatch, tmp_path, line)

    async def run() -> None:
        process = SimulatorProcess()
        with pytest.raises(ServerFailed):
            await process.url()
        assert running(pids) == []
        await process.close()

    asyncio.run(run())


def test_a_start_that_is_cancelled_leaves_no_process(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pids = stand_in(monkeypatch, tmp_path, ":")

    async def run() -> None:
        starting = asyncio.create_task(SimulatorProcess().url())
        async with asyncio.timeout(10):
            while not pids.exists() or not pids.read_text().endswith("\n"):
                await asyncio.sleep(0.01)
        starting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await starting
        assert running(pids) == []

    asyncio.run(run())


def test_two_calls_at_once_start_one_process_and_closing_ends_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(simulator_process, "_END_SECONDS", 0.1)
    pids = stand_in(monkeypatch, tmp_path, """echo '{"url": "http://127.0.0.1:1"}'""")

    async def run() -> None:
        process = SimulatorProcess()
        assert await asyncio.gather(process.url(), process.url()) == ["http://127.0.0.1:1"] * 2
        assert len(running(pids)) == 1
        await process.close()
        assert running(pids) == []

    asyncio.run(run())


def test_closing_during_the_start_ends_it_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(simulator_process, "_END_SECONDS", 0.1)
    pids = stand_in(monkeypatch, tmp_path, """sleep 0.2; echo '{"url": "http://127.0.0.1:1"}'""")

    async def run() -> None:
        process = SimulatorProcess()
        starting = asyncio.create_task(process.url())
        await asyncio.sleep(0)
        await process.close()
        await asyncio.gather(starting, return_exceptions=True)
        assert running(pids) == []

    asyncio.run(run())
