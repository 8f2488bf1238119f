"""The seal of an index that was closed in order: which folder, of which embedder, and how its files looked.

Opening breaks it. A folder without one, or that has changed under it, is never opened: Chroma takes some damage for
emptiness, hangs on some, and dies of some with the whole process. Such an index is built anew from the database.
"""

from __future__ import annotations

import json
import os
import shutil
from contextlib import suppress
from pathlib import Path

SEAL_NAME = "seal.json"


def break_seal(place: Path, embedder: str) -> Path | None:
    """The folder in `place` that may be opened, once; None where there is none to be trusted. Raises OSError."""
    path = place / SEAL_NAME
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
        folder = place / Path(said["folder"]).name
        good = said == _described(folder, embedder)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    path.unlink()
    return folder if good else None


def seal(folder: Path, embedder: str) -> None:
    """Says that a closed folder is in order, once all of it is on the disk. Raises OSError."""
    for path in _files(folder):
        _sync(path)
    text = json.dumps(_described(folder, embedder))
    written = folder.parent / f"{SEAL_NAME}.new"
    written.write_text(text, encoding="utf-8")
    _sync(written)
    written.replace(folder.parent / SEAL_NAME)


def clear(place: Path) -> None:
    """Makes `place` an empty folder. Raises OSError."""
    if place.is_symlink() or not place.is_dir():
        with suppress(FileNotFoundError):
            place.unlink()
        place.mkdir(mode=0o700)
    for path in place.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


def _described(folder: Path, embedder: str) -> dict[str, object]:
    files = {str(path.relative_to(folder).as_posix()): _look(path) for path in _files(folder)}
    return {"embedder": embedder, "folder": folder.name, "files": files}


def _look(path: Path) -> list[int]:
    found = path.stat()
    return [found.st_size, found.st_mtime_ns]


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def _sync(path: Path) -> None:
    with path.open("rb+") as file:
        os.fsync(file.fileno())
