"""What of the messages counts: from the last compaction block on, without blocks whose summary failed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from .compaction_block import Genuine, stands_for_nothing
from .errors import ApiError

_PATH = re.compile(r"messages\.(\d+)(?:\.content\.(\d+))?")


@dataclass
class View:
    """The messages that count, where each was sent (the message, and its blocks), and what a block at their
    beginning says of itself."""

    messages: list[dict[str, Any]]
    places: list[tuple[int, list[int]]] = field(default_factory=list)
    block: Genuine | None = None

    @classmethod
    def behind(cls, messages: list[Any], first: tuple[int, int], block: Genuine | None) -> View:
        """What stands from the block `first` (message, index) on."""
        view = cls([], [], block)
        for number in range(first[0], len(messages)):
            view._take(messages[number], number, first[1] if number == first[0] else 0)
        return view

    def _take(self, message: Any, number: int, start: int) -> None:
        content = message.get("content") if isinstance(message, dict) else None
        if not isinstance(content, list):
            self.messages.append(message)
            self.places.append((number, []))
            return
        kept = [n for n in range(start, len(content)) if not stands_for_nothing(content[n])]
        if kept or not content:
            self.messages.append({**message, "content": [content[n] for n in kept]})
            self.places.append((number, kept))

    def as_sent(self, text: str) -> str:
        """A text with its paths as they are in the request."""
        return _PATH.sub(self._place, text) if self.places else text

    def _place(self, found: re.Match[str]) -> str:
        number, index = int(found[1]), found[2]
        if number >= len(self.places):
            return found[0]
        sent, kept = self.places[number]
        if index is None:
            return f"messages.{sent}"
        return f"messages.{sent}.content.{kept[int(index)] if int(index) < len(kept) else index}"

    @contextmanager
    def paths_as_sent(self) -> Iterator[None]:
        """Refusals from inside name the places in the request."""
        try:
            yield
        except ApiError as error:
            error.message = self.as_sent(error.message)
            raise
