"""The state file: the clock, the prompt cache and the fingerprints, kept between two runs of the simulator."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .clock import Clock

PAUSE = 0.3
"""Seconds from a change to the file: less than a server that was told to stop may take to end."""


class StateFile:
    """Parts with a name in one JSON file; without a path nothing is kept.

    What changes is written a moment later by a thread of its own, together with what else changed until then, and at
    the latest by `close`.
    """

    def __init__(self, clock: Clock, path: Path | None = None) -> None:
        """Read the file and set the clock. Raises ValueError where it is none of the simulator's."""
        self._clock = clock
        self._path = path
        self._saved: dict[str, Any] = {}
        self._parts: dict[str, Callable[[], Any]] = {}
        self._lock, self._writing = threading.Lock(), threading.Lock()
        self._pending: threading.Timer | None = None
        self._unwritten = False
        if path is None:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists():
            self._guarded(self._read, path)

    def _read(self, path: Path) -> None:
        self._saved = json.loads(path.read_text("utf-8"))
        self._clock.offset = float(self._saved["clock_offset"])

    def attach(self, name: str, load: Callable[[Any], None], dump: Callable[[], Any]) -> None:
        """Take part in the file: `load` gets what was saved, if anything; `dump` gives what JSON is to keep.

        `dump` runs in another thread while the part goes on changing.
        """
        self._parts[name] = dump
        if name in self._saved:
            self._guarded(load, self._saved.pop(name))

    def _guarded(self, load: Callable[[Any], None], given: Any) -> None:
        try:
            load(given)
        except (ValueError, KeyError, TypeError, AttributeError):
            raise ValueError(f"{self._path} is not a state file of the simulator") from None

    def changed(self) -> None:
        """Write all parts a moment later."""
        with self._lock:
            self._unwritten = True
            if self._path is None or self._pending is not None:
                return
            self._pending = threading.Timer(PAUSE, self._write_later)
            self._pending.daemon = True
            self._pending.start()

    def save(self) -> None:
        """Write all parts now, in one step. Raises OSError where that cannot be done."""
        self._unwritten = True
        self.close()

    def close(self) -> None:
        """Write now what is not written yet. Raises OSError where that cannot be done."""
        if self._path is None:
            return
        with self._writing:
            if self._unwritten:
                self._write(self._path)

    def _write_later(self) -> None:
        # A disk that is full now may take what the next change or the end writes.
        with contextlib.suppress(OSError):
            self.close()

    def _write(self, path: Path) -> None:
        with self._lock:  # whatever changes from here on asks to be written anew
            if self._pending is not None:
                self._pending.cancel()
            self._pending, self._unwritten = None, False
        whole = {"clock_offset": self._clock.offset} | {name: dump() for name, dump in self._parts.items()}
        fresh = path.with_name(path.name + ".new")
        try:
            fresh.write_text(json.dumps(whole), "utf-8")
            fresh.replace(path)
        except OSError:
            self._unwritten = True
            raise
