"""How a command ends when something goes wrong: one line on standard error and an exit code, never a traceback.

With `--json` that line is a JSON object: `error`, the kind, and `message`, the sentence.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from typer.main import get_command

from desktop_app.cli.output import ReaderGone, note, note_json, one_line
from desktop_app.cli.sentences import explain_usage, words_of
from desktop_app.core.errors import AppError, Unexpected
from desktop_app.core.redaction import print_exception, redact

if TYPE_CHECKING:
    from desktop_app.cli.options import RunOptions

FAILED, MISUSED, STOPPED, READER_GONE = 1, 2, 130, 141
DEBUG = "MNEMOSCOPE_DEBUG"


def guarded(run: RunOptions, command: Callable[[], int]) -> int:
    """The exit code of a command; its errors are told in the run's language. Misuse goes on to `run_guarded`."""
    try:
        return command()
    except AppError as error:
        _tell(run, error.word, words_of(run).explain(error))
        return FAILED
    except KeyboardInterrupt:
        return STOPPED
    except ReaderGone:
        return READER_GONE
    except (typer.Exit, typer.Abort, typer.TyperException):
        raise
    except Exception as error:
        words = words_of(run)
        debugging = os.environ.get(DEBUG) == "1"
        hint = "" if debugging else " " + words.say("cli.debug_hint", setting=f"{DEBUG}=1")
        _tell(run, Unexpected.word, words.explain(Unexpected(str(error))) + hint)
        if debugging:
            print_exception(type(error), error, error.__traceback__)
        return FAILED


def run_guarded(app: typer.Typer, argv: list[str]) -> int:
    """Runs the commands on a command line; one that cannot be understood is told in one line."""
    try:
        result = _commands(app).main(args=argv, prog_name="mnemoscope", standalone_mode=False)
    except typer.TyperException as error:
        run = _run_of(argv)
        _tell(run, "usage", explain_usage(words_of(run), error))
        return MISUSED
    except SystemExit as ending:
        return ending.code if isinstance(ending.code, int) else FAILED
    return int(result or 0)


def _tell(run: RunOptions, kind: str, sentence: str) -> None:
    if run.as_json:
        note_json({"error": kind, "message": one_line(redact(sentence))})
    else:
        note(sentence)


_commands = cache(get_command)


def _run_of(argv: list[str]) -> RunOptions:
    """What a command line that could not be read to its end says about the language of its errors."""
    from desktop_app.cli.options import RunOptions

    language, folder = _value(argv, "--lang"), _value(argv, "--data-dir")
    return RunOptions(
        data_dir=Path(folder) if folder else None,
        lang="ko" if language == "ko" else "en" if language == "en" else None,
        as_json="--json" in argv,
    )


def _value(argv: list[str], option: str) -> str | None:
    """The last value of an option, given as `--name value` or `--name=value`."""
    found = [value for name, value in pairwise(argv) if name == option]
    found += [part.partition("=")[2] for part in argv if part.startswith(f"{option}=")]
    return found[-1] if found else None
