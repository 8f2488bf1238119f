"""JSON lines over a pair of pipes, read and written by threads, on every platform alike."""

from __future__ import annotations

import json
import queue
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import IO, Any

Line = dict[str, Any]


class Lines:
    """Two ends of pipes. `send` never waits, whatever the other side does; the order is kept."""

    def __init__(self, incoming: IO[bytes], outgoing: IO[bytes]) -> None:
        self._incoming, self._outgoing = incoming, outgoing
        self._waiting: queue.SimpleQueue[Line | None] = queue.SimpleQueue()
        self._writer = threading.Thread(target=self._write, name="lines out", daemon=True)
        self._reader: threading.Thread | None = None

    def listen(self, take: Callable[[Line | None], object]) -> None:
        """Begins both threads; `take` is called in one of them with each line, and with None at the end."""
        self._reader = threading.Thread(target=self._read, args=(take,), name="lines in", daemon=True)
        self._reader.start()
        self._writer.start()

    def send(self, line: Line) -> None:
        """Writes a line soon; what cannot be written any more is dropped, the end is told by `take`."""
        self._waiting.put(line)

    def end(self) -> None:
        """Closes the outgoing pipe after what waits; the other side sees the end of its input."""
        self._waiting.put(None)

    def join(self) -> None:
        """Waits for both threads, once the other side is gone."""
        for thread in (self._writer, self._reader):
            if thread is not None and thread.ident is not None:
                thread.join()

    def _write(self) -> None:
        while (line := self._waiting.get()) is not None:
            with suppress(OSError, ValueError):
                # Letters beyond ASCII are escaped, so that half of a pair, which JSON knows, passes too.
                self._outgoing.write(json.dumps(line).encode() + b"\n")
                self._outgoing.flush()
        with suppress(OSError):
            self._outgoing.close()

    def _read(self, take: Callable[[Line | None], object]) -> None:
        with suppress(OSError, ValueError):
            for line in self._incoming:
                take(json.loads(line))
        take(None)
