"""`mnemoscope embedder` and `reindex`: which model finds by meaning, changing it, and making vectors and index anew."""

from __future__ import annotations

import asyncio
import getpass
import sys
import warnings
from collections.abc import Callable
from typing import Any

from desktop_app.cli.failures import FAILED
from desktop_app.cli.options import RunOptions
from desktop_app.cli.output import note, write, write_json
from desktop_app.cli.sentences import words_of
from desktop_app.cli.session import Session, open_session
from desktop_app.cli.stopping import told_when_stopped
from desktop_app.composition import open_settings
from desktop_app.core.embedders import Counts, EmbedderChoice, EmbedderKind, KnownEmbedder, chosen_embedder
from desktop_app.core.errors import BadInput
from desktop_app.services.embedders import EmbedderStatus, Outcome

_STEP = 0.05
_LOOK_AGAIN_SECONDS = 1.0


async def status(run: RunOptions) -> int:
    """Model, vectors and progress; what is wrong is an answer, not an error."""
    async with open_session(run) as session:
        found = await session.services.embedders.status()
        if run.as_json:
            write_json(_as_json(found))
            return 0
        say = session.words.say
        write(say("cli.embedder.serving", name=_called(session, found.serving.choice), id=found.serving.name) + "\n")
        if found.serving.dimension:
            write(_counted(session, found.counts) + "\n")
        if not found.serving.korean and found.serving.dimension:
            write(say("embedder.weak_korean") + "\n")
        if found.changing:
            _write_change(session, found)
        return 0


async def use(run: RunOptions, name: str, url: str, wait: bool) -> int:
    """Wants another embedder, once it answers; raises BadInput, EmbedderUnavailable."""
    async with open_session(run) as session:
        embedders = session.services.embedders
        wanted = await embedders.choose(name, url, run.model or "")
        if wanted.choice.leaves_machine:
            note(session.words.say("embedder.hint_away", host=wanted.choice.host))
        if not wanted.korean and wanted.dimension:
            note(session.words.say("embedder.weak_korean"))
        if wait:
            return await _change(session)
        found = await embedders.status()
        if run.as_json:
            write_json(_as_json(found))
        else:
            word = "chosen" if found.changing else "done"
            command = session.command("embedder", "resume", "--wait")
            write(
                session.words.say(f"cli.embedder.{word}", name=_called(session, wanted.choice), command=command) + "\n"
            )
        return 0


async def pause(run: RunOptions, *, paused: bool, wait: bool = False) -> int:
    """Lets a change wait or go on."""
    async with open_session(run) as session:
        session.services.embedders.pause(paused)
        return await _change(session) if wait else _told(session, "paused" if paused else "resumed")


async def cancel(run: RunOptions) -> int:
    """Stays with the serving embedder."""
    async with open_session(run) as session:
        serving = await session.services.embedders.cancel()
        await session.services.embedders.run()
        return _told(session, "done", serving)


async def reindex(run: RunOptions, embed: bool) -> int:
    """The index out of the vectors; with `embed` these anew before. Raises EmbedderUnavailable."""
    async with open_session(run) as session:
        embedders = session.services.embedders
        if embed:
            await _kept_on_stop(session, embedders.embed_anew(_progress(session)))
        built = await _kept_on_stop(session, embedders.rebuild_index())
        counts = (await embedders.status()).counts
        if run.as_json:
            write_json({"rebuilt": built, "vectors": _counts_json(counts)})
        elif built:
            write(session.words.say("cli.embedder.rebuilt", n=sum(one.done for one in counts.values())) + "\n")
        if not built and (place := embedders.index_trouble):
            note(session.words.say("cli.embedder.index_unusable", place=place, command=session.command("reindex")))
        elif not built:
            note(session.words.say("cli.embedder.index_elsewhere"))
        return 0 if built else FAILED


def read_key(run: RunOptions) -> str:
    """The key from standard input, or typed unseen; raises BadInput where a terminal would show it."""
    if sys.stdin is None:
        return ""
    if not sys.stdin.isatty():
        return sys.stdin.buffer.read().decode("utf-8", "replace")
    host = chosen_embedder(open_settings(run.for_composition()).settings).host
    with warnings.catch_warnings():
        warnings.simplefilter("error", getpass.GetPassWarning)
        try:
            return getpass.getpass(words_of(run).say("cli.key.prompt", host=host))
        except (getpass.GetPassWarning, EOFError) as error:
            raise BadInput(str(error), what="embedder key", why="key_echo") from error


