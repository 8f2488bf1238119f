"""Services opened for one command and closed after it, and the conversation a command is about."""

from __future__ import annotations

import shlex
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from desktop_app.cli.options import RunOptions
from desktop_app.cli.output import note
from desktop_app.cli.sentences import language
from desktop_app.composition import open_services, open_settings
from desktop_app.core.conversation import Conversation
from desktop_app.core.errors import BadInput, NotAFolder, NotFound, StoreUnavailable
from desktop_app.core.words import Words, load_words
from desktop_app.services.all_services import Services


@dataclass(frozen=True, slots=True)
class Session:
    """What a command works with."""

    services: Services
    words: Words
    run: RunOptions

    @property
    def as_json(self) -> bool:
        """Whether the result is printed as JSON."""
        return self.run.as_json

    @property
    def profile(self) -> str:
        """The name of the profile in use."""
        return self.services.settings.settings.profile

    def command(self, *words: str) -> str:
        """A command to be typed later, about the same data and profile."""
        places = ["--data-dir", str(self.run.data_dir)] if self.run.data_dir else []
        if self.run.database_url:
            places += ["--database-url", self.services.store.place]
        if self.run.chroma_url:
            places += ["--chroma-url", self.run.chroma_url]
        return shlex.join(["mnemoscope", *places, "--profile", self.profile, *words])

    async def conversations(self) -> list[Conversation]:
        """Those of the profile, last used first."""
        return await self.services.store.conversations(self.profile)

    async def conversation(self, given: str) -> Conversation:
        """The one whose id begins with `given`; raises NotFound, BadInput where several do."""
        return _only(given, await self.conversations())

    async def deleted_conversation(self, given: str) -> Conversation:
        """The deleted one whose id begins with `given`, else one that is here still.

        Raises NotFound, BadInput where several begin with it.
        """
        with suppress(NotFound):
            return _only(given, await self.services.store.deleted_conversations(self.profile))
        return await self.conversation(given)

    async def conversation_or_last(self, given: str | None) -> Conversation | None:
        """The one named, else the last used one; None where there is none yet."""
        if given is not None:
            return await self.conversation(given)
        return next(iter(await self.conversations()), None)


def _only(given: str, conversations: list[Conversation]) -> Conversation:
    found = [one for one in conversations if given and one.id.startswith(given)]
    if not found:
        raise NotFound(what="conversation")
    if len(found) > 1:
        raise BadInput(what=given, why="ambiguous")
    return found[0]


@asynccontextmanager
async def open_session(run: RunOptions, **in_profile: Any) -> AsyncIterator[Session]:
    """Opens the services of a run; `in_profile` are values of the profile for this run only."""
    options = run.for_composition()
    make_data_dir(options.data_dir)
    settings = open_settings(options)
    settings.use_in_profile_for_run(**in_profile)
    words = load_words(language(settings.settings.language))
    for notice in settings.notices:
        note(words.say(notice))
    services = open_services(options, settings)
    for told in services.prices.take_notices():
        note(words.say(told.message_id, rows=told.rows))
    try:
        yield Session(services, words, run)
    finally:
        await services.close()


def make_data_dir(folder: Path) -> None:
    """Makes the data folder where it is missing; raises NotAFolder, StoreUnavailable where that cannot be."""
    if folder.exists() and not folder.is_dir():
        raise NotAFolder(path=str(folder))
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StoreUnavailable(str(error), path=str(folder)) from error
