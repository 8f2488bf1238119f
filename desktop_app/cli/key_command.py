"""`mnemoscope key`: keeps, tells of and deletes the key of the endpoint in the system's key store; never shows it."""

from __future__ import annotations

import getpass
import sys
import warnings
from typing import Any

from desktop_app.cli.options import RunOptions
from desktop_app.cli.output import note, write, write_json
from desktop_app.cli.sentences import words_of
from desktop_app.cli.session import Session, open_session
from desktop_app.composition import open_settings
from desktop_app.core.endpoints import Endpoint, EndpointKind, endpoint_for
from desktop_app.core.errors import BadInput, NoKeyVault
from desktop_app.core.settings import DEMO_PROFILE
from desktop_app.services.endpoint_access import KeyStatus
from desktop_app.services.settings import SettingsService

_SIMULATOR = Endpoint(EndpointKind.SIMULATOR, "http://localhost")


def read_key(run: RunOptions) -> str:
    """The key from standard input: its text up to the end, or what is typed unseen in a terminal.

    Raises BadInput where a terminal would show it.
    """
    if sys.stdin is None:
        return ""
    if not sys.stdin.isatty():
        return sys.stdin.buffer.read().decode("utf-8", "replace")
    host = _endpoint(open_settings(run.for_composition())).host
    with warnings.catch_warnings():
        warnings.simplefilter("error", getpass.GetPassWarning)
        try:
            return getpass.getpass(words_of(run).say("cli.key.prompt", host=host))
        except (getpass.GetPassWarning, EOFError) as error:
            raise BadInput(str(error), what="key set", why="key_echo") from error


async def keep(run: RunOptions, text: str) -> int:
    """Puts a key into the key store and reads it back; raises BadInput, KeyVaultError."""
    async with open_session(run) as session:
        endpoint = _endpoint(session.services.settings)
        if endpoint.kind is EndpointKind.SIMULATOR:
            raise BadInput(what=DEMO_PROFILE, why="key_demo")
        keys = session.services.keys
        keys.hold(endpoint.url, text)
        await keys.keep(endpoint.url)
        return _done(session, endpoint, "saved", await keys.store())


async def delete(run: RunOptions) -> int:
    """Removes the key from the key store; raises KeyVaultError."""
    async with open_session(run) as session:
        endpoint, keys = _endpoint(session.services.settings), session.services.keys
        there = await keys.delete(endpoint.url)
        return _done(session, endpoint, "deleted" if there else "nothing", await keys.store())


async def status(run: RunOptions) -> int:
    """Where the key comes from; a missing key or key store is an answer, not an error."""
    async with open_session(run) as session:
        access, endpoint = session.services.access, _endpoint(session.services.settings)
        found = await access.key_status(endpoint)
        if run.as_json:
            write_json(_as_json(endpoint, found, access.environment_key_exists))
            return 0
        say = session.words.say
        host = say("status.simulated") if endpoint.kind is EndpointKind.SIMULATOR else endpoint.host
        write(say(f"cli.key.{found.source}", host=host, store=found.store) + "\n")
        if found.source == "missing" and access.environment_key_exists:
            write(say("cli.key.offered") + "\n")
        if found.store and found.source != "keyring":
            write(say("cli.key.store", store=found.store) + "\n")
        if found.trouble is not None and (found.source == "missing" or not isinstance(found.trouble, NoKeyVault)):
            note(session.words.explain(found.trouble))
        return 0


def _endpoint(settings: SettingsService) -> Endpoint:
    """The endpoint of the profile, without starting the simulated assistant."""
    return _SIMULATOR if settings.settings.profile == DEMO_PROFILE else endpoint_for(settings.profile.base_url)


def _done(session: Session, endpoint: Endpoint, word: str, store: str) -> int:
    if session.as_json:
        write_json({"endpoint": endpoint.url, "done": word, "store": store})
    else:
        write(session.words.say(f"cli.key.{word}", host=endpoint.host, store=store) + "\n")
    return 0


def _as_json(endpoint: Endpoint, found: KeyStatus, environment: bool) -> dict[str, Any]:
    simulated = endpoint.kind is EndpointKind.SIMULATOR
    return {
        "endpoint": endpoint.kind.value if simulated else endpoint.url,
        "key": found.source,
        "store": found.store or None,
        "trouble": found.trouble.word if found.trouble is not None else None,
        "environment": environment,
    }