async def keep_key(run: RunOptions, text: str) -> int:
    """Puts the key of the chosen server into the key store; raises BadInput, KeyVaultError."""
    async with open_session(run) as session:
        choice, keys = _server(session), session.services.keys
        keys.hold(choice.key_name, text)
        await keys.keep(choice.key_name)
        return _told_key(session, choice, "saved", await keys.store())


async def delete_key(run: RunOptions) -> int:
    """Removes it; raises BadInput, KeyVaultError."""
    async with open_session(run) as session:
        choice, keys = _server(session), session.services.keys
        there = await keys.delete(choice.key_name)
        return _told_key(session, choice, "deleted" if there else "nothing", await keys.store())


async def _change(session: Session) -> int:
    """Makes the change here, or watches another process make it."""
    embedders, progress = session.services.embedders, _progress(session)
    while (outcome := await _kept_on_stop(session, embedders.run(progress))) is Outcome.ELSEWHERE:
        counts = (await embedders.status()).progress or {}
        progress(sum(one.done for one in counts.values()), sum(one.total for one in counts.values()))
        await asyncio.sleep(_LOOK_AGAIN_SECONDS)
    found = await embedders.status()
    if outcome is Outcome.DONE:
        return _told(session, "done", found.serving)
    note(session.words.say(f"cli.embedder.{outcome.value}"))
    return FAILED


async def _kept_on_stop(session: Session, work: Any) -> Any:
    with told_when_stopped(lambda: session.words.say("cli.embedder.stopped")):
        return await work


def _progress(session: Session) -> Callable[[int, int], None]:
    """Tells on standard error how far it got, every twentieth of the whole."""
    told = -_STEP

    def tell(done: int, total: int) -> None:
        nonlocal told
        share = done / total if total else 1.0
        if share >= told + _STEP or (done == total and told < 1.0):
            told = share
            note(session.words.say("cli.embedder.progress", done=done, total=total))

    return tell


def _write_change(session: Session, found: EmbedderStatus) -> None:
    say = session.words.say
    counts = (found.progress or {}).values()
    done, total = sum(one.done for one in counts), sum(one.total for one in counts)
    # By words alone nothing gets a vector, so none is to be waited for.
    word = "changing_to_words" if found.choice.kind is EmbedderKind.NONE else "changing"
    write(say(f"cli.embedder.{word}", name=_called(session, found.choice), done=done, total=total) + "\n")
    if found.paused:
        write(say("cli.embedder.paused") + "\n")
    else:
        write(say("cli.embedder.goes_on", command=session.command("embedder", "resume", "--wait")) + "\n")


def _counted(session: Session, counts: Counts) -> str:
    parts = [
        session.words.say(f"cli.embedder.count_{kind.value}", done=one.done, total=one.total, failed=one.failed)
        for kind, one in counts.items()
    ]
    return "\n".join(parts)


def _called(session: Session, choice: EmbedderChoice) -> str:
    return session.words.say(f"embedder.name_{choice.kind.value}", model=choice.model, host=choice.host)


def _told(session: Session, word: str, known: KnownEmbedder | None = None) -> int:
    if session.as_json:
        write_json({"done": word, "serving": known.name if known is not None else None})
    else:
        name = _called(session, known.choice) if known is not None else ""
        write(session.words.say(f"cli.embedder.{word}", name=name) + "\n")
    return 0


def _server(session: Session) -> EmbedderChoice:
    choice = chosen_embedder(session.services.settings.settings)
    if not choice.leaves_machine:
        raise BadInput(what=choice.kind.value, why="embedder_key")
    return choice


def _told_key(session: Session, choice: EmbedderChoice, word: str, store: str) -> int:
    if session.as_json:
        write_json({"endpoint": choice.url, "done": word, "store": store})
    else:
        write(session.words.say(f"cli.key.{word}", host=choice.host, store=store) + "\n")
    return 0


def _as_json(found: EmbedderStatus) -> dict[str, Any]:
    wanted = found.wanted
    return {
        "embedder": found.serving.choice.kind.value,
        "name": found.serving.name,
        "version": found.serving.name.rsplit("/", 2)[-2] if found.serving.dimension else None,
        "dimension": found.serving.dimension,
        "url": found.serving.choice.url or None,
        "model": found.serving.choice.model or None,
        "korean": found.serving.korean,
        "vectors": _counts_json(found.counts),
        "wanted": None
        if not found.changing
        else {
            "embedder": found.choice.kind.value,
            "name": wanted.name if wanted is not None else None,
            "vectors": _counts_json(found.progress or {}),
            "paused": found.paused,
        },
    }


def _counts_json(counts: Counts) -> dict[str, dict[str, int]]:
    return {kind.value: {"done": one.done, "total": one.total, "failed": one.failed} for kind, one in counts.items()}
