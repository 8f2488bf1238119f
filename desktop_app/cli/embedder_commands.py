"""The commands about the model that finds by meaning, with their help."""

from __future__ import annotations

import asyncio
from typing import Annotated, Literal

import typer

from desktop_app.cli.groups import PLAIN
from desktop_app.cli.options import RunOptions, takes_run_options

WAIT = typer.Option("--wait", help="Make the change here and now, and tell on standard error how far it got.")
embedder = typer.Typer(name="embedder", invoke_without_command=True, **PLAIN)


@embedder.callback()
@takes_run_options
def show_embedder(run: RunOptions, context: typer.Context) -> int:
    """Tell which model finds by meaning, and how far a change to another one got."""
    from desktop_app.cli import embedder_command

    return 0 if context.invoked_subcommand is not None else asyncio.run(embedder_command.status(run))


@embedder.command()
@takes_run_options
def status(run: RunOptions) -> int:
    """Tell which model finds by meaning, how much has a vector of it, and how far a change got."""
    from desktop_app.cli import embedder_command

    return asyncio.run(embedder_command.status(run))


@embedder.command("use")
@takes_run_options
def use_(
    run: RunOptions,
    name: Annotated[
        Literal["use", "e5", "ollama", "openai", "voyage", "none"],
        typer.Argument(
            metavar="NAME",
            help="use or e5 on this machine; ollama, openai (any compatible server) or voyage; none: words alone.",
        ),
    ],
    url: Annotated[str, typer.Option("--url", metavar="URL", help="Address of the server.")] = "",
    wait: Annotated[bool, WAIT] = False,
) -> int:
    """Find by another model from when everything has a vector of it; the one before serves until then.

    With a server (--model says which of its models), all that can be found and every question is sent there.
    """
    from desktop_app.cli import embedder_command

    return asyncio.run(embedder_command.use(run, name, url, wait))


@embedder.command()
@takes_run_options
def pause(run: RunOptions) -> int:
    """Let a change to another model wait; what was done is kept."""
    from desktop_app.cli import embedder_command

    return asyncio.run(embedder_command.pause(run, paused=True))


@embedder.command()
@takes_run_options
def resume(
    run: RunOptions,
    wait: Annotated[bool, WAIT] = False,
) -> int:
    """Let a change that waits go on: in the background of the window, or here with --wait."""
    from desktop_app.cli import embedder_command

    return asyncio.run(embedder_command.pause(run, paused=False, wait=wait))


@embedder.command()
@takes_run_options
def cancel(run: RunOptions) -> int:
    """Stay with the model that serves; vectors of the other are dropped."""
    from desktop_app.cli import embedder_command

    return asyncio.run(embedder_command.cancel(run))


@embedder.command()
@takes_run_options
def key(
    run: RunOptions,
    delete: Annotated[bool, typer.Option("--delete", help="Delete the key instead.")] = False,
) -> int:
    """Read the key of the embedding server from standard input and keep it in the system's key store.

    In a terminal it is asked for and not shown. A server on this machine is sent none.
    """
    from desktop_app.cli import embedder_command

    if delete:
        return asyncio.run(embedder_command.delete_key(run))
    return asyncio.run(embedder_command.keep_key(run, embedder_command.read_key(run)))


@takes_run_options
def reindex(
    run: RunOptions,
    embed: Annotated[
        bool, typer.Option("--embed", help="Make the vectors anew as well; until then much is found by words alone.")
    ] = False,
) -> int:
    """Throw the index away and build it from the vectors in the database.

    Ctrl+C keeps what is done; the rest is done by the next run. While a window is open, the index is its own.
    """
    from desktop_app.cli import embedder_command

    return asyncio.run(embedder_command.reindex(run, embed))
