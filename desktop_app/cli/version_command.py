"""`mnemoscope version`: what runs here, without loading what it does not ask."""

from __future__ import annotations

import platform
import sqlite3

from desktop_app import __version__
from desktop_app.cli.options import RunOptions
from desktop_app.cli.output import table, write, write_json


def version(run: RunOptions) -> int:
    """Versions of Mnemoscope, Python, Qt and SQLite."""
    from PySide6.QtCore import qVersion

    versions = {
        "Mnemoscope": __version__,
        "Python": platform.python_version(),
        "Qt": qVersion(),
        "SQLite": sqlite3.sqlite_version,
    }
    if run.as_json:
        write_json({name.lower(): number for name, number in versions.items()})
    else:
        write(table(list(versions.items()), "<<"))
    return 0
