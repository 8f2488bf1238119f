"""Made-up secrets, and the places of a data folder in which one of them stands: files, and tables of the database."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from desktop_app.adapters.secret_detector import SecretDetector

_CASES = json.loads((Path(__file__).parents[1] / "adapters" / "data" / "secrets.json").read_text(encoding="utf-8"))
SECRETS: list[str] = ["".join(one) for one in _CASES["must_be_caught"]]
UNCHANGED: list[str] = _CASES["must_stay_unchanged"]
_OF_TALKS = ("message", "block", "request", "fts", "sqlite", "attachment", "passage")


def raw_of(text: str) -> str:
    """What of a sample must not be found; of a private key what stands between its lines."""
    (found,) = SecretDetector().find(text)
    return max(text[found.start : found.end].split("\n"), key=lambda line: line.endswith("="))


def files_with(folder: Path, secret: str) -> list[str]:
    """The files, database, log of it and all, in which a secret stands in either form of Unicode."""
    wanted = {secret.encode(), json.dumps(secret)[1:-1].encode()}
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [path.name for path in files if any(one in path.read_bytes() for one in wanted)]


def tables_with(folder: Path, text: str) -> set[str]:
    """The tables of a closed database in which a text stands, but for those that hold what was said."""
    wanted = (text.encode(), json.dumps(text)[1:-1].encode())
    with closing(sqlite3.connect(folder / "mnemoscope.db")) as connection:
        connection.text_factory = bytes
        names = [name.decode() for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        found = set()
        for name in names:
            rows = connection.execute(f'SELECT * FROM "{name}"').fetchall()
            cells = (cell for row in rows for cell in row if isinstance(cell, bytes))
            if any(one in cell for cell in cells for one in wanted):
                found.add(name)
    return {name for name in found if not name.startswith(_OF_TALKS)}
