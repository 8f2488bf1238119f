"""The commands with their arguments and help, each handing over to its own module."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from desktop_app.cli.cache_commands import cache
from desktop_app.cli.compaction_commands import compact, compactions
from desktop_app.cli.document_commands import documents
from desktop_app.cli.embedder_commands import embedder, reindex
from desktop_app.cli.fact_state_commands import facts
from desktop_app.cli.groups import CONVERSATION, ENVIRONMENT_KEY, PLAIN, TURN, in_profile
from desktop_app.cli.key_commands import key
from desktop_app.cli.options import RunOptions, takes_run_options
from desktop_app.cli.price_commands import prices
from desktop_app.cli.profile_commands import profiles
from desktop_app.cli.request_commands import request
from desktop_app.cli.sentences import Missing, NotTogether
from desktop_app.core.conversation import well_formed

app = typer.Typer(name="mnemoscope", invoke_without_command=True, pretty_exceptions_enable=False, **PLAIN)
conversations = typer.Typer(name="conversations", invoke_without_command=True, **PLAIN)
app.add_typer(conversations)
app.add_typer(key)
app.add_typer(facts)
app.add_typer(documents)
app.add_typer(embedder)
app.add_typer(profiles)
app.add_typer(prices)
app.add_typer(request)
app.add_typer(cache)
app.add_typer(compactions)


@app.callback()
@takes_run_options
def window(
    run: RunOptions,
    context: typer.Context,
    demo: Annotated[bool, typer.Option("--demo", help="Open the window with the simulated assistant.")] = False,
    tour: Annotated[
        Path | None, typer.Option("--tour", metavar="DIR", help="Play the tour; pictures go to DIR.")
    ] = None,
) -> int:
    """See and govern what your Claude assistant remembers. Without a command the window opens.

    The options below may stand before or after a command.
    """
    from desktop_app.cli.window_command import open_window, play_tour

    if context.invoked_subcommand is not None:
        if demo or tour:
            raise NotTogether("--demo" if demo else "--tour", context.invoked_subcommand, context)
        return 0
    return play_tour(tour) if tour else open_window(run, demo=demo)


@app.command()
@takes_run_options
def chat(
    run: RunOptions,
    context: typer.Context,
    text: Annotated[
        str | None,
        typer.Argument(metavar="TEXT", help="What to say; - reads standard input. Not needed with --attach."),
    ] = None,
    conversation: Annotated[str | None, CONVERSATION] = None,
    attach: Annotated[
        list[Path] | None,
        typer.Option("--attach", metavar="FILE", help="Attach a picture, PDF or text; may be given several times."),
    ] = None,
    thinking: Annotated[bool, typer.Option("--thinking", help="Show thinking on standard error.")] = False,
    environment_key: Annotated[bool, ENVIRONMENT_KEY] = False,
    allow_memory: Annotated[
        bool, typer.Option("--allow-memory", help="Let the assistant save facts in this run without being asked.")
    ] = False,
) -> int:
    """Send TEXT and print the answer as it arrives.

    Ctrl+C stops the answer and keeps what had arrived. Without --conversation a new one begins.
    """
    from desktop_app.cli.chat_command import chat as run_chat

    if text is None and not attach:
        raise Missing("TEXT", context)
    said = _from_standard_input() if text == "-" else well_formed(text or "")
    chosen = in_profile(environment_key=environment_key, show_thinking=thinking)
    return asyncio.run(
        run_chat(
            run,
            said,
            conversation,
            attach=attach or [],
            show_thinking=thinking,
            allow_memory=allow_memory,
            in_profile=chosen,
        )
    )


@conversations.callback()
@takes_run_options
def list_conversations(run: RunOptions, context: typer.Context) -> int:
    """List the conversations, last used first."""
    from desktop_app.cli import listing

    return 0 if context.invoked_subcommand is not None else asyncio.run(listing.show(run))


@conversations.command()
@takes_run_options
def rename(
    run: RunOptions,
    conversation: Annotated[str, typer.Argument(metavar="ID", help="Its id or the beginning of it.")],
    title: Annotated[str, typer.Argument(metavar="TITLE", help="The new title.")],
) -> int:
    """Give a conversation a title."""
    from desktop_app.cli import listing

    return asyncio.run(listing.rename(run, conversation, well_formed(title)))


@conversations.command()
@takes_run_options
def delete(
    run: RunOptions,
    conversation: Annotated[str, typer.Argument(metavar="ID", help="Its id or the beginning of it.")],
) -> int:
    """Delete a conversation (restorable for 30 days)."""
    from desktop_app.cli import listing

    return asyncio.run(listing.delete(run, conversation))


@conversations.command()
@takes_run_options
def restore(
    run: RunOptions,
    conversation: Annotated[str, typer.Argument(metavar="ID", help="Its id or the beginning of it.")],
) -> int:
    """Bring a deleted conversation back."""
    from desktop_app.cli import listing

    return asyncio.run(listing.restore(run, conversation))


@conversations.command()
@takes_run_options
def branch(
    run: RunOptions,
    context: typer.Context,
    conversation: Annotated[str, typer.Argument(metavar="ID", help="Its id or the beginning of it.")],
    turn: Annotated[int | None, TURN] = None,
    undo: Annotated[bool, typer.Option("--undo", help="Bring the messages behind the end back into use.")] = False,
) -> int:
    """Go on from the end of a past turn; what follows is kept as another version."""
    from desktop_app.cli import branch_command

    if turn is not None and undo:
        raise NotTogether("--turn", "--undo", context)
    if turn is None and not undo:
        raise Missing("--turn", context)
    work = branch_command.resume(run, conversation) if turn is None else branch_command.branch(run, conversation, turn)
    return asyncio.run(work)


@conversations.command()
@takes_run_options
def versions(
    run: RunOptions,
    conversation: Annotated[str, typer.Argument(metavar="ID", help="Its id or the beginning of it.")],
) -> int:
    """List the versions of a conversation: where it ends, and where others of its messages end.

    * marks the one in use.
    """
    from desktop_app.cli import branch_command

    return asyncio.run(branch_command.versions(run, conversation))


@conversations.command()
@takes_run_options
def use(
    run: RunOptions,
    conversation: Annotated[str, typer.Argument(metavar="ID", help="Its id or the beginning of it.")],
    version: Annotated[str, typer.Argument(metavar="VERSION", help="The id of a version or the beginning of it.")],
) -> int:
    """Go on with another version of a conversation; the one in use is kept."""
    from desktop_app.cli import branch_command

    return asyncio.run(branch_command.use(run, conversation, version))


@app.command()
@takes_run_options
def context(
    run: RunOptions,
    context: typer.Context,
    conversation: Annotated[str | None, CONVERSATION] = None,
    following: Annotated[
        str | None, typer.Option("--next", metavar="TEXT", help="Count TEXT in as the next message.")
    ] = None,
    turn: Annotated[int | None, TURN] = None,
    environment_key: Annotated[bool, ENVIRONMENT_KEY] = False,
) -> int:
    """Show what fills the next request, or that of a past turn.

    Figures with = are counted or measured, those with ≈ are estimated.
    """
    from desktop_app.cli.context_command import context as run_context

    if following is not None and turn is not None:
        raise NotTogether("--next", "--turn", context)
    chosen = in_profile(environment_key=environment_key)
    return asyncio.run(run_context(run, conversation, well_formed(following or ""), turn, chosen))


@app.command()
@takes_run_options
def cost(
    run: RunOptions,
    context: typer.Context,
    by: Annotated[
        Literal["day", "conversation", "model", "profile", "turn"], typer.Option("--by", help="What to add up by.")
    ] = "day",
    month: Annotated[
        str | None, typer.Option("--month", metavar="YYYY-MM", help="Another month than this one, or all.")
    ] = None,
    csv: Annotated[
        str | None,
        typer.Option("--csv", metavar="FILE", help="Write one line per request to FILE; - is standard output."),
    ] = None,
) -> int:
    """Show what was spent, in this month and by day unless told otherwise.

    All profiles together; --profile names one. Simulated answers are free and enter no sum.
    """
    from desktop_app.cli.cost_command import cost as run_cost

    if csv is not None and not csv.strip():
        raise Missing("--csv FILE", context)
    if csv == "-" and run.as_json:
        raise NotTogether("--csv -", "--json", context)
    return asyncio.run(run_cost(run, by, month, csv))


app.command()(compact)
app.command()(reindex)


@app.command()
@takes_run_options
def recall(
    run: RunOptions,
    query: Annotated[str, typer.Argument(metavar="TEXT", help="A question, or a few words.")],
    explain: Annotated[
        bool, typer.Option("--explain", help="Also what came near, with the parts of every score.")
    ] = False,
) -> int:
    """Show what would be recalled for a message: facts, earlier conversations and documents."""
    from desktop_app.cli.recall_command import recall as run_recall

    return asyncio.run(run_recall(run, well_formed(query), explain=explain))


@app.command()
@takes_run_options
def mcp(
    run: RunOptions,
    context: typer.Context,
    allow_memory: Annotated[
        bool, typer.Option("--allow-memory", help="Let clients save facts; without it each waits for your approval.")
    ] = False,
    allow_forget: Annotated[
        bool, typer.Option("--allow-forget", help="Let clients delete facts that are not pinned.")
    ] = False,
) -> int:
    """Let other assistants use the long-term memory of a profile (MCP over standard input and output).

    --profile says of which one. It ends when the client closes its end.
    """
    from desktop_app.cli.mcp_command import serve

    if run.profile is None:
        raise Missing("--profile", context)
    return asyncio.run(serve(run, allow_memory=allow_memory, allow_forget=allow_forget))


@app.command("import")
@takes_run_options
def import_(
    run: RunOptions,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A Claude export: conversations.json or the zip file.")],
) -> int:
    """Import the conversations of a Claude export.

    What is here already stays as it is; running it again adds only what is new.
    """
    from desktop_app.cli.import_command import import_file

    return asyncio.run(import_file(run, file.expanduser()))


@app.command(
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True, "allow_interspersed_args": False},
    add_help_option=False,
)
def simulator(context: typer.Context) -> int:
    """Run the simulated assistant as a server on this machine."""
    from desktop_app.simulator.__main__ import main as simulate

    return simulate(context.args)


@app.command()
@takes_run_options
def version(run: RunOptions) -> int:
    """Print the versions of Mnemoscope, Python, Qt and SQLite."""
    from desktop_app.cli.version_command import version as run_version

    return run_version(run)


def _from_standard_input() -> str:
    text = sys.stdin.buffer.read().decode("utf-8", "replace")
    return text.removeprefix("\ufeff").rstrip("\r\n")
