"""The real services of a temporary data folder, wired to a running simulator."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from desktop_app.adapters.settings_file import SettingsFile
from desktop_app.composition import Options, open_services
from desktop_app.core import turn_events
from desktop_app.core.conversation import Message
from desktop_app.core.settings import DEFAULT_PROFILE, DEMO_PROFILE, ProfileSettings, Settings
from desktop_app.services.all_services import Services
from desktop_app.services.settings import SettingsService
from desktop_app.services.turn import TurnControl

E = TypeVar("E", bound=turn_events.TurnEvent)


class FixedAssistant:
    """Stands for the simulator's child process: one that a test started and scripts itself."""

    def __init__(self, url: str) -> None:
        self._url = url

    async def url(self) -> str:
        """Where it is."""
        return self._url

    async def close(self) -> None:
        """The test ends it."""


class House:
    """Services plus a record of all events; `ask` runs a whole turn."""

    def __init__(self, services: Services) -> None:
        self.services = services
        self.events: list[turn_events.TurnEvent] = []
        self.control = TurnControl()

    async def ask(self, text: str, conversation_id: str | None = None) -> str:
        """Sends a text (in a new conversation by default); returns the conversation's id."""
        if conversation_id is None:
            conversation_id = (await self.services.chat.new_conversation(text)).id
        await self.services.chat.send(conversation_id, text, self.events.append, self.control)
        return conversation_id

    def start(self, text: str, conversation_id: str | None = None) -> asyncio.Task[str]:
        """Begins a turn without waiting for it."""
        return asyncio.create_task(self.ask(text, conversation_id))

    async def until(self, kind: type[E], seconds: float = 10.0) -> E:
        """The first event of a kind, waited for."""
        async with asyncio.timeout(seconds):
            while not (found := self.of(kind)):
                await asyncio.sleep(0.005)
        return found[0]

    def of(self, kind: type[E]) -> list[E]:
        """All events of a kind so far."""
        return [event for event in self.events if isinstance(event, kind)]

    async def path(self, conversation_id: str) -> list[Message]:
        """The messages in use."""
        return await self.services.store.path(conversation_id)

    async def stop(self, task: asyncio.Task[Any]) -> None:
        """Cancels a turn and waits for its end."""
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def make_settings(data_dir: Path, url: str, *, simulated: bool = True, **profile: Any) -> SettingsService:
    """Settings of a person who has chosen `url`: as the simulated assistant, or as a custom endpoint. Nothing is looked
    through for facts unless a test wants it."""
    name = DEMO_PROFILE if simulated else DEFAULT_PROFILE
    profiles = {name: ProfileSettings(**{"base_url": url, "extract": "off", **profile})}
    file = SettingsFile(data_dir)
    file.save(Settings(profile=name, profiles=profiles, welcomed=True, language="en", theme="light"))
    return SettingsService(file)


def make_services(data_dir: Path, url: str, settings: SettingsService) -> Services:
    """All real services; the simulated assistant is the one at `url`."""
    return open_services(Options(data_dir), settings, simulated=FixedAssistant(url))


@asynccontextmanager
async def open_house(data_dir: Path, url: str, *, simulated: bool = True, **profile: Any) -> AsyncIterator[House]:
    """A house on `url`."""
    settings = make_settings(data_dir, url, simulated=simulated, **profile)
    services = make_services(data_dir, url, settings)
    try:
        yield House(services)
    finally:
        await services.close()
