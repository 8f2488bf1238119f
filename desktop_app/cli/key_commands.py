"""The commands about the key, with their help."""

from __future__ import annotations

import asyncio

import typer

from desktop_app.cli.groups import PLAIN
from desktop_app.cli.options import RunOptions, takes_run_options

key = typer.Typer(name="key", invoke_without_command=True, **PLAIN)


@key.callback()
@takes_run_options
def show_key(run: RunOptions, context: typer.Context) -> int:
    """Tell where the key of the endpoint comes from; the key itself is never shown."""
    from desktop_app.cli import key_command

    return 0 if context.invoked_subcommand is not None else asyncio.run(key_command.status(run))


@key.command()
@takes_run_options
def status(run: RunOptions) -> int:
    """Tell where the key of the endpoint comes from, and which key store this system has."""
    from desktop_app.cli import key_command

    return asyncio.run(key_command.status(run))


@key.command("set")
@takes_run_options
def set_(run: RunOptions) -> int:
    """Read a key from standard input and keep it in the system's key store.

    In a terminal it is asked for and not shown. It is never taken from the command line.
    """
    from desktop_app.cli import key_command

    return asyncio.run(key_command.keep(run, key_command.read_key(run)))


@key.command()
@takes_run_options
def delete(run: RunOptions) -> int:
    """Delete the key of the endpoint from the system's key store."""
    from desktop_app.cli import key_command

    return asyncio.run(key_command.delete(run))
