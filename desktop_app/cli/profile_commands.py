"""The commands under `mnemoscope profiles`: which there are, a new one, and the one in use."""

from __future__ import annotations

from typing import Annotated

import typer

from desktop_app.cli.groups import PLAIN
from desktop_app.cli.options import RunOptions, takes_run_options
from desktop_app.core.conversation import well_formed

profiles = typer.Typer(name="profiles", invoke_without_command=True, **PLAIN)
_NAME = typer.Argument(metavar="NAME", help="The name of the profile.")


@profiles.callback()
@takes_run_options
def list_profiles(run: RunOptions, context: typer.Context) -> int:
    """List the profiles. Each has its own facts, conversations, instructions, model and endpoint."""
    from desktop_app.cli import profile_list

    return 0 if context.invoked_subcommand is not None else profile_list.show(run)


@profiles.command()
@takes_run_options
def add(run: RunOptions, name: Annotated[str, _NAME]) -> int:
    """Make a new profile; it begins with the settings of your own one and without facts."""
    from desktop_app.cli import profile_list

    return profile_list.add(run, well_formed(name))


@profiles.command()
@takes_run_options
def use(run: RunOptions, name: Annotated[str, _NAME]) -> int:
    """Use a profile from now on, in the window and in commands."""
    from desktop_app.cli import profile_list

    return profile_list.use(run, well_formed(name))
