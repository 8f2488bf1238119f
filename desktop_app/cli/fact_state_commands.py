"""The commands under `mnemoscope facts` about where a fact stands, and about what waits."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from desktop_app.cli.fact_commands import KEEP_SECRETS, KEY, PRICE, facts
from desktop_app.cli.options import RunOptions, takes_run_options
from desktop_app.cli.sentences import Missing, NotTogether
from desktop_app.core.conversation import well_formed

__all__ = ["facts"]

_EVEN_PINNED = typer.Option("--even-pinned", help="Also where a pinned fact gives its place.")


@facts.command()
@takes_run_options
def pause(run: RunOptions, key: Annotated[str, KEY], price: Annotated[bool, PRICE] = False) -> int:
    """Keep a fact, but tell it to nobody until it is resumed."""
    from desktop_app.cli import fact_states

    return asyncio.run(fact_states.pause(run, well_formed(key), price=price))


@facts.command()
@takes_run_options
def resume(run: RunOptions, key: Annotated[str, KEY]) -> int:
    """Use a paused fact again."""
    from desktop_app.cli import fact_states

    return asyncio.run(fact_states.resume(run, well_formed(key)))


@facts.command()
@takes_run_options
def archive(run: RunOptions, key: Annotated[str, KEY], price: Annotated[bool, PRICE] = False) -> int:
    """Put a fact away; it can be restored at any time."""
    from desktop_app.cli import fact_states

    return asyncio.run(fact_states.archive(run, well_formed(key), price=price))


@facts.command()
@takes_run_options
def restore(
    run: RunOptions,
    key: Annotated[str, KEY],
    under: Annotated[str | None, typer.Option("--key", metavar="NEWKEY", help="Bring it back under this key.")] = None,
) -> int:
    """Bring back a fact that was archived, replaced or deleted."""
    from desktop_app.cli import fact_states

    return asyncio.run(fact_states.restore(run, well_formed(key), None if under is None else well_formed(under)))


@facts.command()
@takes_run_options
def expire(
    run: RunOptions,
    context: typer.Context,
    key: Annotated[str, KEY],
    until: Annotated[
        str | None, typer.Argument(metavar="WHEN", help="The last day, 2026-12-31, or a moment, 2026-12-31T18:00.")
    ] = None,
    off: Annotated[bool, typer.Option("--off", help="Let it hold for good.")] = False,
) -> int:
    """Let a fact hold until then; it is archived afterwards."""
    from desktop_app.cli import fact_states

    _one_of(context, "WHEN", until, off=off)
    return asyncio.run(fact_states.expire(run, well_formed(key), until))


@facts.command()
@takes_run_options
def scope(
    run: RunOptions,
    context: typer.Context,
    key: Annotated[str, KEY],
    conversation: Annotated[
        str | None, typer.Argument(metavar="CONVERSATION", help="The only conversation it holds in, by its id.")
    ] = None,
    off: Annotated[bool, typer.Option("--off", help="Let it hold everywhere in the profile.")] = False,
) -> int:
    """Let a fact hold in one conversation only."""
    from desktop_app.cli import fact_states

    _one_of(context, "CONVERSATION", conversation, off=off)
    return asyncio.run(fact_states.scope(run, well_formed(key), conversation))


@facts.command()
@takes_run_options
def supersede(
    run: RunOptions,
    old: Annotated[str, typer.Argument(metavar="OLD", help="The fact that holds no longer.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="The fact that takes its place.")],
    even_pinned: Annotated[bool, _EVEN_PINNED] = False,
) -> int:
    """Let one fact take the place of another, which is kept as history."""
    from desktop_app.cli import fact_states

    return asyncio.run(fact_states.supersede(run, well_formed(old), well_formed(new), even_pinned=even_pinned))


@facts.command()
@takes_run_options
def merge(
    run: RunOptions,
    kept: Annotated[str, typer.Argument(metavar="KEPT", help="The fact that stays.")],
    gone: Annotated[list[str], typer.Argument(metavar="GONE...", help="The facts it takes in.")],
    value: Annotated[str | None, typer.Option("--value", metavar="TEXT", help="What it says from now on.")] = None,
    even_pinned: Annotated[bool, _EVEN_PINNED] = False,
) -> int:
    """Make one fact of several that say the same."""
    from desktop_app.cli import fact_states

    said = None if value is None else well_formed(value)
    return asyncio.run(
        fact_states.merge(run, well_formed(kept), [well_formed(one) for one in gone], said, even_pinned=even_pinned)
    )


@facts.command()
@takes_run_options
def pending(run: RunOptions) -> int:
    """Show what waits for your approval, with its source and what it contradicts or repeats."""
    from desktop_app.cli import fact_inbox

    return asyncio.run(fact_inbox.pending(run))


@facts.command()
@takes_run_options
def approve(
    run: RunOptions,
    context: typer.Context,
    key: Annotated[str, KEY],
    value: Annotated[str | None, typer.Option("--value", metavar="TEXT", help="Keep this value instead.")] = None,
    replace: Annotated[
        list[str] | None,
        typer.Option("--replace", metavar="OTHER", help="A fact whose place it takes; may be repeated."),
    ] = None,
    under: Annotated[
        str | None, typer.Option("--as", metavar="KEY", help="Keep it under this key, beside what there is.")
    ] = None,
    even_pinned: Annotated[bool, _EVEN_PINNED] = False,
    keep_secrets: Annotated[bool, KEEP_SECRETS] = False,
) -> int:
    """Keep a proposed fact."""
    from desktop_app.cli import fact_inbox

    if keep_secrets and value is None:
        raise Missing("--value", context)
    if under is not None and replace:
        raise NotTogether("--as", "--replace", context)
    return asyncio.run(
        fact_inbox.approve(
            run,
            well_formed(key),
            None if value is None else well_formed(value),
            replacing=[well_formed(one) for one in replace or ()],
            key=None if under is None else well_formed(under),
            even_pinned=even_pinned,
            keep_secrets=keep_secrets,
        )
    )


@facts.command()
@takes_run_options
def deny(run: RunOptions, key: Annotated[str, KEY]) -> int:
    """Refuse a proposed fact."""
    from desktop_app.cli import fact_inbox

    return asyncio.run(fact_inbox.deny(run, well_formed(key)))


def _one_of(context: typer.Context, name: str, value: str | None, *, off: bool) -> None:
    """Either a value or `--off`."""
    if off and value is not None:
        raise NotTogether(name, "--off", context)
    if not off and value is None:
        raise Missing(name, context)
