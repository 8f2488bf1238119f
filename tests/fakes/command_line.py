"""Running `mnemoscope` on a data folder: inside the test's process, or as a process of its own."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from desktop_app.cli import main

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Ending:
    """How a command ended: its exit code and what it wrote."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output as one JSON value."""
        return json.loads(self.out)

    @property
    def line(self) -> str:
        """The one line on standard error of a command that failed."""
        assert self.out == "" and self.err.count("\n") == 1, self
        assert "Traceback" not in self.err
        return self.err.rstrip("\n")

    @property
    def conversation(self) -> str:
        """The id a chat tells at its end."""
        return self.err.splitlines()[-1].rpartition(" ")[2]


class CommandLine:
    """`options` go before every command: the data folder and where requests go."""

    def __init__(self, data_dir: Path, base_url: str | None = None) -> None:
        self.data_dir = data_dir
        self.options = ["--data-dir", str(data_dir), *(["--base-url", base_url] if base_url else [])]

    def run(self, *arguments: str) -> Ending:
        """Inside this process, as the entry point does it."""
        out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            code = main([*self.options, *arguments])
        out.flush()
        return Ending(code, out.buffer.getvalue().decode(), err.getvalue())  # type: ignore[attr-defined]

    def start(self, *arguments: str, encoding: str = "utf-8", **environment: str) -> subprocess.Popen[str]:
        """As a process; its environment is this one without keys and languages, and what is given."""
        inherited = {
            name: value for name, value in os.environ.items() if not name.startswith(("ANTHROPIC_", "LC_", "LANG"))
        }
        return subprocess.Popen(
            [sys.executable, "-m", "desktop_app", *self.options, *arguments],
            cwd=ROOT,
            env={**inherited, "PYTHONIOENCODING": encoding, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding=encoding,
        )

    def process(self, *arguments: str, given: str = "", encoding: str = "utf-8", **environment: str) -> Ending:
        """A process from start to end; `given` is its standard input."""
        return ending(self.start(*arguments, encoding=encoding, **environment), given)


def ending(process: subprocess.Popen[str], given: str = "") -> Ending:
    """Waits for a process to end."""
    with process:
        out, err = process.communicate(given, timeout=15)
    return Ending(process.returncode, out, err)
