"""The commands under `mnemoscope request`: a body as it was sent, and two of them side by side."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from desktop_app.cli.groups import CONVERSATION, PLAIN, TURN, of_group
from desktop_app.cli.options import RunOptions, takes_run_options
from desktop_app.cli.sentences import NotTogether

request = typer.Typer(name="request", invoke_without_command=True, **PLAIN)
_WHICH = "A turn of the path in use, or the id of a request or its beginning."


@request.callback()
@takes_run_options
def request_of_turn(
    run: RunOptions,
    context: typer.Context,
    conversation: Annotated[str | None, CONVERSATION] = None,
    turn: Annotated[int | None, TURN] = None,
    raw: Annotated[bool, typer.Option("--raw", help="Print the very bytes that were sent.")] = False,
) -> int:
    """Print the body of a request as it was sent.

    Without --turn it is the last request of the conversation.
    """
    from desktop_app.cli.context_command import request as run_request

    if context.invoked_subcommand is not None:
        if raw or turn is not None:
            raise NotTogether("--raw" if raw else "--turn", context.invoked_subcommand, context)
        return 0
    return asyncio.run(run_request(run, conversation, turn, raw=raw))


@request.command()
@takes_run_options
def diff(
    run: RunOptions,
    context: typer.Context,
    before: Annotated[str, typer.Argument(metavar="A", help=_WHICH)],
    after: Annotated[str, typer.Argument(metavar="B", help=_WHICH)],
    conversation: Annotated[str | None, CONVERSATION] = None,
) -> int:
    """Compare two requests block by block, in the order of the prefix.

    = is the same in both, ~ changed, + only in B, − only in A.
    """
    from desktop_app.cli.diff_command import diff as run_diff

    return asyncio.run(run_diff(run, of_group(context, conversation), before, after))
