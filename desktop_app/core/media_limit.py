"""What is attached and still cannot be sent: beyond the size of a request body, or not taken by model or endpoint.

Both are functions of a plan, made anew for each request and the same for the same plan, so the prefix stays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import ceil
from typing import NamedTuple

from desktop_app.core.attachment_label import MEDIA, label_places
from desktop_app.core.attachments import Attachment, AttachmentKind, attachment_of, stub
from desktop_app.core.context import ContextPlan, PlannedBlock, PlannedMessage
from desktop_app.core.conversation import Block, Role, text_block, to_json
from desktop_app.core.rule_case import THINKING
from desktop_app.core.segment import Segment

BODY_LIMIT = 30_000_000
"""Bytes of a request body; the API takes 32 MB (not certain), other servers often less."""
_STEP = 10_000_000
"""So many bytes leave at once: with each picture more the prefix would be another, and nothing of it in the cache."""
_LARGE_WINDOW = 500_000
_MOST, _MOST_IN_SMALL_WINDOW = 600, 100
"""Pages of PDFs, and pictures, of one request; models with a smaller window take fewer (not certain)."""
_MANY, _LONGEST_OF_MANY = 20, 2_000
"""With more pictures than these, none may have a side of more pixels (not certain)."""
_PICTURES_AT_ONCE = 10
_LEFT_OUT = "{stub} (left out of this request for its size; call read_attachment with id {id} to see it)"
_KEPT = "{stub} (left out of this request for its size; it is kept whole in this conversation)"
_NOT_TAKEN = "{stub} (this model cannot read it)"

_Change = Callable[[Block, "Block | None"], "Block | None"]
"""Gets a medium and the line that names it; gives what stands in its place, None where it stays."""


_HOLDING = frozenset((*MEDIA, "tool_result"))


class _Medium(NamedTuple):
    number: int
    """Of its message in the plan."""
    size: int
    pages: int
    pixels: int
    """Of its longer side."""


def over_body_limit(
    plan: ContextPlan, limit: int = BODY_LIMIT, window: int | None = None
) -> tuple[ContextPlan, tuple[Attachment, ...]]:
    """The plan with the oldest media left out where there is too much of them, and what was left out.

    Too much is a body of more than `limit` bytes, or more pages or pictures than a model of this `window` (tokens)
    takes. What is left out is named, with the id by which `read_attachment` gives it again where the plan has tools.
    The media of the newest turn that has any always stay, so a plan may still be over. Thinking behind what was left
    out goes: it is bound to what stood before it.
    """
    media = _media(plan)
    leaving = max(_over_size(plan, media, limit), _over_pages(media, window), _over_pictures(media, window))
    if not leaving:
        return plan, ()
    newest = _turn_of(plan.messages, media[-1].number)
    leaving = min(leaving, sum(1 for medium in media if medium.number < newest))
    return _without_oldest(plan, leaving) if leaving else (plan, ())


def _over_size(plan: ContextPlan, media: Sequence[_Medium], limit: int) -> int:
    """How many of the oldest must go so that the body is no larger than `limit`."""
    whole = sum(medium.size for medium in media)
    if whole <= limit // 3:
        return 0  # texts alone fill no body: a window of a million tokens holds fewer bytes
    return _oldest(media, lambda medium: medium.size, whole + _other_bytes(plan) - limit, min(_STEP, limit // 3))


def _over_pages(media: Sequence[_Medium], window: int | None) -> int:
    most = _most(window)
    return _oldest(media, lambda medium: medium.pages, sum(medium.pages for medium in media) - most, most // 3)


def _over_pictures(media: Sequence[_Medium], window: int | None) -> int:
    sides = [medium.pixels for medium in media if medium.pixels]
    most = _MANY if max(sides, default=0) > _LONGEST_OF_MANY else _most(window)
    return _oldest(media, lambda medium: 1 if medium.pixels else 0, len(sides) - most, _PICTURES_AT_ONCE)


def _oldest(media: Sequence[_Medium], weight: Callable[[_Medium], int], over: int, step: int) -> int:
    """How many of the oldest weigh as much as there is too much, in whole steps."""
    if over <= 0:
        return 0
    gone, wanted = 0, ceil(over / step) * step
    for count, medium in enumerate(media, 1):
        gone += weight(medium)
        if gone >= wanted:
            return count
    return len(media)


def _most(window: int | None) -> int:
    return _MOST if window is None or window >= _LARGE_WINDOW else _MOST_IN_SMALL_WINDOW


def taken_media(plan: ContextPlan, *, images: bool = True, pdfs: bool = True) -> ContextPlan:
    """The plan with what the model or endpoint does not take named only.

    Where PDFs are not taken, no block for documents is: a text that is attached stands as plain text then, for some
    servers drop the block without a word.
    """
    if images and pdfs:
        return plan

    def change(block: Block, label: Block | None) -> Block | None:
        one = attachment_of(block, label)
        if one is None or (images if one.kind is AttachmentKind.IMAGE else pdfs):
            return None
        source = block.get("source") or {}
        if one.kind is AttachmentKind.TEXT and isinstance(source.get("data"), str):
            return text_block(f"<document>\n{source['data']}\n</document>")
        return text_block(_NOT_TAKEN.format(stub=stub(block, label)))

    return replace(plan, messages=tuple(_changed(message, change) for message in plan.messages))


def _without_oldest(plan: ContextPlan, count: int) -> tuple[ContextPlan, tuple[Attachment, ...]]:
    left: list[Attachment] = []
    told = _LEFT_OUT if plan.tools else _KEPT

    def change(block: Block, label: Block | None) -> Block | None:
        one = attachment_of(block, label)
        if one is None or len(left) == count:
            return None
        left.append(one)
        return text_block(told.format(stub=stub(block, label), id=one.id))

    messages: list[PlannedMessage] = []
    for message in plan.messages:
        behind = bool(left)
        changed = _changed(message, change) if len(left) < count else message
        messages.append(_without_thinking(changed) if behind and message.role is Role.ASSISTANT else changed)
    named = tuple({one.id: one for one in left}.values())
    return replace(plan, messages=tuple(messages)), named


def _media(plan: ContextPlan) -> list[_Medium]:
    """Every medium, oldest first, those inside results of tools included."""
    found: list[_Medium] = []
    for number, message in enumerate(plan.messages):
        blocks = [planned.block for planned in message.blocks]
        if _HOLDING.isdisjoint([block.get("type") for block in blocks]):
            continue  # most messages of a long conversation
        found += [_Medium(number, *_weighed(block, label)) for block, label in _media_of(blocks)]
    return found


def _media_of(blocks: Sequence[Block]) -> Iterator[tuple[Block, Block | None]]:
    labels = label_places(blocks)
    for place, block in enumerate(blocks):
        if block.get("type") in MEDIA:
            yield block, blocks[place - 1] if place - 1 in labels else None
        elif block.get("type") == "tool_result" and isinstance(block.get("content"), list):
            yield from _media_of(block["content"])


def _weighed(block: Block, label: Block | None) -> tuple[int, int, int]:
    data = (block.get("source") or {}).get("data")
    one = attachment_of(block, label)
    size = len(data.encode() if one and one.kind is AttachmentKind.TEXT else data) if isinstance(data, str) else 0
    return (size, one.pages, max(one.width, one.height, 1 if block["type"] == "image" else 0)) if one else (size, 0, 0)


def _other_bytes(plan: ContextPlan) -> int:
    """What is sent besides the media."""
    blocks = [*plan.tools, *plan.system, *(planned for message in plan.messages for planned in message.blocks)]
    return sum(len(to_json(one).encode()) for planned in blocks for one in _texts_of(planned.block))


def _texts_of(block: Block) -> list[Block]:
    if block.get("type") in MEDIA:
        return []
    if block.get("type") == "tool_result" and isinstance(block.get("content"), list):
        return [part for part in block["content"] if part.get("type") not in MEDIA]
    return [block]


def _turn_of(messages: Sequence[PlannedMessage], number: int) -> int:
    """Where the turn begins that a message is part of: the person speaks, not a tool."""
    for place in range(number, 0, -1):
        spoken = (planned.block.get("type") != "tool_result" for planned in messages[place].blocks)
        if messages[place].role is Role.USER and any(spoken):
            return place
    return 0


def _changed(message: PlannedMessage, change: _Change) -> PlannedMessage:
    """A message with other blocks in place of media; the same object where none is changed."""
    blocks = [planned.block for planned in message.blocks]
    labels = label_places(blocks)
    result: list[PlannedBlock] = []
    for place, planned in enumerate(message.blocks):
        label = blocks[place - 1] if place - 1 in labels else None
        result.append(_changed_block(planned, label, change))
    same = all(before is after for before, after in zip(message.blocks, result, strict=True))
    return message if same else message._replace(blocks=tuple(result))


def _changed_block(planned: PlannedBlock, label: Block | None, change: _Change) -> PlannedBlock:
    block = planned.block
    if planned.segment is Segment.SUMMARY:
        return planned
    if block.get("type") in MEDIA:
        other = change(block, label)
        return planned if other is None else planned._replace(block=other)
    content = block.get("content")
    if block.get("type") != "tool_result" or not isinstance(content, list):
        return planned
    labels = label_places(content)
    parts = [
        (change(part, content[place - 1] if place - 1 in labels else None) if part.get("type") in MEDIA else None)
        or part
        for place, part in enumerate(content)
    ]
    if all(before is after for before, after in zip(content, parts, strict=True)):
        return planned
    return planned._replace(block={**block, "content": parts})


def _without_thinking(message: PlannedMessage) -> PlannedMessage:
    kept = tuple(planned for planned in message.blocks if planned.block.get("type") not in THINKING)
    return message._replace(blocks=kept) if kept else message
