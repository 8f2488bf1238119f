"""How groups of commands are made, and the options several of them take."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup

from desktop_app.cli.sentences import UnknownCommand


class Commands(TyperGroup):
    """A group that tells an unknown command apart from other misuse."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command the first word names."""
        if self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            raise UnknownCommand(args[0], ctx)
        return super().resolve_command(ctx, args)


PLAIN: dict[str, Any] = {"cls": Commands, "rich_markup_mode": None, "add_completion": False}

CONVERSATION = typer.Option(
    "--conversation", "-c", metavar="ID", help="The conversation: its id or the beginning of it."
)
ENVIRONMENT_KEY = typer.Option(
    "--environment-key", help="Use the key in ANTHROPIC_API_KEY for this run; it goes to api.anthropic.com only."
)
TURN = typer.Option("--turn", metavar="N", min=1, help="A past turn, counted from 1.")


def in_profile(**flags: bool) -> dict[str, bool]:
    """Settings of the profile that flags switch on for this run; a flag not given leaves the setting."""
    return {name: True for name, given in flags.items() if given}


def of_group(context: typer.Context, conversation: str | None) -> str | None:
    """The conversation a command is about, also where it was named before the command's own name."""
    group = context.parent.params if context.parent is not None else {}
    named = conversation if conversation is not None else group.get("conversation")
    return str(named) if named is not None else None
