"""What somebody said, as it is ranked and shown: a message with its place among those of its conversation."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from desktop_app.core.conversation import Role


@dataclass(frozen=True, slots=True)
class SaidPassage:
    """Characters `start` to `end` of a message's text; `id` is that of its vector."""

    id: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Said:
    """A message of the person or a reply. `place` is its order among those of its conversation, from 0; `title` is
    that of the conversation."""

    message_id: str
    conversation_id: str
    place: int
    role: Role
    text: str
    when: datetime | None
    passages: tuple[SaidPassage, ...] = ()
    title: str = ""

    @property
    def findable(self) -> str:
        """What of the text its passages hold: the rest is not to be found."""
        pieces: list[str] = []
        reached = 0
        for one in self.passages:
            start = max(one.start, reached)
            gap = "\n" if pieces and one.start > reached else ""
            pieces.append(gap + self.text[start : one.end])
            reached = max(reached, one.end)
        return "".join(pieces)
