"""The commands under `mnemoscope cache`: what the prompt cache did, and why a turn missed it."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from desktop_app.cli.groups import CONVERSATION, PLAIN, TURN, of_group
from desktop_app.cli.options import RunOptions, takes_run_options

cache = typer.Typer(name="cache", invoke_without_command=True, **PLAIN)


@cache.callback()
@takes_run_options
def cache_of_conversation(
    run: RunOptions, context: typer.Context, conversation: Annotated[str | None, CONVERSATION] = None
) -> int:
    """Show what the prompt cache did for a conversation, turn by turn."""
    from desktop_app.cli.cache_command import cache as run_cache

    return 0 if context.invoked_subcommand is not None else asyncio.run(run_cache(run, conversation))


@cache.command()
@takes_run_options
def why(
    run: RunOptions,
    context: typer.Context,
    conversation: Annotated[str | None, CONVERSATION] = None,
    turn: Annotated[int | None, TURN] = None,
) -> int:
    """Tell why a turn did not read what the one before it left in the cache.

    Without --turn it is the last one. Of its requests it is the first that lost anything, else the first; it is
    compared, byte by byte, with the last answered request of a turn before it.
    """
    from desktop_app.cli.why_command import why as run_why

    return asyncio.run(run_why(run, of_group(context, conversation), turn))
