"""This program started again as a child process that ends when its input does."""

from __future__ import annotations

import os
import subprocess
import sys

DATABASE_URL = "MNEMOSCOPE_DATABASE_URL"
"""The variable an address of a database may stand in, with its password."""
_END_SECONDS = 2.0
_NOT_FOR_CHILDREN = (DATABASE_URL, "PGPASSWORD")


def own_command(*arguments: str) -> tuple[str, ...]:
    """The command that runs `mnemoscope ARGUMENTS` with this interpreter, or with this frozen application."""
    if getattr(sys, "frozen", False):
        return (sys.executable, *arguments)
    # -P: a module that happens to lie in the folder the person stands in must never be imported.
    return (sys.executable, "-P", "-m", "desktop_app", *arguments)


def own_environment() -> dict[str, str]:
    """What a child may know of the environment: no password of a database."""
    return {name: value for name, value in os.environ.items() if name not in _NOT_FOR_CHILDREN}


def start_own(*arguments: str) -> subprocess.Popen[bytes]:
    """Starts it with pipes for input and output, out of reach of a Ctrl+C in the terminal; raises OSError."""
    return subprocess.Popen(
        own_command(*arguments),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
        env=own_environment(),
    )


def end_own(process: subprocess.Popen[bytes]) -> None:
    """Closes its input, waits two seconds at most, then kills it; does nothing for one that has ended."""
    if process.stdin is not None and not process.stdin.closed:
        process.stdin.close()
    try:
        process.wait(_END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdout is not None:
        process.stdout.close()
