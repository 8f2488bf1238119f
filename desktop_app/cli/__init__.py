"""The command line: the same services as the window, as commands with words or JSON as their result."""

from __future__ import annotations


def main(argv: list[str]) -> int:
    """Runs the command in `argv` (without the program's name); returns its exit code.

    0 done, 1 an error told in one line, 2 a command line that cannot be understood, 130 stopped by Ctrl+C,
    141 the reader of the output went away.
    """
    from desktop_app.cli.commands import app
    from desktop_app.cli.failures import run_guarded
    from desktop_app.cli.output import prepare_streams

    prepare_streams()
    return run_guarded(app, argv)
