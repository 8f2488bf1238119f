"""Where a path is cut: what is folded into the memo, and which whole turns stay word for word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from desktop_app.core.context import CUT_REASONS
from desktop_app.core.conversation import Message, MessageState, Origin, Role, tool_calls


@dataclass(frozen=True, slots=True)
class Boundary:
    """A cut right behind `until_message_id`, which is message number `place` of the path (from 1).

    `folded` are ids of the messages that go into this memo: those an earlier memo stands for are not among them.
    Tokens are of the messages alone, without system prompt, tools and memo.
    """

    until_message_id: str
    place: int
    folded: tuple[str, ...]
    folded_tokens: int
    kept_tokens: int


def find_boundary(
    path: Sequence[Message],
    tokens: Mapping[str, int],
    *,
    keep: int,
    large: int,
    after: int = 0,
    most: int | None = None,
) -> Boundary | None:
    """The cut that leaves the longest run of whole turns that fits `keep` tokens; None where nothing can be folded.

    `tokens` holds the tokens of each message that is sent, by id. The first `after` messages are folded already.
    An open last turn always stays, and so does a finished one of at most `large` tokens. `most` limits the number of
    messages that stay as well.
    """
    turns = turns_of(path, after)
    place, kept = len(path), 0
    for start, end in reversed(turns):
        size = sum(tokens.get(message.id, 0) for message in path[start:end])
        must_stay = end == len(path) and (size <= large or is_open(path))
        too_many = most is not None and len(path) - start > most
        if (kept + size > keep or too_many) and not must_stay:
            break
        place, kept = start, kept + size
    if place <= after:
        return None
    folded = path[after:place]
    gone = sum(tokens.get(message.id, 0) for message in folded)
    return Boundary(path[place - 1].id, place, tuple(message.id for message in folded), gone, kept)


def is_open(path: Sequence[Message]) -> bool:
    """Whether the last turn still lacks a finished reply: an answer, results of its tools, or the rest of a cut one."""
    if not path:
        return False
    last = path[-1]
    return (
        last.role is Role.USER
        or last.state is MessageState.STREAMING
        or last.stop_reason in ("pause_turn", *CUT_REASONS)
        or bool(tool_calls(last.blocks))
    )


def closed_until(path: Sequence[Message], place: int) -> list[Message]:
    """The first `place` messages as a conversation of closed turns: of a paused reply at their end that nothing went on
    with, what it left open is not sent."""
    closed = list(path[:place])
    if closed and closed[-1].stop_reason == "pause_turn":
        closed[-1] = replace(closed[-1], stop_reason="end_turn")
    return closed


def turns_of(path: Sequence[Message], after: int = 0) -> list[tuple[int, int]]:
    """The turns behind the first `after` messages as (start, end), the end not included."""
    if after >= len(path):
        return []
    # What asks for the rest of a cut answer stays with that answer.
    starts = [after, *(at for at in range(after + 1, len(path)) if path[at].origin is Origin.TYPED)]
    return list(zip(starts, [*starts[1:], len(path)], strict=True))
