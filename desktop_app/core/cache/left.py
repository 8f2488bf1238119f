"""What a request left in the cache, how much of it a later one could have read, and why it did not where nothing
differs."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from itertools import accumulate

from desktop_app.core.cache.causes import Cause, SentRequest
from desktop_app.core.cache.difference import images_in, shared_messages
from desktop_app.core.cache.forecast import LIFE, LOOK_BACK, CachePoint, Lifetime
from desktop_app.core.cache.prediction import cached_tokens
from desktop_app.core.request import Request
from desktop_app.core.request_log import RequestPurpose, RequestRecord, RequestState

_LARGEST_LEAST = 4_096
"""No model is known to leave a prefix of this many tokens out of the cache for being too small."""


def answer_began(record: RequestRecord) -> bool:
    """Whether the answer of a request began: before that nothing it wrote can be read."""
    usage = record.usage
    return record.state is RequestState.ANSWERED or (usage is not None and bool(usage.input_total))


def answers_turn(record: RequestRecord) -> bool:
    """Whether it is a request of a turn whose answer began: what it left is there for the next one."""
    return record.purpose is RequestPurpose.CHAT and answer_began(record)


def last_on_path(records: Sequence[RequestRecord], path: Collection[str]) -> RequestRecord | None:
    """The one whose leavings the next request on a path (ids of its messages) is measured by: the last of a turn on it
    whose answer began, whatever other versions were sent since. `records` are oldest first."""
    ids = frozenset(path)
    return next((one for one in reversed(records) if one.turn_id in ids and answers_turn(one)), None)


def left_by(record: RequestRecord) -> int | None:
    """Tokens a request left in the cache; None where its endpoint says nothing of one."""
    return cached_tokens(record) if answer_began(record) else 0


def read_by(record: RequestRecord) -> int | None:
    """Tokens a request read from the cache, or is expected to; None where unknown."""
    if record.usage is not None and record.usage.input_total:
        return record.usage.read
    return record.predicted.read if record.predicted else None


def input_of(record: RequestRecord) -> int:
    """All its input tokens, as well as they are known."""
    if record.usage is None and record.predicted and record.predicted.total:
        return record.predicted.total
    return record.total.tokens


def could_be_read(before: SentRequest, after: SentRequest) -> int | None:
    """Tokens of what the earlier request left that the later one might have read; None where nobody tells.

    A memo is asked for beside the conversation: what lies behind the place where it leaves it is not for it to read.
    """
    left = left_by(before.record)
    if left is None:
        return None
    if after.record.purpose is not RequestPurpose.CHAT:
        shared = shared_messages(before.request, after.request)
        left = max((point.tokens for point in before.record.points if point.place <= shared), default=0)
    return min(left, input_of(after.record))


def expired(
    before: RequestRecord, sent_at: datetime, between: Sequence[RequestRecord]
) -> tuple[Lifetime, float] | None:
    """The lifetime that was over when the later request was sent, and the seconds since it was last used; else None."""
    point = _deepest(before)
    uses = [(one.sent_at, mark.lifetime) for one in between if answer_began(one) for mark in _same(one, point)]
    used_at, lifetime = max(
        [(before.sent_at, point.lifetime if point else "5m"), *uses],
        key=lambda use: use[0] + LIFE[use[1]],
    )
    waited = (sent_at - used_at).total_seconds()
    return (lifetime, waited) if waited >= LIFE[lifetime].total_seconds() else None


def blocks_to_look_back(before: Request, after: Request) -> int | None:
    """Blocks from the last mark of the earlier request to the next one of the later; None where there is none."""
    marks = _places_of_marks(before)
    ahead = [place - max(marks) for place in _places_of_marks(after) if place >= max(marks)] if marks else []
    return min(ahead, default=None)


def why_unread(before: SentRequest, after: SentRequest, between: Sequence[RequestRecord]) -> tuple[Cause, str, str]:
    """Why an unchanged prefix was not read, with the two values that show it."""
    if not answer_began(before.record):
        return Cause.NOT_STARTED, "", ""
    if not before.request.marks or not after.request.marks:
        return Cause.UNMARKED, "", ""
    tokens = input_of(before.record)
    if left_by(before.record) == 0 and tokens < _LARGEST_LEAST:
        return Cause.TOO_SMALL, "", str(tokens)
    if late := expired(before.record, after.record.sent_at, between):
        return Cause.EXPIRED, late[0], str(round(late[1]))
    blocks = blocks_to_look_back(before.request, after.request)
    if blocks is not None and blocks > LOOK_BACK:
        return Cause.LOOK_BACK, str(LOOK_BACK), str(blocks)
    images = images_in(before.request), images_in(after.request)
    if images[0] != images[1]:
        return Cause.IMAGES, str(images[0]), str(images[1])
    if any(not answer_began(record) for record in between):
        return Cause.NOT_STARTED, "", ""
    return Cause.UNEXPLAINED, "", ""


def _deepest(record: RequestRecord) -> CachePoint | None:
    return max(record.points, key=lambda point: point.place, default=None)


def _same(record: RequestRecord, point: CachePoint | None) -> list[CachePoint]:
    return [mark for mark in record.points if point is not None and mark.digest == point.digest]


def _places_of_marks(request: Request) -> list[int]:
    """The numbers of the marked blocks, counted from the beginning of the prefix."""
    starts = accumulate((len(message.blocks) for message in request.messages), initial=0)
    ahead = len(request.tools) + len(request.system)
    first: dict[str | int, int] = {"tools": 0, "system": len(request.tools)}
    first |= {number: ahead + start for number, start in enumerate(starts)}
    return [first[mark.part] + mark.block for mark in request.marks]
