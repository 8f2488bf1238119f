"""Where a conversation can go on from: the end of a turn of its path, and the ends of its other versions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from desktop_app.core.conversation import Message


@dataclass(frozen=True, slots=True)
class Branching:
    """The path in use now ends with message `head_id`, behind turn `turn` (from 1), and not with `before_id` any more.

    `left` messages behind it are kept as another version.
    """

    conversation_id: str
    turn: int
    head_id: str
    before_id: str
    left: int


@dataclass(frozen=True, slots=True)
class TurnEnd:
    """The last message of turn number `turn` of a path; `following` messages stand behind it."""

    turn: int
    message_id: str
    following: int


@dataclass(frozen=True, slots=True)
class Version:
    """One of the ends of a conversation: message `head_id` of the time `at` (None: unknown), in turn `turn` (from 1)
    that begins with `asked`. It has `apart` messages that do not stand on the path in use."""

    head_id: str
    turn: int
    at: datetime | None
    asked: str
    apart: int
    in_use: bool


def version_of(path: Sequence[Message], used: Sequence[str]) -> Version:
    """The version a path (not empty) is, beside the ids of the path in use."""
    opened = [message for message in path if message.opens_turn]
    common = set(used)
    return Version(
        head_id=path[-1].id,
        turn=len(opened),
        at=path[-1].created_at,
        asked=opened[-1].text if opened else "",
        apart=sum(1 for message in path if message.id not in common),
        in_use=list(used[-1:]) == [path[-1].id],
    )


def end_of_turn(path: Sequence[Message], where: str | int) -> TurnEnd | None:
    """The end of the turn that holds a message (by its id), or of that number (from 1); None where there is none.

    A turn reaches to the next message of the person, so no tool call is parted from its result.
    """
    opened = [place for place, message in enumerate(path) if message.opens_turn]
    if isinstance(where, str):
        at = next((place for place, message in enumerate(path) if message.id == where), -1)
        where = sum(1 for place in opened if place <= at)
    if not 1 <= where <= len(opened):
        return None
    end = opened[where] if where < len(opened) else len(path)
    return TurnEnd(where, path[end - 1].id, len(path) - end)
