"""The commands under `mnemoscope facts` with their arguments and help."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from desktop_app.cli.groups import PLAIN
from desktop_app.cli.options import RunOptions, takes_run_options
from desktop_app.core.conversation import well_formed
from desktop_app.core.facts import FactState

facts = typer.Typer(name="facts", invoke_without_command=True, **PLAIN)
KEY = typer.Argument(metavar="KEY", help="The key of the fact, its id or the beginning of its id.")
_VALUE = typer.Argument(metavar="VALUE", help="What to keep.")
KEEP_SECRETS = typer.Option(
    "--keep-secrets", help="Keep passwords, keys and numbers of persons in it as they are; without it they are masked."
)
PRICE = typer.Option("--price", help="Only tell what this writes anew in the prompt cache; change nothing.")


@facts.callback()
@takes_run_options
def facts_of_profile(run: RunOptions, context: typer.Context) -> int:
    """List, add, edit, pin and delete long-term facts. Without a command the active ones are listed."""
    from desktop_app.cli import fact_list

    return 0 if context.invoked_subcommand is not None else asyncio.run(fact_list.show_all(run))


@facts.command("list")
@takes_run_options
def list_facts(
    run: RunOptions,
    search: Annotated[str, typer.Option("--search", metavar="TEXT", help="Only those that bear on TEXT.")] = "",
    state: Annotated[
        list[FactState] | None, typer.Option("--state", help="Those in this state; may be repeated.")
    ] = None,
    pending: Annotated[bool, typer.Option("--pending", help="Those that wait for your approval.")] = False,
    deleted: Annotated[bool, typer.Option("--deleted", help="Those deleted in the last 30 days.")] = False,
) -> int:
    """List the facts of the profile, pinned ones first."""
    from desktop_app.cli import fact_list

    states = [*(state or ()), *[FactState.PENDING] * pending, *[FactState.DELETED] * deleted]
    return asyncio.run(fact_list.show_all(run, well_formed(search), states))


@facts.command()
@takes_run_options
def show(run: RunOptions, key: Annotated[str, KEY]) -> int:
    """Show one fact with its source."""
    from desktop_app.cli import fact_list

    return asyncio.run(fact_list.show_one(run, well_formed(key)))


@facts.command()
@takes_run_options
def history(run: RunOptions, key: Annotated[str, KEY]) -> int:
    """Show every change of a fact, oldest first."""
    from desktop_app.cli import fact_history

    return asyncio.run(fact_history.history(run, well_formed(key)))


@facts.command()
@takes_run_options
def add(
    run: RunOptions,
    key: Annotated[str, typer.Argument(metavar="KEY", help="A short stable name.")],
    value: Annotated[str, _VALUE],
    category: Annotated[str, typer.Option("--category", metavar="WORD", help="A word to group it by.")] = "",
    pin: Annotated[bool, typer.Option("--pin", help="Keep it in every prompt.")] = False,
    keep_secrets: Annotated[bool, KEEP_SECRETS] = False,
    price: Annotated[bool, PRICE] = False,
) -> int:
    """Keep a fact; one with this key gets the new value."""
    from desktop_app.cli import fact_changes

    texts = (well_formed(key), well_formed(value), well_formed(category))
    return asyncio.run(fact_changes.add(run, *texts, pinned=pin, keep_secrets=keep_secrets, price=price))


@facts.command()
@takes_run_options
def edit(
    run: RunOptions,
    key: Annotated[str, KEY],
    value: Annotated[str, _VALUE],
    keep_secrets: Annotated[bool, KEEP_SECRETS] = False,
    price: Annotated[bool, PRICE] = False,
) -> int:
    """Give a fact another value."""
    from desktop_app.cli import fact_changes

    return asyncio.run(
        fact_changes.edit(run, well_formed(key), well_formed(value), keep_secrets=keep_secrets, price=price)
    )


@facts.command()
@takes_run_options
def mask(run: RunOptions, key: Annotated[str, KEY]) -> int:
    """Mask the secrets of a fact and of its history for good, also where you had kept them as they are."""
    from desktop_app.cli import fact_secrets

    return asyncio.run(fact_secrets.mask_one(run, well_formed(key)))


@facts.command()
@takes_run_options
def suspected(
    run: RunOptions,
    mask: Annotated[bool, typer.Option("--mask", help="Mask what is found, history included, for good.")] = False,
) -> int:
    """List facts of older days in which a secret is kept (they are told to nobody unmasked)."""
    from desktop_app.cli import fact_secrets

    return asyncio.run(fact_secrets.show_suspected(run, mask=mask))


@facts.command()
@takes_run_options
def pin(
    run: RunOptions,
    key: Annotated[str, KEY],
    off: Annotated[bool, typer.Option("--off", help="Unpin it.")] = False,
    price: Annotated[bool, PRICE] = False,
) -> int:
    """Pin a fact, so that it stands in every prompt."""
    from desktop_app.cli import fact_changes

    return asyncio.run(fact_changes.pin(run, well_formed(key), not off, price=price))


@facts.command()
@takes_run_options
def delete(run: RunOptions, key: Annotated[str, KEY], price: Annotated[bool, PRICE] = False) -> int:
    """Delete a fact (restorable for 30 days)."""
    from desktop_app.cli import fact_changes

    return asyncio.run(fact_changes.delete(run, well_formed(key), price=price))


@facts.command()
@takes_run_options
def undo(
    run: RunOptions,
    key: Annotated[
        str | None,
        typer.Argument(metavar="KEY", help="Take back the newest change of this fact instead, whoever made it."),
    ] = None,
) -> int:
    """Take back your newest change of a fact."""
    from desktop_app.cli import fact_changes

    return asyncio.run(fact_changes.undo(run, None if key is None else well_formed(key)))
