"""The commands under `mnemoscope documents` with their arguments and help."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from desktop_app.cli.groups import PLAIN
from desktop_app.cli.options import RunOptions, takes_run_options
from desktop_app.core.conversation import well_formed

documents = typer.Typer(name="documents", invoke_without_command=True, **PLAIN)
_NAME = typer.Argument(metavar="NAME", help="The name of the document, its id or the beginning of its id.")


@documents.callback()
@takes_run_options
def documents_of_profile(run: RunOptions, context: typer.Context) -> int:
    """Add documents to be recalled, list and remove them. Without a command they are listed.

    What a document says is quoted as data; it becomes no fact and no instruction.
    """
    from desktop_app.cli import document_list

    return 0 if context.invoked_subcommand is not None else asyncio.run(document_list.show_all(run))


@documents.command()
@takes_run_options
def add(
    run: RunOptions,
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="PDF, Markdown, HTML or text files.")],
) -> int:
    """Keep the text of FILEs, so that passages of it can be recalled.

    A file added before is replaced when its text has changed. Nothing is fetched from the network.
    """
    from desktop_app.cli import document_list

    return asyncio.run(document_list.add(run, [file.expanduser() for file in files]))


@documents.command("list")
@takes_run_options
def list_documents(
    run: RunOptions,
    deleted: Annotated[bool, typer.Option("--deleted", help="Those removed in the last 30 days.")] = False,
) -> int:
    """List the documents of the profile, last added first."""
    from desktop_app.cli import document_list

    return asyncio.run(document_list.show_all(run, deleted=deleted))


@documents.command()
@takes_run_options
def remove(run: RunOptions, name: Annotated[str, _NAME]) -> int:
    """Remove a document (restorable for 30 days); the file stays where it is."""
    from desktop_app.cli import document_list

    return asyncio.run(document_list.remove(run, well_formed(name)))


@documents.command()
@takes_run_options
def restore(run: RunOptions, name: Annotated[str, _NAME]) -> int:
    """Bring a removed document back."""
    from desktop_app.cli import document_list

    return asyncio.run(document_list.restore(run, well_formed(name)))
