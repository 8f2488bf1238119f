"""Names the process that streams an answer, so that another can tell whether it still lives."""

from __future__ import annotations

import os
import secrets

import psutil

# A process keeps its start time; the clock it is derived from may be corrected by a moment.
_TOLERANCE_SECONDS = 2.0


def this_owner() -> str:
    """A name for whoever opens the store now: process, its start, and a mark of this opening."""
    return f"{os.getpid()}:{psutil.Process().create_time():.2f}:{secrets.token_hex(4)}"


def lives(owner: str | None, own: str) -> bool:
    """Whether `owner` can still be writing. An earlier opening by this very process cannot."""
    if owner is None:
        return False
    if owner == own:
        return True
    pid, started, _ = owner.split(":")
    if int(pid) == os.getpid():
        return False
    try:
        process = psutil.Process(int(pid))
        if process.status() == psutil.STATUS_ZOMBIE:
            return False
        return bool(abs(process.create_time() - float(started)) < _TOLERANCE_SECONDS)
    except psutil.NoSuchProcess:
        return False
    except psutil.AccessDenied:
        return True
