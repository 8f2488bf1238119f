"""Where a turn ends on a path, so that a conversation can go on from there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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
