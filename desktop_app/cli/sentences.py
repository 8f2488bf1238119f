"""The language of a run, and what is said about a command line that cannot be understood."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import typer

from desktop_app.core.errors import AppError
from desktop_app.core.words import LANGUAGES, Words, load_words

if TYPE_CHECKING:
    from desktop_app.cli.options import RunOptions


_REASONS = {
    "choice": re.compile(r"(?P<value>'.*') is not one of (?P<choices>.+)", re.DOTALL),
    "at_least": re.compile(r"Input should be greater than or equal to (?P<low>-?\d+)"),
    "integer": re.compile(r"Input should be a valid integer|Unable to parse input string as an integer"),
}
"""How Typer says what is wrong with a value, by catalogue id."""


def language(chosen: str | None) -> str:
    """The language of a setting or option; anything but a known one means the locale's."""
    if chosen in LANGUAGES:
        return str(chosen)
    locale = next((value for name in ("LC_ALL", "LC_MESSAGES", "LANG") if (value := os.environ.get(name))), "")
    return "ko" if locale.startswith("ko") else "en"


def words_of(run: RunOptions) -> Words:
    """The catalogue for a run that may not even have got as far as its settings."""
    from desktop_app.composition import open_settings

    options = run.for_composition()
    if run.lang or not options.data_dir.is_dir():
        return load_words(language(run.lang))
    try:
        return load_words(language(open_settings(options).settings.language))
    except (AppError, OSError):
        return load_words(language(None))


class UnknownCommand(typer.BadParameter):
    """The first word is no command."""

    def __init__(self, name: str, context: typer.Context) -> None:
        super().__init__(name, ctx=context)


class NotTogether(typer.BadParameter):
    """Two parts of a command line that exclude each other."""

    def __init__(self, name: str, other: str, context: typer.Context) -> None:
        super().__init__(other, ctx=context, param_hint=name)


class Missing(typer.BadParameter):
    """An option that is needed where another one is not given."""

    param_type = "option"

    def __init__(self, name: str, context: typer.Context) -> None:
        super().__init__("", ctx=context, param_hint=name)


def explain_usage(words: Words, error: typer.TyperException) -> str:
    """What cannot be understood of a command line, and where the help is."""
    help_command = _help_command(error)
    match error:
        case UnknownCommand():
            return words.say("cli.usage.command", name=error.message, help=help_command)
        case NotTogether():
            return words.say("cli.usage.together", name=error.param_hint, other=error.message, help=help_command)
        case typer.BadParameter():
            name = _parameter_name(error)
            # A missing parameter is a kind of bad one, told by the type it would have had.
            missing = hasattr(error, "param_type")
            word = "missing" if missing else "value"
            return words.say(f"cli.usage.{word}", name=name, why=_reason(words, error), help=help_command)
    if option := getattr(error, "option_name", None):
        # NoSuchOption alone carries what it might have meant.
        word = "option" if hasattr(error, "possibilities") else "option_value"
        return words.say(f"cli.usage.{word}", name=option, help=help_command)
    if error.message.startswith("Got unexpected extra argument"):
        return words.say("cli.usage.extra", what=error.message.partition(" (")[2].removesuffix(")"), help=help_command)
    return words.say("cli.usage.unclear", what=error.message, help=help_command)


def _reason(words: Words, error: typer.BadParameter) -> str:
    """What is wrong with a value, in the words of the catalogue; Typer's own are English."""
    said = error.message.removeprefix("Value error, ").rstrip(".")
    found = ((word, pattern.match(said)) for word, pattern in _REASONS.items())
    word, match = next(((word, match) for word, match in found if match), ("unfit", None))
    return words.say(f"cli.usage.why.{word}", **(match.groupdict() if match else {}))


def _parameter_name(error: typer.BadParameter) -> str:
    if error.param is None:
        return str(error.param_hint or "")
    return error.param.opts[0] if error.param.param_type_name == "option" else error.param.display_name_raw


def _help_command(error: typer.TyperException) -> str:
    context = getattr(error, "ctx", None)
    return f"{context.command_path if context else 'mnemoscope'} --help"
