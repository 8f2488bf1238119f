"""The state file: the clock, the prompt cache and the fingerprints, kept between two runs of the simulator."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .clock import Clock


class StateFile:
    """Parts with a name in one JSON file; without a path nothing is kept."""

    def __init__(self, clock: Clock, path: Path | None = None) -> None:
        """Read the file and set the clock. Raises ValueError where it is none of the simulator's."""
        self._clock = clock
        self._path = path
        self._saved: dict[str, Any] = {}
        self._parts: dict[str, Callable[[], Any]] = {}
        if path is None:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists():
            self._guarded(self._read, path)

    def _read(self, path: Path) -> None:
        self._saved = json.loads(path.read_text("utf-8"))
        self._clock.offset = float(self._saved["clock_offset"])

    def attach(self, name: str, load: Callable[[Any], None], dump: Callable[[], Any]) -> None:
        """Take part in the file: `load` gets what was saved, if anything; `dump` gives what JSON is to keep."""
        self._parts[name] = dump
        if name in self._saved:
            self._guarded(load, self._saved.pop(name))

    def _guarded(self, load: Callable[[Any], None], given: Any) -> None:
        try:
            load(given)
        except (ValueError, KeyError, TypeError, AttributeError):
            raise ValueError(f"{self._path} is not a state file of the simulator") from None

    def save(self) -> None:
        """Write all parts in one step."""
        if self._path is None:
            return
        whole = {"clock_offset": self._clock.offset} | {name: dump() for name, dump in self._parts.items()}
        fresh = self._path.with_name(self._path.name + ".new")
        fresh.write_text(json.dumps(whole), "utf-8")
        fresh.replace(self._path)
