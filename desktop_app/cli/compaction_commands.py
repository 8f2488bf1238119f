"""The commands `compact` and `compactions` with their arguments and help."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from desktop_app.cli.groups import CONVERSATION, ENVIRONMENT_KEY, PLAIN, in_profile, of_group
from desktop_app.cli.options import RunOptions, takes_run_options
from desktop_app.cli.sentences import NotTogether
from desktop_app.core.conversation import well_formed

compactions = typer.Typer(name="compactions", invoke_without_command=True, **PLAIN)
NUMBER = typer.Argument(metavar="N", min=1, help="The folding, by its number in the log.")
_ONE_WAY = ("tiers", "window", "server_now")
"""Strategies that leave no choice of who writes."""
WAITING = typer.Argument(metavar="[N]", min=1, help="By its number in the log; without it the proposal that waits.")


@takes_run_options
def compact(
    run: RunOptions,
    context: typer.Context,
    conversation: Annotated[str | None, CONVERSATION] = None,
    strategy: Annotated[
        Literal["memo", "running", "tiers", "window", "server_now"] | None,
        typer.Option("--strategy", help="Another way than the profile's."),
    ] = None,
    by: Annotated[
        Literal["fork", "separate"] | None,
        typer.Option("--by", help="Who writes: the conversation's own prefix, or a call apart. Else the cheaper."),
    ] = None,
    focus: Annotated[str, typer.Option("--focus", metavar="TEXT", help="What the summary must hold above all.")] = "",
    review: Annotated[
        bool, typer.Option("--review", help="Leave a proposal: see it with `compactions`, then commit or reject it.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only tell what would be folded and what it costs; asks no model.")
    ] = False,
    undo: Annotated[bool, typer.Option("--undo", help="Take the newest folding back.")] = False,
    environment_key: Annotated[bool, ENVIRONMENT_KEY] = False,
) -> int:
    """Fold the past of a conversation into a summary.

    The last messages stay word for word. What was said stays in the archive, and --undo brings it back.
    """
    from desktop_app.cli.compact_command import compact as run_compact
    from desktop_app.cli.compact_command import undo as undo_compact
    from desktop_app.core.compaction.compaction import Strategy, WrittenBy
    from desktop_app.core.compaction.plan import FoldOrder

    given = {"--dry-run": dry_run, "--focus": bool(focus), "--review": review, "--strategy": bool(strategy)}
    given["--by"] = bool(by)
    other = next((name for name, is_given in given.items() if is_given), None)
    if undo and other:
        raise NotTogether("--undo", other, context)
    if by and strategy in _ONE_WAY:
        raise NotTogether("--by", f"--strategy {strategy}", context)
    if undo:
        return asyncio.run(undo_compact(run, conversation))
    order = FoldOrder(
        focus=well_formed(focus),
        strategy=Strategy(strategy) if strategy else None,
        review=review,
        by=WrittenBy(by) if by else None,
    )
    chosen = in_profile(environment_key=environment_key)
    return asyncio.run(run_compact(run, conversation, order, dry_run=dry_run, in_profile=chosen))


@compactions.callback()
@takes_run_options
def list_compactions(
    run: RunOptions, context: typer.Context, conversation: Annotated[str | None, CONVERSATION] = None
) -> int:
    """Show every folding of a conversation with what it saved and cost, failed ones too; the last by default."""
    from desktop_app.cli.compactions_command import show_log

    return 0 if context.invoked_subcommand is not None else asyncio.run(show_log(run, conversation))


@compactions.command()
@takes_run_options
def show(
    run: RunOptions,
    context: typer.Context,
    number: Annotated[int, NUMBER],
    conversation: Annotated[str | None, CONVERSATION] = None,
) -> int:
    """Show one in full: its figures, what became of each exact value, its text."""
    from desktop_app.cli.compactions_command import show_one

    return asyncio.run(show_one(run, of_group(context, conversation), number))


@compactions.command("undo")
@takes_run_options
def undo_compactions(
    run: RunOptions,
    context: typer.Context,
    number: Annotated[int, NUMBER],
    conversation: Annotated[str | None, CONVERSATION] = None,
) -> int:
    """Take one and all newer ones back: what they folded is sent again."""
    from desktop_app.cli.compactions_command import undo

    return asyncio.run(undo(run, of_group(context, conversation), number))


@compactions.command()
@takes_run_options
def commit(
    run: RunOptions,
    context: typer.Context,
    number: Annotated[int | None, WAITING] = None,
    conversation: Annotated[str | None, CONVERSATION] = None,
) -> int:
    """Put a proposal to use."""
    from desktop_app.cli.compactions_command import decide

    return asyncio.run(decide(run, of_group(context, conversation), number, "committed"))


@compactions.command()
@takes_run_options
def reject(
    run: RunOptions,
    context: typer.Context,
    number: Annotated[int | None, WAITING] = None,
    conversation: Annotated[str | None, CONVERSATION] = None,
) -> int:
    """Leave a proposal aside; it stays in the log."""
    from desktop_app.cli.compactions_command import decide

    return asyncio.run(decide(run, of_group(context, conversation), number, "rejected"))


@compactions.command()
@takes_run_options
def edit(
    run: RunOptions,
    context: typer.Context,
    file: Annotated[str, typer.Argument(metavar="FILE", help="The new text, UTF-8; - reads standard input.")],
    number: Annotated[int | None, WAITING] = None,
    conversation: Annotated[str | None, CONVERSATION] = None,
) -> int:
    """Put another text in place of the summary of a proposal, or of the folding in use."""
    from desktop_app.cli.compactions_command import edit as run_edit
    from desktop_app.core.errors import BadInput

    try:
        text = sys.stdin.buffer.read().decode() if file == "-" else Path(file).expanduser().read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(str(error), what=file, why="text_file") from error
    return asyncio.run(run_edit(run, of_group(context, conversation), number, text))


@compactions.command()
@takes_run_options
def again(
    run: RunOptions,
    context: typer.Context,
    number: Annotated[int | None, WAITING] = None,
    conversation: Annotated[str | None, CONVERSATION] = None,
    environment_key: Annotated[bool, ENVIRONMENT_KEY] = False,
) -> int:
    """Have another proposal written that is told what this one lost."""
    from desktop_app.cli.compactions_command import again as run_again

    chosen = in_profile(environment_key=environment_key)
    return asyncio.run(run_again(run, of_group(context, conversation), number, in_profile=chosen))
