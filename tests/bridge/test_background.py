"""Coroutines from the GUI thread: every end is told, and what must be written is written at the close."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from concurrent.futures import CancelledError
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from desktop_app.bridge.async_runner import AsyncRunner
from desktop_app.bridge.background import Background
from desktop_app.core import errors


@pytest.fixture
def runner() -> Iterator[AsyncRunner]:
    """Its thread ends with the test."""
    runner = AsyncRunner()
    yield runner
    runner.stop()


async def give(value: int) -> int:
    return value


async def fail(error: Exception) -> int:
    raise error


async def last_words(told: list[str], seconds: float = 0.05) -> None:
    """Still does something after it was cancelled."""
    try:
        await asyncio.sleep(60)
    finally:
        await asyncio.sleep(seconds)
        told.append("written")


def test_every_end_is_told(qtbot: QtBot, runner: AsyncRunner, monkeypatch: pytest.MonkeyPatch) -> None:
    background = Background(runner)
    faults: list[type[BaseException]] = []
    monkeypatch.setattr(sys, "excepthook", lambda kind, _fault, _trace: faults.append(kind))
    ends: list[BaseException | None] = []
    done: list[Any] = []
    failed: list[errors.AppError] = []
    words: list[str] = []
    for coroutine in (give(7), fail(errors.Busy()), fail(ZeroDivisionError("by zero"))):
        count = len(ends)
        background.run(coroutine, done.append, failed.append, ends.append)
        qtbot.waitUntil(lambda count=count: len(ends) > count)
    background.run(last_words(words), done.append, failed.append, ends.append).cancel()
    qtbot.waitUntil(lambda: len(ends) == 4)
    assert [type(end) for end in ends] == [type(None), errors.Busy, ZeroDivisionError, CancelledError]
    assert done == [7]
    assert [type(error) for error in failed] == [errors.Busy]
    assert faults == [ZeroDivisionError]


def test_a_cancelled_coroutine_has_ended_when_its_end_is_told(qtbot: QtBot, runner: AsyncRunner) -> None:
    words: list[str] = []
    seen: list[list[str]] = []
    future = Background(runner).run(last_words(words), ended=lambda _: seen.append(list(words)))
    qtbot.wait(20)
    future.cancel()
    qtbot.waitUntil(lambda: bool(seen))
    assert seen == [["written"]]


def test_shielded_writes_are_whole_before_the_last_coroutine(runner: AsyncRunner) -> None:
    told: list[str] = []

    async def write() -> None:
        await asyncio.sleep(0.3)
        told.append("written")

    async def turn() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.shield(asyncio.ensure_future(write()))

    async def impatient() -> None:
        await asyncio.shield(asyncio.ensure_future(write()))

    async def close() -> None:
        told.append("closed")

    runner.start(turn())
    runner.start(impatient())
    runner.start(asyncio.sleep(0)).result(5)
    runner.finish(close())
    assert told == ["written", "written", "closed"]


def test_what_does_not_end_never_keeps_the_services_open(runner: AsyncRunner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("desktop_app.bridge.async_runner._PATIENCE", 0.2)
    told: list[str] = []

    async def close() -> None:
        told.append("closed")

    runner.start(last_words(told, seconds=1.0))
    runner.start(asyncio.sleep(0)).result(5)
    runner.finish(close())
    assert told == ["closed"]
