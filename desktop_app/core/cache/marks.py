"""Where the cache marks of a request stand: at most four, from the plan alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from desktop_app.core.block_rules import MOST_MARKS
from desktop_app.core.cache.forecast import Lifetime
from desktop_app.core.conversation import Block, is_blank
from desktop_app.core.request import Mark, RequestMessage

Part = Literal["tools", "system"] | int
_EXTRA_AFTER = 15
"""More new blocks than this, and the end of the request before gets a mark of its own."""
_CARRIERS = frozenset(("image", "document", "tool_use"))


def place_marks(
    tools: Sequence[Block],
    system: Sequence[Block],
    messages: Sequence[RequestMessage],
    *,
    summary: bool = False,
    lifetime: str = "5m",
    keep_end: bool = True,
) -> tuple[Mark, ...]:
    """At most four marks in the order of the prefix; the same blocks give the same marks.

    They stand, the most needed first, behind all that is fixed (system, or tools where there is none); behind the
    summary when the first message opens with one (`summary`), ours or the API's own; on the last block, unless nothing
    will ever follow it (not `keep_end`); where the request before this one ended, when so much was added that it would
    not be found; behind what stays when the facts change. A slot that is left marks the end of the request before in
    any case. None stands on a block that cannot carry one. `lifetime` is the profile's choice (`LIFETIMES`); an hour
    never follows on five minutes.
    """
    long: Lifetime = "5m" if lifetime == "5m" else "1h"
    short: Lifetime = "1h" if lifetime == "1h" else "5m"
    head = [*_last_of("system", system, long)] or [*_last_of("tools", tools, long)]
    opening = [*_last_of(0, messages[0].blocks[:1], long)] if summary and messages else []
    end, before = _end(messages), _end_before(messages)
    last = _mark_end(messages, end, short) if keep_end else []
    earlier = _mark_end(messages, before, short)
    needed = not keep_end or (before is not None and end is not None and _added(messages, before, end) > _EXTRA_AFTER)
    fixed = [*_last_of("system", system[:-1], long)] or ([*_last_of("tools", tools, long)] if system else [])
    wanted = [*head, *opening, *last, *(earlier if needed else []), *fixed, *earlier]
    # Where two stand on one block, the more needed one does.
    places = {_place_in_prefix(mark): mark for mark in reversed(wanted)}
    first = list(dict.fromkeys(map(_place_in_prefix, wanted)))[:MOST_MARKS]
    return tuple(places[place] for place in sorted(first))


def _place_in_prefix(mark: Mark) -> tuple[int, int]:
    part = {"tools": -2, "system": -1}[mark.part] if isinstance(mark.part, str) else mark.part
    return part, mark.block


def _mark_end(messages: Sequence[RequestMessage], number: int | None, lifetime: Lifetime) -> list[Mark]:
    return [] if number is None else [*_last_of(number, messages[number].blocks, lifetime)]


def _added(messages: Sequence[RequestMessage], before: int, end: int) -> int:
    """How many blocks lie behind one message, down to the end of another."""
    return sum(len(message.blocks) for message in messages[before + 1 : end + 1])


def _end(messages: Sequence[RequestMessage]) -> int | None:
    """The last message that can carry a mark."""
    places = (number for number in range(len(messages) - 1, -1, -1) if any(map(_carries, messages[number].blocks)))
    return next(places, None)


def _end_before(messages: Sequence[RequestMessage]) -> int | None:
    """The message the previous request of the loop or conversation ended with: the person's last before this end."""
    return next((number for number in range(len(messages) - 2, -1, -1) if messages[number].role == "user"), None)


def _last_of(part: Part, blocks: Sequence[Block], lifetime: Lifetime) -> Iterator[Mark]:
    """A mark on the last block that can carry one, if there is any."""
    places = range(len(blocks) - 1, -1, -1)
    place = next((place for place in places if part == "tools" or _carries(blocks[place])), None)
    if place is not None:
        yield Mark(part, place, lifetime)


def _carries(block: Block) -> bool:
    kind, content = block.get("type"), block.get("content")
    if kind == "text":
        return not is_blank(str(block.get("text", "")))
    if kind == "tool_result":
        return bool(content) and not (isinstance(content, str) and is_blank(content))
    if kind == "compaction":
        return bool(content)  # a compaction that failed holds nothing
    return kind in _CARRIERS
