"""A window and commands that write facts into one data folder at the same time."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QApplication

from desktop_app.bridge.app_session import AppSession
from tests.fakes.command_line import ROOT, CommandLine

_COMMANDS = """
import io, sys
from contextlib import redirect_stdout
from desktop_app.cli import main
folder, count = sys.argv[1], int(sys.argv[2])
for number in range(count):
    with redirect_stdout(io.StringIO()):
        code = main(["--data-dir", folder, "--profile", "demo", "facts", "add", f"command {number}", f"value {number}"])
    assert code == 0, number
"""


def write_at_once(session: AppSession, data_dir: Path, count: int, seconds: float) -> tuple[list[str], list[str]]:
    """`count` facts by the window and as many by commands, one after the other on each side; raises TimeoutError.

    Returns the keys as the window lists them in the end, and as the command line does.
    """
    memory = session.memory
    assert memory is not None
    kept: list[str] = []
    memory.kept.connect(kept.append)
    command = [sys.executable, "-c", _COMMANDS, str(data_dir), str(count)]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) as commands:
        for number in range(count):
            memory.add(f"window {number}", f"value {number}")
            _until(lambda number=number: len(kept) > number, seconds)
        _until(lambda: commands.poll() is not None, seconds)
        assert commands.stderr is not None
        assert commands.returncode == 0, commands.stderr.read()
    _until(lambda: memory.count == 2 * count, seconds)
    listed = CommandLine(data_dir).run("--profile", "demo", "facts", "list", "--json")
    return sorted(fact.key for fact in memory.facts.facts), sorted(fact["key"] for fact in json.loads(listed.out))


def _until(condition: Callable[[], bool], seconds: float) -> None:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError
        QApplication.processEvents()
        time.sleep(0.001)
