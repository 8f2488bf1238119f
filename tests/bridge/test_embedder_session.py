"""Choosing the model that finds by meaning, from the GUI thread: a trial that lasts can be given up."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest
from pytestqt.qtbot import QtBot

from desktop_app.bridge.async_runner import AsyncRunner
from desktop_app.bridge.background import Background
from desktop_app.bridge.embedder_session import EmbedderSession
from desktop_app.core.embedders import EmbedderChoice, EmbedderKind, KnownEmbedder
from desktop_app.services.keys import KeyService
from tests.fakes.embedder_room import EmbedderRoom
from tests.fakes.toy_embedders import ToyEmbedders


class SilentServers(ToyEmbedders):
    """Those that would have to ask a server never answer."""

    async def identify(self, choice: EmbedderChoice, known: KnownEmbedder | None = None) -> KnownEmbedder:
        if choice.asks_server:
            await asyncio.Event().wait()
        return await super().identify(choice, known)


@pytest.fixture
def session(qtbot: QtBot, tmp_path: Path) -> Iterator[EmbedderSession]:
    runner = AsyncRunner()

    async def opened() -> EmbedderRoom:
        room = EmbedderRoom(tmp_path)
        room.embedders._embedders = SilentServers()
        return room

    room = runner.start(opened()).result(5)
    background = Background(runner)
    yield EmbedderSession(room.embedders, cast(KeyService, None), background)
    background.close()
    runner.start(room.close()).result(5)
    runner.stop()


def test_a_trial_that_lasts_can_be_given_up(qtbot: QtBot, session: EmbedderSession) -> None:
    session.choose("ollama", "http://127.0.0.1:9")
    qtbot.wait(50)
    assert session.trying and session.error is None
    session.give_up()
    qtbot.waitUntil(lambda: not session.trying)
    session.read()
    qtbot.waitUntil(lambda: session.status is not None)
    assert session.error is None and session.status is not None and not session.status.changing


def test_another_choice_takes_the_place_of_a_trial(qtbot: QtBot, session: EmbedderSession) -> None:
    session.choose("ollama", "http://127.0.0.1:9")
    session.choose("e5")
    qtbot.waitUntil(lambda: not session.trying)
    qtbot.waitUntil(lambda: session.status is not None)
    assert session.status is not None and session.status.choice.kind is EmbedderKind.E5
