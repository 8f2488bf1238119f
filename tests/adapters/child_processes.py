"""Starts `store_children` as processes of their own, and hears them out."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def child(*arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.adapters.store_children", *map(str, arguments)]
    return subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def first_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout
    return process.stdout.readline().strip()


def end(process: subprocess.Popen[str], said: str = "") -> None:
    process.communicate(said)
    assert process.returncode == 0
