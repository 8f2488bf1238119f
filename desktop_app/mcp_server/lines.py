"""The lines a client sends, with half emoji made whole: a text that was cut inside one is valid JSON all the same,
but would be dropped without an answer."""

from __future__ import annotations

import io
import re
from typing import BinaryIO

_ESCAPES = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<half>\\u[dD][89a-fA-F][0-9a-fA-F]{2})|\\."
)


class Lines(io.TextIOWrapper):
    """Standard input as UTF-8; what is none becomes U+FFFD, as does half a surrogate pair."""

    def __init__(self, binary: BinaryIO) -> None:
        super().__init__(binary, encoding="utf-8", errors="replace")

    def readline(self, size: int = -1, /) -> str:  # type: ignore[override]
        """The next line; empty at the end."""
        return without_halves(super().readline(size))


def without_halves(line: str) -> str:
    """A line of JSON with every escape of half a surrogate pair replaced."""
    return _ESCAPES.sub(lambda found: r"\ufffd" if found["half"] else found[0], line)
