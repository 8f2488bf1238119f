"""Reads a file a person attaches: only a plain file, and never more of it than can be used."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from desktop_app.core.errors import AttachmentUnusable

# What a system lacks of these needs no guard: without pipes in the file system there is nothing to wait for.
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)


class AttachedFiles:
    """The files of this machine."""

    def read_whole(self, path: Path, limit: int) -> bytes:
        """The bytes of a file, at most `limit` and one more, so that a longer one can be told.

        A link is followed to a plain file only: a folder, pipe, socket or device is none, wherever a link to it stands.
        Raises AttachmentUnusable.
        """
        try:
            # Opening a pipe or a device must not wait, and what was opened is what is looked at.
            with os.fdopen(os.open(path, _FLAGS), "rb") as file:
                if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    raise AttachmentUnusable(file=path.name, why="not_a_file")
                return file.read(limit + 1)
        except (OSError, ValueError) as error:
            why = "not_a_file" if _is_there(path) and not path.is_file() else "unreadable"
            raise AttachmentUnusable(str(error), file=path.name or str(path), why=why) from error


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False
