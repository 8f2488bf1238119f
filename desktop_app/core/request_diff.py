"""Two requests side by side, block by block in the order of the prefix."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from typing import Any, Literal

from desktop_app.core.cache.causes import SentRequest
from desktop_app.core.conversation import Block, to_json
from desktop_app.core.request_log import SYSTEM_PART
from desktop_app.core.segment import Segment


class Change(StrEnum):
    """How a block of one request stands to the other."""

    SAME = "same"
    CHANGED = "changed"
    ADDED = "added"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class BlockPair:
    """A block in both requests, or in one of them. `part` and `place` are those in the later one where it is there."""

    change: Change
    part: Literal["tools", "system"] | int
    place: int
    role: str
    segment: Segment
    before: Block | None
    after: Block | None


@dataclass(frozen=True, slots=True)
class RequestDiff:
    """`params` are the fields that differ as (name, before, after) in JSON, "" where absent; `shared` blocks at the
    beginning are equal."""

    params: tuple[tuple[str, str, str], ...]
    blocks: tuple[BlockPair, ...]
    shared: int


Level = Literal["tools", "system", "messages"]
LEVELS: tuple[Level, ...] = ("tools", "system", "messages")


@dataclass(frozen=True, slots=True)
class PlacedBlock:
    """A block of a request with where it stands."""

    part: Literal["tools", "system"] | int
    place: int
    role: str
    segment: Segment
    block: Block

    @property
    def word(self) -> str:
        """What makes two blocks the same to the cache: their bytes and who says them."""
        return f"{self.role}:{to_json(self.block)}"

    def same_as(self, other: PlacedBlock) -> bool:
        """Whether the words of both are equal, told without writing them."""
        return self.role == other.role and _same_json(self.block, other.block)


def _same_json(one: object, other: object) -> bool:
    """Whether two values have the same JSON: also the order of keys counts, and 1 is neither 1.0 nor true."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict) and isinstance(other, dict):
        return len(one) == len(other) and all(
            key == name and _same_json(value, others)
            for (key, value), (name, others) in zip(one.items(), other.items(), strict=True)
        )
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same_json, one, other))
    return one == other


def placed_blocks(sent: SentRequest) -> dict[Level, list[PlacedBlock]]:
    """The blocks of a request by level, each in order, with the segments they were planned for."""
    segments = {
        (span.message, place): span.segment
        for span in sent.record.spans
        for place in range(span.first, span.first + span.count)
    }
    found: dict[Level, list[PlacedBlock]] = {level: [] for level in LEVELS}
    request = sent.request
    for place, block in enumerate(request.tools):
        found["tools"].append(PlacedBlock("tools", place, "", Segment.TOOLS, block))
    for place, block in enumerate(request.system):
        segment = segments.get((SYSTEM_PART, place), Segment.SYSTEM)
        found["system"].append(PlacedBlock("system", place, "", segment, block))
    for number, message in enumerate(request.messages):
        for place, block in enumerate(message.blocks):
            segment = segments.get((number, place), Segment.MESSAGES)
            found["messages"].append(PlacedBlock(number, place, message.role, segment, block))
    return found


def diff_requests(before: SentRequest, after: SentRequest) -> RequestDiff:
    """What is the same, other, new and gone; cache marks do not count, nor where a message of one role is cut in two.

    A block that stands in another place is removed there and added here.
    """
    old, new = placed_blocks(before), placed_blocks(after)
    pairs = tuple(pair for level in LEVELS for pair in _pairs(old[level], new[level]))
    shared = next((count for count, pair in enumerate(pairs) if pair.change is not Change.SAME), len(pairs))
    return RequestDiff(_params(before.request.params, after.request.params), pairs, shared)


_EACH_ANOTHER = ("diagnostics",)
"""Fields that name the request before: never the same, and no part of what is asked."""


def _params(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[tuple[str, str, str], ...]:
    names = [*before, *(name for name in after if name not in before)]
    names = [name for name in names if name not in _EACH_ANOTHER]
    rows = ((name, _written(before, name), _written(after, name)) for name in names)
    return tuple(row for row in rows if row[1] != row[2])


def _written(params: Mapping[str, Any], name: str) -> str:
    return to_json(params[name]) if name in params else ""


def _pairs(old: Sequence[PlacedBlock], new: Sequence[PlacedBlock]) -> Iterator[BlockPair]:
    """The blocks of one level side by side."""
    # What both begin with is nearly all of it, and comparing it here spares the matcher a long conversation.
    same = 0
    while same < min(len(old), len(new)) and old[same].same_as(new[same]):
        yield _pair(Change.SAME, old[same], new[same])
        same += 1
    left, right = old[same:], new[same:]
    matcher = SequenceMatcher(None, [one.word for one in left], [one.word for one in right], autojunk=False)
    for kind, from_old, to_old, from_new, to_new in matcher.get_opcodes():
        if kind == "equal":
            both = zip(left[from_old:to_old], right[from_new:to_new], strict=True)
            yield from (_pair(Change.SAME, one, other) for one, other in both)
        else:
            yield from _replaced(left[from_old:to_old], right[from_new:to_new])


def _replaced(gone: Sequence[PlacedBlock], come: Sequence[PlacedBlock]) -> Iterator[BlockPair]:
    """Blocks that stand where others stood: of one kind they are a change, the rest went and came."""
    waiting, added = list(gone), list[PlacedBlock]()
    for block in come:
        twin = next((place for place, one in enumerate(waiting) if _kind(one) == _kind(block)), None)
        if twin is None:
            added.append(block)
            continue
        yield from _went_and_came(waiting[:twin], added)
        yield _pair(Change.CHANGED, waiting[twin], block)
        del waiting[: twin + 1]
        added.clear()
    yield from _went_and_came(waiting, added)


def _went_and_came(gone: Sequence[PlacedBlock], come: Sequence[PlacedBlock]) -> Iterator[BlockPair]:
    yield from (_pair(Change.REMOVED, one, None) for one in gone)
    yield from (_pair(Change.ADDED, None, one) for one in come)


def _kind(placed: PlacedBlock) -> tuple[object, ...]:
    """What two blocks must have in common to be one block that changed."""
    block, segment = placed.block, placed.segment
    if placed.part == "tools":
        return "tools", block.get("name")
    # The message being answered is a message like any other in the next request.
    segment = Segment.MESSAGES if segment is Segment.CURRENT else segment
    return placed.role, block.get("type"), segment, block.get("tool_use_id") or block.get("id")


def _pair(change: Change, old: PlacedBlock | None, new: PlacedBlock | None) -> BlockPair:
    shown = new or old
    assert shown is not None
    return BlockPair(
        change,
        shown.part,
        shown.place,
        shown.role,
        shown.segment,
        old.block if old else None,
        new.block if new else None,
    )
